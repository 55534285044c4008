import { randomUUID } from 'node:crypto';
import type { Info } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { parkLostSteps } from '../../../activities/interceptors/lost-steps';
import { noteLoss } from '../../../src/orders/run/lost-steps';
import type { Sql } from '../../../src/platform/postgres';
import { testDatabase } from '../../support/database';
import { insertOrder } from '../../support/rows/order-rows';
import { testLog } from '../../support/test-log';

let sql: Sql;

beforeAll(async () => {
  ({ sql } = await testDatabase());
});

// Losses are compared with those of other orders at the same time.
beforeEach(() => sql`DELETE FROM order_events`);

/** A process of a worker, whose steps Temporal gives an attempt number and what earlier attempts carried. */
function newProcess() {
  const interceptor = parkLostSteps({ sql, log: testLog });
  return async (orderId: string, info: Partial<Info>, work: () => Promise<unknown> = async () => 'ran') => {
    const environment = new MockActivityEnvironment(
      {
        activityId: '1',
        workflowExecution: { workflowId: `order-${orderId}`, runId: 'run' },
        startToCloseTimeoutMs: 30_000,
        ...info,
      },
      { interceptors: [interceptor] },
    );
    let carried: unknown = info.heartbeatDetails;
    environment.on('heartbeat', (details) => (carried = details));
    const outcome = await environment.run(work).catch((failure: ApplicationFailure) => failure.type ?? failure.message);
    return { outcome, carried };
  };
}

const attentionOf = async (id: string) =>
  (await sql<{ attention: string[] | null }[]>`SELECT attention FROM orders WHERE id = ${id}`)[0]!.attention;

const lostElsewhere = async (orders: number) => {
  for (let count = 0; count < orders; count += 1)
    await noteLoss(sql, await insertOrder(sql), { step: 'step', id: randomUUID(), times: 1 });
};

test('a step that was lost twice in a row is parked before its third attempt', async () => {
  const id = await insertOrder(sql);
  expect(await newProcess()(id, { attempt: 1 })).toMatchObject({ outcome: 'ran' });
  expect(await newProcess()(id, { attempt: 2 })).toMatchObject({ outcome: 'ran' });
  expect(await attentionOf(id)).toBeNull();
  expect(await newProcess()(id, { attempt: 3 })).toMatchObject({ outcome: 'StepFailsProcess' });
  expect(await attentionOf(id)).toEqual(['step_fails_process']);
  const events = await sql`SELECT type, data ->> 'times' AS times FROM order_events WHERE order_id = ${id} ORDER BY id`;
  expect(events.map(({ type, times }) => [type, times])).toEqual([
    ['step_lost', '1'],
    ['step_lost', '2'],
    ['flagged', null],
  ]);
});

test('attempts that ended with an error, or waited, are not lost ones', async () => {
  const id = await insertOrder(sql);
  const run = newProcess();
  const fails = async () => {
    throw new Error('a bug');
  };
  let carried: unknown;
  for (const attempt of [1, 2, 3, 4])
    ({ carried } = await run(id, { attempt, heartbeatDetails: carried as object }, fails));
  expect(carried).toEqual({ ended: 4 });
  // Two waits, one loss.
  expect(await run(id, { attempt: 8, heartbeatDetails: { ended: 4, waits: 2 } })).toMatchObject({ outcome: 'ran' });
  // A loss before an attempt that ended does not count.
  const late = await run(id, { attempt: 2 }, fails);
  expect(await run(id, { attempt: 4, heartbeatDetails: late.carried as object })).toMatchObject({ outcome: 'ran' });
  expect(await attentionOf(id)).toBeNull();
});

test('a step that was lost together with those of many orders is parked after a third loss', async () => {
  const id = await insertOrder(sql);
  await newProcess()(id, { attempt: 2 });
  await lostElsewhere(3);
  expect(await newProcess()(id, { attempt: 3 })).toMatchObject({ outcome: 'ran' });
  expect(await attentionOf(id)).toBeNull();
  expect(await newProcess()(id, { attempt: 4 })).toMatchObject({ outcome: 'StepFailsProcess' });
});

test('a step that was lost with those of few orders is parked after the second loss', async () => {
  const id = await insertOrder(sql);
  await newProcess()(id, { attempt: 2 });
  await lostElsewhere(2);
  expect(await newProcess()(id, { attempt: 3 })).toMatchObject({ outcome: 'StepFailsProcess' });
});

test('a process runs one lost step at a time, and the others beside it', async () => {
  const [first, second, other] = [await insertOrder(sql), await insertOrder(sql), await insertOrder(sql)];
  const run = newProcess();
  let waiting: Awaited<ReturnType<typeof run>> | undefined;
  const outer = await run(first, { attempt: 2 }, async () => {
    waiting = await run(second, { attempt: 2, heartbeatDetails: { since: 7 } });
    expect(await run(other, { attempt: 1 })).toMatchObject({ outcome: 'ran' });
    return 'ran';
  });
  expect(outer).toMatchObject({ outcome: 'ran' });
  // The wait is no loss, and the step’s own details stay.
  expect(waiting).toEqual({ outcome: 'ShareTaken', carried: { since: 7, waits: 1 } });
  const details = waiting!.carried as object;
  expect(await run(second, { attempt: 3, heartbeatDetails: details })).toMatchObject({ outcome: 'ran' });
});

test('a step waits two minutes for its turn at most', async () => {
  const [first, second] = [await insertOrder(sql), await insertOrder(sql)];
  const run = newProcess();
  await noteLoss(sql, second, { step: 'unknown', id: 'run 1', times: 1 });
  await sql`UPDATE order_events SET at = at - interval '121 seconds' WHERE order_id = ${second}`;
  await run(first, { attempt: 2 }, async () => {
    expect(await run(second, { attempt: 2 })).toEqual({ outcome: 'ran', carried: { ended: 1 } });
  });
});
