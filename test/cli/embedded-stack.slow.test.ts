import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { type EmbeddedStack, startEmbeddedStack } from '../../cli/embedded-stack';
import { freePort } from '../../packages/embedded-servers/ports';
import { identify, isRunning, processesWithArguments } from '../../packages/embedded-servers/processes';
import { loadConfig } from '../../src/platform/config';
import { connectPostgres } from '../../src/platform/postgres';
import { ensureSearchAttributes } from '../../src/platform/temporal/connection';
import { testTemporalBinary } from '../support/servers';

const folders: string[] = [];
const stacks: EmbeddedStack[] = [];

afterEach(async () => {
  await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
  await Promise.all(folders.splice(0).map((dir) => rm(dir, { recursive: true, force: true })));
});

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'pressline-stack-'));
  await chmod(dir, 0o755);
  folders.push(dir);
  // A developer's stack may use the default ports.
  const ports = { postgres: await freePort(), temporal: await freePort(), temporalUi: await freePort() };
  writeFileSync(join(dir, 'ports.json'), JSON.stringify(ports));
  return dir;
}

const environment = (dir: string) => ({ DATA_DIR: dir, TEMPORAL_CLI_PATH: testTemporalBinary() });

async function start(dir: string): Promise<EmbeddedStack> {
  const stack = await startEmbeddedStack(loadConfig(environment(dir)), () => undefined);
  stacks.push(stack);
  return stack;
}

const runs = async (pid: number): Promise<boolean> => isRunning(await identify(pid));

async function serverPids(dir: string): Promise<{ postgres: number; temporal: number }> {
  const [postgres] = await processesWithArguments('-D', join(dir, 'postgres'));
  const [temporal] = await processesWithArguments('start-dev', join(dir, 'temporal', 'temporal.db'));
  // Between two restarts a server has no process.
  return { postgres: postgres?.pid as number, temporal: temporal?.pid as number };
}

/** Writes a row and starts a workflow, which `expectTraces` finds. */
async function leaveTraces({ postgres, config }: EmbeddedStack): Promise<void> {
  const sql = connectPostgres(postgres!.url, { max: 1 });
  await sql`CREATE TABLE traces AS SELECT 42 AS value`;
  await sql.end();
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS! });
  await new Client({ connection }).workflow.start('trace', { workflowId: 'trace', taskQueue: 'nobody' });
  await connection.close();
}

async function expectTraces({ postgres, config }: EmbeddedStack): Promise<void> {
  const sql = connectPostgres(postgres!.url, { max: 1 });
  expect([...(await sql`SELECT value FROM traces`)]).toEqual([{ value: 42 }]);
  await sql.end();
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS! });
  const { status } = await new Client({ connection }).workflow.getHandle('trace').describe();
  expect(status.name).toBe('RUNNING');
  await connection.close();
}

test('a restart keeps data and addresses, and no server runs after the stop', async () => {
  const dir = await newFolder();
  const first = await start(dir);
  await leaveTraces(first);
  const pids = await serverPids(dir);
  await first.stop();
  expect([await runs(pids.postgres), await runs(pids.temporal)]).toEqual([false, false]);

  const second = await start(dir);
  await expectTraces(second);
  const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_UI_URL } = first.config;
  expect(second.config).toMatchObject({ DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_UI_URL });
  expect((await fetch(TEMPORAL_UI_URL!)).status).toBe(200);
  expect((await stat(join(dir, 'postgres-password'))).mode & 0o777).toBe(0o600);
});

test('search attributes are registered once when several processes register them', async () => {
  const { config } = await start(await newFolder());
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS! });
  await Promise.all([1, 2, 3].map(() => ensureSearchAttributes(connection, 'default')));
  await ensureSearchAttributes(connection, 'default');
  const { customAttributes } = await connection.operatorService.listSearchAttributes({
    namespace: 'default',
  });
  expect(Object.keys(customAttributes)).toEqual(
    expect.arrayContaining(['PresslineOrderStatus', 'PresslineClient', 'PresslinePartner']),
  );
  await connection.close();
});

test('two stacks run side by side when they are configured for the same ports', async () => {
  const [one, other] = [await newFolder(), await newFolder()];
  writeFileSync(join(other, 'ports.json'), await readFile(join(one, 'ports.json')));
  const [first, second] = await Promise.all([start(one), start(other)]);
  await leaveTraces(first);
  await leaveTraces(second);
  await expectTraces(first);
  expect(first.config.TEMPORAL_ADDRESS).not.toBe(second.config.TEMPORAL_ADDRESS);
  expect(new URL(first.config.DATABASE_URL!).port).not.toBe(new URL(second.config.DATABASE_URL!).port);
});

test('a start replaces the partial cluster of a killed first start, and ignores a pid file that names another process', async () => {
  const dir = await newFolder();
  mkdirSync(join(dir, 'postgres.new-1'));
  writeFileSync(join(dir, 'postgres.new-1', 'PG_VERSION'), '18\n');
  const first = await start(dir);
  await leaveTraces(first);
  await first.stop();
  expect((await readdir(dir)).filter((name) => name.startsWith('postgres.new'))).toEqual([]);

  writeFileSync(join(dir, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(dir, 'postgres')}\n`);
  writeFileSync(join(dir, 'stack.json'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
  await expectTraces(await start(dir));
});

test('a server that ends unexpectedly is restarted at its address, with its data', async () => {
  const dir = await newFolder();
  const ends: Error[] = [];
  const stack = await startEmbeddedStack(
    loadConfig(environment(dir)),
    () => undefined,
    (end) => ends.push(end),
  );
  stacks.push(stack);
  const sql = connectPostgres(stack.postgres!.url, { max: 1 });
  await sql`CREATE TABLE kept AS SELECT 1 AS value`;
  const before = await serverPids(dir);
  process.kill(before.temporal, 'SIGKILL');
  process.kill(before.postgres, 'SIGKILL');
  while (ends.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(ends.map(({ message }) => message.split(' (')[0]).sort()).toEqual([
    'Postgres has ended',
    'Temporal has ended',
  ]);
  const connection = await Connection.connect({ address: stack.config.TEMPORAL_ADDRESS! });
  await connection.workflowService.describeNamespace({ namespace: 'default' });
  await connection.close();
  expect(await sql`SELECT value FROM kept`).toEqual([{ value: 1 }]);
  await sql.end();
});

test('the stack fails when a server keeps ending, with the end of its log', async () => {
  const dir = await newFolder();
  const stack = await start(dir);
  let failure: Error | undefined;
  stack.failure.then((error) => {
    failure = error;
  });
  while (failure === undefined) {
    const { temporal } = await serverPids(dir);
    if (temporal !== undefined) process.kill(temporal, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(failure.message).toMatch(/^Temporal (has ended \(SIGKILL\)|did not start)/);
});

test('a start runs no server when the configuration names both', async () => {
  const dir = await newFolder();
  const named = { DATABASE_URL: 'postgresql://db.example/orders', TEMPORAL_ADDRESS: 'temporal.example:7233' };
  const stack = await startEmbeddedStack(loadConfig({ DATA_DIR: dir, ...named }), () => undefined);
  stacks.push(stack);
  expect(stack.config).toMatchObject({ ...named, OUTBOUND_ALLOW_PRIVATE: false });
  expect(await readdir(dir)).not.toContain('postgres');
});
