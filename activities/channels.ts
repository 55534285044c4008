import { Context } from '@temporalio/activity';
import { channelsToPoll } from '../src/channels/channels';
import { fetchOrders, type SubmissionDeps, submitNextOrders } from '../src/channels/submission';
import { withHeartbeat } from './heartbeats';

interface ChannelInput {
  readonly channelId: string;
  readonly isPoll?: boolean;
}

/** Activities of channels. Each can be retried any number of times, and continues where an earlier attempt ended. */
export function createChannelActivities(deps: SubmissionDeps) {
  return {
    channelsToPoll: () => channelsToPoll(deps.sql),
    /** Stores the orders that a channel has, and checks its dry runs. */
    async fetchChannelOrders({ channelId, isPoll = false }: ChannelInput): Promise<void> {
      const { cancellationSignal } = Context.current();
      await withHeartbeat(() => fetchOrders(deps, channelId, isPoll, cancellationSignal));
    },
    /** Submits the next orders of a channel. */
    async submitChannelOrders({ channelId }: ChannelInput) {
      const { cancellationSignal } = Context.current();
      return await withHeartbeat(() => submitNextOrders(deps, channelId, cancellationSignal));
    },
  };
}

export type ChannelActivities = ReturnType<typeof createChannelActivities>;
