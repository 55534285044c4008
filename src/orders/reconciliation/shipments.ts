import {
  orderWorkflowId,
  shippingOrderWorkflowId,
  takeBackShippingOrderWorkflowId,
  voidShipmentWorkflowId,
  WORKFLOW_TYPES,
} from '../../platform/domain/workflows';
import { enqueue } from '../../platform/outbox/outbox';
import { inTransaction } from '../../platform/postgres';

import { refuseShippingOrder } from '../../shipping/shipping-orders';
import { dispatchKey } from '../dispatch/dispatch';

import { type Counts, tally } from './findings';
import type { ReconcileDeps } from './leftovers';
import { inParallel, lookAtRun } from './runs';

/** Far beyond the two minutes that a purchase is tried for. */
const STUCK = '15 minutes';
const BATCH = 500;

interface StuckShipment {
  id: string;
  idempotencyKey: string;
  orderId: string | null;
  printOrderId: string | null;
  shippingOrderId: string | null;
  /** Whether the order may still want its labels: open, not shipped, the print order not cancelled. */
  wanted: boolean;
  shippingRevision: number | null;
}

/**
 * Purchases that were begun and never finished: the carrier may have sold a label that no row shows. Those that the
 * next dispatch will go on with are left to it; what nobody can want any more is taken back.
 */
export async function settleShipments(deps: ReconcileDeps): Promise<Counts> {
  const rows = await deps.sql<StuckShipment[]>`
    SELECT s.id, s.idempotency_key, s.order_id, s.print_order_id, s.shipping_order_id, o.shipping_revision,
      coalesce(p.status <> 'cancelled'
        AND o.fulfillment_status NOT IN ('shipped', 'in_transit', 'delivered', 'returned', 'failed', 'canceled'), false) AS wanted
    FROM shipments s LEFT JOIN orders o ON o.id = s.order_id LEFT JOIN print_orders p ON p.id = s.print_order_id
    WHERE s.status = 'buying' AND s.started_at < now() - ${STUCK}::interval
    ORDER BY s.started_at LIMIT ${BATCH}`;
  return tally(...(await inParallel(rows, (shipment) => settle(deps, shipment))));
}

async function settle(deps: ReconcileDeps, shipment: StuckShipment): Promise<Counts> {
  const { sql, temporal } = deps;
  const { orderId, printOrderId, shippingOrderId, shippingRevision } = shipment;
  if (shippingOrderId !== null) {
    const runs = [shippingOrderWorkflowId(shippingOrderId), takeBackShippingOrderWorkflowId(shippingOrderId)];
    const seen = await Promise.all(runs.map((id) => lookAtRun(temporal, id)));
    if (seen.some((run) => run.is === 'running')) return { halfBought: 1 };
    await refuseShippingOrder(sql, shippingOrderId, {
      code: 'CARRIER_UNAVAILABLE',
      message: 'The purchase was broken off. Nothing was bought.',
    });
    return await takeBack(deps, shipment);
  }
  const key = dispatchKey(orderId!, printOrderId!, shippingRevision!);
  if (shipment.wanted && key === shipment.idempotencyKey) return { halfBought: 1 };
  return await takeBack(deps, shipment);
}

async function takeBack(
  { sql, temporal, log }: ReconcileDeps,
  { id, idempotencyKey, orderId, shippingOrderId }: StuckShipment,
): Promise<Counts> {
  const workflowId = voidShipmentWorkflowId(id);
  const run = await lookAtRun(temporal, workflowId);
  if (run.is === 'running') return { halfBought: 1 };
  if (run.is !== 'missing') {
    log.error(
      { shipmentId: id, orderId, shippingOrderId },
      'a label that nobody uses could not be taken back',
    );
    return { notTakenBack: 1 };
  }
  await inTransaction(sql, (tx) =>
    enqueue(tx, {
      kind: 'start_workflow',
      target: workflowId,
      payload: {
        workflowType: WORKFLOW_TYPES.takeBackShipment,
        args: [{ idempotencyKey }],
        summary: `Half-bought shipment of ${orderId === null ? `shipping order ${shippingOrderId}` : orderWorkflowId(orderId)}`,
      },
    }),
  );
  log.warn({ shipmentId: id, orderId, shippingOrderId }, 'reconciled: a half-bought shipment is taken back');
  return { takenBack: 1 };
}
