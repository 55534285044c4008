import type { Account } from '../../accounts/account';
import type { CarrierRefusal } from '../../carriers/carrier';
import { fromMinor } from '../../platform/domain/money';
import { isUuid } from '../../platform/ids';
import type { LinkSigner } from '../../platform/objects/signed-links';
import type { Queryable } from '../../platform/postgres';
import { documentLink, readShipment, type ShipmentDocument, typeOf } from '../shipments';
import type { RetrievedShippingOrder, ShippingOrderResponse, ShippingOrderStatus } from './shipping-order-schemas';

interface ReaderDeps {
  readonly sql: Queryable;
  readonly links: LinkSigner;
}

/** A row of `shipping_orders` with its shipment. */
export interface ShippingOrderRow {
  readonly id: string;
  readonly orderReferenceId: string;
  readonly status: ShippingOrderStatus;
  readonly methodUid: string;
  readonly refusal: CarrierRefusal | null;
  readonly createdAt: Date;
  readonly canceledAt: Date | null;
  readonly shipmentId: string | null;
}

/** The caller, who sees its own shipping orders. Operators see all. */
export type ShippingOrderViewer = Pick<Account, 'id' | 'role'>;

/** Returns the condition of the shipping orders `o` that the viewer may see. */
export const visibleTo = (sql: Queryable, viewer: ShippingOrderViewer) =>
  viewer.role === 'operator' ? sql`true` : sql`o.account_id = ${viewer.id}`;

/**
 * Returns a shipping order by its id or reference, or null when the viewer has none. A reference may have refused shipping
 * orders besides the one that used it: these are returned only when no other has used it.
 */
export async function findShippingOrder(
  sql: Queryable,
  viewer: ShippingOrderViewer,
  idOrReference: string,
): Promise<ShippingOrderRow | null> {
  const columns = sql`
    o.id, o.order_reference_id, o.status, o.method_uid, o.refusal, o.created_at, o.canceled_at,
    (SELECT s.id FROM shipments s WHERE s.shipping_order_id = o.id AND s.bought_at IS NOT NULL) AS shipment_id`;
  if (isUuid(idOrReference)) {
    const [byId] = await sql<ShippingOrderRow[]>`
      SELECT ${columns} FROM shipping_orders o WHERE o.id = ${idOrReference} AND ${visibleTo(sql, viewer)}`;
    if (byId !== undefined) return byId;
  }
  const [byReference] = await sql<ShippingOrderRow[]>`
    SELECT ${columns} FROM shipping_orders o
    WHERE o.order_reference_id = ${idOrReference} AND ${visibleTo(sql, viewer)}
    ORDER BY o.status = 'refused', o.created_at DESC LIMIT 1`;
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

/** Returns a shipping order in its current state, with new links. */
export async function retrievedShippingOrder(
  deps: ReaderDeps,
  order: ShippingOrderRow,
): Promise<RetrievedShippingOrder> {
  const bought = order.shipmentId === null ? null : await packagesOf(deps, order.shipmentId);
  return {
    orderId: order.id,
    orderReferenceId: order.orderReferenceId,
    status: order.status,
    shippingMethod: { carrier: bought?.shipment.carrierName ?? null, uid: order.methodUid },
    createdAt: order.createdAt.toISOString(),
    canceledAt: order.canceledAt?.toISOString() ?? null,
    refusal: order.refusal === null ? null : { code: order.refusal.code, message: order.refusal.message },
    packages: bought?.packages ?? [],
  };
}
