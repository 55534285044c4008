import { randomBytes } from 'node:crypto';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/embedded-servers/ports';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { randomToken } from '../../src/platform/ids';
import { testAccount } from '../support/api-deps';
import { testDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { testTemporalAddress } from '../support/servers';
import { DataFolder, Program } from './stack-process';

const PROBE_EVERY_MS = 100;
const folders: DataFolder[] = [];
const programs: Program[] = [];
let balancer: Server | undefined;
let probing: NodeJS.Timeout | undefined;

afterAll(async () => {
  clearInterval(probing);
  balancer?.closeAllConnections();
  balancer?.close();
  for (const program of programs) {
    program.kill('SIGKILL');
    await program.exit;
  }
  for (const folder of folders) await folder.remove();
});

/** Returns the HTTP status and the body's status of /readyz. */
async function readiness(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  const { status } = (await response.json()) as { status: string };
  return `${response.status} ${status}`;
}

/**
 * Starts a load balancer: it forwards requests in turn to the `ready` servers. It leaves a server out when /readyz says that it
 * is stopping, or does not respond. A server that is too busy to check its dependencies still serves. No retries.
 */
async function startBalancer(ports: readonly number[]) {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<number>();
  probing = setInterval(() => {
    for (const port of ports)
      readiness(port).then(
        (status) => (status === '200 ready' ? ready.add(port) : status === '503 stopping' && ready.delete(port)),
        () => ready.delete(port),
      );
  }, PROBE_EVERY_MS);
  let turn = 0;
  balancer = createServer((incoming, outgoing) => {
    const [...list] = ready;
    turn += 1;
    const forwarded = request(
      {
        agent,
        port: list[turn % list.length],
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
      },
      (incoming) => {
        outgoing.writeHead(incoming.statusCode!, incoming.headers);
        incoming.pipe(outgoing);
      },
    );
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => balancer!.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`, ready };
}

test('no request fails while one of two API processes restarts', async () => {
  const { url, sql } = await testDatabase();
  const client = await testAccount(sql, 'client');
  const ports = [await freePort(), await freePort()];
  const shared = {
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: testTemporalAddress(),
    PUBLIC_URL: 'http://127.0.0.1:1',
    LINK_SECRET: randomToken(32),
    SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
    RATE_LIMIT: '0',
    METRICS_PORT: 'off',
    // On a busy machine the balancer needs seconds to see that a server is not ready.
    SHUTDOWN_DELAY: '8s',
    LOG_FORMAT: 'json',
  };
  const start = async (port: number) => {
    const folder = await new DataFolder().withFreePorts();
    folders.push(folder);
    const program = Program.start('api', { ...folder.environment, ...shared, PORT: String(port) });
    programs.push(program);
    await program.printed('API is up');
    return program;
  };
  const [first] = await Promise.all(ports.map(start));
  const { baseUrl, ready } = await startBalancer(ports);
  const untilReady = () => eventually(async () => (ready.size === ports.length ? true : undefined));
  await untilReady();

  let isRestarting = true;
  const outcomes = new Map<string, number>();
  const clients = Array.from({ length: 4 }, async () => {
    while (isRestarting) {
      const response = await fetch(`${baseUrl}/v1/webhooks`, { headers: client.keyAndSecret });
      const outcome = `${response.status} ${response.ok ? '' : await response.text()}`.trim();
      if (response.ok) await response.arrayBuffer();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await sleep(5);
    }
  });
  const moreResponses = async (count: number) => {
    const before = outcomes.get('200') ?? 0;
    await eventually(async () => ((outcomes.get('200') ?? 0) - before > count ? true : undefined));
  };
  await moreResponses(40);
  first!.kill('SIGTERM');
  // Not ready, and still listening, for load balancers that are slow to see it.
  await eventually(async () => ((await readiness(ports[0]!)) === '503 stopping' ? true : undefined));
  expect(await first!.exit).toBe(0);
  await start(ports[0]!);
  await untilReady();
  await moreResponses(40);
  isRestarting = false;
  await Promise.all(clients);

  expect([...outcomes.keys()]).toEqual(['200']);
});
