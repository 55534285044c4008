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
      'cancelled_shipped' = ANY(coalesce(o.attention, '{}')) AS is_cancelled_shipped,
      (SELECT coalesce(sum(j.quantity), 0)::int FROM print_jobs j
        WHERE j.order_item_id = i.id AND j.status NOT IN ('cancelled', 'superseded')) AS made,
      (SELECT coalesce(sum(${units}), 0)::int
        FROM receipts r CROSS JOIN jsonb_array_elements(r.body -> 'lines') l
        WHERE r.order_id = o.id AND l ->> 'type' = 'product' AND l ->> 'referenceId' = i.item_reference_id) AS charged
    FROM order_items i JOIN orders o ON o.id = i.order_id`;
  const taxed = await sql<{ order: string; line: string; vat: string; due: string }[]>`
    SELECT o.order_reference_id AS order, l ->> 'type' AS line, sum((l ->> 'vat')::numeric) AS vat,
      round(sum((l ->> 'price')::numeric) * (l ->> 'vatRate')::numeric) AS due
    FROM receipts r JOIN orders o ON o.id = r.order_id CROSS JOIN jsonb_array_elements(r.body -> 'lines') l
    GROUP BY o.id, r.print_order_id, l ->> 'type', l ->> 'referenceId', l ->> 'vatRate'
    HAVING sum((l ->> 'vat')::numeric) <> round(sum((l ->> 'price')::numeric) * (l ->> 'vatRate')::numeric)`;
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
    ...taxed.map(({ order, line, vat, due }) => `${order}: VAT of the ${line} is ${vat}, due are ${due}`),
    ...shipping
      .filter(({ price, units }) => price < 0 || (units === 0 && price !== 0))
      .map(({ order, price, units }) => `${order}: shipping of ${units} units costs ${price}`),
  ];
}
