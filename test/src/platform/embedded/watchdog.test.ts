import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningServer, runServer } from '../../../../src/platform/embedded/running-server';
import { startWatchdog } from '../../../../src/platform/embedded/watchdog';

// Runs servers, and waits for time-outs.
jest.setTimeout(120_000);

let folder: string;
let health: Server;
let healthUrl: string;
let status = 200;
let server: RunningServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pressline-stuck-'));
  status = 200;
  health = createServer((_req, res) => res.writeHead(status).end());
  await new Promise<void>((resolve) => health.listen(0, '127.0.0.1', resolve));
  healthUrl = `http://127.0.0.1:${(health.address() as AddressInfo).port}/`;
  server = await runServer({
    name: 'Sleeper',
    path: process.execPath,
    args: ['-e', 'setInterval(() => undefined, 1000)'],
    env: process.env,
    stopSteps: [['SIGTERM', 5_000]],
    logFile: join(folder, 'log'),
  });
});
afterEach(async () => {
  await server.stop();
  health.close();
  await rm(folder, { recursive: true, force: true });
});

/** Whether the server is there after so many looks at it. */
const isThereAfter = (looks: number) =>
  Promise.race([server.died.then(() => false), sleep(looks * 50 + 400, true)]);

test('a server that answers is left alone, and so is one that misses two answers', async () => {
  startWatchdog(server, healthUrl, 50);
  status = 503;
  await sleep(120);
  status = 200;
  expect(await isThereAfter(5)).toBe(true);
});

test('a server that answers no more is killed, which its keeper sees as an end unasked', async () => {
  startWatchdog(server, healthUrl, 50);
  status = 503;
  const end = await server.died;
  expect(end?.message).toContain('Sleeper has ended (SIGKILL)');
});

test('one that was stopped is not looked at again', async () => {
  startWatchdog(server, healthUrl, 50);
  status = 503;
  await server.stop();
  expect(await server.died).toBeUndefined();
});
