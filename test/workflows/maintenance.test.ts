import { randomUUID } from 'node:crypto';
import type { ScheduleDescription } from '@temporalio/client';
import { PERIODIC_JOBS } from '../../src/platform/domain/periodic-jobs';
import { uuidv7 } from '../../src/platform/ids';
import { ensureSchedule, scheduleId } from '../../src/platform/temporal/periodic-jobs';
import * as workflows from '../../workflows';
import type { MaintenanceResult } from '../../workflows/maintenance';
import { eventually, type TestStack, testStack } from '../support/stack';
import { handedOver, orderUntil } from './order/order-fixture';

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
});

async function maintain(): Promise<MaintenanceResult> {
  const { temporal, config } = stack.services;
  return await temporal.workflow.execute('maintenance', {
    workflowId: `maintenance-${randomUUID()}`,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
  });
}

test('expired data is deleted, and other data stays', async () => {
  const { sql, objects } = stack.services;
  const { orderId: over } = await handedOver(stack, 'long-over');
  const { orderId: recent } = await handedOver(stack, 'just-over');
  for (const id of [over, recent]) await orderUntil(stack, id, ({ status }) => status === 'delivered');
  await sql`UPDATE orders SET updated_at = now() - interval '91 days' WHERE id = ${over}`;
  await sql`
    UPDATE order_files f SET fetched_at = now() - interval '91 days'
    FROM order_items i WHERE i.id = f.order_item_id AND i.order_id = ${over}`;
  await sql`
    UPDATE shipment_documents d SET created_at = now() - interval '91 days'
    FROM shipments s WHERE s.id = d.shipment_id AND s.order_id = ${over}`;
  const [client] = await sql<{ id: string }[]>`SELECT client_id AS id FROM orders WHERE id = ${over}`;
  for (const days of [6, 8]) {
    await sql`
      INSERT INTO idempotency_keys (account_id, key, operation_id, fingerprint, status, body, created_at)
      VALUES (${client!.id}, ${`k${days}`}, 'submitOrder', '', 200, '{}', now() - make_interval(days => ${days}))`;
  }
  const [endpoint] = await sql<{ id: string }[]>`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
    VALUES (${randomUUID()}, ${client!.id}, 'https://shop.example/hook', '{}', 'whsec_x') RETURNING id`;
  for (const days of [29, 31]) {
    await sql`
      INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, body, state)
      VALUES (${uuidv7(Date.now() - days * 86_400_000)}, ${endpoint!.id}, ${randomUUID()}, 'test', '{}', 'delivered')`;
  }
  const keysOf = async (orderId: string) =>
    (
      await sql<{ objectKey: string }[]>`
        SELECT object_key FROM order_files f JOIN order_items i ON i.id = f.order_item_id
        WHERE i.order_id = ${orderId} AND object_key IS NOT NULL
        UNION ALL
        SELECT object_key FROM shipment_documents d JOIN shipments s ON s.id = d.shipment_id
        WHERE s.order_id = ${orderId} AND deleted_at IS NULL`
    ).map(({ objectKey }) => objectKey);
  for (const days of [99, 101]) {
    await sql`
      INSERT INTO carrier_purchases (idempotency_key, carrier_uid, bought_at, voided_at)
      VALUES (${`purchase-${days}`}, 'corvid_post', now() - make_interval(days => ${days}), now())`;
  }
  const [old, kept] = [await keysOf(over), await keysOf(recent)];

  const { files, shippingDocuments, ...others } = await maintain();
  expect(others).toEqual({
    partitions: 0,
    lateRows: 2,
    deadMessages: 0,
    bulkRepairs: 0,
    packingSlips: 0,
    uploads: 0,
    channelFiles: 0,
    carrierPurchases: 1,
    archivedOrders: 0,
  });
  const purchases =
    await sql`SELECT idempotency_key FROM carrier_purchases WHERE starts_with(idempotency_key, 'purchase-')`;
  expect(purchases).toEqual([{ idempotencyKey: 'purchase-99' }]);
  expect(files! + shippingDocuments!).toBe(old.length);
  expect(await keysOf(over)).toEqual([]);
  expect(await keysOf(recent)).toEqual(kept);
  const isThere = async (key: string) => (await objects.stat(key)) !== null;
  expect(await Promise.all(old.map(isThere))).toEqual(old.map(() => false));
  expect(await Promise.all(kept.map(isThere))).toEqual(kept.map(() => true));

  expect(Object.values(await maintain()).every((count) => count === 0)).toBe(true);
});

test('every periodic job has a workflow and a schedule, which is kept up to date', async () => {
  const { temporal, config } = stack.services;
  expect(PERIODIC_JOBS.map(({ workflowType }) => workflowType).filter((name) => !(name in workflows))).toEqual([]);
  const ids = PERIODIC_JOBS.map((job) => scheduleId(config, job));
  expect(new Set(ids).size).toBe(PERIODIC_JOBS.length);
  try {
    await Promise.all([...PERIODIC_JOBS, ...PERIODIC_JOBS].map((job) => ensureSchedule(temporal, config, job)));
    for (const id of ids) {
      const { info } = await temporal.schedule.getHandle(id).describe();
      expect(info.lastUpdatedAt).toBeUndefined();
    }
    const handle = temporal.schedule.getHandle(ids[0]!);
    // An update of a schedule is visible some time after its response.
    const described = (shows: (now: ScheduleDescription) => boolean) =>
      eventually(async () => {
        const now = await handle.describe();
        return shows(now) ? now : undefined;
      });
    await handle.pause('for the night');
    await described(({ state }) => state.paused);
    await ensureSchedule(temporal, config, { ...PERIODIC_JOBS[0]!, everyMs: 24 * 3_600_000 });
    const { state } = await described(({ spec }) => spec.intervals?.[0]?.every === 86_400_000);
    expect(state).toMatchObject({ paused: true, note: 'for the night' });
  } finally {
    await Promise.all(ids.map((id) => temporal.schedule.getHandle(id).delete()));
  }
});
