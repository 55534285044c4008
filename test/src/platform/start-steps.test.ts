import pino from 'pino';
import { type CutProxy, startCutProxy } from '../../../bench/faults/cut-proxy';
import { freePort } from '../../../packages/embedded-servers/ports';
import { migrate } from '../../../src/platform/schema/migrate';
import { startSteps } from '../../../src/platform/start-steps';
import { testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

const lines: { msg: string; step: string }[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
const step = startSteps({ START_TIMEOUT: 60_000 }, log);
let url: string;
let proxy: CutProxy | undefined;

beforeAll(async () => {
  ({ ownerUrl: url } = await testDatabase());
});
beforeEach(() => {
  lines.length = 0;
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

const at = (port: number) => Object.assign(new URL(url), { port: String(port) }).href;
const postgresPort = () => Number(new URL(url).port);

test('a start waits for a server that comes up later, and logs it once', async () => {
  const port = await freePort();
  const migrated = step('migrate the database', () => migrate(at(port)));
  let isDone = false;
  void migrated.then(() => {
    isDone = true;
  });
  await eventually(async () => lines[0]);
  expect(isDone).toBe(false);
  proxy = await startCutProxy(port, () => [postgresPort()]);
  await migrated;
  expect(lines).toEqual([
    expect.objectContaining({
      step: 'migrate the database',
      msg: 'a server is unavailable; the start waits for it',
    }),
  ]);
});

test('a step whose connection is cut is repeated', async () => {
  proxy = await startCutProxy(0, () => [postgresPort()]);
  const { port, cut } = proxy;
  let cuts = 0;
  const cutting = setInterval(() => {
    cuts += cut();
    if (cuts >= 3) clearInterval(cutting);
  }, 1);
  expect(await step('migrate the database', () => migrate(at(port)))).toEqual([]);
  clearInterval(cutting);
  expect(cuts).toBeGreaterThanOrEqual(3);
});

test('a database that does not exist fails at once', async () => {
  const elsewhere = Object.assign(new URL(url), { pathname: '/no-such-database' }).href;
  await expect(step('migrate', () => migrate(elsewhere))).rejects.toMatchObject({ code: '3D000' });
  expect(lines).toEqual([]);
});

test('a start fails after START_TIMEOUT with the step and the reason', async () => {
  const port = await freePort();
  const impatient = startSteps({ START_TIMEOUT: 1_000 }, log);
  const error = await impatient('migrate the database', () => migrate(at(port))).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'StartTimedOut' });
  expect(error.message).toMatch(/^migrate the database: gave up after 1 s: .*ECONNREFUSED/);
});
