import type { Queryable } from '../../platform/postgres';
import { type TaxedOrder, vatOf } from '../domain/vat';
import type { PrintOrderPlan, ShipmentPlan } from '../preparation/shipment-plan';
import type { RunOrder } from '../run/run-order';
import { type Charges, type ReceiptChange, reinvoice, shippingCharge, shippingDifference } from './charges';
import { readCharges, storeReceipts } from './receipts';

export interface ShippingReceipts {
  readonly orderId: string;
  /** Name of the change. Its receipts are stored once. */
  readonly step: string;
  readonly before: TaxedOrder;
  readonly after: RunOrder;
  /** The new plans of the print orders that the change concerns. */
  readonly plans: readonly PrintOrderPlan[];
}

/**
 * Returns the receipts for a change of address or method: an invoice when shipping becomes dearer, a refund when it
 * becomes cheaper, and a refund of the whole with a new invoice when the VAT country changes.
 * Call it before the new plans are stored.
 */
export async function shippingReceipts(
  sql: Queryable,
  change: Omit<ShippingReceipts, 'step'>,
): Promise<ReceiptChange[]> {
  const { orderId, plans } = change;
  const before = await sql<{ printOrderId: string; priceMinor: string; fulfillmentCountry: string }[]>`
    SELECT print_order_id::text, price_minor, fulfillment_country FROM planned_shipments
    WHERE print_order_id = ANY(${plans.map(({ printOrderId }) => printOrderId)}::bigint[])`;
  const charges = await readCharges(sql, orderId);
  const groups = new Map<Charges, { difference: number; plan: ShipmentPlan; oldCountry: string }>();
  for (const { printOrderId, plan } of plans) {
    const old = before.find((row) => row.printOrderId === printOrderId);
    const charge = charges.of(printOrderId);
    if (old === undefined || charge === undefined) continue;
    const group = groups.get(charge);
    groups.set(charge, {
      difference: (group?.difference ?? 0) + plan.method.price.minor - Number(old.priceMinor),
      plan: group?.plan ?? plan,
      oldCountry: group?.oldCountry ?? old.fulfillmentCountry,
    });
  }
  return [...groups].flatMap(([charge, group]) => receiptsOf(charge, group, change));
}

/**
 * Stores the receipts for a change of address or method in the transaction of the change. Updates the financial status:
 * `invoiced` after an invoice, `partially_refunded` after refunds alone.
 */
export async function storeShippingReceipts(tx: Queryable, change: ShippingReceipts): Promise<void> {
  const { orderId, step } = change;
  const receipts = await shippingReceipts(tx, change);
  if (receipts.length === 0) return;
  await storeReceipts(
    tx,
    orderId,
    receipts.map((receipt) => ({ ...receipt, step: `${step}:${receipt.printOrderId}:${receipt.type}` })),
  );
  const status = receipts.some(({ type }) => type === 'invoice') ? 'invoiced' : 'partially_refunded';
  await tx`
    UPDATE orders SET run_financial_status = coalesce(run_financial_status, financial_status),
      financial_status = ${status}
    WHERE id = ${orderId}`;
}

function receiptsOf(
  charge: Charges,
  group: { readonly difference: number; readonly plan: ShipmentPlan; readonly oldCountry: string },
  { before, after }: Omit<ShippingReceipts, 'step'>,
): ReceiptChange[] {
  const { difference, plan, oldCountry } = group;
  const method = { referenceId: plan.method.methodUid, title: plan.method.methodName };
  const vat = vatOf(after, plan.fulfillmentCountry);
  if (vatOf(before, oldCountry).country !== vat.country) {
    const priceMinor = shippingCharge(charge).price + difference;
    const rateOf = (reference: string) =>
      vat.rateOf(after.items.find(({ itemReferenceId }) => itemReferenceId === reference)?.product.taxCategory);
    return reinvoice(charge, rateOf, { ...method, priceMinor });
  }
  const receipt = shippingDifference(charge, method, difference);
  return receipt === null ? [] : [receipt];
}
