import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { connectPostgres, type Sql } from '../../../../src/platform/postgres';
import { type MigrateOptions, MigrationBlocked, migrate, statementsOf } from '../../../../src/platform/schema/migrate';
import {
  DatabaseNotMigrated,
  MIGRATIONS_DIR,
  schemaStatus,
  untilMigrated,
} from '../../../../src/platform/schema/schema-version';
import { testDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';
import { testApplicationUrl } from '../../../support/servers';
import { inEmptyDatabase } from './empty-database';

const files = readdirSync(MIGRATIONS_DIR).sort();
const nameOf = (file: string) => file.split('.')[2]!;
const fileNames = files.map(nameOf);
const newest = Number.parseInt(files.at(-1)!, 10);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Returns a folder with migrations of a test: name to SQL, numbered from 1. */
function folderOf(migrations: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pressline-migrations-'));
  folders.push(folder);
  Object.entries(migrations).forEach(([name, text], index) => {
    writeFileSync(join(folder, `${String(index + 1).padStart(3, '0')}.do.${name}.sql`), text);
  });
  return folder;
}

/** Returns a folder with Pressline's migrations up to a version. */
function folderUpTo(version: number): string {
  const folder = folderOf({});
  for (const file of files.filter((each) => Number.parseInt(each, 10) <= version))
    cpSync(join(MIGRATIONS_DIR, file), join(folder, file));
  return folder;
}

const PARCELS = { parcels: 'CREATE TABLE parcels (id int, weight int);\nINSERT INTO parcels VALUES (1, 5);' };
const WEIGHT_INDEX =
  '--! no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS parcels_weight ON parcels (weight);\n';

/** Runs `work` while another session reads `parcels` in an open transaction. */
async function whileParcelsAreRead<T>(sql: Sql, work: (release: () => void) => Promise<T>): Promise<T> {
  const [reading, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const release = released.resolve;
  const transaction = sql.begin(async (tx) => {
    await tx`SELECT * FROM parcels`;
    reading.resolve();
    await released.promise;
  });
  await reading.promise;
  try {
    return await work(release);
  } finally {
    release();
    await transaction;
  }
}

const versionOf = async (sql: Sql) => (await schemaStatus(sql)).version;
const isValid = async (sql: Sql, index: string) => {
  const [row] = await sql<{ indisvalid: boolean }[]>`
    SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(${index})`;
  return row?.indisvalid;
};

test('migrate runs every file once, in order', async () => {
  await inEmptyDatabase(async (url) => {
    expect(await migrate(url)).toEqual(fileNames);
    expect(await migrate(url)).toEqual([]);
  });
});

describe('locks', () => {
  const folder = folderOf({ ...PARCELS, weights: 'ALTER TABLE parcels ADD COLUMN height int;' });
  const first = folderOf(PARCELS);

  test('a migration that waits for a lock pauses others for two seconds at most, and is retried', async () => {
    await inEmptyDatabase(async (url, sql) => {
      await migrate(url, { folder: first });
      await whileParcelsAreRead(sql, async (release) => {
        const migrated = migrate(url, { folder });
        await eventually(async () => {
          const [waiting] = await sql`
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pressline-migrate'
              AND wait_event_type = 'Lock'`;
          return waiting;
        });
        // This read queues behind the waiting migration until the migration gives up its place.
        const before = performance.now();
        await sql`SELECT * FROM parcels`;
        expect(performance.now() - before).toBeLessThan(60_000);
        release();
        expect(await migrated).toEqual(['weights']);
      });
      expect(await versionOf(sql)).toBe(2);
    });
  });

  test('a lock that stays taken ends the migration, which names the oldest transactions and changes nothing', async () => {
    await inEmptyDatabase(async (url, sql) => {
      await migrate(url, { folder: first });
      await whileParcelsAreRead(sql, async () => {
        const blocked = migrate(url, { folder, lockWaitMs: 100 });
        await expect(blocked).rejects.toThrow(MigrationBlocked);
        await expect(blocked).rejects.toThrow(/Oldest open transactions: process \d+ \(pressline, /);
      });
      expect(await versionOf(sql)).toBe(1);
    });
  });
});

describe('outside a transaction', () => {
  const folder = folderOf({
    ...PARCELS,
    index: WEIGHT_INDEX,
    heights: 'ALTER TABLE parcels ADD height int;',
  });

  test('an index is built concurrently: writes continue while the build waits for an older transaction', async () => {
    await inEmptyDatabase(async (url, sql) => {
      await migrate(url, { folder: folderOf(PARCELS) });
      await whileParcelsAreRead(sql, async (release) => {
        const migrated = migrate(url, { folder });
        await eventually(async () => ((await isValid(sql, 'parcels_weight')) === false ? true : undefined));
        await sql`INSERT INTO parcels VALUES (2, 7)`;
        expect(await versionOf(sql)).toBe(1);
        release();
        expect(await migrated).toEqual(['index', 'heights']);
      });
      expect(await isValid(sql, 'parcels_weight')).toBe(true);
    });
  });

  test('processes that wait for each other do not hold up the build', async () => {
    await inEmptyDatabase(async (url) => {
      const applied = await Promise.all([1, 2, 3].map(() => migrate(url, { folder })));
      expect(applied.flat()).toEqual(['parcels', 'index', 'heights']);
    });
  });

  test('an index whose build was interrupted is built again', async () => {
    await inEmptyDatabase(async (url, sql) => {
      await migrate(url, { folder: folderOf(PARCELS) });
      await sql`INSERT INTO parcels VALUES (1, 5)`;
      await sql`CREATE UNIQUE INDEX CONCURRENTLY parcels_weight ON parcels (weight)`.catch(() => undefined);
      expect(await isValid(sql, 'parcels_weight')).toBe(false);
      await migrate(url, { folder });
      expect(await isValid(sql, 'parcels_weight')).toBe(true);
    });
  });

  test('statements end with a semicolon at the end of a line', () => {
    expect(statementsOf('--! no-transaction\n-- Why.\nDROP INDEX a;\nCREATE INDEX b\n  ON c (d);\n')).toEqual([
      'DROP INDEX a',
      'CREATE INDEX b\n  ON c (d)',
    ]);
  });
});

test('an index that an operator has built in advance under its name is accepted by its migration', async () => {
  await inEmptyDatabase(async (url, sql) => {
    await migrate(url, { folder: folderOf(PARCELS) });
    await sql`CREATE INDEX CONCURRENTLY parcels_weight ON parcels (weight)`;
    const oid = async () => (await sql`SELECT to_regclass('parcels_weight')::oid AS oid`)[0]!.oid;
    const before = await oid();
    const weights = 'CREATE INDEX parcels_weight\n  ON parcels (weight);\nALTER TABLE parcels ADD height int;\n';
    expect(await migrate(url, { folder: folderOf({ ...PARCELS, weights }) })).toEqual(['weights']);
    expect(await oid()).toBe(before);
  });
});

describe('without migrating', () => {
  const silent = pino({ level: 'silent' });

  test('a dry run names what is pending, runs it, and changes nothing', async () => {
    await inEmptyDatabase(async (url, sql) => {
      const dryRun = (migrations: Record<string, string>): Promise<string[]> => {
        const options: MigrateOptions = { folder: folderOf(migrations), dryRun: true };
        return migrate(url, options);
      };
      const unique = {
        unique: WEIGHT_INDEX.replace('INDEX', 'UNIQUE INDEX').replace('EXISTS parcels', 'EXISTS one'),
      };
      const key = { key: 'ALTER TABLE parcels ADD CONSTRAINT one_weight UNIQUE USING INDEX one_weight;' };
      expect(await dryRun({ ...PARCELS, index: WEIGHT_INDEX, ...unique, ...key })).toEqual([
        'parcels',
        'index',
        'unique',
        'key',
      ]);
      await expect(dryRun({ broken: 'ALTER TABLE missing ADD a int;' })).rejects.toThrow(/missing/);
      expect(await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
    });
  });

  test('the status names the versions and the pending migrations', async () => {
    await inEmptyDatabase(async (url, sql) => {
      expect(await schemaStatus(sql)).toEqual({ version: 0, latest: newest, pending: fileNames });
      await migrate(url, { folder: folderUpTo(4) });
      expect(await schemaStatus(sql)).toEqual({
        version: 4,
        latest: newest,
        pending: files.filter((file) => Number.parseInt(file, 10) > 4).map(nameOf),
      });
    });
  });

  test('a process waits for the version that it needs', async () => {
    await inEmptyDatabase(async (url, sql) => {
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
      const waited = untilMigrated(url, 60_000, log);
      await eventually(async () => (lines.length > 0 ? true : undefined));
      expect(lines[0]).toContain('Waiting for \\"pressline migrate\\"');
      expect(await versionOf(sql)).toBe(0);
      await migrate(url);
      await waited;
    });
  });

  test('a process refuses an older database after its time, and serves a newer one', async () => {
    await inEmptyDatabase(async (url, sql) => {
      const refused = untilMigrated(url, 0, silent);
      await expect(refused).rejects.toThrow(DatabaseNotMigrated);
      await expect(refused).rejects.toThrow(
        `The database is at version 0. This release needs version ${newest}. Run "pressline migrate".`,
      );
      await migrate(url);
      await sql`INSERT INTO schema_version (version, name, run_at) VALUES (${newest + 1}, 'later', now())`;
      await untilMigrated(url, 0, silent);
    });
  });

  test('a process warns when its role owns the tables', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const { url, ownerUrl } = await testDatabase();
    await untilMigrated(url, 0, log);
    expect(lines).toEqual([]);
    await untilMigrated(ownerUrl, 0, log);
    expect(lines).toEqual([expect.stringContaining('can change tables')]);
  });
});

describe("the application's role", () => {
  test.each([
    ['drop a table', 'DROP TABLE orders'],
    ['alter a table', 'ALTER TABLE orders ADD COLUMN spare int'],
    ['empty a table at once', 'TRUNCATE order_events'],
    ['create a table', 'CREATE TABLE spare (id int)'],
    ['create a function', "CREATE FUNCTION spare() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
    ['disable a trigger', 'ALTER TABLE orders DISABLE TRIGGER ALL'],
    ['change the audit log', "UPDATE audit_log SET actor_name = 'nobody'"],
    ['delete from the audit log', 'DELETE FROM audit_log'],
    ['write to a partition', 'DELETE FROM audit_log_default'],
    ['change the ages of partitions', 'UPDATE partitioned_tables SET kept_days = 1'],
    ['change the version', 'UPDATE schema_version SET version = 0'],
    ['create a role', 'CREATE ROLE spare'],
    ['create a database', 'CREATE DATABASE spare'],
    ['read files of the server', "SELECT pg_read_file('PG_VERSION')"],
    ['run programs on the server', "COPY orders FROM PROGRAM 'true'"],
  ])('cannot %s', async (_, statement) => {
    const { sql } = await testDatabase();
    await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
  });

  test('can read and write rows of every other table, and owns nothing', async () => {
    const { sql } = await testDatabase();
    const lacking = await sql`
      SELECT tablename FROM pg_tables
      WHERE schemaname = 'public' AND tablename NOT IN ('schema_version', 'audit_log', 'partitioned_tables')
        AND NOT (SELECT relispartition FROM pg_class WHERE oid = quote_ident(tablename)::regclass)
        AND NOT (has_table_privilege(quote_ident(tablename), 'SELECT') AND has_table_privilege(quote_ident(tablename), 'INSERT')
          AND has_table_privilege(quote_ident(tablename), 'UPDATE') AND has_table_privilege(quote_ident(tablename), 'DELETE'))`;
    expect([...lacking]).toEqual([]);
    const owned = await sql`
      SELECT relname FROM pg_class WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)`;
    expect([...owned]).toEqual([]);
  });

  test('migrate creates the role with the password of the URL, and keeps its rights over new tables', async () => {
    await inEmptyDatabase(async (url, sql) => {
      const role = `app_${randomBytes(6).toString('hex')}`;
      const applicationUrl = Object.assign(new URL(url), { username: role, password: 'p%40ss' }).href;
      const options = { applicationUrl, folder: folderOf(PARCELS) };
      try {
        await migrate(url, options);
        await migrate(url, {
          ...options,
          folder: folderOf({ ...PARCELS, labels: 'CREATE TABLE labels (id int);' }),
        });
        const app = connectPostgres(applicationUrl, { max: 1 });
        expect([...(await app`INSERT INTO labels VALUES (7) RETURNING id`)]).toEqual([{ id: 7 }]);
        await expect(app`DROP TABLE labels`).rejects.toThrow(/must be owner/);
        await expect(app`CREATE TEMP TABLE spare (id int)`).rejects.toThrow(/permission denied/);
        await app.end();
        const wrong = connectPostgres(Object.assign(new URL(applicationUrl), { password: 'wrong' }).href, {
          max: 1,
        });
        await expect(wrong`SELECT 1`).rejects.toThrow(/password authentication failed/);
        await wrong.end();
      } finally {
        await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      }
    });
  });

  test('every test database is used with this role', async () => {
    const { sql } = await testDatabase();
    const [row] = await sql`SELECT current_user AS role, usesuper FROM pg_user WHERE usename = current_user`;
    expect(row).toEqual({ role: new URL(testApplicationUrl()).username, usesuper: false });
  });
});
