import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPartner } from '../../kits/partner-kit/check-partner';
import { startCheckListener } from '../../kits/partner-kit/listener';
import { createSend } from '../../kits/partner-kit/sender';
import { freePort } from '../../packages/embedded-servers/ports';
import { PRODUCT_KINDS } from '../../src/catalog/domain/product';
import { createSafeClient } from '../../src/platform/http/safe-client';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { projectRoot } from '../../src/platform/project-root';
import { eventually, WAIT_MS } from '../support/eventually';

/** The partners of examples/print-partner, checked as `pressline check-partner` does. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-example-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

async function startPartner(
  program: string,
  file: string,
  settings: {
    readonly presslineUrl: string;
    readonly data: string;
    readonly seconds?: string;
    readonly secret?: string;
  },
) {
  const port = await freePort();
  const child = spawn(program, [join(projectRoot(), 'examples/print-partner', file)], {
    env: {
      PATH: process.env.PATH,
      PRESSLINE_URL: settings.presslineUrl,
      PRESSLINE_KEY: 'test',
      PORT: String(port),
      DATA: settings.data,
      PRINT_SECONDS: settings.seconds ?? '15',
      ...(settings.secret === undefined ? {} : { SIGNING_SECRET: settings.secret }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    says: (text: string) => eventually(async () => output.includes(text) || undefined),
    async kill() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await ended;
      running.delete(child);
    },
  };
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.each([
  ['TypeScript', process.execPath, 'partner.mts', true],
  ['Python', 'python3', 'partner.py', hasPython],
])('The example partner in %s', (language, program, file, isInstalled) => {
  const runs = isInstalled ? test : test.skip;

  runs('passes the check of partners, with its postbacks', async () => {
    const secret = newSigningSecret();
    const listener = await startCheckListener({ host: '127.0.0.1', port: 0, secret });
    const data = join(folder, `${language}-check`);
    const partner = await startPartner(program, file, { presslineUrl: listener.url, data });
    await partner.says('Subscribed.');
    const client = createSafeClient({ allowPrivate: true });
    const report = await checkPartner(
      {
        orderSubmitUrl: `${partner.url}/orders`,
        apparelOrderSubmitUrl: null,
        orderCancelUrl: `${partner.url}/cancellations`,
        orderUpdateUrl: `${partner.url}/order-updates`,
        inventoryUrl: `${partner.url}/inventory`,
        printOrderVersion: null,
        kinds: PRODUCT_KINDS,
        secrets: [secret],
      },
      {
        client,
        allowPrivate: true,
        filesUrl: `${listener.url}/files`,
        postbacks: { inbox: listener, waitMs: WAIT_MS },
        // The machine of a test is slow, and the partner is not judged by its pace.
        limits: { responseMs: WAIT_MS, slowMs: WAIT_MS, pieceMs: 10, settleMs: 100, shipSoonMs: WAIT_MS },
      },
    );
    await partner.kill();
    await client.close();
    await listener.stop();
    expect(report.scenarios.flatMap(({ findings }) => findings)).toEqual([]);
    expect(report.passed).toBe(true);
  });

  runs('continues its print orders after a crash', async () => {
    const secret = newSigningSecret();
    const listener = await startCheckListener({ host: '127.0.0.1', port: 0, secret });
    const data = join(folder, `${language}-crash`);
    const settings = { presslineUrl: listener.url, data, secret };
    const first = await startPartner(program, file, { ...settings, seconds: '3600' });
    await first.says('Listening');
    const client = createSafeClient({ allowPrivate: true });
    const send = createSend(client, [secret], {
      responseMs: WAIT_MS,
      slowMs: WAIT_MS,
      pieceMs: 1,
      settleMs: 0,
      shipSoonMs: 0,
    });
    const body = { version: '1.1', id: '500001', items: [{ id: '700001', count: 1 }] };
    expect(await send({ url: `${first.url}/orders`, body })).toMatchObject({ status: 200 });
    await eventually(async () => listener.arrived().length === 1 || undefined);
    await first.kill();
    expect(JSON.parse(readFileSync(join(data, '500001.json'), 'utf8')).order).toEqual(body);
    const second = await startPartner(program, file, { ...settings, seconds: '0' });
    await second.says('500001: shipped');
    await second.kill();
    const statuses = listener.arrived().map((postback) => JSON.stringify(postback));
    expect(statuses.filter((text) => text.includes('shipped'))).toHaveLength(1);
    expect(readdirSync(data)).toEqual(['500001.json']);
    await client.close();
    await listener.stop();
  });
});
