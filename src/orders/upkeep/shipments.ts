import {
  orderWorkflowId,
  replaceLabelWorkflowId,
  shippingOrderWorkflowId,
  takeBackShippingOrderWorkflowId,
  voidShipmentWorkflowId,
  WORKFLOW_TYPES,
} from '../../platform/domain/workflows';
import { sha256 } from '../../platform/ids';
import { enqueue } from '../../platform/outbox/outbox';
import { inTransaction } from '../../platform/postgres';
import { refuseShippingOrder } from '../../shipping/shipping-orders/shipping-orders';
import { UNSHIPPED_ORDERS } from '../domain/lifecycle/statuses';
import { dispatchKey } from '../planning/print-order-rows';
import { type Counts, inBatches, lastReconciliation, type ReconcileDeps, settleEach } from './reconciliation';
import { lookUpRun } from './runs';

/** Far longer than the two minutes for which a purchase is retried. */
const STUCK = '15 minutes';

interface StuckShipment {
  id: string;
  startedAt: string;
  idempotencyKey: string;
  orderId: string | null;
  printOrderId: string | null;
  shippingOrderId: string | null;
  /** True when the order may still need the labels: it is open and not shipped, and the print order is not cancelled. */
  wanted: boolean;
  shippingRevision: number | null;
}

/**
 * Settles incomplete purchases. The carrier may have sold a label that no row shows. A purchase that the next dispatch
 * will complete is left alone; a purchase that no order needs any more is voided.
 */
export async function settleShipments(deps: ReconcileDeps): Promise<Counts> {
  const { sql } = deps;
  return await inBatches<StuckShipment>(
    (after, limit) => sql<StuckShipment[]>`
      SELECT s.id, s.started_at::text, s.idempotency_key, s.order_id, s.print_order_id, s.shipping_order_id,
        o.shipping_revision,
        coalesce(p.status <> 'cancelled' AND o.fulfillment_status = ANY(${[...UNSHIPPED_ORDERS]}), false) AS wanted
      FROM shipments s LEFT JOIN orders o ON o.id = s.order_id LEFT JOIN print_orders p ON p.id = s.print_order_id
      WHERE s.status = 'buying' AND s.started_at < now() - ${STUCK}::interval
        ${after === undefined ? sql`` : sql`AND (s.started_at, s.id) > (${after.startedAt}::text::timestamptz, ${after.id}::uuid)`}
      ORDER BY s.started_at, s.id LIMIT ${limit}`,
    (rows) => settleEach(deps.log, 'shipmentId', rows, (shipment) => settle(deps, shipment)),
  );
}

/** Time for which live purchases are compared with parcels again, after the last reconciliation. */
const COMPARED = '2 hours';

interface Unused {
  id: string;
  /** Keys of purchases that no parcel has. Empty: only replacements that are not recorded. */
  keys: string[];
  replacing: readonly { readonly position: number }[];
}

/**
 * Compares the live purchases of the built-in carriers with the parcels, and voids those that no parcel has. Gateways have no list
 * of purchases: theirs are found by the rows of shipments, which name a purchase before it is made. A replacement whose workflow
 * runs is left to it.
 */
export async function voidPurchasesWithoutParcel({ sql, temporal, log }: ReconcileDeps): Promise<Counts> {
  const since = (await lastReconciliation(sql))?.endedAt ?? new Date();
  const unused = await sql<Unused[]>`
    WITH orphans AS (
      SELECT s.id, array_agg(c.idempotency_key ORDER BY c.idempotency_key) AS keys
      FROM carrier_purchases c JOIN shipments s
        ON s.id = CASE WHEN c.idempotency_key ~ '^[0-9a-f-]{36}:' THEN left(c.idempotency_key, 36)::uuid END
      WHERE c.bought_at > ${since} - ${COMPARED}::interval AND c.bought_at < now() - ${STUCK}::interval
        AND c.voided_at IS NULL AND s.status <> 'buying' AND s.lease_until < now() AND NOT EXISTS (
          SELECT FROM shipment_packages k WHERE k.shipment_id = s.id AND k.tracking_number = c.tracking_number
            AND k.left_out_at IS NULL AND s.status = 'bought')
      GROUP BY s.id
    )
    SELECT s.id, s.replacing, coalesce(o.keys, '{}') AS keys FROM shipments s LEFT JOIN orphans o ON o.id = s.id
    WHERE s.id IN (SELECT id FROM orphans UNION SELECT id FROM shipments WHERE replacing <> '[]')`;
  return await settleEach(log, 'shipmentId', unused, async ({ id, keys, replacing }) => {
    for (const { position } of replacing) {
      const run = await lookUpRun(temporal, replaceLabelWorkflowId(id, position));
      if (run.status === 'running') return { incompletePurchases: 1 };
    }
    // The same labels are voided by one workflow.
    const what = sha256(JSON.stringify([keys, replacing]))
      .toString('base64url')
      .slice(0, 16);
    await inTransaction(sql, (tx) =>
      enqueue(tx, {
        kind: 'start_workflow',
        target: `${voidShipmentWorkflowId(id)}-${what}`,
        payload: {
          workflowType: WORKFLOW_TYPES.takeBackShipment,
          args: [{ shipmentId: id, keys }],
          summary: `Labels of shipment ${id} that no parcel has`,
        },
      }),
    );
    log.warn({ shipmentId: id, keys }, 'reconciled: purchases that no parcel has are voided');
    return { withoutParcel: 1 };
  });
}

async function settle(deps: ReconcileDeps, shipment: StuckShipment): Promise<Counts> {
  const { sql, temporal } = deps;
  const { orderId, printOrderId, shippingOrderId, shippingRevision } = shipment;
  if (shippingOrderId !== null) {
    const runs = [shippingOrderWorkflowId(shippingOrderId), takeBackShippingOrderWorkflowId(shippingOrderId)];
    const seen = await Promise.all(runs.map((id) => lookUpRun(temporal, id)));
    if (seen.some((run) => run.status === 'running')) return { incompletePurchases: 1 };
    await refuseShippingOrder(sql, shippingOrderId, {
      code: 'CARRIER_UNAVAILABLE',
      message: 'The purchase was interrupted. No label was bought.',
    });
    return await voidPurchase(deps, shipment);
  }
  const key = dispatchKey(orderId!, printOrderId!, shippingRevision!);
  if (shipment.wanted && key === shipment.idempotencyKey) return { incompletePurchases: 1 };
  return await voidPurchase(deps, shipment);
}

async function voidPurchase(
  { sql, temporal, log }: ReconcileDeps,
  { id, idempotencyKey, orderId, shippingOrderId }: StuckShipment,
): Promise<Counts> {
  const workflowId = voidShipmentWorkflowId(id);
  const run = await lookUpRun(temporal, workflowId);
  if (run.status === 'running') return { incompletePurchases: 1 };
  if (run.status !== 'missing') {
    log.error({ shipmentId: id, orderId, shippingOrderId }, 'an unused label could not be voided');
    return { voidFailed: 1 };
  }
  await inTransaction(sql, (tx) =>
    enqueue(tx, {
      kind: 'start_workflow',
      target: workflowId,
      payload: {
        workflowType: WORKFLOW_TYPES.takeBackShipment,
        args: [{ idempotencyKey }],
        summary: `Incomplete purchase of ${orderId === null ? `shipping order ${shippingOrderId}` : orderWorkflowId(orderId)}`,
      },
    }),
  );
  log.warn({ shipmentId: id, orderId, shippingOrderId }, 'reconciled: an incomplete purchase is voided');
  return { voided: 1 };
}
