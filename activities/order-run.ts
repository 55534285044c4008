import { applyShippingChange } from '../src/orders/dispatch/shipping-changes';
import type { RecordOutcome, RunRecord } from '../src/orders/domain/run/run-record';
import type { OrderFilesDeps } from '../src/orders/preparation/order-files';
import type { PreparationPlan } from '../src/orders/preparation/plan-refusals';
import { type PreparationDeps, prepareOrder, storedPlan } from '../src/orders/preparation/prepare-order';
import type { DeliveryDeps } from '../src/orders/print-orders/delivery';
import { planReroute, type ReroutePlanRequest, replanShipments } from '../src/orders/print-orders/reroute-plan';
import { createRecordWriter, type RecordWriter } from '../src/orders/run/record-writer';
import { createRunObserver } from '../src/orders/run/run-metrics';
import { isTrackingFollowed } from '../src/orders/run/tracking';
import { type WithheldStep, withholdStep } from '../src/orders/run/withheld-steps';
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

const NOT_STORED: PreparationPlan = { outcome: 'parked', reason: 'no_partner', message: 'no plan is stored' };

/** Activities that plan orders. They read prices from carriers. Each can be retried any number of times. */
function createOrderPlanningActivities(deps: OrderRunDeps) {
  return {
    /** @param call.onlyStored returns an earlier plan, and makes none */
    async prepareOrder(call: RunIds & { readonly onlyStored?: true }): Promise<PreparationPlan> {
      const { onlyStored, ...ids } = call;
      if (onlyStored) return (await storedPlan(deps.sql, ids.orderId)) ?? NOT_STORED;
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

/** Database-only activities of the order workflow. They run as local activities. Each can be retried any number of times. */
function createOrderDatabaseActivities({ localSql, log }: OrderRunDeps, records: RecordWriter) {
  return {
    /** Writes the record of a step of an order run. */
    async recordRun(record: RunRecord): Promise<RecordOutcome> {
      const outcome = await records.write(localSql, record);
      if (outcome === 'skipped') {
        const { orderId, runId, position, version } = record;
        log.warn({ orderId, runId, position, version }, 'record of an order run skipped: the order has a later record');
      }
      return outcome;
    },

    /** Takes a step back that the run has left to an activity. @returns false when the activity has recorded it already */
    withholdStep: (step: WithheldStep): Promise<boolean> => withholdStep(localSql, step),

    /** Returns whether a carrier follows a parcel of the order. */
    async checkTracking({ orderId }: RunIds): Promise<{ readonly followed: boolean }> {
      return { followed: await isTrackingFollowed(localSql, orderId) };
    },
  };
}

/** All activities of the order workflow. */
export function createOrderRunActivities(deps: OrderRunDeps) {
  const records = createRecordWriter(createRunObserver(deps.metrics), deps.log);
  return {
    ...createOrderDatabaseActivities(deps, records),
    ...createOrderPlanningActivities(deps),
    ...createOrderFileActivities(deps, records),
    ...createOrderPartnerActivities(deps),
    ...createOrderLabelActivities(deps, records),
  };
}

export type OrderRunActivities = ReturnType<typeof createOrderRunActivities>;
