import { deliveryTargetOf } from '../../partners/partner-rows';
import { recordRoutingDecision } from '../../partners/routing-rows';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { inTransaction } from '../../platform/postgres';
import type { ReroutedUnits } from '../domain/lifecycle/requests';
import type { PlannedPrintOrder } from '../domain/lifecycle/run-state';
import { crossBorderRefusal } from '../planning/plan-refusals';
import type { PreparationDeps } from '../planning/prepare-order';
import { insertPrintOrders, printOrdersOfSteps, reserveForJobs } from '../planning/print-order-rows';
import { candidatesFor, routeItems } from '../planning/routing';
import { runOrder } from '../planning/run-order';
import { planQuoted, storeShipmentPlans } from '../planning/shipment-plan';
import { restsOf, storeRests } from '../planning/shipment-rest';

export interface ReroutePlanRequest {
  readonly orderId: string;
  /** Name of the workflow step, made from the repair's id. */
  readonly step: string;
  readonly action: 'reroute' | 'reproduce';
  readonly itemId: string;
  /** Units; null for the whole item. */
  readonly quantity: number | null;
  /** Null: routing chooses the partner. A reroute then excludes the current ones. */
  readonly partnerId: string | null;
  readonly units: readonly ReroutedUnits[];
  readonly madeAt: readonly { readonly printOrderId: string; readonly partnerId: string }[];
  /**
   * True when the print order waits until the partners of the units have agreed to stop. Their shipments then keep
   * their plans.
   */
  readonly waits: boolean;
}

export type ReroutePlan =
  | { readonly outcome: 'planned'; readonly printOrder: PlannedPrintOrder }
  | { readonly outcome: 'refused'; readonly message: string };

const refused = (message: string): ReroutePlan => ({ outcome: 'refused', message });

/**
 * Plans a print order for an item, or units of it, that another print order already has: at another partner (reroute)
 * or once more (reproduce). A step creates one print order, however often it is repeated.
 */
export async function planReroute(deps: PreparationDeps, request: ReroutePlanRequest): Promise<ReroutePlan> {
  const { orderId, step, itemId } = request;
  const [before] = await printOrdersOfSteps(deps.sql, orderId, [step]);
  if (before !== undefined) return { outcome: 'planned', printOrder: before };

  const { waits, units } = request;
  const rerouted = new Map(units.map(({ jobId, quantity: left }) => [jobId, left]));
  const stored = await runOrder(deps.sql, orderId);
  const made = (stored.made ?? []).map((each) => ({
    ...each,
    quantity: each.quantity - (rerouted.get(each.jobId ?? '') ?? 0),
  }));
  const order = { ...stored, made };
  const item = order.items.find(({ id }) => id === itemId);
  if (item === undefined) return refused(`the order has no open item ${itemId}`);
  const quantity = request.quantity ?? item.quantity;
  if (quantity < 1 || quantity > item.quantity) return refused(`the item has ${item.quantity} units`);

  const part = { ...item, quantity };
  const partners = (await candidatesFor(deps.candidates, [part])).filter(
    ({ partnerId }) => request.partnerId === null || partnerId === request.partnerId,
  );
  const excluded = request.action === 'reroute' && request.partnerId === null ? request.madeAt : [];
  const now = deps.now();
  const { decision, printOrders } = await routeItems(deps, {
    order,
    items: [part],
    partners,
    at: now,
    excludedPartnerIds: excluded.map(({ partnerId }) => partnerId),
  });
  if (!decision.ok) {
    return refused(`no partner can make the item: ${decision.unroutable.map(({ reason }) => reason).join('; ')}`);
  }
  const [routed] = printOrders as [(typeof printOrders)[number]];
  const { partner, dispatchDate: shipsOn, production, items: jobs } = routed;
  const border = crossBorderRefusal(order, [partner]);
  if (border !== null) return refused(border.reason);
  // The print orders that lose units and keep others are planned again, so that the rerouted units count once.
  const makers = deps.sql`SELECT print_order_id FROM print_jobs WHERE id = ANY(${[...rerouted.keys()]}::bigint[])`;
  const planned = planQuoted(routed, { order, partner, dispatchDate: shipsOn, now });
  if (!planned.ok) return refused('no shipment method carries the item');
  const remaining = waits ? [] : await restsOf(deps, order, makers, rerouted);

  return await inTransaction(deps.sql, async (tx): Promise<ReroutePlan> => {
    const [printOrder] = await insertPrintOrders(tx, orderId, [
      {
        step,
        partnerId: partner.partnerId,
        kind: item.product.kind,
        version: deliveryTargetOf(partner, item.product.kind)?.version ?? '1.1',
        dispatchDate: shipsOn,
        production,
        reproducesId: request.madeAt[0]?.printOrderId ?? null,
        waits,
        jobs,
      },
    ]);
    const reserved = await reserveForJobs(
      tx,
      `${orderWorkflowId(orderId)}:reserve:${step}`,
      [printOrder!],
      () => item.product,
    );
    if (!reserved.ok)
      throw new Error(`stock for ${step} of order ${orderId} is no longer available; the activity retries`);
    await recordRoutingDecision(tx, { orderId, step, decision });
    await storeShipmentPlans(tx, orderId, [{ printOrderId: printOrder!.id, plan: planned.plan }]);
    await storeRests(tx, remaining);
    return { outcome: 'planned', printOrder: printOrder! };
  });
}
