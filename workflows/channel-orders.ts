import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow';
import type { ChannelActivities } from '../activities/channels';

const work = proxyActivities<ChannelActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Activities of one run. Each submits up to 50 orders. */
const BATCHES_PER_RUN = 100;

/**
 * Stores the orders that a channel has, then maps and submits them, batch by batch. Rows keep the progress, so that every activity
 * and every run continues where the last one ended.
 * @property isFetched true for a run that continues an earlier one
 */
export async function channelOrders(input: {
  readonly channelId: string;
  readonly clientId: string;
  readonly isFetched?: true;
}): Promise<void> {
  if (!input.isFetched) await work.fetchChannelOrders(input);
  for (let batches = 0; batches < BATCHES_PER_RUN; batches += 1) {
    const progress = await work.submitChannelOrders(input);
    if (progress.done) return;
    if (progress.pauseSeconds > 0) await sleep(progress.pauseSeconds * 1_000);
  }
  await continueAsNew<typeof channelOrders>({ ...input, isFetched: true });
}
