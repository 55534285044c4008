import { Context } from '@temporalio/activity';
import { fetchOrders, type SubmissionDeps, submitNextOrders } from '../src/channels/submission';
import { withHeartbeat } from './heartbeats';

interface ChannelInput {
  readonly channelId: string;
}

/** Activities of channels. Each can be retried any number of times, and continues where an earlier attempt ended. */
export function createChannelActivities(deps: SubmissionDeps) {
  return {
    /** Stores the orders that a channel has, and checks its dry runs. */
    async fetchChannelOrders({ channelId }: ChannelInput): Promise<void> {
      const { cancellationSignal } = Context.current();
      await withHeartbeat(() => fetchOrders(deps, channelId, cancellationSignal));
    },
    /** Submits the next orders of a channel. */
    async submitChannelOrders({ channelId }: ChannelInput) {
      const { cancellationSignal } = Context.current();
      return await withHeartbeat(() => submitNextOrders(deps, channelId, cancellationSignal));
    },
  };
}

export type ChannelActivities = ReturnType<typeof createChannelActivities>;
