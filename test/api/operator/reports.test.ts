import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { reportRoute } from '../../../api/operator/reports';
import { receiptRoutes } from '../../../api/orders/receipts';
import { ArchiveFileUnreadable, fileKey } from '../../../src/orders/reading/archived-order';
import { MOST_LIVE_ORDERS, storeDaySums } from '../../../src/orders/reading/day-sums';
import { report } from '../../../src/orders/reading/report';
import { SUM_COLUMNS } from '../../../src/orders/reading/report-sums';
import { ARCHIVE_FILES } from '../../../src/orders/upkeep/archive-files';
import { archiveOrders, restoreDay } from '../../../src/orders/upkeep/archive-orders';
import { uuidv7 } from '../../../src/platform/ids';
import { parquetOf, readParquet } from '../../../src/platform/parquet';
import { connectPostgres, json, type Sql } from '../../../src/platform/postgres';
import { isUnavailable } from '../../../src/platform/unavailable';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { binaryBody } from '../../support/binary-body';
import { type TestDatabase, testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { plannedPrintOrder } from '../../support/rows/planned-print-order';

const DAY_MS = 86_400_000;
const at = (daysAgo: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS + 3_600_000);
const day = (daysAgo: number) => at(daysAgo).toISOString().slice(0, 10);

let database: TestDatabase;
let sql: Sql;
let deps: ApiDeps;
let app: Express;
let viewer: TestAccount;
let clients: TestAccount[];
let partner: TestAccount;

/** Inserts an order of two items with all that reports count: a poster for 10.00, a mug for 5.00, shipping for 4.00. */
async function order(
  daysAgo: number,
  clientId: string,
  of: { currency?: string; country?: string; status?: string; reprintOf?: string } = {},
) {
  const { currency = 'EUR', country = 'DE', status = 'delivered', reprintOf = null } = of;
  const time = at(daysAgo);
  const id = uuidv7(time.getTime());
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
      shipping_address, reprint_of, created_at, updated_at)
    VALUES (${id}, ${clientId}, ${id}, 'order', ${status}, 'paid', ${currency}, ${json(sql, { country })}, ${reprintOf}, ${time}, ${time})`;
  const items = await sql<{ id: string }[]>`
    INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status, product_uid)
    VALUES (${id}, 0, 'a', 2, ${status}, 'poster'), (${id}, 1, 'b', 1, ${status}, 'mug') RETURNING id`;
  const printOrderId = await plannedPrintOrder(sql, { orderId: id, partnerId: partner.id, body: {} });
  await sql`UPDATE print_orders SET accepted_at = ${time} WHERE id = ${printOrderId}`;
  await sql`
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
    SELECT ${printOrderId}, i.id, i.quantity, 'shipped' FROM order_items i WHERE i.order_id = ${id}`;
  const cost = (itemId: string, quantity: number, minor: number) => ({
    itemId,
    partnerId: partner.id,
    quantity,
    productionCost: { minor, currency: 'EUR' },
  });
  const assignments = [cost(items[0]!.id, 2, 600), cost(items[1]!.id, 1, 200)];
  await sql`
    INSERT INTO routing_decisions (order_id, step, routed, decision)
    VALUES (${id}, 'plan', true, ${json(sql, { ok: true, assignments })})`;
  const line = { title: 'A', amount: 1, vatRate: '0.19', vat: 0 };
  const lines = [
    { ...line, type: 'product', referenceId: 'a', price: 1000 },
    { ...line, type: 'product', referenceId: 'b', price: 500 },
    { ...line, type: 'shipment', referenceId: 's', price: 400 },
  ];
  await sql`
    INSERT INTO receipts (id, order_id, print_order_id, type, step, currency, body)
    VALUES (${uuidv7()}, ${id}, ${printOrderId}, 'invoice', 'a', ${currency}, ${json(sql, { tax: { treatment: 'taxed', country }, lines, totals: { totalInclVat: 2261 } })})`;
  const shipmentId = uuidv7();
  await sql`
    INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, carrier_uid, method_uid, bought_at)
    VALUES (${shipmentId}, ${shipmentId}, ${id}, ${printOrderId}, 'bought', '{}', 'tern', 'tern_parcel', ${time})`;
  await sql`
    INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor, currency, weight_grams)
    VALUES (${shipmentId}, 0, 'p', ${`T${id}`}, 'https://track.example', 300, 'EUR', 500)`;
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, status_uid, created_at)
    VALUES (${`T${id}`}, ${`s${id}`}, ${shipmentId}, 'tern', 'delivered', ${time})`;
  // plannedPrintOrder promises 6 May 2026: every parcel is late.
  await sql`
    INSERT INTO tracking_checkpoints (tracking_number, tracked_since, event_key, status_uid, message, signed_by, occurred_at)
    VALUES (${`T${id}`}, ${time}, 'e', 'delivered', 'delivered', 'tern', ${time})`;
  await sql`
    INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, handled_at)
    VALUES (${partner.id}, ${id}, ${printOrderId}, ${Buffer.from(id)}, ${json(sql, { status: 'error' })}, now())`;
  return id;
}

const ask = (query: object) =>
  request(app)
    .get('/v1/operator/reports')
    .query({ from: day(120), to: day(0), ...query })
    .set(viewer.key);
const rowsOf = async (query: object) => (await ask(query).expect(200)).body.rows;

beforeAll(async () => {
  database = await testDatabase();
  ({ sql } = database);
  deps = await testApiDeps(sql);
  app = createApp(deps, [reportRoute(deps), ...receiptRoutes(deps)]);
  viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  clients = [await testAccount(sql, 'client'), await testAccount(sql, 'client')];
  partner = await testAccount(sql, 'partner');
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${partner.id}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
  const [first, second] = clients as [TestAccount, TestAccount];
  const original = await order(100, first.id);
  await order(100, second.id, { currency: 'USD' });
  await order(100, first.id, { status: 'on_hold' });
  await order(99, second.id, { reprintOf: original });
  await order(1, first.id, { country: 'FR' });
});

test('a report has the same rows before and after the archive run, also of a day that is archived in part', async () => {
  const reports = async () =>
    await Promise.all(
      ['day', 'client', 'partner', 'carrier', 'product', 'country', 'day,client,country,partner,carrier,product'].map(
        (by) => rowsOf({ by }),
      ),
    );
  const books = async () => {
    const read = async (path: string, query: object) =>
      (await request(app).get(path).query(query).set(viewer.key).expect(200)).body;
    const [month] = new Date().toISOString().match(/^\d{4}-\d\d/)!;
    return [await read('/v1/receipts', { limit: 250 }), await read('/v1/receipts/sums', { month })];
  };
  const booked = await books();
  expect(booked[0].lines).toHaveLength(15);
  const before = await reports();
  const none = { client: null, country: null, partner: null, carrier: null, product: null };
  expect(before[0]).toEqual([
    ...[
      // The order in USD has its costs in EUR.
      {
        day: day(100),
        currency: 'EUR',
        orders: 2,
        reprints: 0,
        units: 6,
        revenue: 38,
        cost: 33,
        margin: 5,
        parcels: 2,
      },
      {
        day: day(100),
        currency: 'USD',
        orders: 1,
        reprints: 0,
        units: 3,
        revenue: 19,
        cost: 0,
        margin: 19,
        parcels: 1,
      },
      { day: day(99), currency: 'EUR', orders: 1, reprints: 1, units: 3, revenue: 19, cost: 11, margin: 8, parcels: 1 },
      { day: day(1), currency: 'EUR', orders: 1, reprints: 0, units: 3, revenue: 19, cost: 11, margin: 8, parcels: 1 },
    ].map((row) => ({ ...none, ...row, delivered: row.parcels, late: row.parcels, errors: row.parcels, claims: 0 })),
  ]);
  expect(
    before[4].map(({ product, currency, orders, revenue, cost }: Record<string, unknown>) => [
      product,
      currency,
      orders,
      revenue,
      cost,
    ]),
  ).toEqual([
    [null, 'EUR', 0, 16, 15],
    [null, 'USD', 0, 4, 0],
    ['mug', 'EUR', 4, 20, 10],
    ['mug', 'USD', 1, 5, 0],
    ['poster', 'EUR', 4, 40, 30],
    ['poster', 'USD', 1, 10, 0],
  ]);
  expect(
    before[5].map(({ country, currency, orders }: Record<string, unknown>) => [country, currency, orders]),
  ).toEqual([
    ['DE', 'EUR', 3],
    ['DE', 'USD', 1],
    ['FR', 'EUR', 1],
  ]);
  expect(await archiveOrders(deps, new Date(Date.now() - 95 * DAY_MS))).toBe(3);
  expect(await reports()).toEqual(before);
  // The books keep the receipts of archived orders, and do not count them again when a day is restored.
  expect(await books()).toEqual(booked);

  // The sums of a day replace the files of its parts.
  expect(await storeDaySums(deps)).toBe(2);
  expect(await storeDaySums(deps)).toBe(0);
  const parts = await sql<{ key: string }[]>`
    SELECT 'archive/' || day || '/' || id || '/report.parquet' AS key FROM archive_parts ORDER BY day`;
  const files = await Promise.all(parts.map(async ({ key }) => await (await deps.objects.get(key))!.body.toArray()));
  await deps.objects.delete(parts.map(({ key }) => key));
  expect(await reports()).toEqual(before);
  const putBack = async (index: number) =>
    await deps.objects.put(parts[index]!.key, Buffer.concat(files[index]!), {
      contentType: 'application/vnd.apache.parquet',
    });
  for (const index of parts.keys()) await putBack(index);

  // Until the day has another part.
  await sql`UPDATE orders SET fulfillment_status = 'delivered' WHERE fulfillment_status = 'on_hold'`;
  expect(await archiveOrders(deps, new Date(Date.now() - 95 * DAY_MS))).toBe(1);
  expect(await reports()).toEqual(before);
  expect(await storeDaySums(deps)).toBe(1);
  expect(await reports()).toEqual(before);

  // A file that is missing or damaged fails the job, after the other days have their sums, and the reports of its day alone.
  const summed = () => sql<{ day: string }[]>`SELECT day::text FROM report_days WHERE place = 'archive' ORDER BY day`;
  const both = await summed();
  const contentType = 'application/vnd.apache.parquet';
  const [bytes] = files.map((chunks) => Buffer.concat(chunks));
  const damaged = Buffer.from(bytes!).fill(0, 8, bytes!.length - 400);
  for (const damage of [
    () => deps.objects.delete([parts[0]!.key]),
    () => deps.objects.put(parts[0]!.key, bytes!.subarray(0, 100), { contentType }),
    () => deps.objects.put(parts[0]!.key, damaged, { contentType }),
  ]) {
    await sql`DELETE FROM report_days WHERE place = 'archive'`;
    await damage();
    await expect(storeDaySums(deps)).rejects.toThrow(ArchiveFileUnreadable);
    expect(await summed()).toEqual(both.slice(1));
    const of = (from: string) => ask({ by: 'client', from, to: from });
    const { body, headers } = await of(both[0]!.day).expect(503);
    expect(body).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(parts[0]!.key) });
    expect(body.message).toContain(both[0]!.day);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await of(both[1]!.day).expect(200);
  }
  await putBack(0);
  expect(await storeDaySums(deps)).toBe(1);
  expect(await restoreDay(deps, day(99))).toBe(1);
  expect(await books()).toEqual(booked);
});

test('filters leave the lines of one client, partner, carrier or product', async () => {
  const [first, second] = clients as [TestAccount, TestAccount];
  const orders = async (query: object) =>
    (await rowsOf({ by: 'client', ...query })).map((row: Record<string, unknown>) => [
      row.client,
      row.currency,
      row.orders,
    ]);
  expect(await orders({ clientId: first.id })).toEqual([[first.id, 'EUR', 3]]);
  expect(await orders({ clientId: second.id, from: day(99) })).toEqual([[second.id, 'EUR', 1]]);
  expect(await orders({ partnerId: uuidv7() })).toEqual([]);
  expect(await orders({ carrierUid: 'gull' })).toEqual([]);
  const [mugs] = await rowsOf({ by: 'product', productUid: 'mug', clientId: first.id });
  expect(mugs).toMatchObject({ orders: 3, revenue: 15, cost: 6, parcels: 0 });
});

test('a report is a CSV or a Parquet file with the same rows', async () => {
  const rows = await rowsOf({ by: 'day' });
  const { headers, text } = await ask({ by: 'day', format: 'csv' }).expect(200);
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="report.csv"',
  });
  const [names, ...lines] = text.trimEnd().split('\r\n');
  expect(names).toBe(Object.keys(rows[0]).join(','));
  expect(lines).toHaveLength(rows.length);
  expect(lines[0]).toBe(
    Object.values(rows[0])
      .map((value) => value ?? '')
      .join(','),
  );
  const file = await ask({ by: 'day', format: 'parquet' }).buffer().parse(binaryBody).expect(200);
  const read = await readParquet<Record<string, unknown>>(new Uint8Array(file.body).buffer);
  expect(read.map((row) => [row.day, row.currency, row.orders, row.revenue_minor, row.margin_minor])).toEqual(
    rows.map((row: Record<string, number>) => [
      row.day,
      row.currency,
      BigInt(row.orders!),
      BigInt(row.revenue! * 100),
      BigInt(row.margin! * 100),
    ]),
  );
});

test('a report of too many days or of an unknown group is refused', async () => {
  await ask({ from: '2020-01-01' }).expect(400);
  await ask({ from: day(0), to: day(1) }).expect(400);
  await ask({ by: 'colour' }).expect(400);
  // A year that Postgres does not know.
  await ask({ from: '0000-01-01', to: '0000-01-02' }).expect(400);
});

/** A connection of its own: with a pool of one, the report that waits holds the only connection of `sql`. */
let observer: Sql;
beforeAll(() => {
  observer = connectPostgres(database.url, { max: 1 });
});
afterAll(() => observer.end({ timeout: 1 }));

const waiting = async () =>
  (await observer`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).length;

/** Starts a report, and runs `work` while its statement waits for a lock. */
async function whileWaiting(start: () => void, work: () => Promise<unknown>) {
  await database.owner.begin(async (tx) => {
    await tx`LOCK TABLE receipts IN ACCESS EXCLUSIVE MODE`;
    start();
    await eventually(async () => ((await waiting()) === 1 ? true : undefined));
    await work();
  });
}

describe('a day with many orders', () => {
  const DAY = 5;
  const reported = async () => (await ask({ from: day(6), to: day(1), by: 'day,client,product' }).expect(200)).body;
  const ordersOf = ({ rows }: { rows: { day: string; product: string; orders: number }[] }) =>
    rows
      .filter((row) => row.day === day(DAY) && row.product === 'poster')
      .map(({ orders }) => orders)
      .toSorted((a, b) => b - a);

  beforeAll(async () => {
    const { id: clientId } = clients[0]!;
    const ids = Array.from({ length: MOST_LIVE_ORDERS }, () => uuidv7(at(DAY).getTime()));
    await sql`
      INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        shipping_address, created_at, updated_at)
      SELECT id, ${clientId}, id::text, 'order', 'canceled', 'paid', 'EUR', ${json(sql, { country: 'DE' })}, ${at(DAY)}, ${at(DAY)}
      FROM unnest(${ids}::uuid[]) AS id`;
    await sql`
      INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status, product_uid)
      SELECT id, 0, 'a', 1, 'cancelled', 'poster' FROM unnest(${ids}::uuid[]) AS id`;
  });

  test('is added up before, and the report says when', async () => {
    // One less than are added up before.
    expect(await storeDaySums(deps)).toBe(0);
    await order(DAY, clients[0]!.id);
    const live = await reported();
    expect(live.asOf).toBeNull();
    expect(ordersOf(live)).toEqual([MOST_LIVE_ORDERS + 1]);
    expect(await storeDaySums(deps)).toBe(1);
    const summed = await reported();
    expect(summed).toEqual({ rows: live.rows, asOf: expect.any(String) });

    // Later changes are missing until the sums are made again.
    await order(DAY, clients[1]!.id);
    await order(1, clients[0]!.id);
    expect(ordersOf(await reported())).toEqual([MOST_LIVE_ORDERS + 1]);
    expect(await storeDaySums(deps)).toBe(0);
    await sql`UPDATE report_days SET summed_at = summed_at - interval '8 hours' WHERE place = 'tables'`;
    expect(await storeDaySums(deps)).toBe(1);
    const renewed = await reported();
    expect(Date.parse(renewed.asOf)).toBeGreaterThan(Date.parse(summed.asOf));
    expect(ordersOf(renewed)).toEqual([MOST_LIVE_ORDERS + 1, 1]);
  });

  test('has the orders once when some are archived while the report is made', async () => {
    const { rows } = await reported();
    await sql`UPDATE report_days SET sums = ${Buffer.from(await parquetOf(SUM_COLUMNS, []))} WHERE place = 'tables'`;
    expect(ordersOf(await reported())).toEqual([]);
    let made: Promise<{ rows: unknown }> = Promise.resolve({ rows: [] });
    const part = { id: uuidv7(), day: day(DAY) };
    const file = ARCHIVE_FILES.find(({ name }) => name === 'report')!;
    await deps.objects.put(fileKey(part, 'report'), Buffer.from(await parquetOf(file.columns, [])), {
      contentType: 'application/vnd.apache.parquet',
    });
    await whileWaiting(
      () => {
        made = reported();
      },
      () => observer`INSERT INTO archive_parts (id, day, state) VALUES (${part.id}, ${part.day}, 'complete')`,
    );
    expect(await made).toEqual({ rows, asOf: null });
    await sql`DELETE FROM archive_parts WHERE id = ${part.id}`;
  });

  test('has the same orders after they have left the tables', async () => {
    await sql`DELETE FROM report_days`;
    await storeDaySums(deps);
    const { rows } = await reported();
    expect(await archiveOrders(deps, new Date(Date.now() - 4 * DAY_MS))).toBeGreaterThan(MOST_LIVE_ORDERS);
    expect(await reported()).toEqual({ rows, asOf: null });
    await storeDaySums(deps);
    expect(await reported()).toEqual({ rows, asOf: null });
    expect(await sql`SELECT FROM report_days WHERE place = 'tables'`).toHaveLength(0);
  });
});

describe('a report that takes long', () => {
  // The cancellation takes a second connection.
  let pool: Sql;
  beforeAll(() => {
    pool = connectPostgres(database.url, { max: 2 });
  });
  afterAll(() => pool.end({ timeout: 1 }));

  const untilCanceled = () => eventually(async () => ((await waiting()) === 0 ? true : undefined));

  const request = { from: day(120), to: day(0), by: ['day'], filters: {} } as const;

  test('is canceled when its caller is gone', async () => {
    let refused: Promise<unknown> = Promise.resolve();
    const caller = new AbortController();
    await whileWaiting(
      () => {
        refused = report(pool, deps.objects, { ...request, signal: caller.signal, mostMs: 3_600_000 }).catch(
          (error: unknown) => error,
        );
      },
      async () => {
        caller.abort();
        await untilCanceled();
      },
    );
    expect(await refused).toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('is refused after its time, and not read from another server', async () => {
    let refused: Promise<unknown> = Promise.resolve();
    const { signal } = new AbortController();
    await whileWaiting(() => {
      refused = report(pool, deps.objects, { ...request, signal, mostMs: 3_000 }).catch((error: unknown) => error);
    }, untilCanceled);
    expect(await refused).toMatchObject({ code: 'UNAVAILABLE' });
    expect(isUnavailable(await refused)).toBe(false);
  });
});
