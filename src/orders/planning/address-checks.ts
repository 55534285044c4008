import type { CheckRule } from '../../accounts/clients';
import { type CarrierDoubt, CarrierUnavailable } from '../../carriers/carrier';
import type { Carriers } from '../../carriers/carriers';
import { noFontFor, unprintableLetters } from '../../documents/fonts';
import { fitsOnLabel } from '../../documents/label-layout';
import { isPostCode, stateCode, stateOfPostCode } from '../../platform/domain/address-rules';
import { countryName } from '../../platform/domain/countries';
import { needsState } from '../../platform/domain/fields';
import { territoryOf } from '../../platform/domain/territories';
import { phoneFault } from '../../platform/phone';
import { json, type Queryable, type Transaction } from '../../platform/postgres';
import { type AddressFinding, addressFinding, type StoredFindings } from '../domain/address-findings';
import { receiverOf } from './consignments';
import type { ShippingAddress } from './order-schemas';
import type { PreparationPlan } from './plan-refusals';

/** The fields that labels and papers show in full. */
const PRINTED = [
  'firstName',
  'lastName',
  'companyName',
  'addressLine1',
  'addressLine2',
  'city',
  'postCode',
  'state',
] as const satisfies readonly (keyof ShippingAddress)[];
type Printed = Readonly<Partial<Record<(typeof PRINTED)[number], string | null | undefined>>>;

/** Returns the fields with letters that no font has. */
export function unprintableFields(address: Printed): AddressFinding[] {
  return PRINTED.flatMap((field) => {
    const letters = unprintableLetters(address[field] ?? '');
    return letters.length === 0 ? [] : [addressFinding('unprintable_letters', field, noFontFor(letters))];
  });
}

/** Countries whose streets have house numbers. Elsewhere houses have names, or addresses describe the way. */
const NUMBERED = 'AT AU BE BR CA CH CZ DE DK ES FI FR HU IT LU MX NL NO PL PT RO SE SI SK US'.split(' ');
/** A digit, or the sign for a house without a number, as in Spain. */
const NUMBER = /\p{N}|\bs\/?n\b/iu;

/**
 * Returns what an address shows of its own, in the order of the fields. Fields that are missing or blank are not judged, except
 * the state.
 */
export function addressFindings(
  address: Printed & Pick<ShippingAddress, 'country'> & { phone?: string | undefined },
): AddressFinding[] {
  const { country, postCode, state, addressLine1, addressLine2, phone } = address;
  const findings = unprintableFields(address);
  const place = countryName(country);
  if (postCode && !isPostCode(country, postCode))
    findings.push(addressFinding('post_code_form', 'postCode', `No post code of ${place} has this form. Correct it.`));
  if (needsState(country) && (!state || stateCode(country, state) === undefined)) {
    const code = stateOfPostCode(country, postCode ?? '') ?? null;
    const known = code === null ? '' : ` By the post code it is ${code}.`;
    const fault = state ? `${state} is no state of ${place}.` : `Addresses in ${place} have a state.`;
    findings.push(addressFinding('state_missing', 'state', `${fault}${known} Send its code or name.`, code));
  }
  if (addressLine1 && NUMBERED.includes(country) && !NUMBER.test(`${addressLine1} ${addressLine2 ?? ''}`))
    findings.push(
      addressFinding('no_house_number', 'addressLine1', 'The street has no house number. Ask the recipient for it.'),
    );
  if (!fitsOnLabel(receiverOf({ ...NO_ADDRESS, ...address } as ShippingAddress))) {
    const longest = PRINTED.toSorted((a, b) => (address[b] ?? '').length - (address[a] ?? '').length)[0]!;
    const message = 'The address does not fit on a label in letters that can be read. Shorten this text.';
    findings.push(addressFinding('line_too_long', longest, message));
  }
  const fault = phone ? phoneFault(phone) : null;
  if (fault !== null)
    findings.push(
      addressFinding('phone_form', 'phone', `${fault} Carriers cannot call the recipient. Write it as +49 30 901820.`),
    );
  return findings;
}

const NO_ADDRESS = { lastName: '', addressLine1: '', city: '', postCode: '', email: '', phone: '' };

interface CheckedAddress {
  readonly id: string;
  readonly shippingAddress: ShippingAddress & { readonly id: string };
  readonly addressFindings: StoredFindings | null;
}

/** The e-mail address of an erased order. */
const ERASED = 'erased@erased.invalid';

/** Returns everything that is known about the address of an order. Of an erased one nothing is. */
export function findingsOf({ shippingAddress, addressFindings: stored }: Omit<CheckedAddress, 'id'>): AddressFinding[] {
  if (shippingAddress.email === ERASED) return [];
  const others = stored?.addressId === shippingAddress.id ? stored.findings : [];
  return [...addressFindings(shippingAddress), ...others];
}

/** The rule of a client without one of its own. */
const DEFAULT: CheckRule = { errors: 'hold', warnings: 'warn' };

/** Returns the findings that stop an order, and whether they refuse or hold it. Null: the order goes on. */
export function stoppingFindings(findings: readonly AddressFinding[], rule: CheckRule | null) {
  const actionOf = ({ severity }: AddressFinding) => (rule ?? DEFAULT)[severity === 'error' ? 'errors' : 'warnings'];
  for (const action of ['refuse', 'hold'] as const) {
    const stopping = findings.filter((each) => actionOf(each) === action);
    if (stopping.length > 0) return { action, findings: stopping };
  }
  return null;
}

type Stop = Extract<PreparationPlan, { outcome: 'parked' | 'refused' }>;

/** Returns why an order is not planned with the address that it has, or null. */
export function addressStop(
  order: Omit<CheckedAddress, 'id'> & {
    readonly acceptedAddressId: string | null;
    readonly addressChecks: CheckRule | null;
  },
): Stop | null {
  if (order.acceptedAddressId === order.shippingAddress.id) return null;
  const stopping = stoppingFindings(findingsOf(order), order.addressChecks);
  if (stopping === null) return null;
  const { action, findings } = stopping;
  const message = findings.map(({ field, message }) => `${field}: ${message}`).join(' ');
  return action === 'hold'
    ? { outcome: 'parked', reason: 'address_check', message }
    : { outcome: 'refused', code: 'address_check', reason: message, details: { checks: findings } };
}

/** Names of the fields of an address in the carriers' form. */
const FIELDS: Readonly<Record<CarrierDoubt['field'], keyof ShippingAddress>> = {
  addressLine1: 'addressLine1',
  addressLine2: 'addressLine2',
  city: 'city',
  postcode: 'postCode',
  state: 'state',
};

/**
 * Returns an order with what carriers find in its address, before it is planned. They are asked once for each address. One that
 * does not respond delays no order. What an earlier plan found is left out: the next plan finds it again.
 */
export async function withCarrierDoubts<Order extends CheckedAddress>(
  deps: { readonly sql: Queryable; readonly carriers: Carriers },
  order: Order,
): Promise<Order> {
  const { shippingAddress: address, addressFindings: stored } = order;
  if (stored?.addressId === address.id) {
    const findings = stored.findings.filter(({ code }) => code !== 'territory_without_service');
    if (findings.length === stored.findings.length) return order;
    return { ...order, addressFindings: await storeFindings(deps.sql, order, findings) };
  }
  try {
    const doubts = await deps.carriers.checkAddress(receiverOf(address));
    if (doubts === null) return order;
    const findings = doubts.map(({ field, message, suggestion }) =>
      addressFinding('carrier_doubt', FIELDS[field], message, suggestion),
    );
    return { ...order, addressFindings: await storeFindings(deps.sql, order, findings) };
  } catch (error) {
    if (error instanceof CarrierUnavailable) return order;
    throw error;
  }
}

/** Returns an order that no method carries into a special territory, with the finding. Null: its address is in none. */
export async function withTerritoryFinding<Order extends CheckedAddress>(
  sql: Queryable,
  order: Order,
): Promise<Order | null> {
  const { name } = territoryOf(order.shippingAddress);
  if (name === undefined) return null;
  const known = order.addressFindings?.addressId === order.shippingAddress.id ? order.addressFindings.findings : [];
  const message = `The address is in a territory of its own (${name}), to which none of the shipment methods delivers. Choose another method or address.`;
  const others = known.filter(({ code }) => code !== 'territory_without_service');
  const stored = await storeFindings(sql, order, [
    ...others,
    addressFinding('territory_without_service', 'postCode', message),
  ]);
  return { ...order, addressFindings: stored };
}

async function storeFindings(
  sql: Queryable,
  { id, shippingAddress }: CheckedAddress,
  findings: readonly AddressFinding[],
): Promise<StoredFindings> {
  const stored = { addressId: shippingAddress.id, findings };
  await sql`UPDATE orders SET address_findings = ${json(sql, stored)} WHERE id = ${id}`;
  return stored;
}

/** Accepts the address that an order has, with its findings. */
export async function acceptAddress(tx: Transaction, orderId: string): Promise<void> {
  await tx`UPDATE orders SET accepted_address_id = (shipping_address ->> 'id')::uuid WHERE id = ${orderId}`;
}
