import type { CarrierRefusal } from '../../carriers/carrier';
import type { Consignment } from '../../consignments/domain/consignment';
import { SCANNED_STATUSES } from '../../consignments/domain/tracking-status';
import { sha256, uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import type { LabelOptions } from '../document-set';
import { type Cancellation, type ShippingOrderOutcome, shippingOrderPurchaseKey } from '../domain/shipping-runs';
import { voidShipment } from '../label-voids';
import { buyLabels, type PurchaseDeps } from '../purchase';
import type { ShippingOrderRequest } from '../request-schemas';

export interface ShippingOrderPlacement {
  readonly accountId: string;
  readonly request: ShippingOrderRequest;
  /** How long the request waits for the outcome. */
  readonly waitSeconds: number;
}

/** `used`: the account has used the reference for another shipping order, or for one whose request has its response. */
export type PlacedShippingOrder = { readonly shippingOrderId: string } | 'used';

const CANCELED: CarrierRefusal = {
  code: 'SHIPPING_ORDER_CANCELED',
  message: 'The shipping order was canceled.',
};

const fingerprintOf = (request: ShippingOrderRequest) => sha256(JSON.stringify(request));

/** Resumes a shipping order whose request ended without a response. Returns null when the reference is free. */
export async function resumeShippingOrder(
  sql: Sql,
  { accountId, request, waitSeconds }: ShippingOrderPlacement,
): Promise<PlacedShippingOrder | null> {
  const [used] = await sql<{ id: string }[]>`
    SELECT id FROM shipping_orders
    WHERE account_id = ${accountId} AND order_reference_id = ${request.orderReferenceId} AND status <> 'refused'`;
  if (used === undefined) return null;
  const [resumed] = await sql<{ id: string }[]>`
    UPDATE shipping_orders SET waiting_until = now() + make_interval(secs => ${waitSeconds})
    WHERE id = ${used.id} AND status IN ('buying', 'bought') AND fingerprint = ${fingerprintOf(request)}
      AND responded_at IS NULL AND waiting_until <= now()
    RETURNING id`;
  return resumed === undefined ? 'used' : { shippingOrderId: resumed.id };
}

export async function insertShippingOrder(
  sql: Sql,
  { accountId, request, waitSeconds }: ShippingOrderPlacement,
  purchase: { readonly consignment: Consignment; readonly methodUid: string },
): Promise<PlacedShippingOrder> {
  const label: LabelOptions = {
    format: request.options?.label?.format ?? 'pdf',
    size: request.options?.label?.size ?? '4x6',
  };
  const [inserted] = await sql<{ id: string }[]>`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until)
    VALUES (${uuidv7()}, ${accountId}, ${request.orderReferenceId}, ${fingerprintOf(request)},
      ${json(sql, purchase.consignment)}, ${purchase.methodUid}, ${json(sql, label)},
      now() + make_interval(secs => ${waitSeconds}))
    ON CONFLICT (account_id, order_reference_id) WHERE status <> 'refused' DO NOTHING
    RETURNING id`;
  return inserted === undefined ? 'used' : { shippingOrderId: inserted.id };
}

/** Records that the waiting request has its response. Call it in the transaction that stores the response. */
export async function recordResponse(sql: Queryable, shippingOrderId: string): Promise<void> {
  await sql`UPDATE shipping_orders SET responded_at = now() WHERE id = ${shippingOrderId}`;
}

/** Records that no request waits any more. If none got a response, a request with the same content may resume. */
export async function endWait(sql: Sql, shippingOrderId: string): Promise<void> {
  await sql`UPDATE shipping_orders SET waiting_until = now() WHERE id = ${shippingOrderId}`;
}

/** Buys the labels of a shipping order. Repeated calls return the same outcome. @throws CarrierUnavailable */
export async function purchaseShippingOrder(
  deps: PurchaseDeps,
  shippingOrderId: string,
  cancelled?: AbortSignal,
): Promise<ShippingOrderOutcome> {
  const { sql } = deps;
  const [order] = await sql<
    { status: string; consignment: Consignment; methodUid: string; label: LabelOptions }[]
  >`SELECT status, consignment, method_uid, label FROM shipping_orders WHERE id = ${shippingOrderId}`;
  if (order === undefined) throw new Error(`shipping order ${shippingOrderId} does not exist`);
  const idempotencyKey = shippingOrderPurchaseKey(shippingOrderId);
  if (order.status === 'buying') {
    const purchase = {
      consignment: order.consignment,
      methodUid: order.methodUid,
      label: order.label,
      idempotencyKey,
      owner: { kind: 'shipping_order', shippingOrderId },
    } as const;
    const bought = await buyLabels(deps, purchase, cancelled);
    if (!bought.ok) return await refuseShippingOrder(sql, shippingOrderId, bought.refusal);
    await sql`UPDATE shipping_orders SET status = 'bought' WHERE id = ${shippingOrderId} AND status = 'buying'`;
  }
  const outcome = await outcomeOf(sql, shippingOrderId);
  // A cancellation may have found nothing to void, because the purchase began after it.
  if (outcome.outcome === 'refused' && outcome.refusal.code === CANCELED.code) {
    await voidShipment(deps, { idempotencyKey }, cancelled);
  }
  return outcome;
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
  const [row] = await sql<{ status: string; refusal: CarrierRefusal | null; shipmentId: string | null }[]>`
    SELECT o.status, o.refusal, s.id AS shipment_id FROM shipping_orders o
    LEFT JOIN shipments s ON s.shipping_order_id = o.id AND s.status = 'bought' AND o.status = 'bought'
    WHERE o.id = ${shippingOrderId}`;
  if (row?.status === 'canceling' || row?.status === 'canceled') {
    return { outcome: 'refused', refusal: CANCELED };
  }
  if (row?.shipmentId != null) return { outcome: 'bought', shipmentId: row.shipmentId };
  if (row?.refusal != null) return { outcome: 'refused', refusal: row.refusal };
  throw new Error(`shipping order ${shippingOrderId} has no outcome`);
}

/** The state of a shipping order after a cancellation was requested. */
type RequestedCancellation =
  /** The labels are to be voided by `cancelShippingOrder`. */
  | 'canceling'
  | 'canceled'
  /** The purchase was refused, so there are no labels. */
  | 'refused'
  | 'scanned';

/** Records the request to cancel a shipping order, unless a carrier has scanned one of its packages. */
export async function requestCancellation(sql: Sql, shippingOrderId: string): Promise<RequestedCancellation> {
  return await inTransaction(sql, async (tx) => {
    const [order] = await tx<{ status: string }[]>`
      SELECT status FROM shipping_orders WHERE id = ${shippingOrderId} FOR UPDATE`;
    if (order === undefined) throw new Error(`shipping order ${shippingOrderId} does not exist`);
    if (order.status === 'canceled' || order.status === 'refused') return order.status;
    if (await isScanned(tx, shippingOrderId)) return 'scanned';
    await tx`UPDATE shipping_orders SET status = 'canceling' WHERE id = ${shippingOrderId}`;
    return 'canceling';
  });
}

/**
 * Voids the labels of a shipping order whose cancellation was requested, and records the outcome. The call is idempotent.
 * A purchase that is still running ends first, and is voided too: it can buy nothing under its key afterwards.
 * @throws CarrierUnavailable when the carrier does not respond; repeat the call to continue
 */
export async function cancelShippingOrder(
  deps: PurchaseDeps,
  shippingOrderId: string,
  cancelled?: AbortSignal,
): Promise<Cancellation> {
  const { sql } = deps;
  const [order] = await sql<{ status: string }[]>`SELECT status FROM shipping_orders WHERE id = ${shippingOrderId}`;
  if (order?.status === 'canceled') return { outcome: 'canceled' };
  // A package may have been scanned while the carrier did not respond.
  if (await inTransaction(sql, (tx) => isScanned(tx, shippingOrderId))) {
    await endCanceling(sql, shippingOrderId);
    return { outcome: 'scanned' };
  }
  const idempotencyKey = shippingOrderPurchaseKey(shippingOrderId);
  const voided = await voidShipment(deps, { idempotencyKey }, cancelled);
  if (!voided.ok) {
    await endCanceling(sql, shippingOrderId);
    return { outcome: 'carrier_refused', reason: voided.reason };
  }
  await sql`
    UPDATE shipping_orders SET status = 'canceled', canceled_at = now()
    WHERE id = ${shippingOrderId} AND status = 'canceling'`;
  return { outcome: 'canceled' };
}

/** Returns true when a carrier has scanned a package of a shipping order. Locks the shipment against new events. */
async function isScanned(tx: Transaction, shippingOrderId: string): Promise<boolean> {
  await tx`SELECT 1 FROM shipments WHERE shipping_order_id = ${shippingOrderId} FOR UPDATE`;
  const scanned = await tx`
    SELECT 1 FROM shipments s JOIN trackings t ON t.shipment_id = s.id
    WHERE s.shipping_order_id = ${shippingOrderId} AND t.status_uid = ANY(${SCANNED_STATUSES}) LIMIT 1`;
  return scanned.length > 0;
}

async function endCanceling(sql: Sql, shippingOrderId: string): Promise<void> {
  await sql`
    UPDATE shipping_orders o SET status = CASE
      WHEN EXISTS (SELECT FROM shipments s WHERE s.shipping_order_id = o.id AND s.status = 'bought') THEN 'bought'
      ELSE 'buying' END
    WHERE id = ${shippingOrderId} AND status = 'canceling'`;
}
