import { z } from 'zod';
import { FOLLOWED_DAYS, TRACKING_STATUSES, type TrackingStatus } from '../consignments/domain/tracking-status';
import { timestamp } from '../platform/domain/fields';
import { isUuid } from '../platform/ids';
import {
  type AgeRange,
  ageRangeColumns,
  isoMicroseconds,
  type ProblemPage,
  readProblemsFirst,
} from '../platform/list-position';
import type { Queryable } from '../platform/postgres';

/** Why operators look at a parcel. */
const PARCEL_PROBLEMS = [
  'not_handed_over',
  'overdue',
  'shipping_exception',
  'failed_attempt',
  'not_picked_up',
  'returned',
] as const;
type ParcelProblem = (typeof PARCEL_PROBLEMS)[number];

const DAY_MS = 86_400_000;
const FOLLOWED_MS = FOLLOWED_DAYS * DAY_MS;

/** Age from which a parcel in a status has a problem, in days, and its problem. Parcels in other statuses have none. */
const PROBLEMS: Readonly<
  Partial<Record<TrackingStatus, { readonly fromDays: number; readonly problem: ParcelProblem }>>
> = {
  registered: { fromDays: 10, problem: 'not_handed_over' },
  dispatched: { fromDays: 30, problem: 'overdue' },
  in_transit: { fromDays: 30, problem: 'overdue' },
  out_for_delivery: { fromDays: 30, problem: 'overdue' },
  available_for_pickup: { fromDays: 30, problem: 'overdue' },
  shipping_exception: { fromDays: 0, problem: 'shipping_exception' },
  failed_attempt: { fromDays: 0, problem: 'failed_attempt' },
  not_picked_up: { fromDays: 0, problem: 'not_picked_up' },
  returned: { fromDays: 0, problem: 'returned' },
};

/** A parcel that is no longer followed has no problem: nothing more becomes known about it. */
const AGE_RANGES = TRACKING_STATUSES.flatMap((status): AgeRange<TrackingStatus, ParcelProblem>[] => {
  const found = PROBLEMS[status];
  if (found === undefined) return [{ status, from: 0, to: Number.POSITIVE_INFINITY, problem: null }];
  const from = found.fromDays * DAY_MS;
  const ranges: AgeRange<TrackingStatus, ParcelProblem>[] = [
    { status, from: 0, to: from, problem: null },
    { status, from, to: FOLLOWED_MS, problem: found.problem },
    { status, from: FOLLOWED_MS, to: Number.POSITIVE_INFINITY, problem: null },
  ];
  return ranges.filter((range) => range.to > range.from);
});

/** A parcel in operators' lists: a package with a label of ours, or one with a partner's own tracking code. */
export const parcelSchema = z.object({
  id: z.string(),
  trackingNumber: z.string(),
  trackingUrl: z.string().nullable(),
  status: z.enum(TRACKING_STATUSES),
  problem: z
    .enum(PARCEL_PROBLEMS)
    .nullable()
    .describe('`not_handed_over`: no scan for ten days. `overdue`: not delivered after 30 days.'),
  carrierName: z.string().nullable(),
  methodUid: z.string().nullable(),
  expectedDeliveryDate: z.iso.date().nullable(),
  voided: z.boolean().describe('The label was voided and must not be used.'),
  clientName: z.string().nullable(),
  orderId: z.string().nullable(),
  printOrderId: z.string().nullable(),
  shippingOrderId: z.string().nullable(),
  reference: z.string().nullable().describe('The client’s reference of the order or shipping order.'),
  label: z
    .object({ shipmentId: z.string(), position: z.int() })
    .nullable()
    .describe('Where the label can be fetched. Null for a voided label and for a partner’s own tracking code.'),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** `listedAt`: its position in the list. */
type ListedParcel = z.output<typeof parcelSchema> & { readonly listedAt: string };

interface ParcelFilter {
  readonly statuses?: readonly TrackingStatus[] | undefined;
  /** Ids of parcels, from `parcelsNamed`. */
  readonly ids?: readonly string[] | undefined;
}

const FOUND_BY_TEXT = 1_000;

/** Returns the ids of parcels by tracking number, by their shipment, or by the given owners. */
export async function parcelsNamed(
  sql: Queryable,
  text: string,
  owners: { readonly orderIds: readonly string[]; readonly shippingOrderIds: readonly string[] },
): Promise<string[]> {
  const compact = text.replace(/\s+/g, '');
  const orderIds = [...owners.orderIds];
  const rows = await sql<{ id: string }[]>`
    WITH owning AS (
      SELECT id FROM shipments WHERE id = ${isUuid(compact) ? compact : null}::uuid
      UNION SELECT id FROM shipments WHERE order_id = ANY(${orderIds}::uuid[])
      UNION SELECT id FROM shipments WHERE shipping_order_id = ANY(${[...owners.shippingOrderIds]}::uuid[])
    )
    SELECT short_uid AS id FROM (
      SELECT short_uid FROM trackings WHERE tracking_number = ANY(${[...new Set([text, compact, compact.toUpperCase()])]})
      UNION SELECT t.short_uid FROM owning JOIN trackings t ON t.shipment_id = owning.id
      UNION SELECT t.short_uid FROM print_orders p JOIN trackings t ON t.print_order_id = p.id
        WHERE p.order_id = ANY(${orderIds}::uuid[])
    ) AS named LIMIT ${FOUND_BY_TEXT}`;
  return rows.map(({ id }) => id);
}

/** Returns a page of parcels, those with problems first, then newest first. */
export async function listParcels(
  sql: Queryable,
  { statuses, ids }: ParcelFilter,
  page: ProblemPage,
): Promise<readonly ListedParcel[]> {
  const now = Date.now();
  const wanted = AGE_RANGES.filter(({ status }) => statuses === undefined || statuses.includes(status));
  return await readProblemsFirst(page, async (hasProblem, { limit, after }) => {
    // A voided label is not in use, so its parcel has no problem: it is among the others.
    const ranges = ageRangeColumns(hasProblem ? wanted.filter(({ problem }) => problem !== null) : wanted, now);
    return await sql<ListedParcel[]>`
      SELECT m.short_uid AS id, m.tracking_number, coalesce(p.tracking_url, m.tracking_url) AS tracking_url,
        m.status_uid AS status, m.problem, coalesce(s.carrier_name, m.carrier_name) AS carrier_name, s.method_uid,
        m.expected_delivery_date::text AS expected_delivery_date, m.is_voided AS voided, a.name AS client_name, o.id AS order_id,
        po.id AS print_order_id, so.id AS shipping_order_id,
        coalesce(o.order_reference_id, so.order_reference_id) AS reference,
        CASE WHEN NOT m.is_voided AND p.position IS NOT NULL THEN
          jsonb_build_object('shipmentId', s.id, 'position', p.position) END AS label,
        m.created_at, m.updated_at, ${isoMicroseconds(sql, sql`m.created_at`)} AS listed_at
      FROM (
        SELECT found.* FROM unnest(${ranges.statuses}::text[], ${ranges.problems}::text[], ${ranges.oldest}::text[]::timestamptz[],
          ${ranges.youngest}::text[]::timestamptz[]) AS k (status, problem, oldest, youngest)
        CROSS JOIN LATERAL (
          SELECT t.*, coalesce(v.status = 'voided', false) AS is_voided,
            CASE WHEN v.status IS DISTINCT FROM 'voided' THEN k.problem END AS problem
          FROM trackings t LEFT JOIN shipments v ON v.id = t.shipment_id
          WHERE t.status_uid = k.status AND t.created_at > k.oldest AND t.created_at <= k.youngest
            AND (k.problem IS NOT NULL AND v.status IS DISTINCT FROM 'voided') = ${hasProblem}
            ${ids === undefined ? sql`` : sql`AND t.short_uid = ANY(${[...ids]})`}
            ${after === null ? sql`` : sql`AND (t.created_at, t.short_uid) < (${after.time}::text::timestamptz, ${after.id})`}
          ORDER BY t.created_at DESC, t.short_uid DESC LIMIT ${limit}) AS found
        ORDER BY found.created_at DESC, found.short_uid DESC LIMIT ${limit}
      ) AS m
      LEFT JOIN shipments s ON s.id = m.shipment_id
      LEFT JOIN shipment_packages p ON p.shipment_id = s.id AND p.tracking_number = m.tracking_number
      LEFT JOIN print_orders po ON po.id = coalesce(s.print_order_id, m.print_order_id)
      LEFT JOIN orders o ON o.id = po.order_id
      LEFT JOIN shipping_orders so ON so.id = s.shipping_order_id
      LEFT JOIN accounts a ON a.id = coalesce(o.client_id, so.account_id)
      ORDER BY m.created_at DESC, m.short_uid DESC`;
  });
}
