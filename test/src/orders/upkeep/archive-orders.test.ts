import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDeps } from '../../../../api/deps';
import { openRecord, type RecordRow, readArchived } from '../../../../src/orders/reading/archived-order';
import { ARCHIVED_TABLES } from '../../../../src/orders/reading/archived-tables';
import { ARCHIVE_FILES, RECORDS } from '../../../../src/orders/upkeep/archive-files';
import { archiveOrders, dayOf, restoreDay } from '../../../../src/orders/upkeep/archive-orders';
import { uuidv7 } from '../../../../src/platform/ids';
import type { ObjectStore } from '../../../../src/platform/objects/object-store';
import { parquetOf, readParquet } from '../../../../src/platform/parquet';
import { json, type Sql } from '../../../../src/platform/postgres';
import { projectRoot } from '../../../../src/platform/project-root';
import { testAccount, testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { plannedPrintOrder } from '../../../support/rows/planned-print-order';

const DAY_MS = 86_400_000;
const AGE_DAYS = 100;

let sql: Sql;
let owner: Sql;
let objects: ApiDeps['objects'];
let clientId: string;
let partnerId: string;
let stockItemId: string;
const cutOff = () => new Date(Date.now() - 95 * DAY_MS);

beforeAll(async () => {
  ({ sql, owner } = await testDatabase());
  ({ objects } = await testApiDeps(sql));
  clientId = (await testAccount(sql, 'client')).id;
  const partner = await testAccount(sql, 'partner');
  partnerId = partner.id;
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${partnerId}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
  const [item] = await sql<{ id: string }[]>`
    INSERT INTO stock_items (partner_id, position, partner_sku, product_uid) VALUES (${partnerId}, 1, 'mug', 'mug') RETURNING id`;
  stockItemId = item!.id;
});

/** Inserts an order of a hundred days ago with rows in the tables that hold most of an order. */
async function oldOrder(status = 'delivered', ageDays = AGE_DAYS): Promise<string> {
  const at = new Date(Date.now() - ageDays * DAY_MS);
  const id = uuidv7(at.getTime());
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
      shipping_address, retail_shipping_price, created_at, updated_at)
    VALUES (${id}, ${clientId}, ${id}, 'order', ${status}, 'paid', 'EUR',
      ${json(sql, { country: 'DE', lastName: 'Zackenbarsch', email: `${id}@example.com` })}, 12.5, ${at}, ${at})`;
  await sql`
    INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status, product, price_minor)
    VALUES (${id}, 0, 'a', 2, ${status}, ${json(sql, { productUid: 'mug', productModelId: 'mug_product' })}, 290),
      (${id}, 1, 'b', 3, ${status}, NULL, NULL)`;
  await sql`INSERT INTO order_events (order_id, type, data, at) VALUES (${id}, 'created', ${json(sql, { note: 'Zackenbarsch' })}, ${at})`;
  const printOrderId = await plannedPrintOrder(sql, { orderId: id, partnerId, body: { to: 'Zackenbarsch' } });
  await sql`
    INSERT INTO receipts (id, order_id, print_order_id, type, step, currency, body)
    VALUES (${uuidv7()}, ${id}, ${printOrderId}, 'invoice', 'a', 'EUR', ${json(sql, { totals: { totalInclVat: 1299 } })}),
      (${uuidv7()}, ${id}, ${printOrderId}, 'refund', 'b', 'EUR', ${json(sql, { totals: { totalInclVat: -299 } })})`;
  const shipmentId = uuidv7();
  await sql`
    INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, carrier_uid, method_uid, bought_at)
    VALUES (${shipmentId}, ${shipmentId}, ${id}, ${printOrderId}, 'bought', '{}', 'tern', 'tern_parcel', ${at})`;
  await sql`
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status, departed_shipment_id)
    SELECT ${printOrderId}, i.id, i.quantity, 'shipped', ${shipmentId} FROM order_items i WHERE i.order_id = ${id}`;
  await sql`
    INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, quantity, allocated, state, settled_at)
    SELECT ${stockItemId}, ${partnerId}, j.id, 'plan', j.quantity, j.quantity, 'consumed', ${at}
    FROM print_jobs j WHERE j.print_order_id = ${printOrderId}`;
  await sql`
    INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor, currency, weight_grams)
    VALUES (${shipmentId}, 0, 'p', ${`T${id}`}, 'https://track.example', 499, 'EUR', 500.5)`;
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, status_uid, created_at)
    VALUES (${`T${id}`}, ${`s${id}`}, ${shipmentId}, 'tern', 'delivered', ${at})`;
  await sql`
    INSERT INTO tracking_checkpoints (tracking_number, tracked_since, event_key, status_uid, message, signed_by, occurred_at)
    VALUES (${`T${id}`}, ${at}, 'e', 'delivered', 'to Zackenbarsch', 'tern', ${at})`;
  return id;
}

/** All rows of the tables of orders, as they are stored. */
async function tables(): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const { table } of ARCHIVED_TABLES) {
    const [found] = await sql<{ rows: unknown }[]>`
      SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)), '[]') AS rows FROM ${sql(table)} t`;
    rows[table] = found!.rows;
  }
  return rows;
}

const parts = () => sql<{ id: string; day: string; state: string; totals: Record<string, number> }[]>`
  SELECT id, day::text, state, totals FROM archive_parts ORDER BY id`;
const filesOf = async (part: { id: string; day: string }) =>
  await Promise.all(
    [...ARCHIVE_FILES.map(({ name }) => name), 'records'].map(
      async (name) => (await objects.stat(`archive/${part.day}/${part.id}/${name}.parquet`)) !== null,
    ),
  );
async function rowsOf<T>(part: { id: string; day: string }, name: string): Promise<T[]> {
  const { body } = (await objects.get(`archive/${part.day}/${part.id}/${name}.parquet`))!;
  return await readParquet<T>(new Uint8Array(Buffer.concat(await body.toArray())).buffer);
}

/** Runs work while a statement fails, as a killed process does. */
async function killedAt(statement: string, work: () => Promise<void>): Promise<void> {
  await owner.unsafe(`
    CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END';
    CREATE TRIGGER killed AFTER ${statement} FOR EACH ROW EXECUTE FUNCTION killed()`);
  await work();
  await owner.unsafe('DROP FUNCTION killed CASCADE');
}

/** Empties the tables and the archive. */
async function nothing(): Promise<void> {
  await sql`DELETE FROM stock_reservations`;
  await sql`DELETE FROM print_jobs`;
  await sql`DELETE FROM shipments`;
  await sql`DELETE FROM orders`;
  await sql`DELETE FROM archived_orders`;
  await sql`DELETE FROM archive_parts`;
}
beforeEach(nothing);

test('every table with rows of orders is archived, or stays for a reason', async () => {
  const staying: Record<string, string> = {
    preflights: 'deleted after a day, before any order is archived',
    bulk_repair_orders: 'deleted with its bulk repair, 90 days after its end',
    run_snapshots: 'an order with a snapshot has a run, and is not archived',
    archived_parcels: 'refers to the index row',
    receipt_lines: 'the books list and add up months with archived orders',
    channel_orders: 'tells that an order of a channel has arrived before',
    order_stage_changes: 'rows live until a reader adds them to the hours',
    webhook_deliveries: 'their partitions are dropped after 30 days, before any order is archived',
  };
  const rows = await owner<{ table: string }[]>`
    WITH RECURSIVE of_orders AS (
      SELECT 'orders'::regclass::oid AS id
      UNION SELECT c.conrelid FROM of_orders o JOIN pg_constraint c ON c.confrelid = o.id AND c.contype = 'f')
    SELECT c.relname AS table FROM of_orders o JOIN pg_class c ON c.oid = o.id WHERE NOT c.relispartition
    -- Without a foreign key.
    UNION SELECT c.table_name FROM information_schema.columns c JOIN pg_class p ON p.oid = quote_ident(c.table_name)::regclass
    WHERE c.table_schema = 'public' AND c.column_name IN ('order_id', 'print_order_id', 'print_job_id', 'shipment_id')
      AND p.relkind IN ('r', 'p') AND NOT p.relispartition`;
  const archived: string[] = ARCHIVED_TABLES.map(({ table }) => table);
  expect(
    rows
      .map(({ table }) => table)
      .filter((table) => !(table in staying))
      .sort(),
  ).toEqual([...archived].sort());
});

test('every foreign key to an archived table has an index: the deletion of an order would read whole tables without it', async () => {
  const unindexed = await owner<{ key: string }[]>`
    SELECT c.conrelid::regclass || ' (' || a.attname || ')' AS key
    FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'f' AND c.conparentid = 0
      AND c.confrelid = ANY(${ARCHIVED_TABLES.map(({ table }) => table)}::regclass[])
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1])`;
  expect(unindexed.map(({ key }) => key)).toEqual([]);
});

test('docs/operation/archive.md lists every file and column', () => {
  const text = readFileSync(join(projectRoot(), 'docs/operation/archive.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `(\w+)` \| (`\w+`(?:, `\w+`)*) \|$/gm)].map(([, file, columns]) => [
    file,
    columns,
  ]);
  expect(listed).toEqual(
    [...ARCHIVE_FILES, RECORDS].map(({ name, columns }) => [
      name,
      columns.map((column) => `\`${column.name}\``).join(', '),
    ]),
  );
});

test('old orders that have ended move to one set of files for each day; others stay', async () => {
  const [first, second] = [await oldOrder(), await oldOrder('canceled')];
  const otherDay = await oldOrder('returned', AGE_DAYS + 2);
  const withFile = await oldOrder();
  const staying = [await oldOrder('on_hold'), await oldOrder('delivered', 90), withFile];
  await sql`
    INSERT INTO packing_slips (id, order_id, package_index, url, object_key)
    VALUES (${uuidv7()}, ${withFile}, 0, 'https://a.example', 'k')`;
  const reserving = await oldOrder();
  await sql`
    UPDATE stock_reservations SET state = 'reserved', settled_at = NULL WHERE print_job_id = (
      SELECT min(j.id) FROM print_jobs j JOIN print_orders p ON p.id = j.print_order_id WHERE p.order_id = ${reserving})`;
  staying.push(reserving);
  const flagged = await oldOrder();
  await sql`UPDATE orders SET attention = '{stalled}' WHERE id = ${flagged}`;
  staying.push(flagged);
  expect(await archiveOrders({ sql, objects }, cutOff())).toBe(3);
  const left = await sql<{ id: string }[]>`SELECT id FROM orders`;
  expect(left.map(({ id }) => id).sort()).toEqual([...staying].sort());
  const made = await parts();
  expect(made.map(({ day, state }) => [day, state])).toEqual([
    [dayOf(otherDay), 'complete'],
    [dayOf(first), 'complete'],
  ]);
  expect(made[1]!.totals).toEqual({
    orders: 2,
    items: 4,
    events: 2,
    receipts: 4,
    parcels: 2,
    reportLines: 8,
    quantity: 10,
    minor: 2000,
    costMinor: 998,
  });
  expect(await rowsOf(made[1]!, 'orders')).toEqual([
    expect.objectContaining({
      id: first,
      fulfillment_status: 'delivered',
      country: 'DE',
      created_at: expect.any(Date),
    }),
    expect.objectContaining({ id: second, fulfillment_status: 'canceled' }),
  ]);
  expect((await rowsOf<{ product_model_id: string }>(made[0]!, 'items'))[0]).toMatchObject({
    order_id: otherDay,
    product_model_id: 'mug_product',
    quantity: 2,
    price_minor: 290n,
  });
  // The settled reservations of archived orders are in the archive too.
  const reserved = await sql<{ orderId: string }[]>`
    SELECT DISTINCT p.order_id FROM stock_reservations r JOIN print_jobs j ON j.id = r.print_job_id
    JOIN print_orders p ON p.id = j.print_order_id`;
  expect(reserved.map(({ orderId }) => orderId).sort()).toEqual([...staying].sort());
  expect(await sql`SELECT FROM stock_reservations`).toHaveLength(2 * staying.length);
  expect(await rowsOf(made[0]!, 'parcels')).toEqual([
    expect.objectContaining({
      order_id: otherDay,
      partner_id: partnerId,
      cost_minor: 499n,
      voided: false,
      delivered_at: expect.any(Date),
    }),
  ]);
});

test('personal data is in the sealed records only, under a key of each order', async () => {
  const ids = [await oldOrder(), await oldOrder()];
  await archiveOrders({ sql, objects }, cutOff());
  const [part] = await parts();
  for (const name of [...ARCHIVE_FILES.map((file) => file.name), 'records']) {
    const { body } = (await objects.get(`archive/${part!.day}/${part!.id}/${name}.parquet`))!;
    expect([name, Buffer.concat(await body.toArray()).includes('Zackenbarsch')]).toEqual([name, false]);
    const rows = await rowsOf<Record<string, unknown>>(part!, name);
    expect([
      name,
      rows.some((row) =>
        JSON.stringify(Object.values(row).filter((value) => typeof value === 'string')).includes('Zackenbarsch'),
      ),
    ]).toEqual([name, false]);
  }
  const keys = await sql<{ recordKey: Uint8Array }[]>`SELECT record_key FROM archived_orders ORDER BY part_row`;
  const records = await rowsOf<RecordRow>(part!, 'records');
  expect(records.map((record, row) => openRecord(record, keys[row]!.recordKey).includes('Zackenbarsch'))).toEqual([
    true,
    true,
  ]);
  expect(records.map(({ order_id }) => order_id)).toEqual(ids);
  expect(() => openRecord(records[0]!, keys[1]!.recordKey)).toThrow();
});

describe('an archive run that ends', () => {
  /** Changes an order with each file that is stored. */
  const changing = (orderId: string): ObjectStore => ({
    ...objects,
    async put(key, body, options) {
      await sql`UPDATE order_events SET at = at + interval '1 second' WHERE order_id = ${orderId}`;
      return await objects.put(key, body, options);
    },
  });
  const ended = new Error('killed');
  const steps: Record<string, (count: { puts: number }) => Partial<ObjectStore>> = {
    'before the first file': () => ({ put: () => Promise.reject(ended) }),
    'after some files': (count) => ({
      put: (key, body, options) => (++count.puts > 3 ? Promise.reject(ended) : objects.put(key, body, options)),
    }),
    'with a file that was cut off': () => ({
      put: (key, body, options) => objects.put(key, (body as Uint8Array).subarray(0, 100), options),
    }),
    'with a file of another content': () => ({
      put: (key, body, options) =>
        key.endsWith('receipts.parquet')
          ? objects.get(key.replace('receipts', 'events')).then(async (found) => objects.put(key, found!.body, options))
          : objects.put(key, body, options),
    }),
    'when the files are verified': () => ({ get: () => Promise.reject(ended) }),
  };
  test.each(Object.entries(steps))('%s drops nothing; the next run archives each order once', async (_, faulty) => {
    await oldOrder();
    await oldOrder();
    const stored = await tables();
    await expect(archiveOrders({ sql, objects: { ...objects, ...faulty({ puts: 0 }) } }, cutOff())).rejects.toThrow();
    await expectOneRun(stored);
  });

  test('in the transaction that drops the rows drops none', async () => {
    await oldOrder();
    await oldOrder();
    const stored = await tables();
    for (const table of [
      'archived_orders',
      'archived_parcels',
      'stock_reservations',
      'print_jobs',
      'shipments',
      'orders',
    ]) {
      const event = table.startsWith('archived') ? 'INSERT' : 'DELETE';
      await killedAt(`${event} ON ${table}`, async () => {
        await expect(archiveOrders({ sql, objects }, cutOff())).rejects.toThrow('killed');
        expect(await tables()).toEqual(stored);
      });
    }
    await expectOneRun(stored);
  });

  test('without a trace, as a killed process does, leaves files that the next run deletes', async () => {
    await oldOrder();
    const stored = await tables();
    await archiveOrders({ sql, objects }, cutOff());
    const [part] = await parts();
    // The rows as they are before the last transaction commits.
    await restoreDay({ sql, objects }, part!.day);
    await sql`UPDATE archive_parts SET state = 'writing' WHERE id = ${part!.id}`;
    expect(await filesOf(part!)).not.toContain(false);
    await expectOneRun(stored);
    expect(await filesOf(part!)).not.toContain(true);
  });

  test('because an order has changed since it was read drops nothing', async () => {
    const id = await oldOrder();
    await expect(archiveOrders({ sql, objects: changing(id) }, cutOff())).rejects.toThrow('an order has changed');
    await expectOneRun(await tables());
  });

  test('does not end for one order that cannot be verified: all others are archived, later days too', async () => {
    const older = await oldOrder('delivered', AGE_DAYS + 2);
    const day = [await oldOrder(), await oldOrder(), await oldOrder(), await oldOrder()];
    const unverified = day[2]!;
    const younger = await oldOrder('delivered', AGE_DAYS - 2);
    await expect(archiveOrders({ sql, objects: changing(unverified) }, cutOff())).rejects.toThrow(
      `order ${unverified} stays in the tables: an order has changed`,
    );
    expect(await sql<{ id: string }[]>`SELECT id FROM orders`).toEqual([{ id: unverified }]);
    const archived = await sql<{ id: string }[]>`SELECT id FROM archived_orders ORDER BY id`;
    expect(archived.map(({ id }) => id)).toEqual([older, ...day.filter((id) => id !== unverified), younger]);
    expect(await archiveOrders({ sql, objects }, cutOff())).toBe(1);
  });

  test('at many orders that cannot be verified leaves the orders of later days alone', async () => {
    for (let count = 0; count < 24; count += 1) await oldOrder('delivered', AGE_DAYS + 1);
    const younger = await oldOrder();
    const mistaken: ObjectStore = {
      ...objects,
      put: async (key, body, options) =>
        objects.put(key, key.endsWith('items.parquet') ? await parquetOf([], []) : body, options),
    };
    await expect(archiveOrders({ sql, objects: mistaken }, cutOff())).rejects.toThrow('items: 0 in the files, 2 in');
    const days = await sql<{ day: string }[]>`SELECT DISTINCT day::text FROM archive_parts ORDER BY day`;
    expect(days.map(({ day }) => day)).not.toContain(dayOf(younger));
    expect(await archiveOrders({ sql, objects }, cutOff())).toBe(25);
  });

  test('while another one has taken over drops nothing', async () => {
    await oldOrder();
    const stored = await tables();
    let other: Promise<number> | undefined;
    const overtaken: ObjectStore = {
      ...objects,
      async get(key) {
        const found = await objects.get(key);
        // The last file that is verified.
        if (key.endsWith('report.parquet')) other ??= archiveOrders({ sql, objects }, cutOff());
        await other;
        return found;
      },
    };
    await expect(archiveOrders({ sql, objects: overtaken }, cutOff())).rejects.toThrow('discarded');
    expect(await other).toBe(1);
    await expectOneRun(stored, 0);
  });

  /** Runs the archive once more, and expects that every order is in it once, and comes back as it was. */
  async function expectOneRun(stored: Record<string, unknown>, archived = (stored.orders as unknown[]).length) {
    expect(await archiveOrders({ sql, objects }, cutOff())).toBe(archived);
    expect((await tables()).orders).toEqual([]);
    const made = await parts();
    for (const { state, ...part } of made)
      expect(await filesOf(part)).toEqual(Array(ARCHIVE_FILES.length + 1).fill(state === 'complete'));
    const complete = made.filter(({ state }) => state === 'complete');
    const rows = await Promise.all(complete.map((part) => rowsOf<{ id: string }>(part, 'orders')));
    const ids = (stored.orders as { id: string }[]).map(({ id }) => id).sort();
    expect(
      rows
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids);
    for (const { day } of complete) await restoreDay({ sql, objects }, day);
    expect(await tables()).toEqual(stored);
  }
});

test('a restore that is killed restores nothing, and can be repeated', async () => {
  const id = await oldOrder();
  const stored = await tables();
  await archiveOrders({ sql, objects }, cutOff());
  await killedAt('INSERT ON tracking_checkpoints', async () => {
    await expect(restoreDay({ sql, objects }, dayOf(id))).rejects.toThrow('killed');
    expect((await tables()).orders).toEqual([]);
    expect(await sql`SELECT FROM archived_orders WHERE id = ${id}`).toHaveLength(1);
  });
  expect(await restoreDay({ sql, objects }, dayOf(id))).toBe(1);
  expect(await tables()).toEqual(stored);
});

test('a restore from a damaged file names the day and the file, and changes nothing; an order of it is unavailable', async () => {
  const id = await oldOrder();
  await archiveOrders({ sql, objects }, cutOff());
  const [part] = await parts();
  const key = `archive/${part!.day}/${part!.id}/records.parquet`;
  const whole = Buffer.concat(await (await objects.get(key))!.body.toArray());
  const damaged = Buffer.from(whole).fill(0, 8, whole.length - 400);
  await objects.put(key, damaged, { contentType: 'application/vnd.apache.parquet' });
  const named = `The archive of ${part!.day} cannot be read: its file ${key} is missing or damaged.`;
  await expect(restoreDay({ sql, objects }, part!.day)).rejects.toThrow(named);
  await expect(readArchived({ sql, objects }, id)).rejects.toMatchObject({ message: named, status: 503 });
  expect(await sql`SELECT FROM archived_orders WHERE id = ${id}`).toHaveLength(1);
});
