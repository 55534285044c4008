import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CarrierAdapter, CarrierUnavailable } from '../../../src/carriers/carrier';
import { type Carriers, carriersOf, createCarriers } from '../../../src/carriers/carriers';
import { isS10, isSscc } from '../../../src/carriers/domain/tracking-numbers';
import { uuidv7 } from '../../../src/platform/ids';
import { createFolderStore } from '../../../src/platform/objects/folder-store';
import type { ObjectStore } from '../../../src/platform/objects/object-store';
import { createLinkSigner } from '../../../src/platform/objects/signed-links';
import { json } from '../../../src/platform/postgres';
import { buyShipment, voidShipment } from '../../../src/shipping/purchase';
import {
  dispatchAnswer,
  readShipment,
  type ShipmentOwner,
  shipmentDocuments,
} from '../../../src/shipping/shipments';
import { type TestDatabase, testDatabase } from '../../support/database';
import { CHICAGO, MUNICH } from '../documents/addresses';
import { barcodesIn, pagesOf, textOf } from '../documents/pictures';
import { consignmentTo, packageOf } from './consignments';

let database: TestDatabase;
let folder: string;
let objects: ObjectStore;
let carriers: Carriers;
const accountId = uuidv7();

beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'pressline-shipping-'));
  objects = await createFolderStore(folder);
  carriers = createCarriers(database.sql);
  await database.sql`INSERT INTO accounts (id, name, role) VALUES (${accountId}, 'shop', 'client')`;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const deps = (change: Partial<{ objects: ObjectStore; carriers: Carriers }> = {}) => ({
  sql: database.sql,
  objects,
  carriers,
  ...change,
});

async function owner(): Promise<ShipmentOwner> {
  const id = uuidv7();
  await database.sql`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until)
    VALUES (${id}, ${accountId}, ${id}, '', ${json(database.sql, {})}, '', ${json(database.sql, {})}, now())`;
  return { kind: 'shipping_order', shippingOrderId: id };
}

/** A carrier that goes wrong in one call, as often as told. */
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

test('a purchase gives a tracking number, a cost and a label for each package', async () => {
  const result = await buyShipment(deps(), {
    consignment: consignmentTo(MUNICH, { count: 3 }),
    methodUid: 'corvid_post_parcel',
    idempotencyKey: uuidv7(),
    owner: await owner(),
  });

  if (!result.ok) throw new Error(result.refusal.message);
  const { shipment } = result;
  expect(shipment).toMatchObject({ status: 'bought', carrierName: 'Corvid Post', methodName: 'Parcel' });
  expect(shipment.packages.map(({ packageReferenceId }) => packageReferenceId)).toEqual([
    'pkg-1',
    'pkg-2',
    'pkg-3',
  ]);
  expect(shipment.packages.every(({ trackingNumber }) => isS10(trackingNumber))).toBe(true);
  expect(new Set(shipment.packages.map(({ trackingNumber }) => trackingNumber)).size).toBe(3);
  expect(shipment.packages[0]!.cost).toEqual({ minor: 619, currency: 'EUR' });
  const documents = await shipmentDocuments(database.sql, shipment.shipmentId);
  expect(documents.map(({ type, contentType }) => [type, contentType])).toEqual(
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
])('a label of %s shows the client’s brand where the carrier allows it: %s', async (methodUid, allowed) => {
  const result = await buyShipment(deps(), {
    consignment: { ...consignmentTo(MUNICH), brandName: 'Northern Walls' },
    methodUid,
    idempotencyKey: uuidv7(),
    owner: await owner(),
  });

  if (!result.ok) throw new Error(result.refusal.message);
  const [label] = await shipmentDocuments(database.sql, result.shipment.shipmentId);
  const stored = (await objects.get(label!.objectKey))!;
  const [text] = await textOf(Buffer.concat(await stored.body.toArray()));
  expect(text!.includes('Northern Walls')).toBe(allowed);
});

test('couriers’ packages carry SSCCs, and every package can be tracked from the start', async () => {
  const result = await buyShipment(deps(), {
    consignment: consignmentTo(MUNICH, { count: 2 }),
    methodUid: 'tern_parcel_domestic',
    idempotencyKey: uuidv7(),
    owner: await owner(),
  });

  if (!result.ok) throw new Error(result.refusal.message);
  const numbers = result.shipment.packages.map(({ trackingNumber }) => trackingNumber);
  expect(numbers.every(isSscc)).toBe(true);
  const trackings =
    await database.sql`SELECT status_uid FROM trackings WHERE tracking_number = ANY(${numbers})`;
  expect(trackings).toEqual([{ statusUid: 'registered' }, { statusUid: 'registered' }]);
});

test.each([
  [
    'by post',
    'corvid_post_tracked_packet',
    ['label', 'label', 'customs_form', 'customs_form'],
    ['cn22', 'cn22'],
  ],
  ['by courier', 'tern_parcel_standard', ['label', 'label', 'invoice'], ['commercial_invoice']],
])('customs papers go with what crosses a border %s', async (_, methodUid, types, papers) => {
  const consignment = consignmentTo(CHICAGO, {
    packages: [
      packageOf({ lengthMm: 300, widthMm: 200 }),
      packageOf({ packageReferenceId: 'pkg-2', lengthMm: 300, widthMm: 200 }),
    ],
  });
  const result = await buyShipment(deps(), {
    consignment,
    methodUid,
    idempotencyKey: uuidv7(),
    owner: await owner(),
  });

  if (!result.ok) throw new Error(result.refusal.message);
  const documents = await shipmentDocuments(database.sql, result.shipment.shipmentId);
  expect(documents.map(({ type }) => type)).toEqual(types);
  expect(documents.slice(2).map(({ documentType }) => documentType)).toEqual(papers);
});

test('the same key gives the same shipment, also asked ten times at once', async () => {
  const idempotencyKey = uuidv7();
  const by = await owner();
  const ask = () =>
    buyShipment(deps(), {
      consignment: consignmentTo(MUNICH, { count: 2 }),
      methodUid: 'corvid_post_parcel',
      idempotencyKey,
      owner: by,
    });

  const results = await Promise.all(Array.from({ length: 10 }, ask));
  results.push(await ask());

  const numbers = results.map((result) =>
    result.ok ? result.shipment.packages.map((pack) => pack.trackingNumber).join() : 'refused',
  );
  expect(new Set(numbers).size).toBe(1);
  expect(await liveLabels(idempotencyKey)).toBe(2);
  const shipmentId = results[0]!.ok ? results[0]!.shipment.shipmentId : '';
  expect(await shipmentDocuments(database.sql, shipmentId)).toHaveLength(2);
});

describe('a crash at any point, and the same call again, give one label', () => {
  const crash = new Error('killed');
  test.each([
    [
      'before the carrier was asked',
      () => ({ carriers: faulty(post(), { buy: () => Promise.reject(crash) }) }),
    ],
    [
      'after the carrier sold',
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
    const idempotencyKey = uuidv7();
    const request = {
      consignment: consignmentTo(MUNICH, { count: 2 }),
      methodUid: 'corvid_post_parcel',
      idempotencyKey,
      owner: await owner(),
    };
    await expect(buyShipment(deps(faults()), request)).rejects.toThrow('killed');

    const again = await buyShipment(deps(), request);

    expect(again.ok).toBe(true);
    expect(await liveLabels(idempotencyKey)).toBe(2);
    if (again.ok) {
      expect(await shipmentDocuments(database.sql, again.shipment.shipmentId)).toHaveLength(2);
      expect(await readdir(join(folder, 'data', 'shipments', again.shipment.shipmentId, '1'))).toHaveLength(
        2,
      );
    }
  });
});

describe('a refusal', () => {
  test('of one package takes the bought ones back', async () => {
    const idempotencyKey = uuidv7();
    const consignment = consignmentTo(MUNICH, {
      packages: [packageOf(), packageOf({ packageReferenceId: 'pkg-2', grossWeightGrams: 90_000 })],
    });

    const result = await buyShipment(deps(), {
      consignment,
      methodUid: 'corvid_post_parcel',
      idempotencyKey,
      owner: await owner(),
    });

    expect(result).toMatchObject({
      ok: false,
      refusal: { code: 'PACKAGE_NOT_ACCEPTED', message: expect.stringContaining('pkg-2') },
    });
    expect(await liveLabels(idempotencyKey)).toBe(0);
    expect(
      await database.sql`SELECT 1 FROM trackings t JOIN shipments s ON s.id = t.shipment_id WHERE s.idempotency_key = ${idempotencyKey}`,
    ).toHaveLength(0);
  });

  test('does not stick: the same key may buy when the fault is mended', async () => {
    const idempotencyKey = uuidv7();
    const by = await owner();
    const { phone: _, ...withoutPhone } = CHICAGO;
    const request = { methodUid: 'merlin_express_worldwide', idempotencyKey, owner: by };
    const refused = await buyShipment(deps(), { ...request, consignment: consignmentTo(withoutPhone) });

    const mended = await buyShipment(deps(), { ...request, consignment: consignmentTo(CHICAGO) });

    expect(refused).toMatchObject({ ok: false, refusal: { missing: ['receiver.person.phone'] } });
    expect(mended.ok).toBe(true);
    expect(await liveLabels(idempotencyKey)).toBe(1);
  });

  test('of an unknown method leaves nothing behind', async () => {
    const idempotencyKey = uuidv7();
    const result = await buyShipment(deps(), {
      consignment: consignmentTo(),
      methodUid: 'owl_mail_fast',
      idempotencyKey,
      owner: await owner(),
    });

    expect(result).toMatchObject({ ok: false, refusal: { code: 'METHOD_NOT_AVAILABLE' } });
    expect(
      await database.sql`SELECT 1 FROM shipments WHERE idempotency_key = ${idempotencyKey}`,
    ).toHaveLength(0);
  });
});

describe('voiding', () => {
  const buy = async (idempotencyKey: string) =>
    await buyShipment(deps(), {
      consignment: consignmentTo(MUNICH),
      methodUid: 'corvid_post_parcel',
      idempotencyKey,
      owner: await owner(),
    });

  test('takes the labels back, once, and the key can buy no more', async () => {
    const idempotencyKey = uuidv7();
    const bought = await buy(idempotencyKey);
    if (!bought.ok) throw new Error('refused');
    const { shipmentId } = bought.shipment;

    expect(await voidShipment(deps(), { shipmentId })).toEqual({ ok: true });
    expect(await voidShipment(deps(), { shipmentId })).toEqual({ ok: true });

    expect((await readShipment(database.sql, shipmentId))!.status).toBe('voided');
    expect(await liveLabels(idempotencyKey)).toBe(0);
    expect(await buy(idempotencyKey)).toMatchObject({ ok: false, refusal: { code: 'SHIPMENT_VOIDED' } });
  });

  test('of a purchase that is under way wins: nothing is left bought', async () => {
    const idempotencyKey = uuidv7();
    const slow = faulty(post(), {
      buy: async (request) => {
        const outcome = await post().buy(request);
        await voidShipment(deps(), { idempotencyKey });
        return outcome;
      },
    });

    const result = await buyShipment(deps({ carriers: slow }), {
      consignment: consignmentTo(MUNICH),
      methodUid: 'corvid_post_parcel',
      idempotencyKey,
      owner: await owner(),
    });

    expect(result).toMatchObject({ ok: false, refusal: { code: 'SHIPMENT_VOIDED' } });
    expect(await liveLabels(idempotencyKey)).toBe(0);
    const [{ id }] = (await database.sql`
      SELECT id FROM shipments WHERE idempotency_key = ${idempotencyKey}`) as unknown as [{ id: string }];
    expect(await readdir(join(folder, 'data', 'shipments', id, '1'))).toEqual([]);
  });

  test('a carrier that does not answer is asked again later', async () => {
    const idempotencyKey = uuidv7();
    const bought = await buy(idempotencyKey);
    if (!bought.ok) throw new Error('refused');
    const away = faulty(post(), {
      void: () => Promise.reject(new CarrierUnavailable('corvid_post', 'time-out')),
    });

    await expect(voidShipment(deps({ carriers: away }), bought.shipment)).rejects.toThrow(CarrierUnavailable);

    expect((await readShipment(database.sql, bought.shipment.shipmentId))!.status).toBe('bought');
    expect(await voidShipment(deps(), bought.shipment)).toEqual({ ok: true });
  });

  test('a carrier that will not void says why', async () => {
    const bought = await buy(uuidv7());
    if (!bought.ok) throw new Error('refused');
    const stubborn = faulty(post(), {
      void: () => Promise.resolve({ ok: false, reason: 'already scanned' }),
    });

    expect(await voidShipment(deps({ carriers: stubborn }), bought.shipment)).toEqual({
      ok: false,
      reason: 'already scanned',
    });
  });
});

test('a dispatch is answered with links of seven days and the first package’s tracking data', async () => {
  const bought = await buyShipment(deps(), {
    consignment: consignmentTo(MUNICH, { count: 2 }),
    methodUid: 'tern_parcel_domestic',
    idempotencyKey: uuidv7(),
    owner: await owner(),
  });
  if (!bought.ok) throw new Error('refused');
  const links = createLinkSigner({ secret: 'x'.repeat(32), publicUrl: 'https://print.example' });
  const now = new Date('2026-03-01T12:00:00Z');

  const answer = await dispatchAnswer({ sql: database.sql, links, now }, bought.shipment.shipmentId);

  expect(answer).toMatchObject({
    trackingCode: bought.shipment.packages[0]!.trackingNumber,
    trackingLink: bought.shipment.packages[0]!.trackingUrl,
    documents: [
      { type: 'label', contentType: 'application/pdf', format: 'pdf' },
      { type: 'label', contentType: 'application/pdf', format: 'pdf' },
    ],
  });
  const token = new URL(answer.documents[0]!.url).pathname.split('/')[2]!;
  expect(links.open(token, new Date('2026-03-08T11:59:00Z')).ok).toBe(true);
  expect(links.open(token, new Date('2026-03-08T12:01:00Z'))).toEqual({ ok: false, reason: 'expired' });
});
