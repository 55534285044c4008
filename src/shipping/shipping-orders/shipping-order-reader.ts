import type { Account } from '../../accounts/account';
import type { CarrierRefusal } from '../../carriers/carrier';
import { fromMinor } from '../../platform/domain/money';
import { isUuid } from '../../platform/ids';
import { COMPARED_ROWS, isoMicroseconds, type SearchPage, type SearchPosition } from '../../platform/list-position';
import type { LinkSigner } from '../../platform/objects/signed-links';
import type { Fragment, Queryable } from '../../platform/postgres';
import { documentLink, readShipment, type ShipmentDocument, typeOf } from '../shipments';
import type {
  RetrievedShippingOrder,
  ShippingOrderResponse,
  ShippingOrderStatus,
  ShippingOrderSummary,
} from './shipping-order-schemas';

interface ReaderDeps {
  readonly sql: Queryable;
  readonly links: LinkSigner;
}

export interface ShippingOrderRow extends Pick<ShippingOrderSummary, 'orderReferenceId' | 'status'> {
  readonly id: string;
  readonly methodUid: string;
  readonly refusal: CarrierRefusal | null;
  readonly createdAt: Date;
  readonly canceledAt: Date | null;
  /** These are null until the labels are bought. */
  readonly shipmentId: string | null;
  readonly carrierName: string | null;
  readonly packages: ShippingOrderSummary['packages'] | null;
  /** `createdAt` with microseconds, for cursors. */
  readonly position: string;
}

/** The caller, who sees its own shipping orders. Operators see all. */
export type ShippingOrderViewer = Pick<Account, 'id' | 'role'>;

const visibleTo = (sql: Queryable, viewer: ShippingOrderViewer) =>
  viewer.role === 'operator' ? sql`true` : sql`o.account_id = ${viewer.id}`;

/** Returns the shipping orders `o` that match a condition. @param condition may end with an order and a limit */
async function shippingOrderRows(sql: Queryable, condition: Fragment): Promise<ShippingOrderRow[]> {
  return await sql<ShippingOrderRow[]>`
    SELECT o.id, o.order_reference_id, o.status, o.method_uid, o.refusal, o.created_at, o.canceled_at,
      ${isoMicroseconds(sql, sql`o.created_at`)} AS position, s.id AS shipment_id, s.carrier_name,
      (SELECT jsonb_agg(jsonb_build_object('packageReferenceId', p.package_reference_id,
          'trackingNumber', p.tracking_number, 'trackingUrl', p.tracking_url) ORDER BY p.position)
        FROM shipment_packages p WHERE p.shipment_id = s.id) AS packages
    FROM shipping_orders o LEFT JOIN shipments s ON s.shipping_order_id = o.id AND s.bought_at IS NOT NULL
    WHERE ${condition}`;
}

/**
 * Returns a shipping order by its id or reference, or null when the viewer has none. A reference may have refused shipping
 * orders besides the one that used it: these are returned only when no other has used it.
 */
export async function findShippingOrder(
  sql: Queryable,
  viewer: ShippingOrderViewer,
  idOrReference: string,
): Promise<ShippingOrderRow | null> {
  const visible = visibleTo(sql, viewer);
  const [byId] = isUuid(idOrReference) ? await shippingOrderRows(sql, sql`o.id = ${idOrReference} AND ${visible}`) : [];
  if (byId !== undefined) return byId;
  const [byReference] = await shippingOrderRows(
    sql,
    sql`o.order_reference_id = ${idOrReference} AND ${visible} ORDER BY o.status = 'refused', o.created_at DESC LIMIT 1`,
  );
  return byReference ?? null;
}

/** Returns the newest shipping order of each account that uses a reference, of at most 100 accounts. */
export async function newestShippingOrdersByAccount(
  sql: Queryable,
  reference: string,
): Promise<readonly { readonly id: string; readonly clientName: string }[]> {
  return await sql<{ id: string; clientName: string }[]>`
    SELECT DISTINCT ON (o.account_id) o.id, a.name AS client_name
    FROM shipping_orders o JOIN accounts a ON a.id = o.account_id
    WHERE o.order_reference_id = ${reference}
    ORDER BY o.account_id, o.status = 'refused', o.created_at DESC LIMIT 100`;
}

/** Returns the packages of a bought shipment with links to its documents. */
async function packagesOf({ sql, links }: ReaderDeps, shipmentId: string) {
  const shipment = (await readShipment(sql, shipmentId))!;
  const file = (document: ShipmentDocument) => ({
    fileName: document.fileName,
    fileUrl: documentLink(links, document),
    contentType: document.contentType,
  });
  const packages = shipment.packages.map(({ packageReferenceId, trackingNumber, trackingUrl, cost }, position) => {
    const own = shipment.documents.filter((each) => each.packagePosition === position || each.packagePosition === null);
    const label = own.find(({ documentType }) => documentType === 'label');
    const others = own.filter((each) => each !== label);
    return {
      packageReferenceId,
      trackingNumber,
      trackingUrl,
      ...(label === undefined ? {} : { label: file(label) }),
      ...(others.length === 0
        ? {}
        : { documents: others.map((each) => ({ documentType: nameOf(each), ...file(each) })) }),
      totalCost: { value: fromMinor(cost.minor, cost.currency), currency: cost.currency },
    };
  });
  return { shipment, packages };
}

/** In responses, every kind of invoice is `invoice`. */
const nameOf = ({ documentType }: ShipmentDocument) => (typeOf(documentType) === 'invoice' ? 'invoice' : documentType);

/** Returns the response to a shipping order whose labels have just been bought, with new links. */
export async function shippingOrderResponse(
  deps: ReaderDeps,
  order: { readonly shippingOrderId: string; readonly shipmentId: string; readonly orderReferenceId: string },
): Promise<ShippingOrderResponse> {
  const { shipment, packages } = await packagesOf(deps, order.shipmentId);
  return {
    orderId: order.shippingOrderId,
    orderReferenceId: order.orderReferenceId,
    shippingMethod: { carrier: shipment.carrierName, uid: shipment.methodUid },
    packages: packages.map((pack) => ({ ...pack, label: pack.label! })),
  };
}

const stateOf = (order: ShippingOrderRow) => ({
  orderId: order.id,
  orderReferenceId: order.orderReferenceId,
  status: order.status,
  shippingMethod: { carrier: order.carrierName, uid: order.methodUid },
  createdAt: order.createdAt.toISOString(),
  canceledAt: order.canceledAt?.toISOString() ?? null,
});

export const shippingOrderSummary = (order: ShippingOrderRow): ShippingOrderSummary => ({
  ...stateOf(order),
  packages: order.packages ?? [],
});

/** Returns a shipping order in its current state, with new links. */
export async function retrievedShippingOrder(
  deps: ReaderDeps,
  order: ShippingOrderRow,
): Promise<RetrievedShippingOrder> {
  return {
    ...stateOf(order),
    refusal: order.refusal === null ? null : { code: order.refusal.code, message: order.refusal.message },
    packages: order.shipmentId === null ? [] : (await packagesOf(deps, order.shipmentId)).packages,
  };
}

/** Filters of a search. A shipping order must match every filter given; a list matches any of its values. */
interface ShippingOrderSearch {
  readonly orderReferenceIds?: readonly string[] | undefined;
  readonly statuses?: readonly ShippingOrderStatus[] | undefined;
  /** ISO 8601, inclusive. */
  readonly createdFrom?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly createdTo?: string | undefined;
}

interface FoundShippingOrders {
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
