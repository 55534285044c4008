import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';
import { BEHAVIOURS, behaviourInAddress } from '../behaviours';
import { UNFIT_FILES } from '../files/unfit-files';
import type { Sandbox, Seen } from '../index';
import { printOrder, removeFolder, type StubPressline, sandboxAt, sendSigned, startStub } from './stub-pressline';

let stub: StubPressline;
let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  stub = await startStub();
  ({ sandbox, folder } = await sandboxAt(stub, { mode: 'manual' }));
});
afterAll(async () => {
  await sandbox.stop();
  await stub.stop();
  removeFolder(folder);
});

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
async function control(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`${sandbox.controlUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const submit = (id: string) =>
  sendSigned(stub, sandbox.partnerUrls('prints-berlin').orderSubmitUrl, printOrder(sandbox, id), {
    webhookId: `msg_${id}`,
  });

describe('Control API, in manual mode', () => {
  it('accepts print orders and sends no postback', async () => {
    expect((await submit('500')).status).toBe(200);
    const { body } = (await control('GET', '/seen')) as { body: Seen };
    expect(body.partners['prints-berlin']!.printOrders).toMatchObject([{ printOrderId: '500', state: 'taken' }]);
    expect(stub.postbacks('500')).toEqual([]);
  });

  it('sends a postback and a dispatch request as the partner and returns the response', async () => {
    const message = { timestamp: '2026-03-02T10:00:00Z', orderId: '500', status: 'received' };
    expect(await control('POST', '/partners/prints-berlin/postback', message)).toEqual({
      status: 200,
      body: { status: 200, body: { message: 'ok' } },
    });
    const broken = await control('POST', '/partners/prints-berlin/postback', { ...message, status: 'done' });
    expect(broken.body.status).toBe(400);
    const dispatched = await control('POST', '/partners/prints-berlin/dispatch', { orderId: '500' });
    expect(dispatched.body.body.trackingCode).toBe('TRACK500');
    // None of the partner's own, which it would have sent by now.
    expect(stub.postbacks('500')).toEqual(['received', 'done']);
  });

  it('subscribes again with further fields and keeps the new secret', async () => {
    const before = stub.secrets.get('key-ohio');
    const { body } = await control('POST', '/partners/prints-ohio/subscription', { version: '1.0' });
    expect(body).toEqual({ status: 200, body: { message: 'Subscribed' } });
    expect(stub.arrivals.filter(({ path }) => path === '/v2/subscribe').at(-1)).toMatchObject({
      apiKey: 'key-ohio',
      body: { ...sandbox.partnerUrls('prints-ohio'), version: '1.0' },
    });
    expect(stub.secrets.get('key-ohio')).not.toBe(before);
    const url = sandbox.partnerUrls('prints-ohio').orderSubmitUrl;
    expect((await sendSigned(stub, url, printOrder(sandbox, '505'))).status).toBe(200);
  });

  it('sends a stock report as the partner and returns the response', async () => {
    const report = { items: [{ SKU: 'tee-navy-m', status: 'in-stock', quantity: 250 }] };
    const { body } = await control('POST', '/partners/prints-ohio/stock-status', report);
    expect(body).toEqual({ status: 200, body: { message: 'ok', updated_skus: ['tee-navy-m'] } });
    expect(stub.arrivals).toContainEqual({ path: '/v3/stock/status', apiKey: 'key-ohio', body: report });
  });

  it('applies a rule to print orders that contain its text, up to its number of times', async () => {
    const rule = { behaviour: 'refuses', contains: '"id":"501"', times: 1 };
    expect((await control('POST', '/partners/prints-berlin/behaviour', rule)).status).toBe(200);
    expect((await submit('502')).status).toBe(200);
    expect((await submit('501')).status).toBe(422);
    // A redelivery is the same print order: still refused.
    expect((await submit('501')).status).toBe(422);
  });

  it('applies the newest rule, and no rule after DELETE', async () => {
    await control('POST', '/partners/prints-berlin/behaviour', { behaviour: 'refuses' });
    await control('POST', '/partners/prints-berlin/behaviour', { behaviour: 'fails-first', amount: 1 });
    expect((await submit('503')).status).toBe(500);
    await control('DELETE', '/partners/prints-berlin/behaviour');
    expect((await submit('504')).status).toBe(200);
  });

  it.each([
    ['refuses', 422],
    ['fails-first=9', 500],
  ])('a retry of a print order that was marked %s meets the partner as it is after DELETE', async (marker, status) => {
    const id = `51${status}`;
    const order = printOrder(sandbox, id, `sandbox:${marker}`);
    const deliver = () =>
      sendSigned(stub, sandbox.partnerUrls('prints-berlin').orderSubmitUrl, order, { webhookId: `msg_${id}` });
    expect((await deliver()).status).toBe(status);
    await control('DELETE', '/partners/prints-berlin/behaviour');
    await control('POST', '/partners/prints-berlin/behaviour', { behaviour: 'busy', times: 1 });
    expect((await deliver()).status).toBe(429);
    await control('DELETE', '/partners/prints-berlin/behaviour');
    expect((await deliver()).status).toBe(200);
    // The partner works on it now, so that no rule changes what the partner does.
    await control('POST', '/partners/prints-berlin/behaviour', { behaviour: 'refuses' });
    await control('DELETE', '/partners/prints-berlin/behaviour');
    expect((await deliver()).status).toBe(200);
    expect(
      sandbox.seen().partners['prints-berlin']!.printOrders.find((seen) => seen.printOrderId === id),
    ).toMatchObject({ behaviour: 'well-behaved', state: 'taken', deliveries: 2 });
  });

  it('responds to requests of a file with a status, and then sends the file again', async () => {
    const poster = async () => (await fetch(`${sandbox.url}/files/poster-a4.pdf`)).status;
    expect(await poster()).toBe(200);
    expect((await control('POST', '/files/poster-a4.pdf/fault', { status: 500 })).status).toBe(200);
    expect(await poster()).toBe(500);
    expect((await fetch(`${sandbox.url}/files/card-a6.pdf`)).status).toBe(200);
    expect((await control('DELETE', '/files/poster-a4.pdf/fault')).status).toBe(200);
    expect(await poster()).toBe(200);
  });

  it('lets a carrier refuse to sell labels, and then sell them again', async () => {
    const refusal = async () => (await control('GET', '/carriers/tern_parcel/labels')).body.refusal;
    expect(await refusal()).toBeNull();
    await control('POST', '/carriers/tern_parcel/label-fault', { message: 'The depot is full.' });
    expect(await refusal()).toBe('The depot is full.');
    expect((await control('GET', '/carriers/merlin_express/labels')).body).toEqual({ refusal: null });
    await control('DELETE', '/carriers/tern_parcel/label-fault');
    expect(await refusal()).toBeNull();
  });

  it('signs and sends carrier events', async () => {
    const event = {
      id: 'e1',
      trackingNumber: 'T1',
      statusUid: 'in_transit',
      message: 'm',
      location: '',
      createdAt: 'x',
    };
    const { body } = await control('POST', '/carriers/merlin_express/events', { events: [event] });
    expect(body.status).toBe(200);
    expect(stub.carrierEvents).toMatchObject([{ carrierUid: 'merlin_express', trackingNumber: 'T1' }]);
  });

  it.each([
    ['POST', '/partners/prints-berlin/behaviour', { behaviour: 'sulks' }, 400],
    ['POST', '/partners/prints-berlin/behaviour', { behaviour: 'toString' }, 400],
    ['POST', '/partners/nobody/behaviour', { behaviour: 'refuses' }, 404],
    ['POST', '/partners/prints-berlin/stock', { sku: 'x', status: 'plenty' }, 400],
    ['POST', '/carriers/merlin_express/events', {}, 400],
    ['POST', '/files/poster-a4.pdf/fault', { status: 200 }, 400],
    ['POST', '/files/toString/fault', { status: 500 }, 404],
    ['DELETE', '/files/none.pdf/fault', undefined, 404],
    ['POST', '/carriers/tern_parcel/label-fault', {}, 400],
    ['POST', '/carriers/nobody/label-fault', { message: 'No' }, 404],
    ['DELETE', '/carriers/nobody/label-fault', undefined, 404],
  ])('%s %s %j returns %d', async (method, path, body, status) => {
    const response = await control(method, path, body);
    expect(response.status).toBe(status);
    expect(response.body.error).toEqual(expect.any(String));
  });

  it('lists all behaviours', async () => {
    const { body } = await control('GET', '/behaviours');
    expect(body.behaviours.map(({ name }: { name: string }) => name)).toEqual(Object.keys(BEHAVIOURS));
  });

  it('accepts a cancel request and sends no postback for it', async () => {
    const cancel = { version: '1.1', orderId: '500', canceledPrintJobIdList: [], reason: 'client' };
    // The dispatch above went through the control API, so the partner's journal does not show it as packed.
    const { status } = await sendSigned(stub, sandbox.partnerUrls('prints-berlin').orderCancelUrl, cancel);
    expect(status).toBe(200);
    // The next message of the partner arrives after whatever it sends for the cancel.
    const printed = { timestamp: '2026-03-02T11:00:00Z', orderId: '500', status: 'printed' };
    expect((await control('POST', '/partners/prints-berlin/postback', printed)).status).toBe(200);
    expect(stub.postbacks('500')).not.toContain('cancelled');
  });
});

describe('docs/sandbox.md', () => {
  const docs = readFileSync(join(projectRoot(), 'docs/sandbox.md'), 'utf8');

  it('lists every behaviour with its summary and amount', () => {
    const rows = [...docs.matchAll(/^\| `([a-z-]+)` \| (.+?) \| (.*)\|$/gm)].map(([, ...cells]) =>
      cells.map((cell) => cell!.trim()),
    );
    const documented = rows.filter(([name]) => Object.hasOwn(BEHAVIOURS, name!));
    expect(documented).toEqual(
      Object.entries(BEHAVIOURS).map(([name, { summary, amount }]) => [
        name,
        summary,
        amount === undefined ? '' : `${amount.meaning} (${amount.default})`,
      ]),
    );
  });

  it('lists every file that does not fit, with the check that finds it', () => {
    const rows = [...docs.matchAll(/^\| `([a-z.-]+)` \| `([a-z_]+)` \| (.+?) +\|$/gm)].map(([, ...cells]) => cells);
    expect(rows).toEqual(
      Object.entries(UNFIT_FILES).map(([name, { finds, summary }]) => [name, finds, summary.slice(0, -1)]),
    );
  });

  it('names every print file and every fault', async () => {
    for (const list of ['/files', '/faulty-files']) {
      const { files } = (await (await fetch(`${sandbox.url}${list}`)).json()) as { files: string[] };
      for (const file of files) expect(docs).toContain(`\`${file.split('/').at(-1)}\``);
    }
  });
});

describe('Markers in the second address line', () => {
  it.each([
    ['sandbox:refuses', 'refuses', 0],
    ['c/o Lind sandbox:fails-first=4', 'fails-first', 4],
    ['sandbox:fails-first', 'fails-first', 2],
    ['sandbox:prints-berlin/refuses', 'refuses', 0],
    ['sandbox:prints-ohio/refuses sandbox:no-postbacks', 'no-postbacks', 0],
  ])('%s', (line, name, amount) => {
    expect(behaviourInAddress(line, 'prints-berlin')).toEqual({ name, amount });
  });

  it.each(['', '3rd floor', 'sandbox:', 'sandbox:unknown', 'mysandbox:refuses', 'sandbox:prints-ohio/refuses'])(
    '%j selects no behaviour',
    (line) => {
      expect(behaviourInAddress(line, 'prints-berlin')).toBeUndefined();
    },
  );

  it('the marker of every behaviour fits an address line of 35 characters', () => {
    for (const name of Object.keys(BEHAVIOURS)) expect(`sandbox:${name}`.length).toBeLessThanOrEqual(35);
  });
});
