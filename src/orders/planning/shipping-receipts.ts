import type { Queryable } from '../../platform/postgres';
import { type TaxedOrder, vatOf } from '../domain/vat';
import { type Charges, openLines, type ReceiptChange, reinvoice, shippingCharge, shippingDifference } from './charges';
import { readCharges, storeReceipts, taxOf } from './receipts';
import type { RunOrder } from './run-order';
import type { PrintOrderPlan } from './shipment-plan';

export interface ShippingReceipts {
  readonly orderId: string;
  /** Name of the change. Its receipts are stored once. */
  readonly step: string;
  readonly before: TaxedOrder;
  readonly after: RunOrder;
  readonly plans: readonly ReplannedRest[];
}

/** The new plan of a print order, with what has not left of it. */
export interface ReplannedRest extends PrintOrderPlan {
  readonly rest: {
    readonly jobs: readonly { readonly itemId: string; readonly quantity: number }[];
    /** Shipping prices of these units before and after the change, in minor units. */
    readonly priceBefore: number;
    readonly priceAfter: number;
    /** Shipping price of what has left, if it were sent alone by the planned method, in minor units. */
    readonly departedPrice: number;
  };
}

/**
 * Returns the receipts for a change of address or method: an invoice when shipping becomes dearer, a refund when it
 * becomes cheaper, and a refund of what has not left with a new invoice when the VAT country changes.
 */
export async function shippingReceipts(
  sql: Queryable,
  change: Omit<ShippingReceipts, 'step'>,
): Promise<ReceiptChange[]> {
  const { orderId, plans } = change;
  const charges = await readCharges(sql, orderId);
  const groups = new Map<Charges, ReplannedRest[]>();
  for (const plan of plans) {
    const charge = charges.of(plan.printOrderId);
    if (charge !== undefined) groups.set(charge, [...(groups.get(charge) ?? []), plan]);
  }
  return [...groups].flatMap(([charge, plans]) => receiptsOf(charge, plans, change));
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
  plans: readonly ReplannedRest[],
  { before, after }: Omit<ShippingReceipts, 'step'>,
): ReceiptChange[] {
  const { plan } = plans[0]!;
  const method = { referenceId: plan.method.methodUid, title: plan.method.methodName };
  const sum = (price: Exclude<keyof ReplannedRest['rest'], 'jobs'>) =>
    plans.reduce((total, { rest }) => total + rest[price], 0);
  const { price } = shippingCharge(charge);
  const difference = chargedDifference(price, sum('priceBefore'), sum('priceAfter'));
  const vat = vatOf(after, plan.origin);
  const earlier = vatOf(before, plan.origin);
  if (earlier.treatment === vat.treatment && earlier.destination === vat.destination) {
    const receipt = shippingDifference(charge, method, difference);
    return receipt === null ? [] : [receipt];
  }
  const rateOf = (reference: string) =>
    vat.rateOf(after.items.find(({ itemReferenceId }) => itemReferenceId === reference)?.product.taxCategory);
  const units = new Map<string, number>();
  for (const { itemId, quantity } of plans.flatMap(({ rest }) => rest.jobs)) {
    const { itemReferenceId } = after.items.find(({ id }) => id === itemId)!;
    units.set(itemReferenceId, (units.get(itemReferenceId) ?? 0) + quantity);
  }
  const isWhole = openLines(charge).every(({ line, amount }) => amount <= (units.get(line.referenceId) ?? 0));
  if (isWhole) return reinvoice(charge, taxOf(vat), rateOf, { ...method, priceMinor: price + difference });
  const shippingMinor = shareOfRest(price, sum('priceBefore'), sum('departedPrice'), difference);
  return reinvoice(
    charge,
    taxOf(vat),
    rateOf,
    { ...method, priceMinor: shippingMinor + difference },
    { units, shippingMinor },
  );
}

/**
 * Returns what a change adds to a shipping price. After a reroute, the plans may cost more than is charged: a cheaper one is
 * refunded to what it costs, and never more than is charged. All amounts are in minor units.
 */
function chargedDifference(price: number, before: number, after: number): number {
  const difference = after - before;
  return difference < 0 ? Math.max(difference, Math.min(0, after - price)) : difference;
}

/**
 * Returns the part of a shipping price that belongs to what has not left: in proportion to what both parts cost when each is sent
 * alone. It covers a fall of the price. All amounts are in minor units.
 */
function shareOfRest(price: number, rest: number, departed: number, difference: number): number {
  const share = departed === 0 ? rest : Math.round((price * rest) / (rest + departed));
  return Math.min(price, Math.max(share, -difference));
}
