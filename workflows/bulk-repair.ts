import {
  ActivityCancellationType,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { BulkRepairActivities } from '../activities/bulk-repair';

const work = proxyActivities<BulkRepairActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  // Orders in progress are recorded before the rest counts as canceled.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Activities of one run. Each repairs up to 50 orders, and a bulk repair has at most 10,000. */
const BATCHES_PER_RUN = 100;

/**
 * Repairs many orders, batch by batch. Rows keep the progress, so that every activity and every run continues where the last
 * one ended. A cancellation ends it after the orders in progress.
 */
export async function bulkRepair(input: { readonly bulkRepairId: string }): Promise<void> {
  try {
    let batches = 0;
    while (await work.repairNextOrders(input)) {
      batches += 1;
      if (batches === BATCHES_PER_RUN) await continueAsNew<typeof bulkRepair>(input);
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => work.endBulkRepair(input));
    throw error;
  }
  await work.endBulkRepair(input);
}
