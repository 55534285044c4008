import type { Carriers } from '../carriers/carriers';
import { findMethod, RATE_CARDS } from '../carriers/domain/rate-cards';
import type { Consignment, MethodQuote } from '../consignments/domain/consignment';
import { chooseMethod, hasName } from '../consignments/domain/method-choice';
import { type FieldErrorCode, Refusal } from '../platform/errors';
import type { ShippingOrderRequest } from './schemas';

const fieldError = (field: string, message: string, code: FieldErrorCode) =>
  new Refusal('VALIDATION_ERROR', { errors: [{ code, message, reference: `shippingMethod.${field}` }] });

const carrierError = (code: string, message: string) =>
  new Refusal('PUBLIC_API_ERROR', { message, detail: { code, message: { description: message } } });

const isBuiltInCarrier = (name: string) =>
  RATE_CARDS.some(({ carrierUid, carrierName }) =>
    [carrierUid, carrierName].some((each) => each.toLowerCase() === name.toLowerCase()),
  );

/**
 * The method that a shipping order asks for, among those that carry its packages (interface "ShippingMethod").
 * @throws Refusal VALIDATION_ERROR for a method or carrier that does not exist, PUBLIC_API_ERROR when none of what
 *   was asked for carries these packages there
 */
export async function requestedMethod(
  carriers: Carriers,
  consignment: Consignment,
  asked: ShippingOrderRequest['shippingMethod'],
): Promise<MethodQuote> {
  const uid = asked.uid?.trim() || undefined;
  const carrier = asked.carrier?.trim() || undefined;
  if (uid !== undefined && findMethod(uid) === undefined && !isGatewayMethod(carriers, uid)) {
    throw fieldError('uid', `There is no method ${uid}.`, 'NO_SUCH_CHOICE_ERROR');
  }
  const quotes = await carriers.quote(consignment);
  const fromCarrier = carrier === undefined ? quotes : quotes.filter((quote) => hasName(quote, carrier));
  if (uid !== undefined) {
    const method = quotes.find(({ methodUid }) => methodUid === uid);
    if (method === undefined)
      throw carrierError('METHOD_NOT_AVAILABLE', `${uid} does not carry these packages there.`);
    if (!fromCarrier.includes(method)) {
      throw fieldError('carrier', `${uid} is not a method of ${carrier}.`, 'VALIDATION_ERROR');
    }
    return method;
  }
  if (carrier !== undefined && fromCarrier.length === 0) {
    if (!isBuiltInCarrier(carrier)) {
      throw fieldError(
        'carrier',
        `There is no carrier ${carrier} for these packages.`,
        'NO_SUCH_CHOICE_ERROR',
      );
    }
    throw carrierError('METHOD_NOT_AVAILABLE', `${carrier} does not carry these packages there.`);
  }
  const chosen = chooseMethod(fromCarrier, asked.tier);
  if (!chosen.ok)
    throw carrierError('NO_METHOD_AVAILABLE', 'No shipping method carries these packages there.');
  return chosen.method;
}

/** Whether a uid may be one of a gateway, which alone knows its methods. */
function isGatewayMethod(carriers: Carriers, uid: string): boolean {
  const adapter = carriers.forMethod(uid);
  return adapter !== undefined && !RATE_CARDS.some(({ carrierUid }) => carrierUid === adapter.uid);
}
