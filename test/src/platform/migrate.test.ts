import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { MIGRATIONS_DIR, migrate } from '../../../src/platform/migrate';
import { connectPostgres } from '../../../src/platform/postgres';
import { testPostgresUrl } from '../../support/servers';

const fileNames = readdirSync(MIGRATIONS_DIR)
  .sort()
  .map((file) => file.split('.')[2]);

const admin = connectPostgres(testPostgresUrl(), { max: 1 });
afterAll(() => admin.end());

/** An empty database, which `work` is given the address of. */
async function inEmptyDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await admin.unsafe(`CREATE DATABASE ${name}`);
  try {
    return await work(Object.assign(new URL(testPostgresUrl()), { pathname: `/${name}` }).href);
  } finally {
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

test('runs every file once, in order', async () => {
  await inEmptyDatabase(async (url) => {
    expect(await migrate(url)).toEqual(fileNames);
    expect(await migrate(url)).toEqual([]);
  });
});

test('two processes that start at the same time run every file once', async () => {
  await inEmptyDatabase(async (url) => {
    const [one, other] = await Promise.all([migrate(url), migrate(url)]);
    expect([one.length, other.length].sort((a, b) => a - b)).toEqual([0, fileNames.length]);
  });
});

test('a changed file is an error with its number', async () => {
  await inEmptyDatabase(async (url) => {
    await migrate(url);
    const sql = connectPostgres(url, { max: 1 });
    await sql`UPDATE schema_version SET md5 = 'other' WHERE version = 2`;
    await sql.end();
    await expect(migrate(url)).rejects.toThrow(/MD5 checksum failed for migration \[2\]/);
  });
});
