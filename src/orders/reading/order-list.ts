import { parcelsOfOrder } from '../../notifications/order-view';
import { isUuid } from '../../platform/ids';
import { isoMicroseconds, type SearchPage, type SearchPosition } from '../../platform/list-position';
import type { Fragment, Queryable } from '../../platform/postgres';
import { LISTED_COLUMNS, type ListedFields } from '../planning/order-fields';
import type { Viewer } from './order-reader';
import { clientsOf, findOrders, type OrderSearch, sortTime } from './order-search';

export interface OrderSummary extends ListedFields {
  /** True when the rows of the order are in the archive. */
  readonly archived: boolean;
  readonly country: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly itemCount: number;
  /** Total of invoices and refunds in minor units, as decimal text. Null until the order is priced. */
  readonly totalInclVat: string | null;
  readonly parcels: readonly {
    readonly trackingCode: string;
    readonly trackingUrl: string | null;
    readonly shipmentMethodUid: string;
  }[];
  readonly position: string;
}

export interface FoundOrders<Row = OrderSummary> {
  readonly orders: readonly Row[];
  /**
   * Set when the search ended before the page was full: the position of the last order that was compared with the filters.
   * Older orders may match too.
   */
  readonly comparedTo: SearchPosition | null;
}

/**
 * Returns one page of the orders that match and that the viewer may see, newest first, or last changed first.
 * @param page `after` is the position of the previous page's last order
 */
export async function searchOrders(
  sql: Queryable,
  viewer: Viewer,
  search: OrderSearch,
  page: SearchPage,
): Promise<FoundOrders> {
  const { found, comparedTo } = await findOrders(sql, viewer, search, page);
  const hot = { orders: await summaries(sql, found, sortTime(sql, search)), comparedTo };
  return await withArchived(sql, clientsOf(viewer, search), search, page, hot, archivedSummary);
}

const archivedSummary = ({ clientName: _, ...order }: ArchivedSummary): OrderSummary => ({
  ...order,
  orderType: 'order',
  customerReferenceId: null,
  firstName: '',
  lastName: '',
  parcels: [],
  archived: true,
});

/** Returns the summaries of the orders whose ids a query returns, in the order of a time, latest first. */
async function summaries(sql: Queryable, found: Fragment, time: Fragment): Promise<OrderSummary[]> {
  return await sql<OrderSummary[]>`
      WITH page AS (${found})
      SELECT ${sql.unsafe(LISTED_COLUMNS)}, false AS archived, o.shipping_address ->> 'country' AS country, o.shipping_address ->> 'firstName' AS first_name,
        o.shipping_address ->> 'lastName' AS last_name,
        (SELECT count(*)::int FROM order_items i WHERE i.order_id = o.id) AS item_count,
        (SELECT sum((r.body -> 'totals' ->> 'totalInclVat')::bigint) FROM receipts r WHERE r.order_id = o.id)
          AS total_incl_vat, ${parcelsOfOrder(sql)} AS parcels, ${isoMicroseconds(sql, time)} AS position
      FROM page JOIN orders o USING (id)
      ORDER BY ${time} DESC, o.id DESC`;
}

export type ArchivedSummary = Omit<ListedFields, 'customerReferenceId' | 'orderType'> &
  Pick<OrderSummary, 'country' | 'itemCount' | 'totalInclVat' | 'position'> & { readonly clientName: string };

/**
 * Returns false for a search that does not read the archive: the archive has no index for its filters. Filters beside ids or
 * references are compared, because those find few orders.
 */
function readsArchive(search: OrderSearch): boolean {
  const {
    ids,
    orderReferenceIds,
    emails,
    trackingNumbers,
    clientIds: _1,
    createdFrom: _2,
    createdTo: _3,
    ...others
  } = search;
  const { attention, partnerIds, methodUids, updatedFrom, updatedTo, ...compared } = others;
  if ([attention, partnerIds, methodUids, updatedFrom, updatedTo].some((filter) => filter !== undefined)) return false;
  return (
    [ids, orderReferenceIds, emails, trackingNumbers].some(Array.isArray) ||
    Object.values(compared).every((filter) => filter === undefined)
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
  hot: FoundOrders<Row>,
  row: (archived: ArchivedSummary) => Row,
): Promise<FoundOrders<Row>> {
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
  const { ids, orderReferenceIds, emails, trackingNumbers, createdFrom, createdTo } = search;
  const position = ({ time, id }: SearchPosition): Fragment => sql`(${time}::text::timestamptz, ${id}::uuid)`;
  const among = (column: Fragment, values: readonly string[] | undefined): Fragment =>
    values === undefined ? sql`` : sql`AND ${column} = ANY(${[...values]}::text[])`;
  const conditions = sql`
    ${ids === undefined ? sql`` : sql`AND o.id = ANY(${ids.filter(isUuid)}::uuid[])`}
    ${among(sql`o.order_reference_id`, orderReferenceIds)}
    ${emails === undefined ? sql`` : sql`AND o.emails && ${[...emails]}::text[]`}
    ${trackingNumbers === undefined ? sql`` : sql`AND o.id IN (SELECT order_id FROM archived_parcels WHERE tracking_number = ANY(${[...trackingNumbers]}::text[]))`}
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
