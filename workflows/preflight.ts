import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { PreflightActivities } from '../activities/preflight';
import { preflightQueueOf } from '../src/platform/domain/workflows';

const database = proxyActivities<PreflightActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Fetches and checks a file without an order. The report is in Postgres. */
export async function preflight(input: { readonly preflightId: string; readonly accountId: string }): Promise<void> {
  const files = proxyActivities<PreflightActivities>({
    taskQueue: preflightQueueOf(workflowInfo().taskQueue),
    startToCloseTimeout: '5 minutes',
    // Then its row is deleted. The activity ends earlier for a host that does not respond.
    scheduleToCloseTimeout: '1 day',
    heartbeatTimeout: '30 seconds',
    priority: { fairnessKey: input.accountId },
    retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds' },
  });
  try {
    await files.preflightFile(input);
  } catch {
    await CancellationScope.nonCancellable(() => database.giveUpPreflight(input));
  }
}
