import { randomUUID } from 'node:crypto';
import { readKnownServers } from '../../src/orders/upkeep/known-servers';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import type { Reconciliation } from '../../workflows/reconcile';
import { eventually, type TestStack, testStack } from '../support/stack';
import { handedOver, is, orderBody, orderNow, orderUntil } from './order/order-fixture';

/** A server is replaced by another one, or Postgres by a backup that is older than Temporal's retention. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const reconcile = (): Promise<Reconciliation> =>
  stack.services.temporal.workflow.execute('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: stack.services.config.TEMPORAL_TASK_QUEUE,
  });

const system = () => stack.operator.getSystem({});

/** Restarts the worker: a process relies on a check of the servers for ten seconds. */
async function restartWorker(change: () => Promise<unknown>): Promise<void> {
  await stack.stopWorker();
  await change();
  await stack.startWorker();
}

const submit = async (reference: string) => (await stack.client.submitOrder({ body: orderBody(stack, reference) })).id;

/** Waits until a worker has refused to start the workflow of an order. */
const heldBack = (orderId: string) =>
  eventually(async () => {
    const [row] = await stack.services.sql<{ lastError: string | null }[]>`
      SELECT last_error FROM outbox WHERE kind = 'start_workflow' AND target = ${orderWorkflowId(orderId)}`;
    return row?.lastError ?? undefined;
  });

test('in another Temporal namespace no workflow starts before an admin has confirmed it', async () => {
  const { sql } = stack.services;
  await handedOver(stack, 'before');
  await restartWorker(() => sql`UPDATE known_servers SET namespace_id = ${randomUUID()}`);
  const id = await submit('other-namespace');
  expect(await heldBack(id)).toMatch(/other_namespace/);
  expect(await reconcile()).toMatchObject({ mark: 0, found: {} });
  expect((await system()).starts.hold).toMatchObject({ reason: 'other_namespace', since: expect.any(String) });
  expect(await orderNow(stack, id)).toMatchObject({ status: 'created' });

  await stack.operator.confirmServers({ body: { reason: 'The namespace was created again.' } });
  await orderUntil(stack, id, is('passed'));
  expect((await system()).starts.hold).toBeNull();
  const [entry] = await sql`SELECT after FROM audit_log WHERE action = 'servers.confirm'`;
  expect(entry).toEqual({ after: { reason: 'The namespace was created again.' } });
  await expect(stack.operator.confirmServers({ body: { reason: 'Nothing is held back.' } })).rejects.toMatchObject({
    status: 409,
  });
});

test('the hold of another namespace ends by itself when the worker is back in the known one', async () => {
  const { sql } = stack.services;
  const known = (await readKnownServers(sql))!.namespaceId;
  await restartWorker(() => sql`UPDATE known_servers SET namespace_id = ${randomUUID()}`);
  const id = await submit('back');
  expect(await heldBack(id)).toMatch(/other_namespace/);
  await restartWorker(() => sql`UPDATE known_servers SET namespace_id = ${known}`);
  await orderUntil(stack, id, is('passed'));
});

test('after a restore of a Postgres older than the retention, orders without a workflow are flagged, not started', async () => {
  const { sql } = stack.services;
  await reconcile();
  let restored = '';
  let waiting = '';
  await restartWorker(async () => {
    restored = await submit('restored');
    waiting = await submit('restored-with-its-start');
    await sql`DELETE FROM outbox WHERE target = ${orderWorkflowId(restored)}`;
    const ids = [restored, waiting];
    await sql`
      UPDATE orders SET created_at = created_at - interval '1 year', updated_at = updated_at - interval '1 year'
      WHERE id = ANY(${ids}::uuid[])`;
    await sql`UPDATE reconciliation SET marked_at = marked_at - interval '1 year'`;
    await sql`UPDATE known_servers SET timeline = timeline + 1`;
  });
  expect(await heldBack(waiting)).toMatch(/outdated_postgres/);
  expect(await reconcile()).toMatchObject({ lost: 'postgres', found: { flagged: 2 } });
  for (const id of [restored, waiting])
    expect(await orderNow(stack, id)).toMatchObject({ status: 'created', attention: 'out_of_step' });
  // No workflow could receive a signal.
  const targets = [restored, waiting].map(orderWorkflowId);
  expect([...(await sql`SELECT kind FROM outbox WHERE target = ANY(${targets})`)]).toEqual([]);
  expect((await system()).starts).toEqual({ hold: null, restartsFrom: expect.any(String) });
  // Orders of today start, and later reconciliations leave the flagged ones alone.
  await handedOver(stack, 'today');
  expect((await reconcile()).found).not.toHaveProperty('started');

  await stack.operator.confirmServers({ body: { reason: 'No partner knows these orders.' } });
  expect((await reconcile()).found).toMatchObject({ started: 2 });
  for (const id of [restored, waiting]) await orderUntil(stack, id, is('passed'));
});

test('a promoted standby issues ids far above those of the lost primary, once', async () => {
  const { owner } = stack.database;
  const before = await handedOver(stack, 'primary');
  await owner`UPDATE issued_ids SET timeline = 0`;
  const orders = await Promise.all(['a', 'b', 'c', 'd'].map((name) => handedOver(stack, `standby-${name}`)));
  for (const order of orders) {
    const gap = Number(order.printOrderId) - Number(before.printOrderId);
    expect(gap).toBeGreaterThanOrEqual(1_000_000);
    expect(gap).toBeLessThan(1_001_000);
  }
  expect([...(await owner`SELECT timeline FROM issued_ids`)]).toEqual([{ timeline: 1 }]);
});
