import { cp, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectPostgres, type Sql } from '../../../src/platform/postgres';
import { migrate } from '../../../src/platform/schema/migrate';
import { isUnavailable } from '../../../src/platform/unavailable';
import { type EmbeddedPostgres, startPostgres } from '../postgres-server';

/** An asynchronous standby takes over, and has not received what its primary issued last. */

const folders: string[] = [];
const running: EmbeddedPostgres[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  for (const dir of folders.splice(0)) {
    const linked = await readlink(join(dir, 'postgres')).catch(() => undefined);
    if (linked !== undefined) await rm(dirname(linked), { recursive: true, force: true });
    await rm(dir, { recursive: true, force: true });
  }
});

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pressline-promotion-'));
  folders.push(dir);
  return dir;
}

/** Runs `work` with a server that writes the log that standbys need. */
async function withPostgres<T>(dir: string, work: (sql: Sql, server: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const server = await startPostgres(dir, () => undefined, { wal_level: 'replica', max_wal_senders: '2' });
  running.push(server);
  const sql = connectPostgres(server.url, { max: 4 });
  try {
    return await work(sql, server);
  } finally {
    await sql.end();
    await server.stop();
    running.splice(running.indexOf(server), 1);
  }
}

const serials = async (sql: Sql, count: number) =>
  await Promise.all(
    Array.from({ length: count }, async () => {
      const [row] = await sql<{ serial: string }[]>`SELECT next_serial('s10_serials') AS serial`;
      return Number(row!.serial);
    }),
  );

test('a promoted standby issues no number that its lost primary has issued', async () => {
  const [primary, standby] = [await newFolder(), await newFolder()];
  await withPostgres(primary, async (sql, { url }) => {
    await migrate(url);
    await serials(sql, 10);
  });
  await cp(primary, standby, { recursive: true, dereference: true, preserveTimestamps: true });
  const lost = await withPostgres(primary, (sql) => serials(sql, 200));

  const cluster = join(standby, 'postgres');
  await writeFile(join(cluster, 'standby.signal'), '');
  await withPostgres(standby, async (sql) => {
    // Before the promotion the server refuses writes, which a client can repeat.
    expect(await sql`SELECT FROM issued_ids FOR UPDATE`.catch(isUnavailable)).toBe(true);
    await sql`SELECT pg_promote()`;
    const issued = await serials(sql, 200);
    expect(new Set([...lost, ...issued]).size).toBe(400);
    expect(Math.min(...issued)).toBeGreaterThan(Math.max(...lost) + 900_000);
    expect(Math.max(...issued)).toBeLessThan(Math.max(...lost) + 1_001_000);
    expect([...(await sql`SELECT timeline FROM issued_ids`)]).toEqual([{ timeline: 2 }]);
  });
});
