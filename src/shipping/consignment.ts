import type { Carriers } from '../carriers/carriers';
import { findMethod, RATE_CARDS } from '../carriers/domain/rate-cards';
import type { Consignment, MethodQuote, PostalAddress } from '../consignments/domain/consignment';
import { fallsUnderIoss, lineValue } from '../consignments/domain/customs';
import { chooseMethod, hasName } from '../consignments/domain/method-choice';
import { type RateTable, toMinor } from '../platform/domain/money';
import { type FieldErrorCode, Refusal } from '../platform/errors';
import { type QuoteRequest, type ShippingOrderRequest, toGrams, toMillimetres } from './request-schemas';

/** Trims the texts of an object. Blank texts become undefined. */
function filledIn<T extends object>(fields: T): T {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.trim() || undefined : value,
  ]);
  return Object.fromEntries(entries) as T;
}

function party({ person, address }: QuoteRequest['sender'] | QuoteRequest['receiver']): PostalAddress {
  return filledIn({ ...person, ...address });
}

/**
 * Converts a request of the shipping group to a consignment in grams, millimetres and minor units. Leaves out an IOSS number
 * that does not apply to it. A receiver with a VAT number is a business.
 */
export function consignmentFrom(request: QuoteRequest, rates: RateTable): Consignment {
  const consignment = convertedRequest(request);
  const { sender, receiver: to, packages } = consignment;
  const parties = { iossNumber: sender.taxIds?.iossNumber, isBusiness: to.taxIds?.vatNumber !== undefined };
  const goods = packages.flatMap(({ items }) => items.map(lineValue));
  if (fallsUnderIoss(parties, { from: sender, to }, goods, rates)) return consignment;
  return { ...consignment, sender: { ...sender, taxIds: { ...sender.taxIds, iossNumber: undefined } } };
}

function convertedRequest(request: QuoteRequest): Consignment {
  const weightUnit = request.options?.weightUnit ?? 'g';
  const dimensionUnit = request.options?.dimensionUnit ?? 'mm';
  return {
    sender: { ...party(request.sender), taxIds: request.sender.customs && filledIn(request.sender.customs) },
    receiver: {
      ...party(request.receiver),
      taxIds: request.receiver.customs && filledIn(request.receiver.customs),
    },
    packages: request.packages.map((pack) => ({
      packageReferenceId: pack.packageReferenceId,
      grossWeightGrams: toGrams(pack.grossWeight, weightUnit),
      netWeightGrams: pack.netWeight === undefined ? undefined : toGrams(pack.netWeight, weightUnit),
      volumetricWeightGrams:
        pack.volumetricWeight === undefined ? undefined : toGrams(pack.volumetricWeight, weightUnit),
      boxType: pack.boxType?.trim().toLowerCase() || undefined,
      lengthMm: toMillimetres(pack.length, dimensionUnit),
      widthMm: toMillimetres(pack.width, dimensionUnit),
      heightMm: toMillimetres(pack.height, dimensionUnit),
      items: (pack.items ?? []).map((item) => ({
        itemReferenceId: item.itemReferenceId ?? '',
        description: item.description ?? '',
        quantity: item.quantity ?? 1,
        unitValue: { minor: toMinor(item.value ?? 0, request.currency), currency: request.currency },
        unitWeightGrams: item.weight === undefined ? 0 : toGrams(item.weight, weightUnit),
        hsCode: item.hsCode?.replace(/\D/g, '') || undefined,
        countryOfOrigin: item.countryOfOrigin,
      })),
    })),
    currency: request.currency,
    brandName: request.partner?.clientName?.trim() || undefined,
    reference: request.orderReferenceId,
  };
}

const fieldError = (field: string, message: string, code: FieldErrorCode) =>
  new Refusal('VALIDATION_ERROR', { errors: [{ code, message, reference: `shippingMethod.${field}` }] });

const carrierError = (code: string, message: string) =>
  new Refusal('PUBLIC_API_ERROR', { message, detail: { code, message: { description: message } } });

const isBuiltInCarrier = (name: string) =>
  RATE_CARDS.some(({ carrierUid, carrierName }) =>
    [carrierUid, carrierName].some((each) => each.toLowerCase() === name.toLowerCase()),
  );

/**
 * Returns the method that a shipping order requests, from those that carry its packages (schema `ShippingMethodChoice`).
 * @throws Refusal VALIDATION_ERROR when the method or carrier does not exist, PUBLIC_API_ERROR when the requested method
 *   does not carry the packages to the receiver
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
  const quotes = await carriers.quote(consignment, uid ?? carrier);
  const fromCarrier = carrier === undefined ? quotes : quotes.filter((quote) => hasName(quote, carrier));
  if (uid !== undefined) {
    const method = quotes.find(({ methodUid }) => methodUid === uid);
    if (method === undefined)
      throw carrierError('METHOD_NOT_AVAILABLE', `${uid} does not carry these packages to the receiver.`);
    if (!fromCarrier.includes(method)) {
      throw fieldError('carrier', `${uid} is not a method of ${carrier}.`, 'VALIDATION_ERROR');
    }
    return method;
  }
  if (carrier !== undefined && fromCarrier.length === 0) {
    if (!isBuiltInCarrier(carrier)) {
      throw fieldError('carrier', `There is no carrier ${carrier} for these packages.`, 'NO_SUCH_CHOICE_ERROR');
    }
    throw carrierError('METHOD_NOT_AVAILABLE', `${carrier} does not carry these packages to the receiver.`);
  }
  const chosen = chooseMethod(fromCarrier, asked.tier);
  if (!chosen.ok)
    throw carrierError('NO_METHOD_AVAILABLE', 'No shipping method carries these packages to the receiver.');
  return chosen.method;
}

/** Returns true when a uid may be a gateway's method. Only the gateway knows its methods. */
function isGatewayMethod(carriers: Carriers, uid: string): boolean {
  const adapter = carriers.forMethod(uid);
  return adapter !== undefined && !RATE_CARDS.some(({ carrierUid }) => carrierUid === adapter.uid);
}
