import { isUuid } from '../../platform/ids';
import { isoMicroseconds, type SearchPosition } from '../../platform/list-position';
import type { Fragment, Queryable } from '../../platform/postgres';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';
import type { OrderSearch, SearchPage } from '../reading/order-search';

/** What the index row of an archived order has. */
export interface ArchivedSummary {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly orderReferenceId: string;
  readonly channel: string;
  readonly fulfillmentStatus: OrderStatus;
  readonly financialStatus: FinancialStatus;
  readonly refusalReasonCode: string | null;
  readonly currency: string;
  readonly country: string;
  readonly itemCount: number;
  /** In minor units, as decimal text. Null: never priced. */
  readonly totalInclVat: string | null;
  readonly createdAt: Date;
  readonly orderedAt: Date | null;
  readonly updatedAt: Date;
  readonly position: string;
}

/**
 * Returns false for a search that does not read the archive: the archive has no index for its filters. Filters beside ids or
 * references are compared, because those find few orders.
 */
function readsArchive(search: OrderSearch): boolean {
  const { ids, orderReferenceIds, clientIds: _1, createdFrom: _2, createdTo: _3, ...others } = search;
  const { attention, partnerIds, methodUids, updatedFrom, updatedTo, ...compared } = others;
  if ([attention, partnerIds, methodUids, updatedFrom, updatedTo].some((filter) => filter !== undefined)) return false;
  return (
    [ids, orderReferenceIds].some(Array.isArray) || Object.values(compared).every((filter) => filter === undefined)
  );
}

/**
 * Adds the archived orders of a search to its page: the archive is read from the same position, and the two are merged.
 * @param clients whose orders are searched; null for every client
 * @param hot the page of the tables, newest first
 * @param row makes a row of the list
 */
export async function withArchived<Row extends { readonly id: string; readonly position: string }>(
  sql: Queryable,
  clients: readonly string[] | null,
  search: OrderSearch,
  page: SearchPage,
  hot: { readonly orders: readonly Row[]; readonly comparedTo: SearchPosition | null },
  row: (archived: ArchivedSummary) => Row,
): Promise<{ readonly orders: readonly Row[]; readonly comparedTo: SearchPosition | null }> {
  if (!readsArchive(search)) return hot;
  // An order in the tables is not in the archive.
  const inTables = new Set(hot.orders.map(({ id }) => id));
  const ids = search.ids?.filter((id) => !inTables.has(id));
  if (ids?.length === 0) return hot;
  const last = hot.orders[page.limit - 1];
  // A full page needs no archived order that is older than its last one.
  const edge = last === undefined ? hot.comparedTo : { time: last.position, id: last.id };
  const found = await archivedPage(sql, clients, { ...search, ids }, page, edge);
  const merged = [...hot.orders, ...found.map(row)].sort((a, b) => (positionOf(a) < positionOf(b) ? 1 : -1));
  return { orders: merged.slice(0, page.limit), comparedTo: merged.length < page.limit ? hot.comparedTo : null };
}

/** Positions are compared as text: their times have one format. */
const positionOf = ({ id, position }: { readonly id: string; readonly position: string }) => `${position} ${id}`;

async function archivedPage(
  sql: Queryable,
  clients: readonly string[] | null,
  search: OrderSearch,
  { limit, after }: SearchPage,
  edge: SearchPosition | null,
): Promise<ArchivedSummary[]> {
  const { ids, orderReferenceIds, createdFrom, createdTo } = search;
  const position = ({ time, id }: SearchPosition): Fragment => sql`(${time}::text::timestamptz, ${id}::uuid)`;
  const among = (column: Fragment, values: readonly string[] | undefined): Fragment =>
    values === undefined ? sql`` : sql`AND ${column} = ANY(${[...values]}::text[])`;
  const conditions = sql`
    ${ids === undefined ? sql`` : sql`AND o.id = ANY(${ids.filter(isUuid)}::uuid[])`}
    ${among(sql`o.order_reference_id`, orderReferenceIds)}
    ${among(sql`o.fulfillment_status`, search.fulfillmentStatuses)}
    ${among(sql`o.financial_status`, search.financialStatuses)}
    ${among(sql`'order'::text`, search.orderTypes)}
    ${among(sql`o.country`, search.countries)}
    ${among(sql`o.channel`, search.channels)}
    ${createdFrom === undefined ? sql`` : sql`AND o.created_at >= ${createdFrom}::text::timestamptz`}
    ${createdTo === undefined ? sql`` : sql`AND o.created_at < ${createdTo}::text::timestamptz`}
    ${after === null ? sql`` : sql`AND (o.created_at, o.id) < ${position(after)}`}
    ${edge === null ? sql`` : sql`AND (o.created_at, o.id) >= ${position(edge)}`}`;
  // Each client's orders are read from its own range of the index.
  const of =
    clients === null
      ? sql``
      : sql`unnest(${[...new Set(clients.filter(isUuid))]}::uuid[]) AS client (id) CROSS JOIN LATERAL`;
  return await sql<ArchivedSummary[]>`
    SELECT o.id, o.client_id, a.name AS client_name, o.order_reference_id, o.channel, o.fulfillment_status, o.financial_status,
      o.refusal_reason_code, o.currency, coalesce(o.country, '') AS country, o.item_count, o.total_incl_vat, o.created_at,
      o.ordered_at, o.updated_at, ${isoMicroseconds(sql, sql`o.created_at`)} AS position
    FROM ${of} (
      SELECT * FROM archived_orders o WHERE true ${clients === null ? sql`` : sql`AND o.client_id = client.id`} ${conditions}
      ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}) AS o
    JOIN accounts a ON a.id = o.client_id
    ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit}`;
}
