import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { pino } from 'pino';
import { FAST, startSandbox } from '../../../sandbox';
import { BEHAVIOURS, type BehaviourName } from '../../../sandbox/behaviours';
import { removeFolder } from '../../../sandbox/test/stub-pressline';
import { PRODUCT_KINDS } from '../../../src/catalog/domain/product';
import { createSafeClient } from '../../../src/platform/http/safe-client';
import { newSigningSecret } from '../../../src/platform/http/webhook-signature';
import { checkPartner } from '../check-partner';
import { checkPartnerCommand } from '../command';
import { startCheckListener } from '../listener';
import type { ConformanceReport, FaultName } from '../report';
import type { CheckLimits } from '../sender';

/** The conformance check against the sandbox's partner, with each of its behaviours. */

const LIMITS: CheckLimits = {
  responseMs: 20_000,
  slowMs: 15_000,
  pieceMs: 100,
  settleMs: 100,
  shipSoonMs: 30_000,
};
/** Leaves time for a cancel request before the partner packs. */
const PACE = { ...FAST, printed: 300, dispatch: 3_000 };

interface Case {
  readonly amount?: number;
  /** The faults that the check names, and no others. */
  readonly faults?: readonly FaultName[];
  /** A fault that the check names. A busy machine can add further ones, because the case is about time. */
  readonly among?: FaultName;
  readonly limits?: Partial<CheckLimits>;
  /** Milliseconds after which no further scenario begins. Default: no limit. */
  readonly playMs?: number;
  /** The partner's pauses end when it has got an order update. */
  readonly shipsAfterUpdate?: true;
  /** Milliseconds to wait for postbacks. Default: long enough for every shipment. */
  readonly waitMs?: number;
}

const MISSING = { waitMs: 8_000 };

const CASES: Record<BehaviourName, Case | 'needs shipping orders'> = {
  'well-behaved': {},
  'per-item-postbacks': {},
  'duplicate-postbacks': {},
  'ships-without-dispatch': {},
  'ships-with-known-carrier': {},
  'dispatches-often': {},
  'replaces-label': {},
  'prints-slowly': { amount: 200 },
  'waits-after-dispatch': { amount: 50 },
  // The check changes the address after its first scenario. The partner waits for that, then ships.
  'ships-old-label': {
    amount: 600_000,
    playMs: 0,
    shipsAfterUpdate: true,
    faults: ['old-label-shipped'],
    limits: { shipSoonMs: 0 },
  },
  'delays-updates': { amount: 100 },
  'parcel-returned': {},
  'parcel-troubled': {},
  'parcel-events-disordered': {},
  'parcel-odd-words': {},
  // No rule about print orders is broken: a partner may cancel a shipping order of its own.
  'cancels-shipping-order': 'needs shipping orders',
  slow: { amount: 700, among: 'slow-response', limits: { slowMs: 300 }, waitMs: 1 },
  'fails-first': { faults: ['server-error'] },
  busy: { faults: ['server-error'] },
  refuses: { faults: ['print-order-refused'] },
  redirects: { faults: ['redirect-response'] },
  'dead-after-accept': { faults: ['connection-broken'] },
  'silent-after-accept': { among: 'no-response', limits: { responseMs: 500 } },
  unresponsive: { among: 'no-response', limits: { responseMs: 500 } },
  'no-postbacks': { faults: ['received-missing', 'shipped-missing'], ...MISSING },
  'waits-for-reminder': { faults: ['received-missing', 'shipped-missing'], ...MISSING },
  'stops-after-received': { faults: ['shipped-missing'], ...MISSING },
  'stops-after-printed': { faults: ['shipped-missing'], ...MISSING },
  'reversed-postbacks': { faults: ['postbacks-out-of-order'], limits: { settleMs: 5_000 } },
  // By its postbacks alone, the order that arrived twice looks as if it was made twice.
  'late-postbacks': {
    faults: ['duplicate-made-twice', 'postbacks-out-of-order'],
    limits: { settleMs: 6_000 },
  },
  'faulty-postbacks': { faults: ['postback-invalid'] },
  'cancels-order': { faults: ['cancelled-unasked'] },
  'cancels-item': { faults: ['cancelled-unasked'] },
  'cancels-quantity': { faults: ['cancelled-unasked'] },
  'error-then-recovers': { faults: ['error-reported'] },
  'error-only': { faults: ['error-reported', 'shipped-missing'], ...MISSING },
  'refuses-cancel': { amount: 100, faults: ['cancel-refused'] },
  'refuses-updates': { amount: 100, faults: ['update-refused'] },
  'misses-updates': { amount: 100, among: 'no-response', limits: { responseMs: 1_500 } },
  'odd-words': { amount: 3, faults: ['server-error'] },
  'odd-refusal': { faults: ['print-order-refused'] },
  'ships-to-old-address': { amount: 100, faults: ['update-refused'] },
  'accepts-forged-signatures': { faults: ['bad-signature-accepted'] },
  'accepts-unsigned': { faults: ['unsigned-accepted'] },
  'accepts-old-signatures': { faults: ['future-signature-accepted', 'old-signature-accepted'] },
  'reads-first-signature': { faults: ['rotated-signature-refused'] },
  'accepts-changed-content': { faults: ['changed-content-accepted'] },
  'makes-duplicates': { faults: ['duplicate-made-twice'], limits: { settleMs: 3_000 } },
  'refuses-duplicates': { faults: ['duplicate-refused'] },
  impatient: { amount: 400, among: 'slow-delivery-refused' },
};

/** Starts a partner with one behaviour for every print order, and the listener that it subscribes to. */
async function startPartner(behaviour: BehaviourName, amount: number | undefined) {
  const secret = newSigningSecret();
  const listener = await startCheckListener({ host: '127.0.0.1', port: 0, secret });
  const folder = mkdtempSync(join(tmpdir(), 'pressline-conformance-'));
  const sandbox = await startSandbox({
    port: 0,
    presslineUrl: listener.url,
    folder,
    mode: 'auto',
    partners: [{ name: 'prints-berlin', apiKey: 'key-berlin' }],
    carrierSecrets: {},
    pace: PACE,
    log: pino({ level: 'silent' }),
  });
  await sandbox.subscribed;
  const set = await fetch(`${sandbox.controlUrl}/partners/prints-berlin/behaviour`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ behaviour, amount }),
  });
  expect(set.status).toBe(200);
  return {
    secret,
    listener,
    urls: sandbox.partnerUrls('prints-berlin'),
    seen: () => sandbox.seen().partners['prints-berlin']!,
    endPause: sandbox.endPause,
    async stop() {
      await sandbox.stop();
      await listener.stop();
      removeFolder(folder);
    },
  };
}

async function check(behaviour: BehaviourName, { amount, limits, playMs, shipsAfterUpdate, waitMs = 60_000 }: Case) {
  const partner = await startPartner(behaviour, amount);
  const client = createSafeClient({ allowPrivate: true });
  const endPauses = setInterval(() => {
    const { printOrders } = partner.seen();
    if (shipsAfterUpdate && printOrders.some(({ updates }) => updates.length > 0))
      for (const { printOrderId } of printOrders) partner.endPause(printOrderId);
  }, 50);
  try {
    return await checkPartner(
      { ...partner.urls, printOrderVersion: null, kinds: PRODUCT_KINDS, secrets: [partner.secret] },
      {
        client,
        allowPrivate: true,
        filesUrl: `${partner.listener.url}/files`,
        limits: { ...LIMITS, ...limits },
        ...(playMs !== undefined && { playMs }),
        postbacks: { inbox: partner.listener, waitMs },
      },
    );
  } finally {
    clearInterval(endPauses);
    await client.close();
    await partner.stop();
  }
}

const faultsOf = ({ scenarios }: ConformanceReport) =>
  [...new Set(scenarios.flatMap(({ findings }) => findings.map(({ fault }) => fault)))].sort();

describe('The conformance check reports each fault of a partner', () => {
  const runs = new Map<string, Promise<ConformanceReport>>();

  beforeAll(() => {
    const limit = pLimit(4);
    for (const [name, wanted] of Object.entries(CASES)) {
      if (typeof wanted === 'string') continue;
      const run = limit(() => check(name as BehaviourName, wanted));
      run.catch(() => undefined);
      runs.set(name, run);
    }
  });

  it('has a case for every behaviour of the sandbox', () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(BEHAVIOURS).sort());
  });

  it.each(Object.entries(CASES).filter(([, wanted]) => typeof wanted !== 'string') as [string, Case][])(
    '%s',
    async (name, { faults = [], among }) => {
      const report = await runs.get(name)!;
      const found = faultsOf(report);
      if (among !== undefined) expect(found).toContain(among);
      else if (found.join() !== faults.join())
        throw new Error(`expected ${faults.join()}: ${JSON.stringify(report.scenarios, null, 1)}`);
      expect(report.passed).toBe(found.length === 0);
    },
  );
});

it.each([
  ['new ids of the request', ['requestId', 'traceId', 'trace_id', 'valid', 'paid'], false],
  ['a new job', ['jobId'], true],
  ['a new print order', ['print_order_id'], true],
  ['a new id', ['id'], true],
])('A partner that responds to a print order that arrives again with %s', async (_, names, isMadeTwice) => {
  let responses = 0;
  const server = createServer((request, response) => {
    responses += 1;
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, responses])));
    request.resume().on('end', () => response.end(text));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createSafeClient({ allowPrivate: true });
  const addresses = { apparelOrderSubmitUrl: null, orderCancelUrl: null, orderUpdateUrl: null, inventoryUrl: null };
  const report = await checkPartner(
    { orderSubmitUrl: url, ...addresses, printOrderVersion: null, kinds: ['print'], secrets: [] },
    { client, allowPrivate: true, filesUrl: `${url}/files`, limits: { ...LIMITS, pieceMs: 1 } },
  );
  await client.close();
  server.closeAllConnections();
  server.close();
  expect(faultsOf(report).includes('duplicate-made-twice')).toBe(isMadeTwice);
});

describe('pressline check-partner', () => {
  let output: { out: string; err: string };

  beforeEach(() => {
    output = { out: '', err: '' };
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      output.out += String(text);
      return true;
    });
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      output.err += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const options = ({ urls, secret }: Awaited<ReturnType<typeof startPartner>>) => ({
    url: urls.orderSubmitUrl,
    apparelUrl: urls.apparelOrderSubmitUrl,
    cancelUrl: urls.orderCancelUrl,
    updateUrl: urls.orderUpdateUrl,
    inventoryUrl: urls.inventoryUrl,
    secret,
    kinds: PRODUCT_KINDS,
    listen: '127.0.0.1:0',
  });

  it('exits with 0 when the partner passes, and reviews postbacks only with a waiting time', async () => {
    const partner = await startPartner('no-postbacks', undefined);
    expect(await checkPartnerCommand(options(partner))).toBe(0);
    await partner.stop();
    expect(output.out).toContain('ok   Duplicates');
    expect(output.out).toContain('-    Postbacks: skipped, not asked to wait for them');
    expect(output.out).toMatch(/\d+ messages sent. The partner passes.\n$/);
    const { printOrders } = partner.seen();
    expect(new Set(printOrders.map(({ kind }) => kind))).toEqual(new Set(['print', 'apparel']));
    // Nothing is left to make.
    expect(printOrders.every(({ cancelOrders }) => cancelOrders.some(({ accepted }) => accepted))).toBe(true);
  });

  it('exits with 1 and names the faults, as text and as JSON', async () => {
    const partner = await startPartner('accepts-changed-content', undefined);
    expect(await checkPartnerCommand(options(partner))).toBe(1);
    expect(output.out).toContain('changed-content-accepted: Other content under a known id');
    output.out = '';
    expect(await checkPartnerCommand({ ...options(partner), json: true })).toBe(1);
    await partner.stop();
    const report: ConformanceReport = JSON.parse(output.out);
    expect([report.passed, faultsOf(report)]).toEqual([false, ['changed-content-accepted']]);
  });

  it('leaves out signatures without a secret', async () => {
    const partner = await startPartner('accepts-forged-signatures', undefined);
    const { secret: _secret, ...without } = options(partner);
    expect(await checkPartnerCommand(without)).toBe(0);
    await partner.stop();
    expect(output.out).toContain('Signatures of print orders: skipped, the secret of the partner is not given');
  });

  it('exits with 1 when the server ends the connection of a message without a signature', async () => {
    const server = createServer((request, response) => {
      if (request.headers['webhook-signature'] === undefined) request.destroy();
      else request.resume().on('end', () => response.end('{}'));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`;
    const secret = newSigningSecret();
    expect(await checkPartnerCommand({ url, secret, kinds: ['print'], listen: '127.0.0.1:0' })).toBe(1);
    server.closeAllConnections();
    server.close();
    expect(output.out).toMatch(/connection-broken: .*\n.* without a signature: .* ended the connection/);
  });

  it.each([
    ['nothing listens', { url: 'http://127.0.0.1:9/orders' }],
    ['plain http to another machine', { url: 'http://192.0.2.1/orders' }],
    ['a text that is no address', { url: 'orders' }],
    ['a secret that is none', { url: 'http://127.0.0.1:9/orders', secret: 'abc' }],
    ['an address of the listener that is none', { url: 'http://127.0.0.1:9/orders', listen: 'here' }],
  ])('exits with 2 when it could not run: %s', async (_what, wrong) => {
    expect(await checkPartnerCommand({ kinds: PRODUCT_KINDS, listen: '127.0.0.1:0', ...wrong })).toBe(2);
    expect(output.err).toMatch(/^The check could not run: /);
    expect(output.out).toBe('');
  });
});
