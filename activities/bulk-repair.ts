import { ApplicationFailure, Context } from '@temporalio/activity';
import pLimit from 'p-limit';
import { bulkRepairById, endBulkRepair, storeOutcome, takeOrders } from '../src/orders/upkeep/bulk-repair-rows';
import { type BulkRepairDeps, repairOrder } from '../src/orders/upkeep/repair-order';
import type { Logger } from '../src/platform/logging/logging';
import { inTransaction } from '../src/platform/postgres';
import { progressed } from '../src/platform/progress';
import { withHeartbeat } from './heartbeats';

/** Orders of one activity, and those that are repaired at the same time. */
const BATCH = 50;
const CONCURRENCY = 5;

/** Activities of bulk repairs. Each can be retried any number of times. */
export function createBulkRepairActivities(deps: BulkRepairDeps & { readonly log: Logger }) {
  const { sql, log } = deps;
  return {
    /**
     * Repairs the next orders of a bulk repair, a few at a time.
     * @returns false when none is left, or the bulk repair was canceled
     * @throws ApplicationFailure `OrdersUnavailable` when workflows of orders did not respond. A retry takes them first
     */
    async repairNextOrders({ bulkRepairId }: { readonly bulkRepairId: string }): Promise<boolean> {
      const bulk = await bulkRepairById(sql, bulkRepairId);
      if (bulk === undefined || bulk.cancelRequestedAt !== null || bulk.endedAt !== null) return false;
      const orders = await takeOrders(sql, bulkRepairId, { limit: BATCH });
      const limit = pLimit(CONCURRENCY);
      const { cancellationSignal } = Context.current();
      let unavailable = 0;
      await withHeartbeat(() =>
        Promise.all(
          orders.map((order) =>
            limit(async () => {
              if (cancellationSignal.aborted) return;
              const result = await repairOrder(deps, bulk, order);
              if (result === null) unavailable += 1;
              else await storeOutcome(sql, bulkRepairId, order.orderId, result);
              progressed();
            }),
          ),
        ),
      );
      cancellationSignal.throwIfAborted();
      if (unavailable > 0)
        throw ApplicationFailure.retryable(`${unavailable} orders did not respond`, 'OrdersUnavailable');
      return orders.length === BATCH;
    },

    async endBulkRepair({ bulkRepairId }: { readonly bulkRepairId: string }): Promise<void> {
      await inTransaction(sql, (tx) => endBulkRepair(tx, bulkRepairId));
      log.info({ bulkRepairId }, 'bulk repair ended');
    },
  };
}

export type BulkRepairActivities = ReturnType<typeof createBulkRepairActivities>;
