import { ScheduleOverlapPolicy } from '@temporalio/client';
import { RECONCILIATION } from '../../src/platform/domain/periodic-jobs';
import { inTransaction } from '../../src/platform/postgres';
import { ensureSchedule, scheduleId } from '../../src/platform/temporal/periodic-jobs';
import type { Reconciliation } from '../../workflows/reconcile';
import { eventually, type TestStack, testStack } from '../support/stack';
import { fileHost } from './order/file-host';
import { operatorHelpers } from './order/operator-fixture';
import { accepted, handedOver, is, orderNow, orderUntil, seenPrintOrders } from './order/order-fixture';

/** Postgres is restored from a backup while Temporal keeps its newer state: the procedure of docs/operation/backup-and-recovery.md. */

let stack: TestStack;
const files = fileHost();
const { say } = operatorHelpers(() => stack);
let tables: string[];

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  const { sql } = stack.services;
  tables = (
    await sql<{ name: string }[]>`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_version'`
  ).map(({ name }) => name);
});

const schedule = () => {
  const { temporal, config } = stack.services;
  return temporal.schedule.getHandle(scheduleId(config, RECONCILIATION));
};

let rounds = 0;
async function reconcileOnce(): Promise<Reconciliation> {
  await schedule().trigger(ScheduleOverlapPolicy.SKIP);
  const action = await eventually(async () => {
    const { recentActions, numActionsTaken } = (await schedule().describe()).info;
    return numActionsTaken > rounds ? recentActions.at(-1) : undefined;
  });
  rounds = (await schedule().describe()).info.numActionsTaken;
  const { workflowId } = action.action.workflow;
  return (await stack.services.temporal.workflow.getHandle(workflowId).result()) as Reconciliation;
}

/** Copies every table in one snapshot under a running stack, as pg_dump does. */
async function backUp(): Promise<void> {
  const { owner: sql } = stack.database;
  await sql`CREATE SCHEMA backup`;
  await sql.begin('ISOLATION LEVEL REPEATABLE READ', async (tx) => {
    for (const table of tables) await tx.unsafe(`CREATE TABLE backup.${table} AS TABLE public.${table}`);
    await tx.unsafe(`
      CREATE TABLE backup.sequences AS SELECT sequencename, coalesce(last_value, start_value) AS last_value
      FROM pg_sequences WHERE schemaname = 'public'`);
  });
}

/** Restores the tables as pg_restore does, and then advances the sequences as the document requires. */
async function restore(): Promise<void> {
  await inTransaction(stack.database.owner, async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    await tx.unsafe(`TRUNCATE ${tables.join(', ')} CASCADE`);
    for (const table of tables) {
      await tx.unsafe(`INSERT INTO public.${table} OVERRIDING SYSTEM VALUE SELECT * FROM backup.${table}`);
    }
    await tx.unsafe(
      `SELECT setval(format('public.%I', sequencename)::regclass, last_value + 1000000) FROM backup.sequences`,
    );
  });
}

async function ship(orderId: string, printOrderId: string): Promise<void> {
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say(printOrderId, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
}

async function withSchedule(work: () => Promise<void>): Promise<void> {
  const { temporal, config } = stack.services;
  // The schedule must not start runs in between.
  await ensureSchedule(temporal, config, { ...RECONCILIATION, everyMs: 24 * 3_600_000 });
  try {
    await work();
  } finally {
    await schedule().delete();
  }
}

test('after a restore, orders in the backup continue with their run, and unknown runs are reported', () =>
  withSchedule(restoreUnderRunningOrders));

async function restoreUnderRunningOrders(): Promise<void> {
  const { sql } = stack.services;
  const ended = await handedOver(stack, 'ended-before');
  await stack.client.cancelOrder({ params: { orderId: ended.orderId }, body: {} });
  await orderUntil(stack, ended.orderId, is('canceled'));
  const atWork = await handedOver(stack, 'at-work');
  const cancelledLater = await handedOver(stack, 'cancelled-later');
  const idle = await handedOver(stack, 'idle');
  const { id: plannedLater, send } = await files.submit(stack, 'planned-later');
  expect(await reconcileOnce()).toMatchObject({ lost: null, found: {} });

  await backUp();

  send();
  expect(await reconcileOnce()).toMatchObject({ lost: null });
  await say(atWork.printOrderId, 'received');
  await say(atWork.printOrderId, 'printed');
  await orderUntil(stack, atWork.orderId, is('printed'));
  await stack.client.cancelOrder({ params: { orderId: cancelledLater.orderId }, body: {} });
  await orderUntil(stack, cancelledLater.orderId, is('canceled'));
  const submittedLater = await handedOver(stack, 'submitted-later');
  const lostIds = [submittedLater.printOrderId, (await accepted(stack, plannedLater)).printOrderId];

  await stack.stopWorker();
  await restore();
  expect(await orderNow(stack, atWork.orderId)).toMatchObject({ status: 'passed' });
  expect(await orderNow(stack, cancelledLater.orderId)).toMatchObject({ status: 'passed' });
  await sql`UPDATE orders SET updated_at = updated_at - interval '1 hour'`;
  await stack.startWorker();

  expect(await reconcileOnce()).toMatchObject({
    lost: 'postgres',
    found: { caughtUp: 3, printOrdersLost: 1, withoutOrder: 1 },
  });
  expect(await orderNow(stack, atWork.orderId)).toMatchObject({ status: 'printed', attention: null });
  expect(await orderNow(stack, cancelledLater.orderId)).toMatchObject({ status: 'canceled' });
  expect(await orderNow(stack, ended.orderId)).toMatchObject({ status: 'canceled' });
  expect(await orderNow(stack, idle.orderId)).toMatchObject({ status: 'passed', attention: null });
  expect(await orderNow(stack, plannedLater)).toMatchObject({ attention: 'out_of_step' });
  expect(await reconcileOnce()).toMatchObject({ lost: null, found: { withoutOrder: 1 } });

  await ship(atWork.orderId, atWork.printOrderId);
  await say(idle.printOrderId, 'printed');
  await orderUntil(stack, idle.orderId, is('printed'));
  await ship(idle.orderId, idle.printOrderId);
  expect(await orderNow(stack, atWork.orderId)).toMatchObject({ attention: null, shipments: { bought: 1 } });

  const afterwards = await handedOver(stack, 'after-the-restore');
  expect(lostIds).not.toContain(afterwards.printOrderId);
  for (const { distinctContents } of seenPrintOrders(stack, [...lostIds, afterwards.printOrderId])) {
    expect(distinctContents).toBe(1);
  }
}
