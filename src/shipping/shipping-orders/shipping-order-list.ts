import { z } from 'zod';
import { timestamp } from '../../platform/domain/fields';
import { isUuid } from '../../platform/ids';
import {
  type AgeRange,
  ageRangeColumns,
  isoMicroseconds,
  type ProblemPage,
  readProblemsFirst,
} from '../../platform/list-position';
import type { Queryable } from '../../platform/postgres';
import { SHIPPING_ORDER_STATUSES, type ShippingOrderStatus } from './shipping-order-schemas';

/** Why operators look at a shipping order. `stuck`: the workflow has not ended the purchase or the cancellation. */
const SHIPPING_ORDER_PROBLEMS = ['stuck', 'refused'] as const;
type ShippingOrderProblem = (typeof SHIPPING_ORDER_PROBLEMS)[number];

const MINUTE_MS = 60_000;
/** A purchase takes seconds. A request waits half a minute for it. */
const STUCK_MS = 5 * MINUTE_MS;
/** The caller got the refusal. Older ones need nobody's attention. */
const REFUSED_MS = 7 * 24 * 60 * MINUTE_MS;
const EVER = Number.POSITIVE_INFINITY;

const AGE_RANGES: readonly AgeRange<ShippingOrderStatus, ShippingOrderProblem>[] = [
  { status: 'buying', from: 0, to: STUCK_MS, problem: null },
  { status: 'buying', from: STUCK_MS, to: EVER, problem: 'stuck' },
  // The row does not say since when, and a cancellation takes seconds.
  { status: 'canceling', from: 0, to: EVER, problem: 'stuck' },
  { status: 'refused', from: 0, to: REFUSED_MS, problem: 'refused' },
  { status: 'refused', from: REFUSED_MS, to: EVER, problem: null },
  { status: 'bought', from: 0, to: EVER, problem: null },
  { status: 'canceled', from: 0, to: EVER, problem: null },
];

export const listedShippingOrderSchema = z.object({
  id: z.string(),
  orderReferenceId: z.string(),
  clientName: z.string(),
  status: z.enum(SHIPPING_ORDER_STATUSES),
  problem: z
    .enum(SHIPPING_ORDER_PROBLEMS)
    .nullable()
    .describe(
      '`stuck`: bought for over five minutes, or being canceled. `refused`: by the carrier, in the last seven days.',
    ),
  methodUid: z.string(),
  carrierName: z.string().nullable(),
  refusal: z.string().nullable().describe('The carrier’s message.'),
  packages: z
    .array(
      z.object({
        trackingNumber: z.string(),
        label: z
          .object({ shipmentId: z.string(), position: z.int() })
          .nullable()
          .describe('Where the label can be fetched. Null for a voided label.'),
      }),
    )
    .describe('Empty until the labels are bought.'),
  createdAt: timestamp,
  canceledAt: timestamp.nullable(),
});

/** `listedAt`: its position in the list. */
type ListedShippingOrder = z.output<typeof listedShippingOrderSchema> & { readonly listedAt: string };

interface ShippingOrderFilter {
  readonly statuses?: readonly ShippingOrderStatus[] | undefined;
  readonly ids?: readonly string[] | undefined;
}

const FOUND_BY_TEXT = 1_000;

/** Returns the ids of shipping orders by id, reference, tracking number, or the id of their shipment. */
export async function shippingOrdersNamed(sql: Queryable, text: string): Promise<string[]> {
  const compact = text.replace(/\s+/g, '');
  const uuid = isUuid(compact) ? compact : null;
  const rows = await sql<{ id: string }[]>`
    SELECT DISTINCT id FROM (
      SELECT id FROM shipping_orders WHERE id = ${uuid}::uuid
      UNION ALL
      (SELECT id FROM shipping_orders WHERE order_reference_id = ${text} LIMIT ${FOUND_BY_TEXT})
      UNION ALL
      SELECT shipping_order_id FROM shipments WHERE id = ${uuid}::uuid
      UNION ALL
      SELECT s.shipping_order_id FROM shipment_packages p JOIN shipments s ON s.id = p.shipment_id
      WHERE p.tracking_number = ANY(${[...new Set([text, compact, compact.toUpperCase()])]})
    ) AS named WHERE id IS NOT NULL`;
  return rows.map(({ id }) => id);
}

/** Returns a page of the shipping orders of every account, those with problems first, then newest first. */
export async function listShippingOrders(
  sql: Queryable,
  { statuses, ids }: ShippingOrderFilter,
  page: ProblemPage,
): Promise<readonly ListedShippingOrder[]> {
  const now = Date.now();
  const wanted = AGE_RANGES.filter(({ status }) => statuses === undefined || statuses.includes(status));
  return await readProblemsFirst(page, async (hasProblem, { limit, after }) => {
    const ranges = ageRangeColumns(
      wanted.filter(({ problem }) => (problem !== null) === hasProblem),
      now,
    );
    return await sql<ListedShippingOrder[]>`
      SELECT m.id, m.order_reference_id, a.name AS client_name, m.status, m.problem, m.method_uid, s.carrier_name,
        m.refusal ->> 'message' AS refusal, m.created_at, m.canceled_at, ${isoMicroseconds(sql, sql`m.created_at`)} AS listed_at,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('trackingNumber', p.tracking_number, 'label',
            CASE WHEN m.status <> 'canceled' THEN jsonb_build_object('shipmentId', s.id, 'position', p.position) END)
            ORDER BY p.position), '[]')
          FROM shipment_packages p WHERE p.shipment_id = s.id) AS packages
      FROM (
        SELECT found.*, k.problem FROM unnest(${ranges.statuses}::text[], ${ranges.problems}::text[],
          ${ranges.oldest}::text[]::timestamptz[], ${ranges.youngest}::text[]::timestamptz[]) AS k (status, problem, oldest, youngest)
        CROSS JOIN LATERAL (
          SELECT * FROM shipping_orders o
          WHERE o.status = k.status AND o.created_at > k.oldest AND o.created_at <= k.youngest
            ${ids === undefined ? sql`` : sql`AND o.id = ANY(${[...ids]}::uuid[])`}
            ${after === null ? sql`` : sql`AND (o.created_at, o.id) < (${after.time}::text::timestamptz, ${after.id}::uuid)`}
          ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}) AS found
        ORDER BY found.created_at DESC, found.id DESC LIMIT ${limit}
      ) AS m
      JOIN accounts a ON a.id = m.account_id
      LEFT JOIN shipments s ON s.shipping_order_id = m.id AND s.bought_at IS NOT NULL
      ORDER BY m.created_at DESC, m.id DESC`;
  });
}
