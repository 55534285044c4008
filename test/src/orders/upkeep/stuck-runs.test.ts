import { ServiceError } from '@temporalio/client';
import { temporal as protocol } from '@temporalio/proto';
import pino from 'pino';
import type { ReconcileDeps } from '../../../../src/orders/upkeep/reconciliation';
import { flagFailingRuns, flagStuckRuns } from '../../../../src/orders/upkeep/stuck-runs';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import type { Sql } from '../../../../src/platform/postgres';
import { testDatabase } from '../../../support/database';
import { insertOrder } from '../../../support/rows/order-rows';

let sql: Sql;
let orderId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  orderId = await insertOrder(sql);
});

/** The dependencies with a Temporal that lists these workflows. The embedded server is too old to list any. */
const depsWith = (list: () => AsyncGenerator<object>) => {
  const temporal = { workflow: { list } };
  return { sql, temporal, log: pino({ level: 'silent' }), taskQueue: 'pressline' } as unknown as ReconcileDeps;
};

test('orders whose workflow task keeps failing are flagged once; other workflows are logged', async () => {
  const searchAttributes = { TemporalReportedProblems: ['category=WorkflowTaskFailed'] };
  const deps = depsWith(async function* () {
    yield { workflowId: orderWorkflowId(orderId), searchAttributes };
    yield { workflowId: 'reconcile', searchAttributes };
  });
  expect(await flagFailingRuns(deps)).toEqual({ failing: 1 });
  expect(await flagFailingRuns(deps)).toEqual({});
  const [order] = await sql<{ attention: string[] }[]>`SELECT attention FROM orders WHERE id = ${orderId}`;
  expect(order!.attention).toEqual(['stalled']);
  const [event] = await sql<{ data: object }[]>`SELECT data FROM order_events WHERE order_id = ${orderId}`;
  expect(event!.data).toEqual({ reason: 'stalled', message: 'workflow task: category=WorkflowTaskFailed' });
  // The workflow cannot handle a signal. Its next record clears the flag.
  expect(await sql`SELECT FROM outbox`).toHaveLength(0);
});

test('a Temporal that does not report problems flags nothing; another error is thrown', async () => {
  const failure = (code: number) => Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });
  const failingWith = (cause: Error) =>
    depsWith(async function* () {
      yield* [];
      throw new ServiceError('Failed to list workflows', { cause });
    });
  expect(await flagFailingRuns(failingWith(failure(3)))).toEqual({});
  await expect(flagFailingRuns(failingWith(failure(14)))).rejects.toThrow('Failed to list workflows');
});

describe('an order in preparation that has not progressed', () => {
  const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED, PENDING_ACTIVITY_STATE_STARTED: STARTED } =
    protocol.api.enums.v1.PendingActivityState;
  const fetching = (state: number, attempt: number, type?: string) => ({
    pendingActivities: [
      {
        activityType: { name: 'fetchOrderFiles' },
        state,
        attempt,
        ...(type && { lastFailure: { applicationFailureInfo: { type } } }),
      },
    ],
  });

  /** The dependencies with a Temporal that describes every workflow in this way. */
  const depsWithRun = (raw: object, stallAfterMs: number, startedAgoMs = HOUR_MS / 3) => {
    const startTime = new Date(Date.now() - startedAgoMs);
    const describe = async () => ({ status: { name: 'RUNNING' }, runId: 'run', startTime, historyLength: 5, raw });
    const temporal = { workflow: { getHandle: () => ({ describe }) } };
    return { sql, temporal, stallAfterMs, log: pino({ level: 'silent' }) } as unknown as ReconcileDeps;
  };
  const HOUR_MS = 3_600_000;

  beforeEach(async () => {
    await sql`DELETE FROM outbox`;
    await sql`
      UPDATE orders SET fulfillment_status = 'uploading', attention = NULL, updated_at = now() - interval '20 minutes'
      WHERE id = ${orderId}`;
  });

  test.each([
    [
      'its activity waits for a worker',
      fetching(SCHEDULED, 1),
      'fetchOrderFiles: no slot of a worker is free for it',
      1,
    ],
    [
      'its client has its share of the slots',
      fetching(SCHEDULED, 7, 'ShareTaken'),
      'fetchOrderFiles: no slot of a worker is free for it',
      1,
    ],
    [
      'its workflow task keeps failing',
      { pendingWorkflowTask: { attempt: 4 } },
      'workflow task: attempt 4 after failures or timeouts',
      0,
    ],
    [
      'its workflow task waits for a worker',
      { pendingWorkflowTask: { attempt: 1 } },
      'workflow task: no worker executes it',
      0,
    ],
  ])('is stalled when %s', async (_why, raw, message, signals) => {
    expect(await flagStuckRuns(depsWithRun(raw, HOUR_MS / 4))).toEqual({ failing: 1 });
    expect(await flagStuckRuns(depsWithRun(raw, HOUR_MS / 4))).toEqual({});
    const [order] = await sql<{ attention: string[] }[]>`SELECT attention FROM orders WHERE id = ${orderId}`;
    expect(order!.attention).toEqual(['stalled']);
    const [event] = await sql<{ data: object }[]>`
      SELECT data FROM order_events WHERE order_id = ${orderId} ORDER BY id DESC LIMIT 1`;
    expect(event!.data).toEqual({ reason: 'stalled', message });
    // A run that handles signals owns its flag.
    expect(await sql`SELECT FROM outbox`).toHaveLength(signals);
  });

  test('is not stalled while a worker executes its activity or retries it, or before the time, or when it has just started', async () => {
    expect(await flagStuckRuns(depsWithRun(fetching(STARTED, 1), HOUR_MS / 4))).toEqual({});
    expect(await flagStuckRuns(depsWithRun(fetching(SCHEDULED, 2, 'FileUnreachable'), HOUR_MS / 4))).toEqual({});
    expect(await flagStuckRuns(depsWithRun({}, HOUR_MS / 4))).toEqual({});
    expect(await flagStuckRuns(depsWithRun(fetching(SCHEDULED, 1), HOUR_MS))).toEqual({});
    expect(await flagStuckRuns(depsWithRun(fetching(SCHEDULED, 1), HOUR_MS / 4, 0))).toEqual({});
  });
});
