import { isUuid } from '../../platform/ids';
import type { Queryable } from '../../platform/postgres';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';
import type { Viewer } from './order-reader';

/** Filters of a search. An order must match every filter given; a list matches any of its values. */
export interface OrderSearch {
  readonly ids?: readonly string[] | undefined;
  readonly orderReferenceIds?: readonly string[] | undefined;
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
}

/** The position of the last order of a page. */
export interface SearchPosition {
  /** Time of creation, ISO 8601 in UTC with microseconds, as Postgres stores it. */
  readonly time: string;
  readonly id: string;
}

export interface OrderSummary {
  readonly id: string;
  readonly clientId: string;
  readonly orderReferenceId: string;
  readonly customerReferenceId: string | null;
  readonly orderType: 'order' | 'draft';
  readonly channel: string;
  readonly fulfillmentStatus: OrderStatus;
  readonly financialStatus: FinancialStatus;
  readonly refusalReasonCode: string | null;
  readonly currency: string;
  readonly country: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly itemCount: number;
  /** Total of invoices and refunds in minor units, as decimal text. Null until the order is priced. */
  readonly totalInclVat: string | null;
  readonly createdAt: Date;
  readonly orderedAt: Date | null;
  readonly updatedAt: Date;
  readonly position: string;
}

/**
 * Returns one page of the orders that match and that the viewer may see, newest first.
 *
 * The query reads no more index rows than the page has, however many orders are stored: each client and each status
 * in the filters is read from its own index range, and the ranges are merged. (A plain `= ANY` over several statuses
 * reads every order of the client.) Countries, channels and financial statuses have no index, so a page of rare
 * values reads the orders in between.
 *
 * The position is passed to Postgres as text. A timestamptz parameter would be converted to Date, which drops the
 * microseconds and skips orders of the same millisecond.
 * @param page `after` is the position of the previous page's last order
 */
export async function searchOrders(
  sql: Queryable,
  viewer: Viewer,
  search: OrderSearch,
  page: { readonly limit: number; readonly after: SearchPosition | null },
): Promise<OrderSummary[]> {
  const none = sql``;
  const among = (column: ReturnType<Queryable>, values: readonly string[] | undefined) =>
    values === undefined ? none : sql`AND ${column} = ANY(${[...values]}::text[])`;
  const uuids = (values: readonly string[]) => [...new Set(values.filter(isUuid))];
  const clients = clientsOf(viewer, search);
  const { ids, fulfillmentStatuses: statuses, createdFrom, createdTo } = search;
  const { limit, after } = page;
  return [
    ...(await sql<OrderSummary[]>`
      WITH page AS (
        SELECT found.id
        FROM (VALUES (1)) AS one
          ${clients === null ? none : sql`CROSS JOIN unnest(${uuids(clients)}::uuid[]) AS client (id)`}
          ${statuses === undefined ? none : sql`CROSS JOIN unnest(${[...new Set(statuses)]}::text[]) AS status (uid)`}
          CROSS JOIN LATERAL (
            SELECT o.id, o.created_at FROM orders o
            WHERE true
              ${clients === null ? none : sql`AND o.client_id = client.id`}
              ${statuses === undefined ? none : sql`AND o.fulfillment_status = status.uid`}
              ${ids === undefined ? none : sql`AND o.id = ANY(${uuids(ids)}::uuid[])`}
              ${among(sql`o.order_reference_id`, search.orderReferenceIds)}
              ${among(sql`o.financial_status`, search.financialStatuses)}
              ${among(sql`o.order_type`, search.orderTypes)}
              ${among(sql`o.channel`, search.channels)}
              ${among(sql`o.shipping_address ->> 'country'`, search.countries)}
              ${createdFrom === undefined ? none : sql`AND o.created_at >= ${createdFrom}::timestamptz`}
              ${createdTo === undefined ? none : sql`AND o.created_at < ${createdTo}::timestamptz`}
              ${after === null ? none : sql`AND (o.created_at, o.id) < (${after.time}::text::timestamptz, ${after.id}::uuid)`}
            ORDER BY o.created_at DESC, o.id DESC
            LIMIT ${limit}
          ) AS found
        ORDER BY found.created_at DESC, found.id DESC
        LIMIT ${limit}
      )
      SELECT o.id, o.client_id, o.order_reference_id, o.customer_reference_id, o.order_type, o.channel,
        o.fulfillment_status, o.financial_status, o.refusal_reason_code, o.currency,
        o.shipping_address ->> 'country' AS country, o.shipping_address ->> 'firstName' AS first_name,
        o.shipping_address ->> 'lastName' AS last_name,
        (SELECT count(*)::int FROM order_items i WHERE i.order_id = o.id) AS item_count,
        (SELECT sum((r.body -> 'totals' ->> 'totalInclVat')::bigint) FROM receipts r WHERE r.order_id = o.id)
          AS total_incl_vat,
        o.created_at, o.ordered_at, o.updated_at,
        to_char(o.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS position
      FROM page JOIN orders o USING (id)
      ORDER BY o.created_at DESC, o.id DESC`),
  ];
}

/** Returns the clients whose orders are searched; null for every client. */
function clientsOf(viewer: Viewer, { clientIds }: OrderSearch): readonly string[] | null {
  if (viewer.clientId === null) return clientIds ?? null;
  if (clientIds === undefined || clientIds.includes(viewer.clientId)) return [viewer.clientId];
  return [];
}
