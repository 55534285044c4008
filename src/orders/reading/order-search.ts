import { isUuid } from '../../platform/ids';
import { COMPARED_ROWS, isoMicroseconds, type SearchPage, type SearchPosition } from '../../platform/list-position';
import type { Fragment, Queryable } from '../../platform/postgres';
import type { AttentionReason } from '../domain/lifecycle/attention-reasons';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';
import type { Viewer } from './order-reader';

/** Filters of a search. An order must match every filter given; a list matches any of its values. */
export interface OrderSearch {
  readonly ids?: readonly string[] | undefined;
  readonly orderReferenceIds?: readonly string[] | undefined;
  /** Addresses of recipients, in lower case. */
  readonly emails?: readonly string[] | undefined;
  readonly trackingNumbers?: readonly string[] | undefined;
  readonly clientIds?: readonly string[] | undefined;
  readonly fulfillmentStatuses?: readonly OrderStatus[] | undefined;
  readonly financialStatuses?: readonly FinancialStatus[] | undefined;
  readonly orderTypes?: readonly ('order' | 'draft')[] | undefined;
  readonly countries?: readonly string[] | undefined;
  readonly channels?: readonly string[] | undefined;
  /** ISO 8601, inclusive. */
  readonly createdFrom?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly createdTo?: string | undefined;
  /** ISO 8601, inclusive. With this or `updatedTo`, orders are sorted by their last change, and clients must be named. */
  readonly updatedFrom?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly updatedTo?: string | undefined;
  /** Orders with at least one of these reasons; empty for any reason. */
  readonly attention?: readonly AttentionReason[] | undefined;
  readonly partnerIds?: readonly string[] | undefined;
  readonly methodUids?: readonly string[] | undefined;
}

/**
 * Finds one page of the orders that match and that the viewer may see.
 *
 * The queries read a bounded number of rows, however many orders are stored: each client and each status in the filters is
 * read from its own index range, and the ranges are merged. (A plain `= ANY` over several statuses reads every order of
 * the client.)
 *
 * The position is passed to Postgres as text. A timestamptz parameter would be converted to Date, which drops the
 * microseconds and skips orders of the same millisecond.
 * @returns `found`: a query of the ids, in any order
 */
export async function findOrders(
  sql: Queryable,
  viewer: Viewer,
  search: OrderSearch,
  page: SearchPage,
): Promise<{ readonly found: Fragment; readonly comparedTo: SearchPosition | null }> {
  const ranges = indexRanges(sql, viewer, search, page.after);
  const compared = comparisons(sql, search);
  if (compared.length === 0) {
    const found = sql`
      SELECT id FROM ${ranges.read(page.limit, sql`true`)} ORDER BY at DESC, id DESC LIMIT ${page.limit}`;
    return { found, comparedTo: null };
  }
  const { ids, comparedTo } = await matchesAmong(sql, ranges, compared, page.limit);
  return {
    found: sql`SELECT unnest(${ids}::uuid[]) AS id`,
    comparedTo: ids.length < page.limit ? comparedTo : null,
  };
}

/** The ranges of indexes that a search reads: one for each client and each status in its filters. */
interface IndexRanges {
  readonly count: number;
  /** `PARTITION BY` of a window per range. */
  readonly partition: Fragment;
  /** Returns the `FROM` item with the first orders of each range: id, `at`, and the value of `matches`. */
  read(rowsOfEach: number, matches: Fragment): Fragment;
}

function indexRanges(sql: Queryable, viewer: Viewer, search: OrderSearch, after: SearchPosition | null): IndexRanges {
  const none = sql``;
  const clients = clientsOf(viewer, search);
  const clientIds = clients === null ? null : uuids(clients);
  const time = sortTime(sql, search);
  const statuses = isByChange(search)
    ? undefined
    : search.fulfillmentStatuses && [...new Set(search.fulfillmentStatuses)];
  return {
    count: (clientIds?.length ?? 1) * (statuses?.length ?? 1),
    partition: sql`PARTITION BY ${clientIds === null ? none : sql`client.client_id,`} ${statuses === undefined ? none : sql`status.uid,`} true`,
    read: (rowsOfEach, matches) => sql`
      (VALUES (1)) AS one
      ${clientIds === null ? none : sql`CROSS JOIN unnest(${clientIds}::uuid[]) AS client (client_id)`}
      ${statuses === undefined ? none : sql`CROSS JOIN unnest(${statuses}::text[]) AS status (uid)`}
      CROSS JOIN LATERAL (
        SELECT o.id, ${time} AS at, ${matches} AS matches FROM orders o
        WHERE true
          ${clientIds === null ? none : sql`AND o.client_id = client.client_id`}
          ${statuses === undefined ? none : sql`AND o.fulfillment_status = status.uid`}
          ${indexedFilters(sql, search)}
          ${after === null ? none : sql`AND (${time}, o.id) < (${after.time}::text::timestamptz, ${after.id}::uuid)`}
        ORDER BY ${time} DESC, o.id DESC
        LIMIT ${rowsOfEach}
      ) AS found`,
  };
}

/** Returns true for a search that is sorted by the last change. Its index has the client and the time of the change. */
const isByChange = ({ updatedFrom, updatedTo }: OrderSearch) => updatedFrom !== undefined || updatedTo !== undefined;

export const sortTime = (sql: Queryable, search: OrderSearch) =>
  isByChange(search) ? sql`o.updated_at` : sql`o.created_at`;

const uuids = (values: readonly string[]) => [...new Set(values.filter(isUuid))];

/** Returns the conditions of the filters that have an index, each after an AND. They read `o`. */
function indexedFilters(sql: Queryable, search: OrderSearch): Fragment {
  const { ids, orderReferenceIds: references, emails, trackingNumbers, updatedFrom, updatedTo, attention } = search;
  const { createdFrom, createdTo }: OrderSearch = isByChange(search) ? {} : search;
  const none = sql``;
  return sql`
    ${ids === undefined ? none : sql`AND o.id = ANY(${uuids(ids)}::uuid[])`}
    ${references === undefined ? none : sql`AND o.order_reference_id = ANY(${[...references]}::text[])`}
    ${emails === undefined ? none : sql`AND lower(o.shipping_address ->> 'email') = ANY(${[...emails]}::text[])`}
    ${trackingNumbers === undefined ? none : sql`AND o.id = ANY(ARRAY(${ordersOfParcels(sql, trackingNumbers)}))`}
    ${attention === undefined ? none : sql`AND o.attention IS NOT NULL`}
    ${createdFrom === undefined ? none : sql`AND o.created_at >= ${createdFrom}::text::timestamptz`}
    ${createdTo === undefined ? none : sql`AND o.created_at < ${createdTo}::text::timestamptz`}
    ${updatedFrom === undefined ? none : sql`AND o.updated_at >= ${updatedFrom}::text::timestamptz`}
    ${updatedTo === undefined ? none : sql`AND o.updated_at < ${updatedTo}::text::timestamptz`}`;
}

/** Returns a query of the orders whose parcels have one of these numbers, also numbers of partners' own carriers. */
export const ordersOfParcels = (sql: Queryable, trackingNumbers: readonly string[]): Fragment => sql`
  SELECT coalesce(s.order_id, p.order_id) FROM trackings t
  LEFT JOIN shipments s ON s.id = t.shipment_id
  LEFT JOIN print_orders p ON p.id = coalesce(t.print_order_id, s.print_order_id)
  WHERE t.tracking_number = ANY(${[...trackingNumbers]}::text[])
  UNION ALL
  SELECT p.order_id FROM partner_parcels w JOIN print_orders p ON p.id = w.print_order_id
  WHERE w.tracking_code = ANY(${[...trackingNumbers]}::text[])`;

/** Returns the condition that the order `o` matches every filter. For statements that read few orders. */
export function matchesFilters(sql: Queryable, search: OrderSearch): Fragment {
  const { clientIds, fulfillmentStatuses } = search;
  const compared = comparisons(sql, search).reduce((all, condition) => sql`${all} AND ${condition}`, sql``);
  return sql`true ${indexedFilters(sql, search)}
    ${clientIds === undefined ? sql`` : sql`AND o.client_id = ANY(${uuids(clientIds)}::uuid[])`}
    ${fulfillmentStatuses === undefined ? sql`` : sql`AND o.fulfillment_status = ANY(${[...fulfillmentStatuses]}::text[])`}
    ${compared}`;
}

/** Returns the conditions of the filters that have no index of their own. They read `o`. */
function comparisons(sql: Queryable, search: OrderSearch): Fragment[] {
  const { countries, channels, orderTypes, financialStatuses, attention, partnerIds, methodUids } = search;
  const { createdFrom, createdTo, fulfillmentStatuses }: OrderSearch = isByChange(search) ? search : {};
  const among = (column: Fragment, values: readonly string[] | undefined) =>
    values === undefined ? [] : [sql`${column} = ANY(${[...values]}::text[])`];
  return [
    ...among(sql`o.fulfillment_status`, fulfillmentStatuses),
    ...(createdFrom === undefined ? [] : [sql`o.created_at >= ${createdFrom}::text::timestamptz`]),
    ...(createdTo === undefined ? [] : [sql`o.created_at < ${createdTo}::text::timestamptz`]),
    ...among(sql`o.financial_status`, financialStatuses),
    ...among(sql`o.order_type`, orderTypes),
    ...among(sql`o.channel`, channels),
    ...among(sql`o.shipping_address ->> 'country'`, countries),
    ...(attention === undefined || attention.length === 0 ? [] : [sql`o.attention && ${[...attention]}::text[]`]),
    ...(partnerIds === undefined
      ? []
      : [
          sql`EXISTS (SELECT FROM print_orders p WHERE p.order_id = o.id AND p.partner_id = ANY(${partnerIds.filter(isUuid)}::uuid[]))`,
        ]),
    ...(methodUids === undefined
      ? []
      : [
          sql`EXISTS (SELECT FROM planned_shipments l
            WHERE l.order_id = o.id AND l.shipment_method_uid = ANY(${[...methodUids]}::text[]))`,
        ]),
  ];
}

/**
 * Compares the newest orders of each range with the filters that have no index. When a range has more orders, the page
 * ends with the last order that was read of it: up to there, the orders of every range are known.
 */
async function matchesAmong(
  sql: Queryable,
  ranges: IndexRanges,
  compared: readonly Fragment[],
  limit: number,
): Promise<{ ids: readonly string[]; comparedTo: SearchPosition | null }> {
  const matches = sql`(${compared.reduce((all, condition) => sql`${all} AND ${condition}`)})`;
  const rowsOfEach = Math.ceil(COMPARED_ROWS / Math.max(ranges.count, 1));
  const [row] = await sql<{ ids: string[]; edgeTime: string | null; edgeId: string | null }[]>`
    WITH compared AS MATERIALIZED (
      SELECT found.id, found.at, found.matches,
        row_number() OVER (${ranges.partition} ORDER BY found.at DESC, found.id DESC) AS place
      FROM ${ranges.read(rowsOfEach, matches)}
    ), edge AS (
      SELECT at, id FROM compared WHERE place = ${rowsOfEach} ORDER BY at DESC, id DESC LIMIT 1
    ), matching AS (
      SELECT c.id, c.at FROM compared c
      WHERE c.matches AND NOT EXISTS (SELECT FROM edge e WHERE (c.at, c.id) < (e.at, e.id))
      ORDER BY c.at DESC, c.id DESC LIMIT ${limit}
    )
    SELECT coalesce((SELECT array_agg(id) FROM matching), '{}') AS ids,
      (SELECT ${isoMicroseconds(sql, sql`at`)} FROM edge) AS edge_time, (SELECT id FROM edge) AS edge_id`;
  const { ids, edgeTime, edgeId } = row!;
  return { ids, comparedTo: edgeTime === null ? null : { time: edgeTime, id: edgeId! } };
}

/** Returns the clients whose orders are searched; null for every client. */
export function clientsOf(viewer: Viewer, { clientIds }: OrderSearch): readonly string[] | null {
  if (viewer.clientId === null) return clientIds ?? null;
  if (clientIds === undefined || clientIds.includes(viewer.clientId)) return [viewer.clientId];
  return [];
}
