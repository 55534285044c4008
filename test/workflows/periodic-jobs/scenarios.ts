import { ApplicationFailure } from '@temporalio/common';
import { inTurn, type ScriptedRun } from '../../support/scripted-runs';

/** What `beginReconciliation` returns of servers that are the known ones. */
export const SERVERS = {
  servers: { namespaceId: 'known', failoverVersion: '0', systemIdentifier: '1', timeline: 1 },
  changed: null,
  hold: null,
};

const CHANNEL = {
  channelId: '019a0000-0000-7000-8000-000000000004',
  clientId: '019a0000-0000-7000-8000-000000000005',
};

/** The paths through the periodic jobs, with scripted activities. test/workflows/record-histories.ts records a history of each. */
export const SCENARIOS: Readonly<Record<string, ScriptedRun>> = {
  reconcile: {
    workflow: 'reconcile',
    args: [],
    steps: {
      beginReconciliation: async () => ({ mark: 0, ...SERVERS }),
      reconcileRuns: inTurn<object>(
        async () => ({ counts: {}, next: 'cGFnZQ==' }),
        async () => ({ counts: { withoutOrder: 1 }, next: '' }),
      ),
      reconcileOrders: inTurn<object>(
        async () => ({ counts: { started: 2 }, next: '019a0000-0000-7000-8000-000000000001' }),
        async () => ({ counts: { started: 1 }, next: '019a0000-0000-7000-8000-000000000002' }),
        async () => ({ counts: {}, next: '' }),
      ),
      reconcileLeftovers: async () => ({ redelivered: 1 }),
      finishReconciliation: async () => undefined,
    },
  },
  'reconcile-after-loss': {
    workflow: 'reconcile',
    args: [],
    steps: {
      beginReconciliation: async () => ({ mark: 7, ...SERVERS }),
      reconcileRuns: async () => ({ counts: {}, next: '' }),
      reconcileOrders: inTurn<object>(
        async () => ({ counts: { started: 4 }, next: '019a0000-0000-7000-8000-000000000001' }),
        async () => {
          throw new Error('the database is not available');
        },
        async () => ({ counts: { started: 3 }, next: '' }),
      ),
      reconcileLeftovers: async () => ({}),
      finishReconciliation: async () => undefined,
    },
  },
  'reconcile-in-another-namespace': {
    workflow: 'reconcile',
    args: [],
    steps: {
      beginReconciliation: async () => ({ mark: 7, ...SERVERS, changed: 'temporal', hold: 'other_namespace' }),
    },
  },
  maintenance: {
    workflow: 'maintenance',
    args: [],
    steps: {
      renewPartitions: async () => ({ partitions: 3, lateRows: 0 }),
      pruneDeadMessages: async () => 0,
      pruneBulkRepairs: async () => 0,
      collectGarbage: async () => ({ files: 2 }),
    },
  },
  'maintenance-with-a-failed-part': {
    workflow: 'maintenance',
    args: [],
    steps: {
      renewPartitions: async () => {
        throw ApplicationFailure.nonRetryable('no lock');
      },
      pruneDeadMessages: async () => 0,
      pruneBulkRepairs: async () => 0,
      collectGarbage: async () => {
        throw ApplicationFailure.nonRetryable('2 objects were not deleted: AccessDenied');
      },
    },
    fails: true,
  },
  'report-sums': {
    workflow: 'sumReports',
    args: [],
    steps: { sumReports: async () => 30 },
  },
  // The second run of a channel is not started: the first one is in progress.
  'channel-poll': {
    workflow: 'channelPoll',
    args: [],
    steps: {
      channelsToPoll: async () => [CHANNEL, CHANNEL],
      fetchChannelOrders: async () => undefined,
      submitChannelOrders: async () => ({ done: true }),
    },
  },
  'stock-poll-of-two-partners': {
    workflow: 'partnerStockPoll',
    args: [],
    steps: {
      partnersToPoll: async () => ['partner-1', 'partner-2'],
      pollPartnerStock: inTurn<object>(
        async () => ({ asked: 2, told: 2 }),
        async () => ({ asked: 1, told: 0, refusal: 'the response is not {items: [...]}' }),
      ),
    },
  },
};
