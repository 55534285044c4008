import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { readingStandby } from '../../../api/http/standby';
import { allRoutes } from '../../../api/routes';
import { copyAsStandby, STREAMING } from '../../../bench/support/processes/streaming-standby';
import { type EmbeddedPostgres, startPostgres } from '../../../packages/embedded-servers/postgres-server';
import { connectPostgres, type Sql } from '../../../src/platform/postgres';
import { migrate } from '../../../src/platform/schema/migrate';
import { connectStandby, type Standby } from '../../../src/platform/standby';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { eventually } from '../../support/eventually';

/** Lists and searches read a standby that streams from the primary. */

const folders: string[] = [];
const running: EmbeddedPostgres[] = [];
let primary: EmbeddedPostgres;
let copy: EmbeddedPostgres;
let sql: Sql;
let standby: Standby;
let app: Express;
let operator: TestAccount;
let deps: ApiDeps;

async function start(folder: string): Promise<EmbeddedPostgres> {
  const server = await startPostgres(folder, () => undefined, STREAMING);
  running.push(server);
  return server;
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pressline-standby-'));
  folders.push(folder);
  return folder;
}

beforeAll(async () => {
  const [original, copied] = [await newFolder(), await newFolder()];
  primary = await start(original);
  await migrate(primary.url);
  await primary.stop();
  await copyAsStandby(original, copied, primary.url);
  primary = await start(original);
  copy = await start(copied);

  sql = connectPostgres(primary.url, { max: 4 });
  deps = await testApiDeps(sql);
  standby = connectStandby(sql, copy.url, 4, deps.metrics);
  app = createApp(deps, readingStandby(allRoutes(deps), allRoutes({ ...deps, sql: standby.sql }), standby));
  operator = await testAccount(sql, 'operator');
});

afterAll(async () => {
  await Promise.all([sql?.end(), standby?.sql.end()]);
  for (const server of running) await server.stop();
  for (const folder of folders) {
    const linked = await readlink(join(folder, 'postgres')).catch(() => undefined);
    if (linked !== undefined) await rm(dirname(linked), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  }
});

async function reads(): Promise<{ standby: number; primary: number }> {
  const text = await deps.metrics.expose();
  const of = (server: string) =>
    Number(new RegExp(`^pressline_standby_reads_total\\{server="${server}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { standby: of('standby'), primary: of('primary') };
}

/** Creates a client, and returns true when the list that is read next has it. */
async function seesItsWrite(name: string): Promise<boolean> {
  await request(app).post('/v1/connectors').set(operator.key).send({ name }).expect(200);
  const { body } = await request(app).get('/v1/connectors').query({ limit: 100 }).set(operator.key).expect(200);
  return (body.connectors as { name: string }[]).some((client) => client.name === name);
}

/** Waits until a list has been read on the standby. */
const untilOnStandby = (name: string) =>
  eventually(async () => {
    const before = await reads();
    expect(await seesItsWrite(`${name} ${before.standby} ${before.primary}`)).toBe(true);
    return (await reads()).standby > before.standby ? true : undefined;
  });

test('callers see what they have written, on a standby that follows, lags, follows again, or is away', async () => {
  await untilOnStandby('follows');
  const admin = connectPostgres(copy.url, { max: 1 });
  try {
    await admin`SELECT pg_wal_replay_pause()`;
    const before = await reads();
    expect(await seesItsWrite('lags')).toBe(true);
    expect(await reads()).toEqual({ standby: before.standby, primary: before.primary + 1 });
    await admin`SELECT pg_wal_replay_resume()`;
    await untilOnStandby('follows again');
  } finally {
    await admin.end();
  }
  await copy.stop();
  const before = await reads();
  expect(await seesItsWrite('away')).toBe(true);
  expect((await reads()).primary).toBe(before.primary + 1);
});

test('only what reads is read on a standby', () => {
  const onStandby = allRoutes(deps).filter((route) => route.onStandby);
  expect(onStandby.length).toBeGreaterThan(20);
  const writing = onStandby.filter(
    ({ method, isRead, audits }) => (method !== 'get' && !isRead) || audits !== undefined,
  );
  expect(writing.map(({ operationId }) => operationId)).toEqual([]);
});
