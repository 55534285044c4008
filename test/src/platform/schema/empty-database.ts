import { randomBytes } from 'node:crypto';
import { connectPostgres, type Sql } from '../../../../src/platform/postgres';
import { testPostgresUrl } from '../../../support/servers';

const admin = connectPostgres(testPostgresUrl(), { max: 1 });
afterAll(() => admin.end());

/** Runs `work` with an empty database and a connection to it, of the role that owns its tables. */
export async function inEmptyDatabase<T, Connection extends Pick<Sql, 'end'> = Sql>(
  work: (url: string, sql: Connection) => Promise<T>,
  open = (url: string) => connectPostgres(url, { max: 3 }) as Pick<Sql, 'end'> as Connection,
): Promise<T> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await admin.unsafe(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(testPostgresUrl()), { pathname: `/${name}` }).href;
  const sql = open(url);
  try {
    return await work(url, sql);
  } finally {
    await sql.end({ timeout: 1 });
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}
