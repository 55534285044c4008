import type { CarrierRefusal } from '../carriers/carrier';
import type { Consignment } from '../consignments/domain/consignment';
import { fromMinor } from '../platform/domain/money';
import { sha256, uuidv7 } from '../platform/ids';
import type { LinkSigner } from '../platform/objects/signed-links';
import { json, type Queryable, type Sql } from '../platform/postgres';
import type { LabelOptions } from './document-set';
import { type ShippingOrderOutcome, shippingOrderPurchaseKey } from './domain/shipping-order-run';
import { type BoughtShipment, buyShipment, type PurchaseDeps } from './purchase';
import type { ShippingOrderAnswer, ShippingOrderRequest } from './schemas';
import { documentLink, readShipment, type ShipmentDocument, shipmentDocuments } from './shipments';

export interface PlacedShippingOrder {
  readonly accountId: string;
  readonly request: ShippingOrderRequest;
  readonly consignment: Consignment;
  readonly methodUid: string;
  /** How long the placing request waits for the outcome. */
  readonly waitSeconds: number;
}

const fingerprintOf = (request: ShippingOrderRequest) => sha256(JSON.stringify(request));

/**
 * Inserts a shipping order, or resumes one with the same content whose request ended without an answer.
 * @returns the shipping order's id, or null when the account has already used the reference
 */
export async function placeShippingOrder(sql: Sql, placed: PlacedShippingOrder): Promise<string | null> {
  const { accountId, request, consignment, methodUid, waitSeconds } = placed;
  const fingerprint = fingerprintOf(request);
  const label: LabelOptions = {
    format: request.options?.label?.format ?? 'pdf',
    size: request.options?.label?.size ?? '4x6',
  };
  const [made] = await sql<{ id: string }[]>`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until)
    VALUES (${uuidv7()}, ${accountId}, ${request.orderReferenceId}, ${fingerprint}, ${json(sql, consignment)}, ${methodUid},
      ${json(sql, label)}, now() + make_interval(secs => ${waitSeconds}))
    ON CONFLICT (account_id, order_reference_id) WHERE status <> 'refused' DO NOTHING
    RETURNING id`;
  if (made !== undefined) return made.id;
  const [resumed] = await sql<{ id: string }[]>`
    UPDATE shipping_orders SET waiting_until = now() + make_interval(secs => ${waitSeconds})
    WHERE account_id = ${accountId} AND order_reference_id = ${request.orderReferenceId} AND status <> 'refused'
      AND fingerprint = ${fingerprint} AND answered_at IS NULL AND waiting_until <= now()
    RETURNING id`;
  return resumed?.id ?? null;
}

/** Records that the waiting request was answered or gave up. When it gave up, a request with the same content may resume. */
export async function endWait(sql: Sql, shippingOrderId: string, answered: boolean): Promise<void> {
  await sql`
    UPDATE shipping_orders SET waiting_until = now(), answered_at = CASE WHEN ${answered} THEN now() END
    WHERE id = ${shippingOrderId}`;
}

/** Buys the labels of a shipping order. Repeated calls return the same outcome. @throws CarrierUnavailable */
export async function purchaseShippingOrder(
  deps: PurchaseDeps,
  shippingOrderId: string,
): Promise<ShippingOrderOutcome> {
  const [order] = await deps.sql<
    { status: string; consignment: Consignment; methodUid: string; label: LabelOptions }[]
  >`SELECT status, consignment, method_uid, label FROM shipping_orders WHERE id = ${shippingOrderId}`;
  if (order === undefined) throw new Error(`shipping order ${shippingOrderId} does not exist`);
  if (order.status !== 'buying') return await outcomeOf(deps.sql, shippingOrderId);
  const bought: BoughtShipment = await buyShipment(deps, {
    consignment: order.consignment,
    methodUid: order.methodUid,
    label: order.label,
    idempotencyKey: shippingOrderPurchaseKey(shippingOrderId),
    owner: { kind: 'shipping_order', shippingOrderId },
  });
  if (!bought.ok) return await refuseShippingOrder(deps.sql, shippingOrderId, bought.refusal);
  await deps.sql`UPDATE shipping_orders SET status = 'bought' WHERE id = ${shippingOrderId} AND status = 'buying'`;
  return await outcomeOf(deps.sql, shippingOrderId);
}

/** Refuses a shipping order, unless its labels were bought meanwhile. Returns the outcome. */
export async function refuseShippingOrder(
  sql: Sql,
  shippingOrderId: string,
  refusal: CarrierRefusal,
): Promise<ShippingOrderOutcome> {
  await sql`
    UPDATE shipping_orders SET status = 'refused', refusal = ${json(sql, refusal)}
    WHERE id = ${shippingOrderId} AND status = 'buying'`;
  return await outcomeOf(sql, shippingOrderId);
}

async function outcomeOf(sql: Queryable, shippingOrderId: string): Promise<ShippingOrderOutcome> {
  const [row] = await sql<{ refusal: CarrierRefusal | null; shipmentId: string | null }[]>`
    SELECT o.refusal, s.id AS shipment_id FROM shipping_orders o
    LEFT JOIN shipments s ON s.shipping_order_id = o.id AND s.status = 'bought' AND o.status = 'bought'
    WHERE o.id = ${shippingOrderId}`;
  if (row?.shipmentId != null) return { outcome: 'bought', shipmentId: row.shipmentId };
  if (row?.refusal != null) return { outcome: 'refused', refusal: row.refusal };
  throw new Error(`shipping order ${shippingOrderId} has no outcome`);
}

/** Returns the answer to a shipping order whose labels were bought, with new links. */
export async function shippingOrderAnswer(
  { sql, links }: { readonly sql: Queryable; readonly links: LinkSigner },
  {
    shippingOrderId,
    shipmentId,
    orderReferenceId,
  }: { shippingOrderId: string; shipmentId: string; orderReferenceId: string },
): Promise<ShippingOrderAnswer> {
  const shipment = (await readShipment(sql, shipmentId))!;
  const documents = await shipmentDocuments(sql, shipmentId);
  const file = (document: ShipmentDocument) => ({
    fileName: document.fileName,
    fileUrl: documentLink(links, document),
    contentType: document.contentType,
  });
  return {
    orderId: shippingOrderId,
    orderReferenceId,
    shippingMethod: { carrier: shipment.carrierName, uid: shipment.methodUid },
    packages: shipment.packages.map(({ packageReferenceId, trackingNumber, trackingUrl, cost }, position) => {
      const own = documents.filter(
        (each) => each.packagePosition === position || each.packagePosition === null,
      );
      const others = own.filter(({ type }) => type !== 'label');
      return {
        packageReferenceId,
        trackingNumber,
        trackingUrl,
        label: file(own.find(({ type }) => type === 'label')!),
        ...(others.length === 0
          ? {}
          : { documents: others.map((each) => ({ documentType: wireType(each), ...file(each) })) }),
        totalCost: { value: fromMinor(cost.minor, cost.currency), currency: cost.currency },
      };
    }),
  };
}

/** The interface calls every kind of invoice `invoice`. */
const wireType = ({ type, documentType }: ShipmentDocument) =>
  type === 'invoice' ? 'invoice' : documentType;
