import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { startEasyPostServer } from '../../sandbox/carriers/easypost-server';
import type { TrackingSweep } from '../../workflows/tracking-sweep';
import { playScriptedRun } from '../support/scripted-runs';
import { eventually, type TestStack, testStack } from '../support/stack';
import { handedOver, is, orderUntil } from './order/order-fixture';

/** The tracking sweep, with a gateway whose packages are polled. */

let stack: TestStack;
let easyPost: Awaited<ReturnType<typeof startEasyPostServer>>;

beforeAll(async () => {
  easyPost = await startEasyPostServer();
  stack = await testStack({
    mode: 'manual',
    config: { EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: easyPost.url },
  });
});
afterAll(() => easyPost.stop());

async function startSweep() {
  const { temporal, config } = stack.services;
  return await temporal.workflow.start('trackingSweep', {
    workflowId: `tracking-sweep-${randomUUID()}`,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
  });
}

/** Adds packages of a print order that EasyPost follows and that are due. */
async function addPackages(printOrderId: string, codes: readonly string[]): Promise<void> {
  await stack.services.sql`
    INSERT INTO trackings (tracking_number, short_uid, print_order_id, carrier_uid, carrier_name, adapter_uid, next_check_at)
    SELECT code, code, ${printOrderId}, 'easypost', 'USPS', 'easypost', now() FROM unnest(${[...codes]}::text[]) AS c (code)`;
  for (const code of codes) easyPost.know(code);
}

const checkpoints = async (prefix: string) => {
  const [row] = await stack.services.sql<{ count: number }[]>`
    SELECT count(*)::int FROM tracking_checkpoints WHERE tracking_number LIKE ${`${prefix}%`}`;
  return row!.count;
};

test('a sweep continues with the packages that are left when its worker stops', async () => {
  const { printOrderId } = await handedOver(stack, 'swept');
  const codes = Array.from({ length: 90 }, (_, n) => `STOP${n}`);
  await addPackages(printOrderId, codes);
  const sweep = await startSweep();
  await eventually(async () => ((await checkpoints('STOP')) >= 20 ? true : undefined));
  await stack.stopWorker();
  await stack.startWorker();

  expect(await sweep.result()).toEqual({ checked: 90, recorded: 90, failed: 0, unavailable: [], errors: {} });
  expect(await checkpoints('STOP')).toBe(90);
});

test('the status of a package reaches its order, beside packages whose events cannot be recorded', async () => {
  const { sql } = stack.services;
  await stack.database.asOwner(
    `ALTER TABLE tracking_checkpoints ADD CONSTRAINT recordable CHECK (message <> 'cannot be recorded')`,
  );
  const bad = await handedOver(stack, 'with-a-bad-package');
  const good = await handedOver(stack, 'beside-a-bad-package');
  await addPackages(bad.printOrderId, ['BAD1']);
  await addPackages(good.printOrderId, ['GOOD1']);
  easyPost.move('BAD1', 'in_transit', '2026-02-02T09:30:00Z', 'cannot be recorded');
  easyPost.move('GOOD1', 'in_transit', '2026-02-02T09:30:00Z');

  expect(await (await startSweep()).result()).toMatchObject({ checked: 2, recorded: 2, failed: 1 });
  await orderUntil(stack, good.orderId, is('in_transit'));
  const due = await sql<{ trackingNumber: string; later: boolean }[]>`
    SELECT tracking_number, next_check_at > now() + interval '90 minutes' AS later FROM trackings
    WHERE tracking_number IN ('BAD1', 'GOOD1') ORDER BY 1`;
  expect(due.map(({ later }) => later)).toEqual([true, true]);
});

test('carriers are asked concurrently, and one that fails does not stop the others', async () => {
  let release: () => void = () => undefined;
  const quickHasEnded = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { result } = await playScriptedRun('sweep-of-three-carriers', {
    workflow: 'trackingSweep',
    args: [],
    steps: {
      carriersToSweep: async () => ['slow', 'broken', 'quick'],
      sweepCarrier: async ({ adapterUid }: { adapterUid: string }) => {
        if (adapterUid === 'broken') throw ApplicationFailure.nonRetryable('a bug');
        // The slow carrier responds only after the quick one.
        if (adapterUid === 'slow') await quickHasEnded;
        else release();
        return { checked: 1, recorded: 1, failed: 0, unavailable: [] };
      },
      findPartnerCarriers: async () => ({ checked: 0, recorded: 0, failed: 0, unavailable: [] }),
    },
  });
  const { errors, ...swept } = result as TrackingSweep;
  expect(swept).toEqual({ checked: 2, recorded: 2, failed: 0, unavailable: [] });
  expect(Object.keys(errors)).toEqual(['broken']);
});
