import { randomUUID } from 'node:crypto';
import { beginAttempt } from '../../../../src/accounts/idempotency-keys';
import { storePostback } from '../../../../src/orders/production/postbacks';
import { uuidv7 } from '../../../../src/platform/ids';
import {
  createPartitions,
  dropExpiredPartitions,
  PARTITIONED_TABLES,
  partitionGauges,
} from '../../../../src/platform/schema/partitioned-tables';
import { type OrdersApi, ordersApi, subscribedPartners } from '../../../api/orders/orders-api';
import { order } from '../../../api/orders/sample-orders';
import { testAccount } from '../../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../../support/database';
import { plannedPrintOrder } from '../../../support/rows/planned-print-order';

const DAY_MS = 24 * 60 * 60 * 1000;
const YEAR_MS = 365 * DAY_MS;
/** Equal writes at the same time. */
const CONCURRENT = 100;

let database: TestDatabase;

beforeEach(async () => {
  database = await testDatabase();
});

const partitions = async (table: string) => {
  const rows = await database.sql<{ name: string }[]>`SELECT name FROM partitions_of(${table}) ORDER BY 1`;
  return rows.map(({ name }) => name);
};

const inDefault = async (table: string) => {
  const { sql } = database;
  return (await sql`SELECT FROM ${sql(`${table}_default`)}`).length;
};

/** Inserts an entry of the audit log of a time. */
const entry = async (daysAgo: number) =>
  await database.sql`
    INSERT INTO audit_log (at, actor_name, actor_role, action, object_type, object_id)
    VALUES (now() - make_interval(days => ${daysAgo}), 'ada', 'admin', 'client.create', 'client', ${String(daysAgo)})`;

test('migrate creates the current partition of every table and those ahead of it', async () => {
  for (const { name } of PARTITIONED_TABLES) expect(await partitions(name)).toHaveLength(3);
  expect(await createPartitions(database.sql)).toBe(0);
});

test('every partition ahead is created again after a pause, and concurrent jobs create each once', async () => {
  const before = await partitions('webhook_deliveries');
  const later = new Date(Date.now() + 14 * DAY_MS);
  const created = await Promise.all([createPartitions(database.sql, later), createPartitions(database.sql, later)]);
  const after = await partitions('webhook_deliveries');
  expect(after).toHaveLength(before.length + 2);
  const total = (await Promise.all(PARTITIONED_TABLES.map(({ name }) => partitions(name)))).flat().length;
  expect(created[0]! + created[1]!).toBe(total - 3 * PARTITIONED_TABLES.length);
});

test('a row of no partition is kept, counted, and moved to its partition when that is created', async () => {
  const { sql } = database;
  const later = Date.now() + 40 * DAY_MS;
  const endpoint = randomUUID();
  const client = await testAccount(sql, 'client', 'nordlicht');
  await sql`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret) VALUES (${endpoint}, ${client.id}, 'https://a.example', '{}', 'x')`;
  const id = uuidv7(later);
  await sql`
    INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, body) VALUES (${id}, ${endpoint}, ${id}, 'test', '{}')`;
  // The partitions ahead of time reach at least 56 days.
  await entry(-50);

  expect([await inDefault('webhook_deliveries'), await inDefault('audit_log')]).toEqual([1, 0]);
  await entry(-200);
  const gauges = await partitionGauges(sql);
  const value = (name: string, table: string) =>
    gauges.find((gauge) => gauge.name === name && 'table' in gauge.labels && gauge.labels.table === table)!.value;
  expect(value('pressline_partition_default_rows', 'webhook_deliveries')).toBe(1);
  expect(value('pressline_partition_default_rows', 'postbacks')).toBe(0);
  expect(value('pressline_partitions_ahead_seconds', 'webhook_deliveries')).toBeGreaterThan((13 * DAY_MS) / 1_000);

  await createPartitions(sql, new Date(later));
  await createPartitions(sql, new Date(Date.now() + 200 * DAY_MS));
  expect([await inDefault('webhook_deliveries'), await inDefault('audit_log')]).toEqual([0, 0]);
  expect(await sql`SELECT FROM webhook_deliveries WHERE id = ${id}`).toHaveLength(1);
  expect(await sql`SELECT FROM audit_log WHERE object_id = '-200'`).toHaveLength(1);
});

test('a partition is dropped when all its rows have expired, and late rows of no partition with it', async () => {
  const { sql } = database;
  for (const daysAgo of [0, 300, 420, 800]) await entry(daysAgo);
  for (const daysAgo of [420, 800]) await createPartitions(sql, new Date(Date.now() - daysAgo * DAY_MS));
  await entry(2_000);
  const left = async () => {
    const rows = await sql<{ id: string }[]>`SELECT object_id AS id FROM audit_log ORDER BY at DESC`;
    return rows.map(({ id }) => Number(id));
  };

  await dropExpiredPartitions(sql, 2 * YEAR_MS);
  expect(await left()).toEqual([0, 300, 420]);
  // A shorter time than that of the table drops nothing that is younger.
  await dropExpiredPartitions(sql, 0);
  expect(await left()).toEqual([0, 300]);
});

test('a partition of orders is dropped when it is empty', async () => {
  const { sql } = database;
  const old = Date.now() - 200 * DAY_MS;
  await createPartitions(sql, new Date(old));
  const { id: clientId } = await testAccount(sql, 'client', 'nordlicht');
  const orderId = uuidv7(old);
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency, shipping_address)
    VALUES (${orderId}, ${clientId}, 'r', 'order', 'delivered', 'paid', 'EUR', '{}')`;
  await sql`INSERT INTO order_events (order_id, type) VALUES (${orderId}, 'status')`;
  const count = (await partitions('order_events')).length;

  await dropExpiredPartitions(sql, YEAR_MS);
  expect(await partitions('order_events')).toHaveLength(count - 2);
  await sql`DELETE FROM orders WHERE id = ${orderId}`;
  await dropExpiredPartitions(sql, YEAR_MS);
  expect(await partitions('order_events')).toHaveLength(count - 3);
});

test('the functions take partitioned tables only, and a transaction that holds a lock only delays them', async () => {
  const { sql, owner } = database;
  for (const call of ["create_partition('orders', now())", "drop_oldest_partition('orders', '1 day')"])
    await expect(sql.unsafe(`SELECT ${call}`)).rejects.toThrow(/no rows/);
  const released = Promise.withResolvers<void>();
  const held = owner.begin(async (tx) => {
    await tx`SELECT FROM order_events`;
    await released.promise;
  });
  const created = createPartitions(sql, new Date(Date.now() + 28 * DAY_MS));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  released.resolve();
  await held;
  expect(await created).toBeGreaterThan(0);
});

describe('a rule that allows one row', () => {
  let api: OrdersApi;
  let partnerId: string;

  beforeAll(async () => {
    api = await ordersApi();
    ({ berlin: partnerId } = await subscribedPartners(api));
  });

  test('holds for equal postbacks at the same time', async () => {
    const { id: orderId } = (await api.submit(order()).expect(200)).body;
    const printOrderId = await plannedPrintOrder(api.sql, { orderId, partnerId, body: {} });
    const postback = { orderId: printOrderId, status: 'received' as const, timestamp: '2026-01-05T10:00:00.000Z' };
    const stored = await Promise.all(
      Array.from({ length: CONCURRENT }, () => storePostback(api.sql, partnerId, postback)),
    );
    expect(stored.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await api.sql`SELECT FROM postbacks WHERE print_order_id = ${printOrderId}`).toHaveLength(1);
  });

  test('holds for equal idempotency keys at the same time, also while a partition ends', async () => {
    const { sql, owner } = database;
    const { id: accountId } = await testAccount(sql, 'client', 'nordlicht');
    const claim = (key: string) =>
      beginAttempt(sql, { accountId, operationId: 'x', key, fingerprint: Buffer.from('1') });
    const [current] = await partitions('idempotency_keys');
    await owner.unsafe(`DROP TABLE ${current}`);
    // The border of two partitions is passed while the claims are made.
    await owner.unsafe(`
      DO $$ DECLARE border timestamptz := clock_timestamp() + interval '2 seconds'; BEGIN
        EXECUTE format('CREATE TABLE keys_before PARTITION OF idempotency_keys FOR VALUES FROM (%L) TO (%L)',
          border - interval '1 hour', border);
        EXECUTE format('CREATE TABLE keys_after PARTITION OF idempotency_keys FOR VALUES FROM (%L) TO (%L)',
          border, border + interval '1 hour');
      END $$`);
    const count = async (table: string) => (await owner`SELECT FROM ${owner(table)}`).length;
    const outcomes: number[] = [];
    for (let n = 0; (await count('keys_after')) < 3; n += 1) {
      // Each key is claimed once more after the border.
      const keys = [`k${n}`, 'k0'].flatMap((key) => Array.from({ length: CONCURRENT }, () => key));
      const claims = await Promise.all(keys.map(claim));
      outcomes.push(claims.filter(({ outcome }) => outcome === 'begun').length);
    }
    expect(outcomes).toEqual(outcomes.map(() => 1));
    expect(await count('keys_before')).toBeGreaterThan(0);
    const twice = await sql`SELECT FROM idempotency_keys GROUP BY key HAVING count(*) > 1`;
    expect(twice).toHaveLength(0);
  });
});
