import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type CallKind, type Fault, startEasyPostServer } from '../../../sandbox/carriers/easypost-server';
import { createBuiltInCarrier } from '../../../src/carriers/built-in';
import { type CarrierAdapter, CarrierUnavailable, type PurchaseRequest } from '../../../src/carriers/carrier';
import { carriersOf, createCarriers } from '../../../src/carriers/carriers';
import type { RateCard } from '../../../src/carriers/domain/rate-card';
import { RATE_CARDS } from '../../../src/carriers/domain/rate-cards';
import { createEasyPostGateway } from '../../../src/carriers/easypost/gateway';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { createSafeClient, type SafeClient } from '../../../src/platform/http/safe-client';
import { uuidv7 } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { projectRoot } from '../../../src/platform/project-root';
import { testDatabase } from '../../support/database';
import { CHICAGO, MUNICH } from '../consignments/sample-addresses';
import { consignmentTo, packageOf } from '../consignments/sample-consignments';
import { carriedConsignment } from './carried-consignment';
import { carrierConformance } from './conformance';

let sql: Sql;
let http: SafeClient;
let server: Awaited<ReturnType<typeof startEasyPostServer>>;
let gateway: CarrierAdapter;
/** Has a time limit that a test can wait for. A busy machine may need it for an ordinary call. */
let impatient: CarrierAdapter;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  server = await startEasyPostServer();
  http = createSafeClient({ allowPrivate: true });
  const gatewayOf = (timeoutMs: number) =>
    createEasyPostGateway({
      apiKey: 'EZTK-test',
      baseUrl: server.url,
      client: http,
      timeoutMs,
      rates: () => Promise.resolve(REFERENCE_RATES),
    });
  [gateway, impatient] = [gatewayOf(60_000), gatewayOf(3_000)];
});
afterAll(async () => {
  await http.close();
  await server.stop();
});

const notCarried = consignmentTo(MUNICH, { packages: [packageOf({ grossWeightGrams: 500_000 })] });

/** Returns the rate card that docs/tutorials/extend-pressline.md adds. */
function cardOfTutorial(): RateCard {
  const page = readFileSync(join(projectRoot(), 'docs/tutorials/extend-pressline.md'), 'utf8');
  const [, block] = /^```ts\n(.*?)^```/ms.exec(page)!;
  const code = stripTypeScriptTypes(block!.replace(/^export const \w+/m, 'const card'));
  return new Function(`${code}\nreturn card;`)();
}

describe.each([...RATE_CARDS, cardOfTutorial()])('$carrierName', (card) => {
  carrierConformance({
    adapter: () => createBuiltInCarrier(sql, card, 'https://pressline.test'),
    carried: carriedConsignment(card),
    notCarried,
  });
});

test('a label to a region that a carrier does not deliver to can neither be quoted nor be bought', async () => {
  const tern = createCarriers(sql, 'https://pressline.test').byUid('tern_parcel')!;
  const consignment = consignmentTo({ ...MUNICH, country: 'NG' });

  expect(await tern.quote(consignment)).toEqual([]);
  expect(
    await tern.buy({
      consignment,
      packageIndex: 0,
      methodUid: 'tern_parcel_standard',
      idempotencyKey: uuidv7(),
    }),
  ).toMatchObject({ ok: false, refusal: { code: 'PACKAGE_NOT_ACCEPTED' } });
});

describe('EasyPost', () => {
  carrierConformance({
    adapter: () => gateway,
    carried: consignmentTo(CHICAGO, { currency: 'USD' }),
    notCarried,
  });

  const consignment = consignmentTo(CHICAGO, { currency: 'USD' });
  const methodUid = 'easypost_usps_groundadvantage';
  const buy = (idempotencyKey: string, more: Pick<PurchaseRequest, 'signal'> = {}, adapter = gateway) =>
    adapter.buy({ consignment, packageIndex: 0, methodUid, idempotencyKey, ...more });

  test('quotes the services of every carrier, with price and transit time', async () => {
    const quotes = await gateway.quote(consignment);

    expect(quotes).toMatchObject([
      {
        carrierUid: 'usps',
        carrierName: 'USPS',
        methodUid,
        methodName: 'Ground Advantage',
        price: { minor: 758, currency: 'USD' },
        maxDays: 4,
      },
      {
        methodUid: 'easypost_usps_express',
        serviceType: 'express',
        price: { minor: 3_140, currency: 'USD' },
        maxDays: 1,
      },
      { carrierUid: 'upsdap', methodUid: 'easypost_upsdap_ground' },
      { carrierUid: 'dhlexpress', methodUid: 'easypost_dhlexpress_expressworldwide' },
    ]);
  });

  test('rates that no parcel has are left out, and the others are quoted', async () => {
    const rate = { id: 'rate_odd', carrier: 'USPS', service: 'Odd', rate: '1.00', currency: 'USD', delivery_days: 2 };
    const odd = [
      { ...rate, rate: '9'.repeat(40) },
      { ...rate, rate: '-1.00' },
      { ...rate, service: 'x'.repeat(10_000) },
      { ...rate, carrier: '' },
      { ...rate, currency: 'dollars' },
      'no rate',
      null,
    ];
    server.offer([...(odd as object[]), { ...rate, service: 'Someday', delivery_days: 1e12 }]);
    const methods = (await gateway.quote(consignment)).map(({ methodUid: uid, maxDays }) => [uid, maxDays]);
    expect(methods).toHaveLength(5);
    // Its transit time is unknown, not a trillion days.
    expect(methods).toContainEqual(['easypost_usps_someday', 10]);
    server.offer(Array.from({ length: 2_000 }, (_, index) => ({ ...rate, service: `Service${index}` })));
    expect(await gateway.quote(consignment)).toHaveLength(500);
    server.offer([]);
  });

  test('packages whose contents differ but not their requests are quoted with one call', async () => {
    const [pack] = consignment.packages;
    const packages = Array.from({ length: 12 }, (_, index) => ({
      ...pack!,
      packageReferenceId: `pkg-${index}`,
      packingSlip: `slips/${index}.pdf`,
    }));
    const before = server.connections.length;
    const quotes = await gateway.quote({ ...consignment, packages });
    expect(quotes[0]).toMatchObject({ methodUid, price: { minor: 758 * 12, currency: 'USD' } });
    expect(server.connections.length - before).toBe(1);
  });

  test('an address that EasyPost refuses has no methods', async () => {
    expect(await gateway.quote(consignmentTo({ ...CHICAGO, postcode: '00000' }))).toEqual([]);
  });

  test('a refusal has the carrier’s code and messages, and buys nothing', async () => {
    const before = server.live();
    server.fail('buy', 'refuse');

    expect(await buy(uuidv7())).toEqual({
      ok: false,
      refusal: {
        code: 'SHIPMENT.POSTAGE.FAILURE',
        message: 'The carrier refused.',
        detail: { errors: [expect.objectContaining({ message: 'is not served' })] },
      },
    });
    expect(server.live()).toBe(before);
  });

  /** The faults that make one step of the adapter fail. A download over a broken connection is repeated once. */
  const faultsOf = (kind: CallKind, fault: Fault): Fault[] =>
    kind === 'label' && fault === 'complete-then-disconnect' ? [fault, fault] : [fault];

  describe.each(['timeout', 'garbled', '500', 'complete-then-disconnect'] as const)('the fault %s', (fault) => {
    const failing = () => (fault === 'timeout' ? impatient : gateway);

    test.each(['retrieve', 'create', 'buy', 'label'] as const)(
      'of %s is CarrierUnavailable, and the same key buys one label afterwards',
      async (kind) => {
        const before = server.live();
        const key = uuidv7();
        server.fail(kind, ...faultsOf(kind, fault));

        await expect(buy(key, {}, failing())).rejects.toThrow(CarrierUnavailable);
        const again = await buy(key);

        expect(again.ok).toBe(true);
        expect(server.live()).toBe(before + 1);
      },
    );

    test('of a refund is CarrierUnavailable, and the next call voids', async () => {
      const key = uuidv7();
      await buy(key);
      const before = server.live();
      server.fail('refund', fault);

      await expect(failing().void({ idempotencyKey: key, methodUid })).rejects.toThrow(CarrierUnavailable);
      expect(await gateway.void({ idempotencyKey: key, methodUid })).toEqual({ ok: true });

      expect(server.live()).toBe(before - 1);
    });

    test('of a quote leaves the quotes of the other carriers', async () => {
      server.fail('create', fault);
      const all = carriersOf([...createCarriers(sql, 'https://pressline.test').adapters, failing()]);

      const quotes = await all.quote(consignment);

      expect(quotes.length).toBeGreaterThan(0);
      expect(quotes.every((quote) => !quote.methodUid.startsWith('easypost'))).toBe(true);
    });
  });

  test('a purchase whose lease has ended calls EasyPost no more', async () => {
    const calls = server.connections.length;

    await expect(buy(uuidv7(), { signal: AbortSignal.abort(new Error('the lease has ended')) })).rejects.toThrow(
      'the lease has ended',
    );

    expect(server.connections.slice(calls).map(({ kind }) => kind)).toEqual(['retrieve']);
  });

  test('a refused refund returns the reason', async () => {
    const key = uuidv7();
    await buy(key);
    server.fail('refund', 'refuse');

    expect(await gateway.void({ idempotencyKey: key, methodUid })).toEqual({
      ok: false,
      reason: 'The carrier refused.',
    });
  });

  test('API calls use new connections, so none meets a connection that EasyPost has just closed', async () => {
    await buy(uuidv7());
    await gateway.quote(consignment);

    const reused = server.connections.filter((call) => call.kind !== 'label' && call.reused);
    expect(reused).toEqual([]);
  });

  test('a label is downloaded again when its keep-alive connection was closed', async () => {
    const key = uuidv7();
    await buy(uuidv7());
    server.closeReusedConnections(true);
    const calls = server.connections.length;

    const bought = await buy(key);

    server.closeReusedConnections(false);
    expect(bought.ok).toBe(true);
    expect(server.connections.slice(calls).filter(({ kind }) => kind === 'label')).toEqual([
      { kind: 'label', reused: true },
      { kind: 'label', reused: false },
    ]);
  });

  test('tracking details become checkpoints', async () => {
    const bought = await buy(uuidv7());
    if (!bought.ok) throw new Error('refused');
    const { trackingNumber } = bought.purchase;
    server.move(trackingNumber, 'out_for_delivery', '2026-02-02T09:30:00Z');
    server.move(trackingNumber, 'unknown', '2026-02-02T09:31:00Z');
    server.move(trackingNumber, 'return_to_sender', '2026-02-02T18:00:00Z');

    expect((await gateway.track([trackingNumber])).slice(1)).toEqual([
      {
        trackingNumber,
        eventId: null,
        statusUid: 'out_for_delivery',
        message: 'now out_for_delivery',
        location: 'CHICAGO, IL, US',
        occurredAt: '2026-02-02T09:30:00.000Z',
        expectedDeliveryDate: '2026-02-03',
        signedBy: 'USPS',
      },
      expect.objectContaining({ statusUid: 'returned' }),
    ]);
  });
});

test('a quote fails when no carrier responds', async () => {
  server.fail('create', '500');

  await expect(carriersOf([gateway]).quote(consignmentTo(CHICAGO))).rejects.toThrow(CarrierUnavailable);
});

describe('an adapter that does not respond', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  const silent = () => ({ ...gateway, quote: () => new Promise<never>(() => undefined) });
  const builtIn = () => createCarriers(sql, 'https://pressline.test').adapters;

  /** Starts a quote and returns its outcome after the time limit of an adapter. */
  async function quoteLate(adapters: readonly CarrierAdapter[], choice?: string) {
    const quoted = Promise.all(builtIn().map((adapter) => adapter.quote(consignmentTo(CHICAGO))));
    const before = await quoted;
    jest.useFakeTimers();
    const fixed = builtIn().map((adapter, index) => ({ ...adapter, quote: async () => before[index]! }));
    const outcome = carriersOf([...fixed, ...adapters])
      .quote(consignmentTo(CHICAGO), choice)
      .then(
        (quotes) => ({ quotes, error: null }),
        (error: unknown) => ({ quotes: null, error }),
      );
    await jest.advanceTimersByTimeAsync(5_000);
    return { ...(await outcome), expected: before.flat().length };
  }

  test('is left out of the choice after five seconds', async () => {
    const { quotes, expected } = await quoteLate([silent()]);
    expect(expected).toBeGreaterThan(0);
    expect(quotes).toHaveLength(expected);
  });

  test('is not left out when the chosen method may be its own', async () => {
    const { error } = await quoteLate([silent()], 'easypost_usps_groundadvantage');
    expect(error).toBeInstanceOf(CarrierUnavailable);
    expect(error).toMatchObject({ adapterUid: 'easypost' });
  });
});
