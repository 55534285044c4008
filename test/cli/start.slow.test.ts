import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { onDatabase } from '../../cli/database-target';
import { runningPostgresUrl } from '../../packages/embedded-servers/postgres-server';
import { isRunning } from '../../packages/embedded-servers/processes';
import { sampleOrder } from '../../sandbox/demo/sample-order';
import { loadConfig } from '../../src/platform/config';
import { testDatabase } from '../support/database';
import { bash, blocks } from '../support/pages';
import { type DataFolder, type Program, programFixture } from './stack-process';

const READY = 'Press Ctrl-C to stop.';
const programs = programFixture();

async function start(folder: DataFolder, environment: NodeJS.ProcessEnv = {}): Promise<Program> {
  const program = programs.start('start', { ...folder.environment, ...environment });
  await program.printed(READY);
  return program;
}

async function submit(folder: DataFolder, reference: string): Promise<string> {
  const { id } = await folder.client.submitOrder({ body: sampleOrder(reference, folder.sandboxUrl) });
  return id;
}

async function waitForStatus(folder: DataFolder, orderId: string, ...statuses: string[]): Promise<void> {
  for (;;) {
    const { fulfillmentStatus } = await folder.client.getOrder({ params: { orderId } });
    if (statuses.includes(fulfillmentStatus)) return;
    if (['failed', 'on_hold', 'canceled'].includes(fulfillmentStatus)) throw new Error(fulfillmentStatus);
    await sleep(50);
  }
}

/** Asserts one print order per order, received once, one label per parcel, and no parcel without an order. */
async function expectMadeOnce(folder: DataFolder, orderIds: readonly string[]): Promise<void> {
  const orders = await Promise.all(orderIds.map((orderId) => folder.client.getOrder({ params: { orderId } })));
  const { partners, parcels } = await folder.seen();
  const printOrders = Object.values(partners).flatMap((partner) => partner.printOrders);
  expect(printOrders).toHaveLength(orders.length);
  const codes: string[] = [];
  for (const { items, shipment } of orders) {
    const ids = new Set(items.flatMap(({ printJobs }) => printJobs.map((job) => job.printOrderId)));
    const seen = printOrders.filter(({ printOrderId }) => ids.has(printOrderId));
    const labels = new Set(shipment!.packages.map(({ trackingCode }) => trackingCode));
    expect(seen).toEqual([
      expect.objectContaining({
        distinctContents: 1,
        distinctWebhookIds: 1,
        distinctLabels: labels.size,
        state: 'finished',
      }),
    ]);
    codes.push(...labels);
  }
  expect(parcels.map(({ trackingNumber }) => trackingNumber).sort()).toEqual(codes.sort());
}

test('orders survive kills of the whole stack and of the main process, and are produced once; Ctrl-C stops every server; a copy of the folder has the orders', async () => {
  const folder = await programs.newFolder();
  const killed = await start(folder);
  const inProduction = await submit(folder, 'in production');
  await waitForStatus(folder, inProduction, 'in_production', 'printed');
  const fetching = await submit(folder, 'fetching files');
  await waitForStatus(folder, fetching, 'uploading');
  const justTaken = await submit(folder, 'just taken');
  killed.kill('SIGKILL');
  for (const { pid } of await folder.servers()) process.kill(pid, 'SIGKILL');
  expect(await killed.exit).toBe('SIGKILL');

  const resumed = await start(folder);
  const afterwards = await submit(folder, 'our own process killed');
  await waitForStatus(folder, afterwards, 'in_production', 'printed');
  resumed.kill('SIGKILL');
  expect(await resumed.exit).toBe('SIGKILL');
  expect(await folder.servers()).toHaveLength(2);

  const last = await start(folder);
  const servers = await folder.servers();
  expect(servers).toHaveLength(2);
  for (const id of [inProduction, fetching, justTaken, afterwards]) await waitForStatus(folder, id, 'delivered');
  await expectMadeOnce(folder, [inProduction, fetching, justTaken, afterwards]);

  last.kill('SIGINT');
  expect(await last.exit).toBe(0);
  expect(last.output).toContain('Stopped.');
  expect(await Promise.all(servers.map(isRunning))).toEqual([false, false]);

  const [copy, restore] = blocks('operation/backup-and-recovery', 'sh')[0]!.split('\n');
  const [, name] = /DATA_DIR=(\S+)/.exec(restore!)!;
  const backup = await programs.newFolder();
  const commands = copy!.replace(' .data ', ` ${folder.path}/. `).replace(name!, backup.path);
  expect(await bash(commands)).toMatchObject({ code: 0, stderr: '' });
  await start(backup);
  await waitForStatus(backup, inProduction, 'delivered');
});

test('Ctrl-C during the start stops every server', async () => {
  const folder = await programs.newFolder();
  const stack = programs.start('start', folder.environment);
  while ((await folder.servers()).length === 0) await sleep(20);
  stack.kill('SIGINT');
  expect(await stack.exit).toBe(130);
  for (const end = Date.now() + 20_000; (await folder.servers()).length > 0; await sleep(100)) {
    if (Date.now() > end) throw new Error('A server is still running');
  }
});

test('two stacks run side by side; a third with the same folder or port ends with one line', async () => {
  const [one, other] = [await programs.newFolder(), await programs.newFolder()];
  const [first] = await Promise.all([start(one), start(other)]);

  const sameFolder = programs.start('start', { ...one.environment, PORT: '0' });
  expect(await sameFolder.exit).toBe(1);
  expect(sameFolder.lines).toEqual([
    expect.stringMatching(new RegExp(`in use by a running Pressline \\(process ${first.pid}\\)\\. .*DATA_DIR`)),
  ]);
  const { PORT } = one.environment;
  const samePort = programs.start('start', { ...(await programs.newFolder()).environment, PORT });
  expect(await samePort.exit).toBe(1);
  expect(samePort.lines).toEqual([expect.stringMatching(/ PORT: .*EADDRINUSE/)]);

  for (const folder of [one, other]) {
    const id = await submit(folder, 'side by side');
    await waitForStatus(folder, id, 'shipped', 'in_transit');
  }
});

test.each([
  ['PORT', 'http'],
  ['SANDBOX', 'sometimes'],
  ['FILE_RETRY_WINDOW', '1 hour'],
  ['DATABASE_URL', 'mysql://localhost/orders'],
])('an invalid %s ends the start with one line that names it', async (name, value) => {
  const folder = await programs.newFolder();
  const program = programs.start('start', { ...folder.environment, [name]: value });
  expect(await program.exit).toBe(1);
  expect(program.lines).toEqual([expect.stringContaining(`${name}: `)]);
});

describe('start without demo accounts', () => {
  const accounts = (url: string) =>
    onDatabase(
      { config: { ...loadConfig(), DATABASE_URL: url }, log: pino({ enabled: false }) },
      'test',
      (sql) => sql`SELECT FROM accounts`,
    );

  async function expectNoKey(folder: DataFolder, environment: NodeJS.ProcessEnv, databaseUrl: () => Promise<string>) {
    const program = await start(folder, environment);
    expect(program.output).toContain('Keys         none');
    expect(program.output).not.toMatch(/X-API-KEY|#token=|^Sandbox/m);
    expect(readdirSync(folder.path)).not.toContain('credentials.json');
    expect(await accounts(await databaseUrl())).toHaveLength(0);
  }

  test('a start with a DATABASE_URL of its own creates no account, prints no key and starts no sandbox', async () => {
    const { url } = await testDatabase();
    await expectNoKey(await programs.newFolder(), { DATABASE_URL: url }, async () => url);
  });

  test('so does a start with NODE_ENV=production on its embedded database', async () => {
    const folder = await programs.newFolder();
    await expectNoKey(folder, { NODE_ENV: 'production' }, async () => (await runningPostgresUrl(folder.path))!);
  });

  test.each([{ DATABASE_URL: 'postgres://pressline@127.0.0.1:1/none' }, { NODE_ENV: 'production' }])(
    'the demo refuses %j before it starts a server',
    async (environment) => {
      const program = programs.start('demo', { ...(await programs.newFolder()).environment, ...environment });
      expect(await program.exit).toBe(1);
      expect(program.lines).toEqual([expect.stringContaining('The demo creates demo accounts')]);
    },
  );
});
