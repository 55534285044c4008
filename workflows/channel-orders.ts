import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  continueAsNew,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  startChild,
} from '@temporalio/workflow';
import type { ChannelActivities } from '../activities/channels';
import { channelWorkflowId } from '../src/platform/domain/workflows';

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
 * @property isPoll true for a run that asks the server of the channel
 * @property isFetched true for a run that continues an earlier one
 */
export async function channelOrders(input: {
  readonly channelId: string;
  readonly clientId: string;
  readonly isPoll?: true;
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

const database = proxyLocalActivities<Pick<ChannelActivities, 'channelsToPoll'>>({ startToCloseTimeout: '20 seconds' });

/** Starts a run for every channel that has a server, unless one is in progress. A Temporal Schedule starts it. */
export async function channelPoll(): Promise<void> {
  for (const { channelId, clientId } of await database.channelsToPoll()) {
    try {
      await startChild(channelOrders, {
        workflowId: channelWorkflowId(channelId, 'poll'),
        args: [{ channelId, clientId, isPoll: true }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        priority: { fairnessKey: clientId },
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}
