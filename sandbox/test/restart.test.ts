import { appendFileSync, cpSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { FAST, type Sandbox, type SeenPrintOrder, startSandbox } from '../index';
import {
  printOrder,
  removeFolder,
  type StubPressline,
  sandboxAt,
  sendSigned,
  startStub,
  until,
} from './stub-pressline';

let stub: StubPressline;
const folders: string[] = [];
const sandboxes: Sandbox[] = [];

beforeEach(async () => {
  stub = await startStub();
});
afterEach(async () => {
  for (const sandbox of sandboxes.splice(0)) await sandbox.stop();
  await stub.stop();
  for (const folder of folders.splice(0)) removeFolder(folder);
});

async function started(folder?: string, port?: number): Promise<{ sandbox: Sandbox; folder: string }> {
  const result = await sandboxAt(stub, { ...(folder ? { folder } : {}), ...(port ? { port } : {}) });
  sandboxes.push(result.sandbox);
  folders.push(result.folder);
  return result;
}

/** Returns a copy of the folder as a SIGKILL leaves it: with an incomplete last line. */
function killedAt(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'pressline-sandbox-'));
  cpSync(folder, copy, { recursive: true });
  appendFileSync(join(copy, 'journal.jsonl'), '{"at":"2026-03-02T10:00:00Z","partner":"prints-berlin","entry":{"ty');
  return copy;
}

async function stop(sandbox: Sandbox): Promise<void> {
  sandboxes.splice(sandboxes.indexOf(sandbox), 1);
  await sandbox.stop();
}

const orders = (sandbox: Sandbox): readonly SeenPrintOrder[] => sandbox.seen().partners['prints-berlin']!.printOrders;

describe('A killed sandbox', () => {
  it('continues with every accepted print order and produces none twice', async () => {
    const first = await started();
    const submit = `${first.sandbox.partnerUrls('prints-berlin').orderSubmitUrl}`;
    const ids = Array.from({ length: 20 }, (_, index) => String(300 + index));
    for (const id of ids) {
      const order = printOrder(first.sandbox, id);
      expect((await sendSigned(stub, submit, order, { webhookId: `msg_${id}` })).status).toBe(200);
    }
    await until(() => orders(first.sandbox).some(({ state }) => state === 'finished'), 'the first end');
    const left = killedAt(first.folder);
    await stop(first.sandbox);

    // The same port keeps the links of print files and the addresses of partners valid.
    const second = await started(left, first.sandbox.port);
    await until(() => orders(second.sandbox).every(({ state }) => state === 'finished'), 'all ends');
    expect(orders(second.sandbox).map(({ printOrderId }) => printOrderId)).toEqual(ids);
    expect(orders(second.sandbox).every(({ distinctLabels }) => distinctLabels === 1)).toBe(true);

    const again = await sendSigned(stub, submit, printOrder(second.sandbox, '305'), { webhookId: 'msg_305' });
    expect(again).toMatchObject({ status: 200, body: { message: 'Print order already accepted' } });
    expect(orders(second.sandbox).find(({ printOrderId }) => printOrderId === '305')).toMatchObject({
      deliveries: 2,
      distinctContents: 1,
      state: 'finished',
    });
  });

  it('still confirms an accepted cancel request', async () => {
    const first = await started();
    const urls = first.sandbox.partnerUrls('prints-berlin');
    await sendSigned(stub, urls.orderSubmitUrl, printOrder(first.sandbox, '330', 'sandbox:prints-slowly=60000'));
    await until(() => stub.postbacks('330').includes('received'), 'received');
    stub.failures.set('/v2/order/status', { status: 503, left: 3 });
    const cancel = {
      version: '1.1',
      orderId: '330',
      canceledPrintJobIdList: ['3301', '3302'],
      reason: 'client',
    };
    expect((await sendSigned(stub, urls.orderCancelUrl, cancel)).status).toBe(200);
    const left = killedAt(first.folder);
    await stop(first.sandbox);
    const second = await started(left);
    await until(() => orders(second.sandbox)[0]?.state === 'cancelled', 'cancelled');
    expect(stub.postbacks('330')).toContain('cancelled');
  });

  it('keeps its rules and how often each was applied', async () => {
    const first = await started();
    const post = (path: string, body: unknown) =>
      fetch(`${first.sandbox.controlUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/partners/prints-berlin/behaviour', { behaviour: 'refuses', times: 2 });
    const submit = (sandbox: Sandbox, id: string) =>
      sendSigned(stub, sandbox.partnerUrls('prints-berlin').orderSubmitUrl, printOrder(sandbox, id));
    expect((await submit(first.sandbox, '340')).status).toBe(422);
    const left = killedAt(first.folder);
    await stop(first.sandbox);
    const second = await started(left, first.sandbox.port);
    expect((await submit(second.sandbox, '340')).status).toBe(422);
    expect((await submit(second.sandbox, '341')).status).toBe(422);
    expect((await submit(second.sandbox, '342')).status).toBe(200);
  });

  it('makes its journal readable by its owner only', async () => {
    const { folder } = await started();
    expect(statSync(join(folder, 'journal.jsonl')).mode & 0o077).toBe(0);
  });
});

describe('Starting in any order', () => {
  it('the sandbox subscribes when Pressline becomes available', async () => {
    stub.failures.set('/v2/subscribe', { status: 503, left: 3 });
    const { sandbox } = await started();
    expect(sandbox.seen().partners['prints-berlin']!.subscribed).toBe(true);
  });

  it('the sandbox responds with 503 until it has its signing secret', async () => {
    stub.failures.set('/v2/subscribe', { status: 503, left: 1_000 });
    const folder = mkdtempSync(join(tmpdir(), 'pressline-sandbox-'));
    folders.push(folder);
    const sandbox = await startSandbox({
      port: 0,
      presslineUrl: stub.url,
      folder,
      mode: 'auto',
      partners: [{ name: 'prints-berlin', apiKey: 'key-berlin' }],
      carrierSecrets: {},
      pace: FAST,
      log: pino({ level: 'silent' }),
    });
    sandboxes.push(sandbox);
    const response = await sendSigned(
      stub,
      sandbox.partnerUrls('prints-berlin').orderSubmitUrl,
      printOrder(sandbox, '350'),
      { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
    );
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
