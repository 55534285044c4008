import { uuidv7 } from '../../platform/ids';
import type { Queryable } from '../../platform/postgres';
import { json } from '../../platform/postgres';
import { priceLine } from '../domain/pricing';
import { buildReceipt, type Receipt, refundReceipt } from '../domain/receipt';
import { vatRate } from '../domain/vat';
import type { RunOrder } from '../run/run-order';
import type { ShipmentPlan } from './shipment-plan';

/** Returns the invoice for the units that one partner makes and ships. VAT depends on the partner's country. */
export function invoiceOf(
  order: RunOrder,
  jobs: readonly { readonly itemId: string; readonly quantity: number }[],
  plan: ShipmentPlan,
): Receipt {
  return buildReceipt({
    currency: order.currency,
    vatRate: vatRate(plan.fulfillmentCountry, order.shippingAddress.country),
    products: jobs.flatMap(({ itemId, quantity }) => {
      const item = order.items.find((candidate) => candidate.id === itemId);
      const price = item && priceLine({ product: item.product, quantity }, order.currency, order.rates);
      return item && price ? [{ referenceId: item.itemReferenceId, title: item.product.name, price }] : [];
    }),
    shipments: [
      {
        referenceId: plan.method.methodUid,
        title: plan.method.methodName,
        priceMinor: plan.method.price.minor,
      },
    ],
  });
}

/** Stores receipts. A step stores its receipt once, however often it is repeated. */
export async function storeReceipts(
  tx: Queryable,
  orderId: string,
  receipts: readonly {
    readonly step: string;
    readonly type: 'invoice' | 'refund';
    readonly receipt: Receipt;
  }[],
): Promise<void> {
  const rows = receipts.map(({ step, type, receipt }) => ({
    id: uuidv7(),
    step,
    type,
    currency: receipt.currency,
    body: receipt,
  }));
  await tx`
    INSERT INTO receipts (id, order_id, step, type, currency, body)
    SELECT r.id, ${orderId}, r.step, r.type, r.currency, r.body
    FROM jsonb_to_recordset(${json(tx, rows)}) AS r (id uuid, step text, type text, currency text, body jsonb)
    ON CONFLICT (order_id, step) DO NOTHING`;
}

/**
 * Refunds units of items: their share of the invoice lines, and the shipping price of an invoice with no goods left
 * to ship. Units and shipping that were refunded earlier are not refunded again.
 */
export async function refundItems(
  tx: Queryable,
  refund: {
    readonly orderId: string;
    readonly step: string;
    readonly reason: string;
    readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
  },
): Promise<void> {
  const { orderId, step } = refund;
  const references = await tx<{ id: string; itemReferenceId: string }[]>`
    SELECT id, item_reference_id FROM order_items WHERE order_id = ${orderId}`;
  const receipts = await tx<{ type: string; body: Receipt }[]>`
    SELECT type, body FROM receipts WHERE order_id = ${orderId} ORDER BY number`;
  const wanted = new Map<string, number>();
  for (const { itemId, quantity } of refund.items) {
    const reference = references.find((row) => row.id === itemId)?.itemReferenceId;
    if (reference !== undefined) wanted.set(reference, (wanted.get(reference) ?? 0) + quantity);
  }
  const parts = refundedParts(
    receipts.filter(({ type }) => type === 'invoice').map(({ body }) => body),
    receipts.filter(({ type }) => type === 'refund').map(({ body }) => body),
    wanted,
  );
  await storeReceipts(
    tx,
    orderId,
    parts.map((receipt, index) => ({ step: `${step}:${index}`, type: 'refund', receipt })),
  );
}

/** Returns the refund receipts for units of items, one for each affected invoice. */
export function refundedParts(
  invoices: readonly Receipt[],
  refunds: readonly Receipt[],
  wanted: ReadonlyMap<string, number>,
): Receipt[] {
  const left = new Map(wanted);
  const refunded = (reference: string, type: string) =>
    refunds
      .flatMap(({ lines }) => lines)
      .filter((line) => line.type === type && line.referenceId === reference)
      .reduce((sum, line) => sum + line.amount, 0);
  return invoices.flatMap((invoice) => {
    const taken = new Map<string, number>();
    for (const line of invoice.lines) {
      if (line.type !== 'product') continue;
      const open = line.amount - refunded(line.referenceId, 'product');
      const amount = Math.min(open, left.get(line.referenceId) ?? 0);
      if (amount <= 0) continue;
      taken.set(line.referenceId, amount);
      left.set(line.referenceId, (left.get(line.referenceId) ?? 0) - amount);
    }
    if (taken.size === 0) return [];
    const nothingLeft = invoice.lines.every(
      (line) =>
        line.type !== 'product' ||
        line.amount === refunded(line.referenceId, 'product') + (taken.get(line.referenceId) ?? 0),
    );
    const products = invoice.lines.flatMap((line) => {
      const amount = taken.get(line.referenceId);
      if (line.type !== 'product' || amount === undefined) return [];
      const quantity = refunded(line.referenceId, 'product');
      // Cumulative rounding: the last units carry the remainder of the line.
      const before = Math.round((line.price * quantity) / line.amount);
      const after = Math.round((line.price * (quantity + amount)) / line.amount);
      return [
        {
          referenceId: line.referenceId,
          title: line.title,
          price: { quantity: amount, baseMinor: line.priceBase, lineMinor: after - before },
          earlier: { quantity, lineMinor: before },
        },
      ];
    });
    const shipments = nothingLeft
      ? invoice.lines
          .filter((line) => line.type === 'shipment')
          .map(({ referenceId, title, price }) => ({ referenceId, title, priceMinor: price }))
      : [];
    return [
      refundReceipt(
        buildReceipt({ currency: invoice.currency, vatRate: invoice.vatRate, products, shipments }),
      ),
    ];
  });
}
