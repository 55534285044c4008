import { COMPARED_ROWS, isoMicroseconds, type SearchPage, type SearchPosition } from '../../platform/list-position';
import type { Queryable } from '../../platform/postgres';
import { type ShippingOrderRow, type ShippingOrderViewer, shippingOrderRows, visibleTo } from './shipping-order-reader';
import type { ShippingOrderStatus } from './shipping-order-schemas';

/** Filters of a search. A shipping order must match every filter given; a list matches any of its values. */
export interface ShippingOrderSearch {
  readonly orderReferenceIds?: readonly string[] | undefined;
  readonly statuses?: readonly ShippingOrderStatus[] | undefined;
  /** ISO 8601, inclusive. */
  readonly createdFrom?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly createdTo?: string | undefined;
}

/** A page of a search. */
export interface FoundShippingOrders {
  readonly orders: readonly ShippingOrderRow[];
  /** Set when the search ended before the page was full: the position of the last shipping order that it compared. */
  readonly comparedTo: SearchPosition | null;
}

/**
 * Returns one page of the shipping orders that match and that the viewer may see, newest first. Filters without an index
 * are compared with COMPARED_ROWS shipping orders at most.
 * @param page `after` is the position of the previous page's last order
 */
export async function searchShippingOrders(
  sql: Queryable,
  viewer: ShippingOrderViewer,
  { orderReferenceIds: references, statuses, createdFrom, createdTo }: ShippingOrderSearch,
  page: SearchPage,
): Promise<FoundShippingOrders> {
  const none = sql``;
  const { limit, after } = page;
  const ofReferences = references === undefined ? none : sql`AND o.order_reference_id = ANY(${[...references]})`;
  const ofStatuses = statuses === undefined ? none : sql`AND o.status = ANY(${[...statuses]})`;
  // The index of references begins with the account, which operators do not name.
  const indexed = viewer.role === 'operator' ? none : ofReferences;
  const [row] = await sql<{ ids: string[]; compared: number; edgeTime: string | null; edgeId: string | null }[]>`
    WITH compared AS MATERIALIZED (
      SELECT o.id, o.created_at, (true ${ofReferences} ${ofStatuses}) AS matches FROM shipping_orders o
      WHERE ${visibleTo(sql, viewer)} ${indexed}
        ${createdFrom === undefined ? none : sql`AND o.created_at >= ${createdFrom}::text::timestamptz`}
        ${createdTo === undefined ? none : sql`AND o.created_at < ${createdTo}::text::timestamptz`}
        ${after === null ? none : sql`AND (o.created_at, o.id) < (${after.time}::text::timestamptz, ${after.id}::uuid)`}
      ORDER BY o.created_at DESC, o.id DESC
      LIMIT ${references === undefined && statuses === undefined ? limit : COMPARED_ROWS}
    ), edge AS (
      SELECT created_at, id FROM compared ORDER BY created_at, id LIMIT 1
    ), matching AS (
      SELECT id FROM compared WHERE matches ORDER BY created_at DESC, id DESC LIMIT ${limit}
    )
    SELECT coalesce((SELECT array_agg(id) FROM matching), '{}') AS ids, (SELECT count(*)::int FROM compared) AS compared,
      (SELECT ${isoMicroseconds(sql, sql`created_at`)} FROM edge) AS edge_time, (SELECT id FROM edge) AS edge_id`;
  const { ids, compared, edgeTime, edgeId } = row!;
  const endedEarly = ids.length < limit && compared === COMPARED_ROWS;
  return {
    orders:
      ids.length === 0
        ? []
        : await shippingOrderRows(sql, sql`o.id = ANY(${ids}::uuid[]) ORDER BY o.created_at DESC, o.id DESC`),
    comparedTo: endedEarly ? { time: edgeTime!, id: edgeId! } : null,
  };
}
