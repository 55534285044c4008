import { NOTIFICATION_EVENTS } from '../../../../src/notifications/domain/event-schemas';
import { enqueueOrderNotifications } from '../../../../src/notifications/enqueue';
import type { ITEM_STATUSES } from '../../../../src/orders/domain/lifecycle/statuses';
import type { RunRecord } from '../../../../src/orders/domain/run/run-record';
import { writeEffects } from '../../../../src/orders/production/record-effects';
import { createRecordWriter } from '../../../../src/orders/run/record-writer';
import { uuidv7 } from '../../../../src/platform/ids';
import type { Logger } from '../../../../src/platform/logging/logging';
import { json, type Sql, type Transaction } from '../../../../src/platform/postgres';
import { testAccount } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';
import { createOrder, type RecordedOrder } from './order-records';

/** Notifications of records. */

let sql: Sql;
let clientId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  clientId = (await testAccount(sql, 'client')).id;
  await sql`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
    VALUES (${uuidv7()}, ${clientId}, 'https://shop.example/hook', ${[...NOTIFICATION_EVENTS]}, 'whsec_x')`;
});

const records = createRecordWriter(writeEffects, () => undefined, {} as Logger);
const newOrder = () => createOrder(sql, clientId);

/** The bodies of an order's notifications, without what differs between two orders. */
async function notificationsOf({ id }: RecordedOrder): Promise<object[]> {
  const rows = await sql<{ body: string }[]>`SELECT body FROM webhook_deliveries WHERE order_id = ${id}`;
  const bodies = rows.map(
    ({ body }) => JSON.parse(body.replaceAll(id, 'the order')) as { id: string; created: string },
  );
  return bodies
    .map(({ id: _id, created: _created, ...body }) => body)
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

const eventsOf = async (order: RecordedOrder) =>
  (await notificationsOf(order)).map((body) => (body as { event: string }).event).sort();

/** The records of an order that is in production, then gets the status. */
const stepsTo = (order: RecordedOrder, status: (typeof ITEM_STATUSES)[number]): RunRecord[] => {
  const first = order.step({});
  return [first, order.step({ position: 12, version: 2, follows: first, status })];
};

test.each(['printed', 'shipped', 'delivered'] as const)('an item that becomes %s is notified once', async (status) => {
  const order = await newOrder();
  for (const record of [...stepsTo(order, status), stepsTo(order, status)[1]!]) await records(sql, record);
  expect(await eventsOf(order)).toEqual([
    'order_item_status_updated',
    'order_item_status_updated',
    'order_status_updated',
    'order_status_updated',
  ]);
});

test('a change that commits while a record waits for it is notified once, and so is the record', async () => {
  const order = await newOrder();
  const [first, second] = stepsTo(order, 'printed');
  await records(sql, first!);
  // Not `inTransaction`, inside which a test may use no second connection.
  const waiting = await sql.begin(async (begun) => {
    const tx = begun as unknown as Transaction;
    await tx`UPDATE orders SET updated_at = now() WHERE id = ${order.id}`;
    const data = json(tx, { itemIds: [order.itemId] });
    await tx`INSERT INTO order_events (order_id, type, data) VALUES (${order.id}, 'partner_cancel_refused', ${data})`;
    await enqueueOrderNotifications(tx, { orderId: order.id });
    const [own] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    const written = records(sql, second!);
    await eventually(async () => {
      const [row] = await sql<{ n: number }[]>`
        SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${own!.pid} = ANY(pg_blocking_pids(pid))`;
      return row!.n > 0 || undefined;
    });
    return { written };
  });
  expect(await waiting.written).toBe('recorded');
  const third = order.step({ position: 14, version: 3, follows: second!, status: 'shipped' });
  expect(await records(sql, third)).toBe('recorded');
  expect(await eventsOf(order)).toEqual([
    'order_cancel_refused',
    ...Array<string>(3).fill('order_item_status_updated'),
    ...Array<string>(3).fill('order_status_updated'),
  ]);
});
