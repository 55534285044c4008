import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { eventually } from './eventually';
import { SERVER_VARIABLES, TEMPLATE_DATABASE } from './server-variables';
import { testApplicationUrl, testPostgresUrl } from './servers';

export interface TestDatabase {
  /** URL of the application's role. */
  readonly url: string;
  /** The same without the pooler. */
  readonly directUrl: string;
  /** A pool of the application's role, as the API and the worker use it. */
  readonly sql: Sql;
  /** URL of the role that owns the tables. */
  readonly ownerUrl: string;
  /** A connection of the role that owns the tables. */
  readonly owner: Sql;
  /** Runs statements as the owner, and gives the application's role its rights on the tables that they create. */
  asOwner(statements: string): Promise<void>;
  /** Ends `sql` and drops the database; fails when the test left other connections open. */
  drop(): Promise<void>;
}

const open: (() => Promise<void>)[] = [];

/**
 * Connections of each pool of the application's role. With TEST_POOL_SIZE=1 code that takes a second connection while it holds
 * one gets none, but requests cannot run at the same time in Postgres, which tests of races need. Each connection more costs the
 * time in which its session learns the tables.
 */
export const TEST_POOL_SIZE = process.env.TEST_POOL_SIZE ?? '4';

// The environment (environment.js) knows it by its name and runs it last.
afterAll(async function dropTestDatabases() {
  for (const drop of open) await drop();
});

/**
 * A fresh, migrated database, dropped after the last test and the last afterAll of the file. Ids made by the database
 * start at a random number, since workflow ids are made of them and all tests share a Temporal namespace.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = connectPostgres(testPostgresUrl(), { max: 1, applicationName: 'test-admin' });
  // A copy of the files takes 26 ms of CPU with its removal, one through the write-ahead log 50 ms (Postgres 18.4, in memory).
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`);
  const inDatabase = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const directUrl = inDatabase(testApplicationUrl());
  const url = throughPooler(directUrl);
  const ownerUrl = inDatabase(testPostgresUrl());
  const sql = connectPostgres(url, { max: Number(TEST_POOL_SIZE), applicationName: 'test' });
  const owner = connectPostgres(ownerUrl, { max: 1, applicationName: 'test-owner' });
  await owner`
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass,
                  coalesce(last_value, start_value) + ${String(randomInt(1, 1_000_000) * 1_000_000)}::bigint)
    FROM pg_sequences
    WHERE data_type = 'bigint'::regtype`;

  let dropped: Promise<void> | undefined;
  const drop = () => {
    dropped ??= (async () => {
      await Promise.all([sql.end({ timeout: 2 }), owner.end({ timeout: 2 })]);
      const leaked = url === directUrl ? await connectionsLeft(admin, name) : [];
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end({ timeout: 2 });
      if (leaked.length > 0) throw new Error(`connections left open to the test database: ${leaked.join(', ')}`);
    })();
    return dropped;
  };
  open.push(drop);
  const asOwner = async (statements: string) => {
    await owner.unsafe(statements);
    await owner`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${owner(new URL(url).username)}`;
  };
  return { url, directUrl, sql, ownerUrl, owner, asOwner, drop };
}

/** Returns the address of a database behind the pooler, when there is one. */
function throughPooler(url: string): string {
  const host = process.env[SERVER_VARIABLES.pooler];
  // The PgBouncer of Debian 12 knows no prepared statements.
  const search = '?pooler=transaction&prepare=false';
  return host === undefined ? url : Object.assign(new URL(url), { host, search }).href;
}

/** Waits until a statement of the database waits for a lock. @param words of the statement */
export const untilLocked = (sql: Sql, words: string): Promise<unknown> =>
  eventually(async () => {
    const [waiting] = await sql`
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`%${words}%`}`;
    return waiting;
  });

/** Names of the connections that are still there after two seconds: closing ones take a moment to go. */
async function connectionsLeft(admin: Sql, database: string): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const rows = await admin<{ applicationName: string }[]>`
      SELECT application_name FROM pg_stat_activity WHERE datname = ${database} AND backend_type = 'client backend'`;
    if (rows.length === 0 || tries === 40) return rows.map(({ applicationName }) => applicationName);
    await sleep(50);
  }
}
