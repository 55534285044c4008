import type { RecordOutcome, RunRecord } from '../src/orders/domain/run/run-record';
import type { OrderFilesDeps } from '../src/orders/planning/order-files';
import type { PreparationPlan } from '../src/orders/planning/plan-refusals';
import { type PreparationDeps, prepareOrder } from '../src/orders/planning/prepare-order';
import type { DeliveryDeps } from '../src/orders/production/delivery';
import { writeEffects } from '../src/orders/production/record-effects';
import { planReroute, type ReroutePlanRequest, replanShipments } from '../src/orders/production/reroute-plan';
import { applyShippingChange } from '../src/orders/production/shipping-changes';
import { createRecordWriter } from '../src/orders/run/record-writer';
import { createRunObserver } from '../src/orders/run/run-metrics';
import { isTrackingFollowed } from '../src/orders/run/tracking';
import type { Logger } from '../src/platform/logging/logging';
import type { Sql } from '../src/platform/postgres';
import type { PurchaseDeps } from '../src/shipping/purchase';
import { createOrderFileActivities } from './order-files';
import { logOf, type RunIds } from './order-ids';
import { createOrderLabelActivities } from './order-labels';
import { createOrderPartnerActivities } from './order-partners';

export interface OrderRunDeps extends PreparationDeps, OrderFilesDeps, PurchaseDeps, DeliveryDeps {
  /** Connections for records, one for each local activity that can run. Statements have a short timeout. */
  readonly localSql: Sql;
  readonly log: Logger;
}

/** Activities that plan orders. They read prices from carriers. Each can be retried any number of times. */
function createOrderPlanningActivities(deps: OrderRunDeps) {
  return {
    async prepareOrder(ids: RunIds): Promise<PreparationPlan> {
      const plan = await prepareOrder(deps, ids.orderId);
      logOf(deps, ids).info({ outcome: plan.outcome }, 'order prepared');
      return plan;
    },

    applyShippingChange: (change: RunIds & { readonly changeId: string }) => applyShippingChange(deps, change),

    planReroute: (request: RunIds & ReroutePlanRequest) => planReroute(deps, request),

    /** Plans the shipments of print orders again, for the units that they have left. */
    replanShipments: ({ orderId, printOrderIds }: RunIds & { readonly printOrderIds: readonly string[] }) =>
      replanShipments(deps, orderId, printOrderIds),
  };
}

/** Database-only activities of the order workflow. Each can be retried any number of times. */
function createOrderDatabaseActivities({ localSql, log, metrics }: OrderRunDeps) {
  const write = createRecordWriter(writeEffects, createRunObserver(metrics), log);
  return {
    async recordRun(record: RunRecord): Promise<RecordOutcome> {
      const outcome = await write(localSql, record);
      if (outcome === 'skipped') {
        const { orderId, runId, position, version } = record;
        log.warn({ orderId, runId, position, version }, 'record of an order run skipped: the order has a later record');
      }
      return outcome;
    },

    async checkTracking({ orderId }: RunIds): Promise<{ readonly followed: boolean }> {
      return { followed: await isTrackingFollowed(localSql, orderId) };
    },
  };
}

export function createOrderRunActivities(deps: OrderRunDeps) {
  return {
    ...createOrderDatabaseActivities(deps),
    ...createOrderPlanningActivities(deps),
    ...createOrderFileActivities(deps),
    ...createOrderPartnerActivities(deps),
    ...createOrderLabelActivities(deps),
  };
}

export type OrderRunActivities = ReturnType<typeof createOrderRunActivities>;
