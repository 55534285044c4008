import { openLines, shippingCharge } from '../../src/orders/planning/charges';
import { type ChargesJson, chargesAsJson, orderCharges } from '../../src/orders/planning/receipts';
import { timesRate } from '../../src/platform/domain/money';
import type { Sql } from '../../src/platform/postgres';

/** What the receipts of an order item add up to, beside what is made of it. */
interface ChargedItem {
  /** References of the order and of the item. */
  readonly order: string;
  readonly item: string;
  readonly ordered: number;
  /** Units of its print jobs, without those that were cancelled or given to another partner. */
  readonly made: number;
  readonly charged: number;
  /** True when a partner shipped units after they were cancelled and refunded: an operator decides what they cost. */
  readonly isCancelledShipped: boolean;
}

/**
 * Compares the receipts of all orders with the units that are made, and with those that clients know to be cancelled.
 * @param cancelled units by `order item`
 * @returns one text for each difference
 */
export async function auditMoney(sql: Sql, cancelled: ReadonlyMap<string, number>): Promise<string[]> {
  const units = sql`(l ->> 'amount')::int * CASE r.type WHEN 'refund' THEN -1 ELSE 1 END`;
  const items = await sql<ChargedItem[]>`
    SELECT o.order_reference_id AS order, i.item_reference_id AS item, i.quantity AS ordered,
      'cancelled_shipped' = ANY(coalesce(o.attention, '{}')) OR EXISTS (
        SELECT FROM order_events e
        WHERE e.order_id = o.id AND e.type = 'dismiss' AND e.data -> 'attention' ? 'cancelled_shipped'
      ) AS is_cancelled_shipped,
      (SELECT coalesce(sum(j.quantity), 0)::int FROM print_jobs j
        WHERE j.order_item_id = i.id AND j.status NOT IN ('cancelled', 'superseded')) AS made,
      (SELECT coalesce(sum(${units}), 0)::int
        FROM receipts r CROSS JOIN jsonb_array_elements(r.body -> 'lines') l
        WHERE r.order_id = o.id AND l ->> 'type' = 'product' AND l ->> 'referenceId' = i.item_reference_id) AS charged
    FROM order_items i JOIN orders o ON o.id = i.order_id`;
  const charged = await sql<{ order: string; charges: ChargesJson }[]>`
    SELECT o.order_reference_id AS order, ${chargesAsJson(sql, sql`o.id`)} AS charges FROM orders o`;
  const shipping = await sql<{ order: string; price: number; units: number }[]>`
    SELECT o.order_reference_id AS order,
      coalesce(sum((l ->> 'price')::numeric) FILTER (WHERE l ->> 'type' = 'shipment'), 0)::float8 AS price,
      coalesce(sum(${units}) FILTER (WHERE l ->> 'type' = 'product'), 0)::int AS units
    FROM receipts r JOIN orders o ON o.id = r.order_id CROSS JOIN jsonb_array_elements(r.body -> 'lines') l
    GROUP BY o.id`;
  return [
    ...items.flatMap(({ order, item, ordered, made, charged, isCancelledShipped }) => {
      const most = Math.max(0, ordered - (cancelled.get(`${order} ${item}`) ?? 0));
      if (charged > most) return [`${order}: ${charged} of ${item} charged, at most ${most} are wanted`];
      return charged === made || (isCancelledShipped && charged < made)
        ? []
        : [`${order}: ${charged} of ${item} charged, ${made} made`];
    }),
    ...charged.flatMap(({ order, charges }) => vatFaults(charges).map((fault) => `${order}: ${fault}`)),
    ...shipping
      .filter(({ price, units }) => price < 0 || (units === 0 && price !== 0))
      .map(({ order, price, units }) => `${order}: shipping of ${units} units costs ${price}`),
  ];
}

/** VAT is rounded over what is left of each line of a charge. A change of method gives a shipping price another title, not another line. */
function vatFaults(charges: ChargesJson): string[] {
  const lines = orderCharges(charges).all.flatMap((charge) => [
    { ...shippingCharge(charge), of: 'shipment' },
    ...openLines(charge).map(({ line, price, vat }) => ({ price, vat, vatRate: line.vatRate, of: line.referenceId })),
  ]);
  const sum = lines.reduce((total, { vat }) => total + vat, 0);
  const charged = (charges.receipts ?? []).reduce((total, { body }) => total + body.totals.totalVat, 0);
  return [
    ...lines.flatMap(({ price, vat, vatRate, of }) => {
      const due = timesRate(price, vatRate);
      return vat === due ? [] : [`VAT of ${of} is ${vat}, due are ${due}`];
    }),
    ...(sum === charged ? [] : [`VAT of all receipts is ${charged}, that of what is left ${sum}`]),
  ];
}
