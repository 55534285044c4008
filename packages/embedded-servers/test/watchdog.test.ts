import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually';
import { type RunningServer, runServer } from '../running-server';
import { startWatchdog } from '../supervisor';

let folder: string;
let health: Server;
let healthUrl: string;
/** Status of the response to each health check, by its number. */
let status: (check: number) => number;
let checks: number;
let server: RunningServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pressline-stuck-'));
  status = () => 200;
  checks = 0;
  health = createServer((_req, res) => {
    checks += 1;
    res.writeHead(status(checks)).end();
  });
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

test('a server that fails two health checks in a row is kept', async () => {
  let ended = false;
  void server.died.then(() => {
    ended = true;
  });
  status = (check) => (check <= 2 ? 503 : 200);
  startWatchdog(server, healthUrl, 50);
  await eventually(async () => (checks >= 10 ? true : undefined));
  expect(ended).toBe(false);
});

test('a server that keeps failing its health check is killed, which its supervisor treats as an unexpected end', async () => {
  startWatchdog(server, healthUrl, 50);
  status = () => 503;
  const end = await server.died;
  expect(end?.message).toContain('Sleeper has ended (SIGKILL)');
});

test('a server that was stopped is not checked', async () => {
  startWatchdog(server, healthUrl, 50);
  status = () => 503;
  await server.stop();
  expect(await server.died).toBeUndefined();
});
