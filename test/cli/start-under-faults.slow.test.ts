import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type CutProxy, startCutProxy } from '../../bench/faults/cut-proxy';
import { runningPostgresUrl } from '../../packages/embedded-servers/postgres-server';
import { sampleOrder } from '../../sandbox/demo/sample-order';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';
import { testDatabase } from '../support/database';
import { testTemporalAddress } from '../support/servers';
import { type Program, programFixture } from './stack-process';

const CONNECTIONS_TO_END = 8;
const MOST_STARTS = 10;
/** The last line that `start` prints when the whole stack is up. */
const UP = 'Press Ctrl-C to stop.';
const programs = programFixture();
const proxies: CutProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

/**
 * Calls `fault`, which returns the number of connections that it ended, until it has ended enough connections or the
 * program has printed that it is up: a program that is up opens new connections only seldom.
 */
async function endConnections(program: Program, ready: string, fault: () => number | Promise<number>): Promise<void> {
  for (let ended = 0; ended < CONNECTIONS_TO_END && !program.output.includes(ready); await sleep(20)) {
    expect(program.child.exitCode).toBeNull();
    ended += await fault();
  }
}

async function newProxy(port: () => number): Promise<CutProxy> {
  const proxy = await startCutProxy(0, () => [port()]);
  proxies.push(proxy);
  return proxy;
}

test.each([
  ['worker', 'worker is up'],
  ['api', 'API is up'],
])('%s starts although its connections to Postgres and Temporal are cut meanwhile', async (command, ready) => {
  const { url } = await testDatabase();
  const folder = await programs.newFolder();
  const toPostgres = await newProxy(() => Number(new URL(url).port));
  const toTemporal = await newProxy(() => Number(testTemporalAddress().split(':')[1]));
  const environment = {
    ...folder.environment,
    DATABASE_URL: Object.assign(new URL(url), { port: String(toPostgres.port) }).href,
    TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
    TEMPORAL_TASK_QUEUE: `test-${randomToken(9)}`,
    PUBLIC_URL: 'http://127.0.0.1:1',
    LINK_SECRET: randomToken(32),
    SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    METRICS_PORT: '0',
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
    LOG_FORMAT: 'json',
  };
  // The cuts of a start can all meet connections that no step needs.
  for (let starts = 1, hasWaited = false; !hasWaited; starts += 1) {
    expect(starts).toBeLessThanOrEqual(MOST_STARTS);
    const program = programs.start(command, environment);
    await endConnections(program, ready, () => toPostgres.cut() + toTemporal.cut());
    await program.printed(ready);
    hasWaited = program.output.includes('the start waits for it');
    program.kill('SIGTERM');
    expect(await program.exit).toBe(0);
  }
});

test('start completes although its Postgres server ends every connection, and dies once', async () => {
  const folder = await programs.newFolder();
  const program = programs.start('start', { ...folder.environment, LOG_FORMAT: 'json', METRICS_PORT: '0' });
  let url: string | undefined;
  while (url === undefined) {
    await sleep(20);
    url = await runningPostgresUrl(folder.path).catch(() => undefined);
  }
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  await endConnections(program, UP, async () => {
    const ended = await admin`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'pressline%'`.catch(() => ({ count: 0 }));
    return ended.count;
  });
  await admin.end({ timeout: 1 });
  const [postmaster] = (await readFile(join(folder.path, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(postmaster), 'SIGKILL');
  await program.printed(UP);

  const { id } = await folder.client.submitOrder({ body: sampleOrder('after the faults', folder.sandboxUrl) });
  for (let status = ''; status !== 'delivered'; await sleep(100))
    status = (await folder.client.getOrder({ params: { orderId: id } })).fulfillmentStatus;
});
