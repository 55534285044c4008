import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { TEMPLATE_DATABASE } from './server-variables';
import { testPostgresUrl } from './servers';

export interface TestDatabase {
  readonly url: string;
  readonly sql: Sql;
  /** Ends `sql` and drops the database; fails when the test left other connections open. */
  drop(): Promise<void>;
}

const open: (() => Promise<void>)[] = [];

// The environment (environment.ts) knows it by its name and runs it last.
afterAll(async function dropTestDatabases() {
  for (const drop of open) await drop();
});

/**
 * A fresh, migrated database, dropped after the last test and the last afterAll of the file. Ids made by the database start at a random number, since workflow ids are made of them and all
 * tests share a Temporal namespace.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = connectPostgres(testPostgresUrl(), { max: 1, applicationName: 'test-admin' });
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  const url = Object.assign(new URL(testPostgresUrl()), { pathname: `/${name}` }).href;
  const sql = connectPostgres(url, { max: 10, applicationName: 'test' });
  await sql`
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass,
                  coalesce(last_value, start_value) + ${String(randomInt(1, 1_000_000) * 1_000_000)}::bigint)
    FROM pg_sequences
    WHERE data_type = 'bigint'::regtype`;

  let dropped: Promise<void> | undefined;
  const drop = () => {
    dropped ??= (async () => {
      await sql.end({ timeout: 2 });
      const leaked = await connectionsLeft(admin, name);
      await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end({ timeout: 2 });
      if (leaked.length > 0)
        throw new Error(`connections left open to the test database: ${leaked.join(', ')}`);
    })();
    return dropped;
  };
  open.push(drop);
  return { url, sql, drop };
}

/** Names of the connections that are still there after two seconds: closing ones take a moment to go. */
async function connectionsLeft(admin: Sql, database: string): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const rows = await admin<{ applicationName: string }[]>`
      SELECT application_name FROM pg_stat_activity WHERE datname = ${database} AND backend_type = 'client backend'`;
    if (rows.length === 0 || tries === 40) return rows.map(({ applicationName }) => applicationName);
    await sleep(50);
  }
}
