import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Postgrator from 'postgrator';
import postgres from 'postgres';
import { projectRoot } from '../../../../src/platform/project-root';
import { migrate, statementsOf } from '../../../../src/platform/schema/migrate';
import { MIGRATIONS_DIR } from '../../../../src/platform/schema/schema-version';
import { eventually } from '../../../support/eventually';
import { inEmptyDatabase } from './empty-database';

/**
 * Upgrades of databases that hold orders: from the version of every release to the newest, and on through migrations as a
 * later release may have them.
 */

/** Version of the first release. No database in use is older. */
const FIRST_RELEASE = 12;

/** Migrations of a later release: a new column on a table in use, an index built concurrently, and a new value for old rows. */
const LATER: Readonly<Record<string, string>> = {
  'partner-tiers': "ALTER TABLE partners ADD COLUMN tier text;\nUPDATE partners SET tier = 'standard';\n",
  'channel-index':
    '--! no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS orders_channel ON orders (channel, id);\n',
  'partner-tiers-required': 'ALTER TABLE partners ALTER COLUMN tier SET NOT NULL;\n',
};

const folder = mkdtempSync(join(tmpdir(), 'pressline-migrations-'));
cpSync(MIGRATIONS_DIR, folder, { recursive: true });
const CURRENT = readdirSync(MIGRATIONS_DIR).length;
Object.entries(LATER).forEach(([name, text], index) => {
  writeFileSync(join(folder, `${String(CURRENT + 1 + index).padStart(3, '0')}.do.${name}.sql`), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const NEWEST = CURRENT + Object.keys(LATER).length;
const RELEASED = Array.from({ length: NEWEST - FIRST_RELEASE }, (_, n) => FIRST_RELEASE + n);

/** The names of columns stay as Postgrator reads them. */
const open = (url: string) => postgres(url, { max: 3, onnotice: () => undefined });
type Sql = ReturnType<typeof open>;
const inDatabase = <T>(work: (url: string, sql: Sql) => Promise<T>) => inEmptyDatabase(work, open);

/** Migrates to a version, as an older release does: `migrate` only knows the newest version. */
async function migrateTo(sql: Sql, version: number): Promise<void> {
  const run = async (query: string) => {
    // Postgres runs several statements of one query in a transaction.
    const statements = query.startsWith('--! no-transaction') ? statementsOf(query) : [query];
    let rows: unknown[] = [];
    for (const statement of statements) rows = [...(await sql.unsafe(statement).simple())];
    return { rows: rows as never[] };
  };
  await new Postgrator({
    driver: 'pg',
    migrationPattern: join(folder, '*.sql'),
    schemaTable: 'schema_version',
    execQuery: run,
    execSqlScript: async (script) => {
      const statements = script.startsWith('--! no-transaction') ? statementsOf(script) : [script];
      for (const statement of statements) await run(statement);
    },
  }).migrate(String(version));
}

const CLIENT = '00000000-0000-7000-8000-000000000001';
const PARTNER = '00000000-0000-7000-8000-000000000002';
const ORDER = '00000000-0000-7000-8000-000000000003';
const SHIPMENT = '00000000-0000-7000-8000-000000000004';

/** What a database in use holds. */
const ROWS = `
    INSERT INTO accounts (id, name, role, settings) VALUES ('${CLIENT}', 'Nordlicht', 'client', '{"a": 1}'),
      ('${PARTNER}', 'prints-berlin', 'partner', '{}');
    INSERT INTO api_keys (id, account_id, key_hash, secret_hash, key_hint)
      VALUES (gen_random_uuid(), '${CLIENT}', '\\x01', '\\x02', 'pk_ab');
    INSERT INTO idempotency_keys (account_id, key, operation_id, fingerprint, status, body)
      VALUES ('${CLIENT}', 'k', 'submitOrder', '\\x03', 200, '{"id": "x"}');
    INSERT INTO outbox (kind, target, payload) VALUES ('start_workflow', 'order-${ORDER}', '{"workflowType": "order"}');
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        retail_shipping_price, shipping_address, metadata, attention, run_version)
      VALUES ('${ORDER}', '${CLIENT}', 'Größe 7', 'order', 'in_production', 'invoiced', 'EUR', 5.9000,
        '{"country": "DE", "city": "Köln"}', '[{"key": "a", "value": "b"}]', '{not_printed,partner_error}', 7);
    INSERT INTO order_items (order_id, position, item_reference_id, product_uid, quantity, retail_price, fulfillment_status, product, price_minor)
      VALUES ('${ORDER}', 0, 'poster', 'flat_product', 3, 19.9900, 'in_production', '{"name": "Poster"}', 1999);
    INSERT INTO order_files (id, order_item_id, position, type, url, object_key, size_bytes)
      SELECT gen_random_uuid(), id, 0, 'default', 'https://files.example/a.pdf', 'files/a', 9007199254740993 FROM order_items;
    INSERT INTO packing_slips (id, order_id, package_index, url) VALUES (gen_random_uuid(), '${ORDER}', 0, 'https://files.example/s.pdf');
    INSERT INTO order_events (order_id, type, data) VALUES ('${ORDER}', 'status', '{"status": "passed"}');
    INSERT INTO receipts (id, order_id, type, step, currency, body)
      VALUES (gen_random_uuid(), '${ORDER}', 'invoice', 'handoff:0', 'EUR', '{"totalMinor": 5997}');
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities, print_order_version, signing_secret)
      VALUES ('${PARTNER}', 'prints-berlin', 'Prints', 'DE', 'EUR', '{}', '{"kinds": ["print"]}', '1.0', 'whsec_x');
    INSERT INTO print_orders (order_id, partner_id, step, kind, version, status, message_id, body, dispatch_date, accepted_at)
      VALUES ('${ORDER}', '${PARTNER}', 'handoff:0', 'print', '1.0', 'accepted', 'msg_1', '{"orderId":"500001"}', '2026-03-29', '2026-03-27T23:30:00Z');
    INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
      SELECT p.id, i.id, 3, 'in_production' FROM print_orders p, order_items i;
    INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, handled_at)
      SELECT '${PARTNER}', order_id, id, '\\x04', '{"status": "received"}', now() FROM print_orders;
    INSERT INTO attributes (id, description) VALUES ('format', 'Format');
    INSERT INTO attribute_values (attribute_id, id, properties) VALUES ('format', 'a4', '{"width": 210}');
    INSERT INTO product_models (id, name, description, preview_url, category_id, product_uid_template, uid_prefix, state, attributes, parts, production)
      VALUES ('flat', 'Flat', '', '', 'prints', 'flat_{format}', 'flat_', 'active', '[]', '[]', '{"kind": "print"}');
    INSERT INTO customer_products (id, owner_id, name, customer_ids, product_model_id, variant_options)
      VALUES (gen_random_uuid(), '${CLIENT}', 'Plakat', '{*}', 'flat', '[]');
    INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, method_uid)
      SELECT '${SHIPMENT}', 'order-${ORDER}:dispatch:1:0', '${ORDER}', id, 'bought', '{"packages": []}', 'corvid_parcel' FROM print_orders;
    INSERT INTO shipment_packages VALUES ('${SHIPMENT}', 0, 'p1', 'LX123456785DE', 'https://track.example/LX', 512, 'EUR', 850.5);
    INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid) VALUES ('LX123456785DE', 'abc', '${SHIPMENT}', 'corvid');
    INSERT INTO tracking_checkpoints (tracking_number, tracked_since, event_key, status_uid, message, signed_by, occurred_at)
      SELECT tracking_number, created_at, 'registered', 'registered', 'Registered', 'corvid', '2026-03-29T00:59:59Z' FROM trackings;
    INSERT INTO stock_item_counts VALUES ('${PARTNER}', 1);
    INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, quantity, reserved) VALUES ('${PARTNER}', 1, 'sku-1', 'flat_a4', 10, 3);
    INSERT INTO stock_movements (stock_item_id, type, quantity, quantity_delta, reserved_delta, backorder_delta)
      SELECT id, 'add', 10, 10, 0, 0 FROM stock_items;
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
      VALUES (gen_random_uuid(), '${CLIENT}', 'https://shop.example/hook', '{order_status_updated}', 'whsec_y');
    INSERT INTO shipping_changes (id, order_id, shipping_address, revision) VALUES (gen_random_uuid(), '${ORDER}', '{"city": "Bonn"}', 1);`;

/** Migrates to the version of a release, and fills the database. */
async function migrateFilled(sql: Sql, version: number): Promise<void> {
  await migrateTo(sql, FIRST_RELEASE);
  await sql.unsafe(ROWS);
  await migrateTo(sql, version);
}

/** Every row of every table, column by column, as text. */
async function contents(sql: Sql): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname NOT IN ('schema_version', 'partitioned_tables') ORDER BY 1`;
  const all: Record<string, Record<string, unknown>[]> = {};
  for (const { name } of tables) {
    const rows = await sql<{ row: Record<string, unknown> }[]>`
      SELECT to_jsonb(t) AS row FROM ${sql(name)} t ORDER BY to_jsonb(t)::text`;
    all[name] = rows.map(({ row }) => row);
  }
  return all;
}

const versionOf = async (sql: Sql) => {
  const [row] = await sql<{ version: string }[]>`SELECT max(version) AS version FROM schema_version`;
  return Number(row!.version);
};

test.each(RELEASED)('a database of version %i that is in use keeps all it holds', async (version) => {
  await inDatabase(async (url, sql) => {
    await migrateFilled(sql, version);
    const before = await contents(sql);
    expect(Object.values(before).flat().length).toBeGreaterThan(14);
    await migrate(url, { folder });
    expect(await versionOf(sql)).toBe(NEWEST);
    const after = await contents(sql);
    for (const [table, rows] of Object.entries(before)) {
      expect({ table, rows: after[table] }).toMatchObject({ table, rows });
    }
  });
});

test('an upgraded database has the tables, columns, indexes and constraints of a new one', async () => {
  const shape = async (sql: Sql) => ({
    columns: await sql`
      SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`,
    indexes: await sql`SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`,
    constraints: await sql`
      SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  });
  const upgraded = await inDatabase(async (url, sql) => {
    await migrateFilled(sql, FIRST_RELEASE);
    await migrate(url, { folder });
    return await shape(sql);
  });
  const fresh = await inDatabase(async (url, sql) => {
    await migrate(url, { folder });
    return await shape(sql);
  });
  expect(upgraded).toEqual(fresh);
  expect(fresh.columns.length).toBeGreaterThan(200);
});

/** A migrating process of its own. */
function migrateElsewhere(url: string) {
  const script = `
    const { migrate } = require('./src/platform/schema/migrate');
    migrate(process.argv[1], { folder: process.argv[2] }).then((names) => process.stdout.write(JSON.stringify(names)));`;
  const child = spawn(
    process.execPath,
    ['--require', './test/support/register-typescript.cjs', '--eval', script, url, folder],
    { cwd: projectRoot(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  const ended = once(child, 'close').then(() => (said === '' ? null : (JSON.parse(said) as string[])));
  return { child, ended };
}

test('a killed process leaves the old version, and the next process upgrades it', async () => {
  await inDatabase(async (url, sql) => {
    await migrateFilled(sql, FIRST_RELEASE);
    const before = await contents(sql);
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // An upgrade waits for transactions that use its tables. This one stops at the first change of partners.
    const holding = sql.begin(async (tx) => {
      await tx`LOCK TABLE partners IN ACCESS EXCLUSIVE MODE`;
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
    const { child, ended } = migrateElsewhere(url);
    await eventually(async () => {
      const [waiting] = await sql`
        SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'pressline-migrate' AND wait_event_type = 'Lock'`;
      return waiting;
    });
    child.kill('SIGKILL');
    expect(await ended).toBeNull();
    released.resolve();
    await holding;
    expect(await versionOf(sql)).toBe(FIRST_RELEASE);
    expect(await contents(sql)).toEqual(before);
    expect(await migrate(url, { folder })).toHaveLength(NEWEST - FIRST_RELEASE);
  });
});

test('a file that changed after it ran stops the upgrade before any change', async () => {
  await inDatabase(async (url, sql) => {
    await migrateTo(sql, FIRST_RELEASE);
    await sql`UPDATE schema_version SET md5 = 'other' WHERE version = 2`;
    await expect(migrate(url, { folder })).rejects.toThrow(/MD5 checksum failed for migration \[2\]/);
    expect(await versionOf(sql)).toBe(FIRST_RELEASE);
  });
});

test('a migration leaves the database of a newer release as it is', async () => {
  await inDatabase(async (url, sql) => {
    await migrate(url, { folder });
    await sql`INSERT INTO schema_version (version, name, run_at) VALUES (${NEWEST + 1}, 'from-the-future', now())`;
    const before = await contents(sql);
    await migrate(url, { folder }).catch(() => undefined);
    expect(await versionOf(sql)).toBe(NEWEST + 1);
    expect(await contents(sql)).toEqual(before);
  });
});
