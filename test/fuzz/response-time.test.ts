import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStopwatch, isSlow, type Stopwatch } from './response-time';

const LIMIT_MS = 500;

const PROBE_MS = 5;
/** What probes wait for. */
let gate: Promise<void>;
let probesServed = 0;
let server: Server;
let stopwatch: Stopwatch;

beforeAll(async () => {
  server = createServer((_request, response) => {
    setTimeout(async () => {
      await gate;
      probesServed += 1;
      response.end();
    }, PROBE_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopwatch = await createStopwatch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, LIMIT_MS);
});
beforeEach(() => {
  gate = Promise.resolve();
  probesServed = 0;
});
afterAll(async () => {
  stopwatch.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a request that waits while other requests are served is slow', async () => {
  const end = stopwatch.start();
  const startedAt = performance.now();
  // 60 probes of at least 5 ms are more than half the limit.
  while (probesServed < 60 || performance.now() - startedAt <= LIMIT_MS) await wait(20);
  expect(isSlow(end(), LIMIT_MS)).toBe(true);
});

test('a request that blocks the process is slow', () => {
  const end = stopwatch.start();
  const until = process.cpuUsage().user + (LIMIT_MS + 100) * 1_000;
  while (process.cpuUsage().user < until) Math.sqrt(2);
  expect(isSlow(end(), LIMIT_MS)).toBe(true);
});

test('a request is not slow when probes wait like the request', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const end = stopwatch.start();
  await wait(LIMIT_MS + 50);
  const time = end();
  resolve();
  expect(time.ms).toBeGreaterThan(LIMIT_MS);
  // Not the CPU time, which other work of this process may use.
  expect(isSlow({ ...time, cpuMs: 0 }, LIMIT_MS)).toBe(false);
});

test('a request within the limit is not slow', async () => {
  const end = stopwatch.start();
  await wait(20);
  expect(isSlow(end(), LIMIT_MS)).toBe(false);
});
