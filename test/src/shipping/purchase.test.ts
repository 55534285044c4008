import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CarrierAdapter, CarrierUnavailable } from '../../../src/carriers/carrier';
import { type Carriers, carriersOf, createCarriers } from '../../../src/carriers/carriers';
import { isS10, isSscc, sscc } from '../../../src/carriers/domain/tracking-numbers';
import type { TrackingStatus } from '../../../src/consignments/domain/tracking-status';
import { uuidv7 } from '../../../src/platform/ids';
import { createFolderStore } from '../../../src/platform/objects/folder-store';
import type { ObjectStore } from '../../../src/platform/objects/object-store';
import { createLinkSigner } from '../../../src/platform/objects/signed-links';
import { voidShipment } from '../../../src/shipping/label-voids';
import { type BuyShipment, buyLabels } from '../../../src/shipping/purchase';
import { dispatchResponse, readShipment, typeOf } from '../../../src/shipping/shipments';
import { recordTrackingEvents } from '../../../src/shipping/tracking/tracking';
import { readTracking } from '../../../src/shipping/tracking/tracking-view';
import { type TestDatabase, testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { insertShippingOrder } from '../../support/rows/shipping-rows';
import { CHICAGO, MUNICH } from '../consignments/sample-addresses';
import { consignmentTo, packageOf } from '../consignments/sample-consignments';
import { barcodesIn, pagesOf, textOf } from '../documents/pictures';
import { buyShipment } from './bought-shipment';

let database: TestDatabase;
let folder: string;
let objects: ObjectStore;
let carriers: Carriers;
const accountId = uuidv7();

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'pressline-shipping-'));
  objects = await createFolderStore(folder);
  carriers = createCarriers(database.sql, 'https://pressline.test');
  await database.sql`INSERT INTO accounts (id, name, role) VALUES (${accountId}, 'shop', 'client')`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const deps = (change: Partial<{ objects: ObjectStore; carriers: Carriers }> = {}) => ({
  sql: database.sql,
  objects,
  carriers,
  ...change,
});

/** Returns a purchase of one label to Munich by post, with a key of its own. */
const request = async (change: Partial<BuyShipment> = {}): Promise<BuyShipment> => ({
  consignment: consignmentTo(MUNICH),
  methodUid: 'corvid_post_parcel',
  idempotencyKey: uuidv7(),
  owner: await insertShippingOrder(database.sql, accountId),
  ...change,
});
/** Buys labels. @throws when the carrier refuses */
async function bought(change: Partial<BuyShipment> = {}, from = deps()) {
  const result = await buyShipment(from, await request(change));
  if (!result.ok) throw new Error(result.refusal.message);
  return result.shipment;
}

/** Returns a carrier with some functions replaced by faulty ones. */
function faulty(adapter: CarrierAdapter, faults: Partial<CarrierAdapter>): Carriers {
  return carriersOf([{ ...adapter, ...faults }]);
}
const post = () => carriers.forMethod('corvid_post_parcel')!;
const liveLabels = async (key: string) =>
  (
    await database.sql`
      SELECT p.tracking_number FROM carrier_purchases p JOIN shipments s ON p.idempotency_key LIKE s.id || ':%'
      WHERE s.idempotency_key = ${key} AND p.voided_at IS NULL`
  ).length;

/** Ends a lease, as time does when its holder has died. */
const expireLease = (key: string) =>
  database.sql`UPDATE shipments SET lease_until = '-infinity' WHERE idempotency_key = ${key}`;

test('a purchase returns a tracking number, a cost and a label for each package', async () => {
  const shipment = await bought({ consignment: consignmentTo(MUNICH, { count: 3 }) });

  expect(shipment).toMatchObject({ status: 'bought', carrierName: 'Corvid Post', methodUid: 'corvid_post_parcel' });
  const [row] = await database.sql`SELECT method_name FROM shipments WHERE id = ${shipment.shipmentId}`;
  expect(row).toEqual({ methodName: 'Parcel' });
  expect(shipment.packages.map(({ packageReferenceId }) => packageReferenceId)).toEqual(['pkg-1', 'pkg-2', 'pkg-3']);
  expect(shipment.packages.every(({ trackingNumber }) => isS10(trackingNumber))).toBe(true);
  expect(new Set(shipment.packages.map(({ trackingNumber }) => trackingNumber)).size).toBe(3);
  expect(shipment.packages[0]!.cost).toEqual({ minor: 619, currency: 'EUR' });
  const { documents } = shipment;
  expect(documents.map(({ documentType, contentType }) => [documentType, contentType])).toEqual(
    Array(3).fill(['label', 'application/pdf']),
  );
  for (const [index, document] of documents.entries()) {
    const object = await objects.get(document.objectKey);
    expect(object!.contentType).toBe('application/pdf');
    const [page] = await pagesOf(Buffer.concat(await object!.body.toArray()), 'bought');
    expect((await barcodesIn(page!))[0]!.text).toBe(shipment.packages[index]!.trackingNumber);
  }
});

test.each([
  ['corvid_post_parcel', false],
  ['tern_parcel_domestic', true],
  ['merlin_express_domestic', true],
])('a label of %s shows the client’s brand when the carrier allows it: %s', async (methodUid, allowed) => {
  const shipment = await bought({ consignment: { ...consignmentTo(MUNICH), brandName: 'Northern Walls' }, methodUid });

  const [label] = shipment.documents;
  const stored = (await objects.get(label!.objectKey))!;
  const [text] = await textOf(Buffer.concat(await stored.body.toArray()));
  expect(text!.includes('Northern Walls')).toBe(allowed);
});

test('a purchase that continues keeps the documents that it has stored, and makes the others', async () => {
  const purchase = await request({ consignment: consignmentTo(MUNICH, { count: 3 }) });
  let puts: string[] = [];
  const watched = (failsAt: number): ObjectStore => ({
    ...objects,
    async put(key, ...object) {
      puts.push(key);
      if (puts.length === failsAt) throw new Error('no space');
      return await objects.put(key, ...object);
    },
  });
  await expect(buyLabels(deps({ objects: watched(2) }), purchase)).rejects.toThrow('no space');
  const stored = await eventually(async () => {
    const [first, , last] = puts;
    return last !== undefined && (await objects.stat(first!)) !== null && (await objects.stat(last)) !== null
      ? puts
      : undefined;
  });
  puts = [];
  const again = await buyShipment(deps({ objects: watched(0) }), purchase);
  expect(again).toMatchObject({ ok: true, shipment: { documents: { length: 3 } } });
  expect(puts).toEqual([stored[1]]);
});

test('packages of couriers have SSCCs, and every package is tracked from the purchase on', async () => {
  const shipment = await bought({
    consignment: consignmentTo(MUNICH, { count: 2 }),
    methodUid: 'tern_parcel_domestic',
  });

  const numbers = shipment.packages.map(({ trackingNumber }) => trackingNumber);
  expect(numbers.every(isSscc)).toBe(true);
  const trackings = await database.sql`SELECT status_uid FROM trackings WHERE tracking_number = ANY(${numbers})`;
  expect(trackings).toEqual([{ statusUid: 'registered' }, { statusUid: 'registered' }]);
});

test.each([
  ['by post', 'corvid_post_tracked_packet', ['label', 'label', 'customs_form', 'customs_form'], ['cn22', 'cn22']],
  [
    'by courier',
    'tern_parcel_standard',
    ['label', 'label', 'invoice', 'invoice'],
    ['commercial_invoice', 'commercial_invoice'],
  ],
])('packages that cross a customs border %s have customs documents', async (_, methodUid, types, papers) => {
  const consignment = consignmentTo(CHICAGO, {
    packages: [
      packageOf({ lengthMm: 300, widthMm: 200 }),
      packageOf({ packageReferenceId: 'pkg-2', lengthMm: 300, widthMm: 200 }),
    ],
  });
  const shipment = await bought({ consignment, methodUid });

  const { documents } = shipment;
  expect(documents.map(({ documentType }) => typeOf(documentType))).toEqual(types);
  expect(documents.slice(2).map(({ documentType }) => documentType)).toEqual(papers);
});

test('the same key returns the same shipment, for ten concurrent calls too', async () => {
  const purchase = await request({ consignment: consignmentTo(MUNICH, { count: 2 }) });
  // Repeats a call that met the lease of another one, as Temporal does.
  const ask = async () =>
    await eventually(() =>
      buyShipment(deps(), purchase).catch((error: unknown) => {
        if (!(error instanceof CarrierUnavailable)) throw error;
        return undefined;
      }),
    );

  const results = await Promise.all(Array.from({ length: 10 }, ask));
  results.push(await ask());

  const numbers = results.map((result) =>
    result.ok ? result.shipment.packages.map((pack) => pack.trackingNumber).join() : 'refused',
  );
  expect(new Set(numbers).size).toBe(1);
  expect(await liveLabels(purchase.idempotencyKey)).toBe(2);
  const shipmentId = results[0]!.ok ? results[0]!.shipment.shipmentId : '';
  expect((await readShipment(database.sql, shipmentId))!.documents).toHaveLength(2);
});

describe('after a crash at any point, the same call returns one label per package', () => {
  const crash = new Error('killed');
  test.each([
    ['before the carrier call', () => ({ carriers: faulty(post(), { buy: () => Promise.reject(crash) }) })],
    [
      'after the carrier call',
      () => ({
        carriers: faulty(post(), {
          buy: async (request) => {
            await post().buy(request);
            throw crash;
          },
        }),
      }),
    ],
    [
      'after one of two packages',
      () => ({
        carriers: faulty(post(), {
          buy: (request) => (request.packageIndex === 1 ? Promise.reject(crash) : post().buy(request)),
        }),
      }),
    ],
    ['before the label was stored', () => ({ objects: { ...objects, put: () => Promise.reject(crash) } })],
    [
      'after the label was stored',
      () => ({
        objects: {
          ...objects,
          put: async (...args: Parameters<ObjectStore['put']>) => {
            await objects.put(...args);
            throw crash;
          },
        },
      }),
    ],
  ])('%s', async (_, faults) => {
    const purchase = await request({ consignment: consignmentTo(MUNICH, { count: 2 }) });
    await expect(buyShipment(deps(faults()), purchase)).rejects.toThrow('killed');

    const again = await buyShipment(deps(), purchase);

    expect(again.ok).toBe(true);
    expect(await liveLabels(purchase.idempotencyKey)).toBe(2);
    if (again.ok) {
      expect(again.shipment.documents).toHaveLength(2);
      expect(await readdir(join(folder, 'data', 'shipments', again.shipment.shipmentId, '1'))).toHaveLength(2);
    }
  });
});

describe('a refusal', () => {
  test('of one package voids the packages that were bought', async () => {
    const idempotencyKey = uuidv7();
    const consignment = consignmentTo(MUNICH, {
      packages: [packageOf(), packageOf({ packageReferenceId: 'pkg-2', grossWeightGrams: 90_000 })],
    });

    const result = await buyShipment(deps(), await request({ consignment, idempotencyKey }));

    expect(result).toMatchObject({
      ok: false,
      refusal: { code: 'PACKAGE_NOT_ACCEPTED', message: expect.stringContaining('pkg-2') },
    });
    expect(await liveLabels(idempotencyKey)).toBe(0);
    expect(
      await database.sql`SELECT 1 FROM trackings t JOIN shipments s ON s.id = t.shipment_id WHERE s.idempotency_key = ${idempotencyKey}`,
    ).toHaveLength(0);
  });

  test('is not final: the same key buys a corrected consignment', async () => {
    const { phone: _, ...withoutPhone } = CHICAGO;
    const purchase = await request({ methodUid: 'merlin_express_worldwide' });
    const refused = await buyShipment(deps(), { ...purchase, consignment: consignmentTo(withoutPhone) });

    const corrected = await buyShipment(deps(), { ...purchase, consignment: consignmentTo(CHICAGO) });

    expect(refused).toMatchObject({ ok: false, refusal: { missing: ['receiver.person.phone'] } });
    expect(corrected.ok).toBe(true);
    expect(await liveLabels(purchase.idempotencyKey)).toBe(1);
  });

  test('of an unknown method leaves no row', async () => {
    const idempotencyKey = uuidv7();
    const result = await buyShipment(deps(), await request({ methodUid: 'owl_mail_fast', idempotencyKey }));

    expect(result).toMatchObject({ ok: false, refusal: { code: 'METHOD_NOT_AVAILABLE' } });
    expect(await database.sql`SELECT 1 FROM shipments WHERE idempotency_key = ${idempotencyKey}`).toHaveLength(0);
  });
});

describe('the lease on a shipment', () => {
  const twelve = () => request({ consignment: consignmentTo(MUNICH, { count: 12 }) });

  /** Returns a carrier that calls a function before each purchase, and the numbers of the packages that it was asked for. */
  function watched(before: (signal: AbortSignal) => Promise<unknown>) {
    const asked: number[] = [];
    const watching = faulty(post(), {
      buy: async (request) => {
        asked.push(request.packageIndex);
        await before(request.signal!);
        return await post().buy(request);
      },
    });
    return { asked, deps: deps({ carriers: watching }) };
  }

  test('lets one of several concurrent purchases call the carrier, once for each package', async () => {
    const input = await twelve();
    const refused: string[] = [];
    const slow = watched(async () => {
      const other = await buyLabels(deps(), input).catch((error: Error) => error);
      if (other instanceof CarrierUnavailable) refused.push(other.message);
    });

    expect(await buyLabels(slow.deps, input)).toMatchObject({ ok: true });

    expect(slow.asked).toEqual([...Array(12).keys()]);
    expect(new Set(refused)).toEqual(new Set(['another attempt calls the carrier']));
    expect(refused).toHaveLength(12);
    expect(await liveLabels(input.idempotencyKey)).toBe(12);
  });

  test('stops a purchase that has lost it: the next attempt buys the other packages, each once', async () => {
    const input = await twelve();
    const taken = watched(async (signal) => {
      await database.sql`
        UPDATE shipments SET lease_holder = ${uuidv7()}, lease_until = now() + interval '1 h'
        WHERE idempotency_key = ${input.idempotencyKey}`;
      if (!signal.aborted) await once(signal, 'abort');
    });

    await expect(buyLabels(taken.deps, input)).rejects.toThrow(CarrierUnavailable);
    expect(taken.asked).toEqual([0, 1, 2, 3, 4]);
    await expect(buyLabels(deps(), input)).rejects.toThrow(CarrierUnavailable);

    await expireLease(input.idempotencyKey);
    expect(await buyLabels(deps(), input)).toMatchObject({ ok: true });
    expect(await liveLabels(input.idempotencyKey)).toBe(12);
  });

  test('ends with a cancelled purchase, which calls the carrier no more', async () => {
    const input = await twelve();
    const cancelled = new AbortController();
    const carrier = watched(async () => cancelled.abort(new Error('the activity was cancelled')));

    await expect(buyLabels(carrier.deps, input, cancelled.signal)).rejects.toThrow('the activity was cancelled');

    expect(carrier.asked).toEqual([0, 1, 2, 3, 4]);
    expect(await buyLabels(deps(), input)).toMatchObject({ ok: true });
    expect(await liveLabels(input.idempotencyKey)).toBe(12);
  });
});

describe('voiding', () => {
  test('voids the labels once, and the key can buy nothing afterwards', async () => {
    const idempotencyKey = uuidv7();
    const { shipmentId } = await bought({ idempotencyKey });

    expect(await voidShipment(deps(), { shipmentId })).toEqual({ ok: true });
    expect(await voidShipment(deps(), { shipmentId })).toEqual({ ok: true });

    expect((await readShipment(database.sql, shipmentId))!.status).toBe('voided');
    expect(await liveLabels(idempotencyKey)).toBe(0);
    const again = await buyShipment(deps(), await request({ idempotencyKey }));
    expect(again).toMatchObject({ ok: false, refusal: { code: 'SHIPMENT_VOIDED' } });
  });

  test('waits for the end of a concurrent purchase', async () => {
    const idempotencyKey = uuidv7();
    const slow = faulty(post(), {
      buy: async (request) => {
        await expect(voidShipment(deps(), { idempotencyKey })).rejects.toThrow('another attempt calls the carrier');
        return await post().buy(request);
      },
    });

    const result = await buyShipment(deps({ carriers: slow }), await request({ idempotencyKey }));

    expect(result.ok).toBe(true);
    expect(await voidShipment(deps(), { idempotencyKey })).toEqual({ ok: true });
    expect(await liveLabels(idempotencyKey)).toBe(0);
  });

  test('wins over a purchase that has lost its lease: no label stays bought', async () => {
    const idempotencyKey = uuidv7();
    const slow = faulty(post(), {
      buy: async (request) => {
        const outcome = await post().buy(request);
        await expireLease(idempotencyKey);
        await voidShipment(deps(), { idempotencyKey });
        return outcome;
      },
    });

    const result = await buyShipment(deps({ carriers: slow }), await request({ idempotencyKey }));

    expect(result).toMatchObject({ ok: false, refusal: { code: 'SHIPMENT_VOIDED' } });
    expect(await liveLabels(idempotencyKey)).toBe(0);
    const [{ id }] = (await database.sql`
      SELECT id FROM shipments WHERE idempotency_key = ${idempotencyKey}`) as unknown as [{ id: string }];
    expect(await readdir(join(folder, 'data', 'shipments', id, '1'))).toEqual([]);
  });

  test('can be repeated after a carrier did not respond', async () => {
    const shipment = await bought();
    const unavailable = faulty(post(), {
      void: () => Promise.reject(new CarrierUnavailable('corvid_post', 'timeout')),
    });

    await expect(voidShipment(deps({ carriers: unavailable }), shipment)).rejects.toThrow(CarrierUnavailable);

    expect((await readShipment(database.sql, shipment.shipmentId))!.status).toBe('bought');
    expect(await voidShipment(deps(), shipment)).toEqual({ ok: true });
  });

  test('returns the reason of a carrier that refuses to void', async () => {
    const outcome = { ok: false, reason: 'already scanned' } as const;
    const refusing = faulty(post(), { void: () => Promise.resolve(outcome) });

    expect(await voidShipment(deps({ carriers: refusing }), await bought())).toEqual(outcome);
  });
});

test('the dispatch response has links for seven days and the tracking data of the first package', async () => {
  const shipment = await bought({
    consignment: consignmentTo(MUNICH, { count: 2 }),
    methodUid: 'tern_parcel_domestic',
  });
  const links = createLinkSigner({
    keys: [{ id: 'a', secret: 'x'.repeat(32) }],
    publicUrl: 'https://print.example',
  });

  const response = dispatchResponse(links, shipment, {
    documentTypes: null,
    voidLabels: [],
    isWanted: () => true,
  });

  expect(response).toMatchObject({
    trackingCode: shipment.packages[0]!.trackingNumber,
    trackingLink: shipment.packages[0]!.trackingUrl,
    documents: [
      { type: 'label', contentType: 'application/pdf', format: 'pdf' },
      { type: 'label', contentType: 'application/pdf', format: 'pdf' },
    ],
  });
  const token = new URL(response.documents[0]!.url).pathname.split('/')[2]!;
  const inSevenDays = (minutes: number) => new Date(Date.now() + (7 * 24 * 60 + minutes) * 60_000);
  expect(links.open(token, inSevenDays(-1)).ok).toBe(true);
  expect(links.open(token, inSevenDays(1))).toEqual({ ok: false, reason: 'expired' });
});

describe('a tracking number that a carrier gives again', () => {
  const NUMBER = sscc('4099999', 990_000_001);
  const DAY_MS = 86_400_000;
  /** Carriers whose every package gets the same number. */
  const recycling = (methodUid: string) => {
    const adapter = carriers.forMethod(methodUid)!;
    return faulty(adapter, {
      async buy(request) {
        const outcome = await adapter.buy(request);
        return outcome.ok ? { ok: true, purchase: { ...outcome.purchase, trackingNumber: NUMBER } } : outcome;
      },
    });
  };
  const purchase = async (methodUid: string, count = 1) =>
    await bought(
      { consignment: consignmentTo(MUNICH, { count }), methodUid },
      deps({ carriers: recycling(methodUid) }),
    );
  const age = (shipmentId: string, days: number) => database.sql`
    UPDATE trackings SET created_at = now() - make_interval(days => ${days}) WHERE shipment_id = ${shipmentId}`;
  const scan = (carrierUid: string, statusUid: TrackingStatus, occurredAt: Date) =>
    recordTrackingEvents(database.sql, carrierUid, [
      {
        trackingNumber: NUMBER,
        eventId: null,
        statusUid,
        message: statusUid,
        occurredAt: occurredAt.toISOString(),
        signedBy: carrierUid,
      },
    ]);
  const statusOf = async (shipmentId: string) =>
    (await database.sql`SELECT status_uid FROM trackings WHERE shipment_id = ${shipmentId}`).map(
      ({ statusUid }) => statusUid,
    );

  test('never makes a purchase fail: of the same carrier, of another carrier, of two packages of one shipment', async () => {
    const first = await purchase('corvid_post_parcel');
    const again = await purchase('corvid_post_parcel');
    const elsewhere = await purchase('tern_parcel_domestic');
    const twoPackages = await purchase('merlin_express_domestic', 2);
    for (const shipment of [first, again, elsewhere, twoPackages]) {
      expect(new Set(shipment.packages.map(({ trackingNumber }) => trackingNumber))).toEqual(new Set([NUMBER]));
      expect(await statusOf(shipment.shipmentId)).toEqual(['registered']);
    }
    await database.sql`DELETE FROM trackings`;
  });

  test('an event belongs to the parcel that had the number at its time, and to its carrier', async () => {
    const old = await purchase('corvid_post_parcel');
    await age(old.shipmentId, 400);
    const present = await purchase('corvid_post_parcel');
    const elsewhere = await purchase('tern_parcel_domestic');

    await scan('corvid_post', 'in_transit', new Date());
    expect(await statusOf(old.shipmentId)).toEqual(['registered']);
    expect(await statusOf(present.shipmentId)).toEqual(['in_transit']);
    await scan('corvid_post', 'delivered', new Date(Date.now() - 395 * DAY_MS));
    expect(await statusOf(old.shipmentId)).toEqual(['delivered']);
    expect(await statusOf(present.shipmentId)).toEqual(['in_transit']);
    expect(await statusOf(elsewhere.shipmentId)).toEqual(['registered']);
    const shown = await readTracking(database.sql, NUMBER, { id: accountId, role: 'operator' });
    expect(shown!.carrierUid).toBe('tern_parcel');
    await database.sql`DELETE FROM trackings`;
  });
});
