import { z } from 'zod';
import { noFontFor, unprintableLetters } from '../../documents/fonts';
import type { Transaction } from '../../platform/postgres';
import type { ShippingAddress } from './order-schemas';
import type { PreparationPlan } from './plan-refusals';

/** What can be wrong with an address so that a parcel would not arrive. An order with a finding is held before its handover. */
export const addressFindingSchema = z
  .object({
    code: z.enum(['unprintable_letters']),
    field: z.string().describe('Field of the address.'),
    message: z.string(),
  })
  .meta({ id: 'AddressFinding' });
export type AddressFinding = z.output<typeof addressFindingSchema>;

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

export function addressFindings(
  address: Readonly<Partial<Record<(typeof PRINTED)[number], string | null | undefined>>>,
): AddressFinding[] {
  return PRINTED.flatMap((field): AddressFinding[] => {
    const letters = unprintableLetters(address[field] ?? '');
    return letters.length === 0 ? [] : [{ code: 'unprintable_letters', field, message: noFontFor(letters) }];
  });
}

/** Returns why an order is not planned with the address that it has, or null. */
export function addressHold({
  shippingAddress,
  acceptedAddressId,
}: {
  readonly shippingAddress: ShippingAddress & { readonly id: string };
  readonly acceptedAddressId: string | null;
}): Extract<PreparationPlan, { outcome: 'parked' }> | null {
  const findings = acceptedAddressId === shippingAddress.id ? [] : addressFindings(shippingAddress);
  if (findings.length === 0) return null;
  const message = findings.map((finding) => `${finding.field}: ${finding.message}`).join(' ');
  return { outcome: 'parked', reason: 'address_check', message };
}

/** Accepts the address that an order has, with its findings. */
export async function acceptAddress(tx: Transaction, orderId: string): Promise<void> {
  await tx`UPDATE orders SET accepted_address_id = (shipping_address ->> 'id')::uuid WHERE id = ${orderId}`;
}
