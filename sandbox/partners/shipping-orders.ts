import { z } from 'zod';
import type { PartnerCalls } from './calls';
import type { PartnerContext } from './partner-context';
import type { PrintOrderRecord } from './partner-record';

/** The fields that the partner reads from a shipping order. */
const shippingOrderSchema = z.object({
  orderReferenceId: z.string(),
  status: z.string(),
  packages: z.array(z.object({ trackingNumber: z.string() })),
});

/**
 * Buys a label for a sample parcel to the partner's own address, and cancels it. After a kill the step may be repeated: the
 * reference is used then, and the shipping order is found by it.
 * @returns the reason why the label was not canceled, or undefined
 */
export async function cancelOwnShippingOrder(
  { enter }: Pick<PartnerContext, 'enter'>,
  calls: PartnerCalls,
  record: PrintOrderRecord,
): Promise<string | undefined> {
  const orderReferenceId = `sample-${record.id}`;
  const place = `/v1/shipping-orders/${orderReferenceId}`;
  const bought = await calls.send('/v1/shipping-orders', sampleParcel(record, orderReferenceId));
  if (bought.status !== 200 && bought.status !== 409) return `a shipping order got ${bought.status}`;
  const canceled = await calls.send(`${place}/cancel`, {});
  if (canceled.status !== 200) return `canceling a shipping order got ${canceled.status}`;
  const { packages, ...shippingOrder } = shippingOrderSchema.parse((await calls.read(place)).body);
  const trackingNumbers = packages.map(({ trackingNumber }) => trackingNumber);
  enter({
    type: 'shipping-order',
    printOrderId: record.id,
    shippingOrder: { ...shippingOrder, trackingNumbers },
  });
  return undefined;
}

function sampleParcel({ order }: PrintOrderRecord, orderReferenceId: string) {
  const sender = order!.shipping.address.find(({ type }) => type === 'sender')!;
  const { firstName, lastName, email, phone } = sender;
  const [, street, houseNumber] = /^(.+?) (\S+)$/.exec(sender.addressLine1) ?? [];
  const party = {
    person: { firstName, lastName, company: sender.companyName ?? lastName, email, phone },
    address: {
      country: sender.countryCode,
      state: sender.stateCode,
      city: sender.city,
      postcode: sender.postalCode,
      addressLine1: sender.addressLine1,
      street,
      houseNumber,
    },
  };
  return {
    orderReferenceId,
    currency: order!.shipping.customs.currencyCode,
    shippingMethod: { tier: 'standard' },
    sender: party,
    receiver: party,
    packages: [{ packageReferenceId: 'sample', grossWeight: 400, length: 300, width: 200, height: 30 }],
  };
}
