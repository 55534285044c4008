import type { ChannelActivities } from '../../../activities/channels';
import { inTurn, type ScriptedRun } from '../../support/scripted-runs';

/** The paths through the workflow of a channel, with scripted activities. test/workflows/record-histories.ts records a history of each. */

interface Scenario extends ScriptedRun {
  readonly steps: { [Step in Exclude<keyof ChannelActivities, 'channelsToPoll'>]: () => Promise<unknown> };
}

const input = {
  channelId: '019a0000-0000-7000-8000-000000000004',
  clientId: '019a0000-0000-7000-8000-000000000005',
};

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'channel-with-a-pause': {
    workflow: 'channelOrders',
    args: [input],
    steps: {
      fetchChannelOrders: async () => undefined,
      submitChannelOrders: inTurn(
        async () => ({ done: false, pauseSeconds: 0 }),
        async () => ({ done: false, pauseSeconds: 1 }),
        async () => ({ done: true }),
      ),
    },
  },
  'channel-continued-as-new': {
    workflow: 'channelOrders',
    args: [{ ...input, isFetched: true }],
    steps: {
      fetchChannelOrders: async () => {
        throw new Error('the orders were fetched already');
      },
      submitChannelOrders: inTurn(
        ...Array.from({ length: 100 }, () => async () => ({ done: false, pauseSeconds: 0 })),
        async () => ({ done: true }),
      ),
    },
  },
};
