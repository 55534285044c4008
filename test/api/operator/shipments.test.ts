import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { operatorShipmentRoutes } from '../../../api/operator/shipments';
import { uuidv7 } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { everyPage } from '../../support/every-page';
import { insertOrder } from '../../support/rows/order-rows';
import { plannedPrintOrder } from '../../support/rows/planned-print-order';
import { insertShippingOrder } from '../../support/rows/shipping-rows';

/** Operators list parcels and shipping orders, those with problems first. */

let sql: Sql;
let app: Express;
let viewer: TestAccount;
let client: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, operatorShipmentRoutes(deps));
  viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  client = await testAccount(sql, 'client', 'shop');
});
beforeEach(async () => {
  await sql`DELETE FROM trackings`;
  await sql`DELETE FROM shipments`;
  await sql`DELETE FROM shipping_orders`;
});

/** Inserts a shipping order. Returns its id. */
async function shippingOrder(
  reference: string,
  status: string,
  { days = 0, refusal = null as string | null } = {},
): Promise<string> {
  const { shippingOrderId: id } = await insertShippingOrder(sql, client.id);
  await sql`
    UPDATE shipping_orders SET order_reference_id = ${reference}, status = ${status}, method_uid = 'corvid_parcel',
      refusal = ${refusal === null ? null : sql.json({ code: 'ADDRESS', message: refusal })},
      created_at = now() - make_interval(secs => ${days * 86_400}) WHERE id = ${id}`;
  return id;
}

/** Inserts a bought package of a shipping order with its tracking. Returns the id of its shipment. */
async function parcel(
  shippingOrderId: string,
  trackingNumber: string,
  status = 'registered',
  { days = 0, voided = false } = {},
): Promise<string> {
  const id = uuidv7();
  await sql`
    INSERT INTO shipments (id, idempotency_key, shipping_order_id, status, consignment, method_uid, method_name, carrier_uid,
      carrier_name, bought_at)
    VALUES (${id}, ${id}, ${shippingOrderId}, ${voided ? 'voided' : 'bought'}, '{}', 'corvid_parcel', 'Parcel', 'corvid_post',
      'Corvid Post', now())`;
  await sql`
    INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor,
      currency, weight_grams)
    VALUES (${id}, 0, 'pkg-1', ${trackingNumber}, 'https://track.example', 390, 'EUR', 350)`;
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, status_uid, created_at)
    VALUES (${trackingNumber}, ${`s-${trackingNumber}`}, ${id}, 'corvid_post', ${status},
      now() - make_interval(secs => ${days * 86_400}))`;
  return id;
}

const get = (path: string, by = viewer) => request(app).get(`/v1/operator/${path}`).set(by.key);
const parcels = async (query = '') => (await get(`parcels${query}`).expect(200)).body.parcels;
const numbers = (rows: { trackingNumber: string }[]) => rows.map(({ trackingNumber }) => trackingNumber);
const orders = async (query = '') => (await get(`shipping-orders${query}`).expect(200)).body.shippingOrders;
const references = (rows: { orderReferenceId: string }[]) => rows.map(({ orderReferenceId }) => orderReferenceId);

test('parcels with problems come first, then the newest', async () => {
  const owner = await shippingOrder('parcels', 'bought');
  await parcel(owner, 'NEW', 'registered', { days: 1 });
  await parcel(owner, 'DELIVERED', 'delivered', { days: 2 });
  await parcel(owner, 'WAITS', 'registered', { days: 11 });
  await parcel(owner, 'LOST', 'in_transit', { days: 31 });
  await parcel(owner, 'BACK', 'returned', { days: 5 });
  await parcel(owner, 'OLD', 'returned', { days: 91 });
  await parcel(owner, 'VOIDED', 'registered', { days: 12, voided: true });
  const all = await parcels();
  expect(numbers(all)).toEqual(['BACK', 'WAITS', 'LOST', 'NEW', 'DELIVERED', 'VOIDED', 'OLD']);
  expect(all.map(({ problem }: { problem: string | null }) => problem)).toEqual([
    ...['returned', 'not_handed_over', 'overdue'],
    ...[null, null, null, null],
  ]);
  expect(numbers(await parcels('?problem=true'))).toEqual(['BACK', 'WAITS', 'LOST']);
  expect(numbers(await parcels('?status=delivered,in_transit'))).toEqual(['LOST', 'DELIVERED']);
  expect(all[5]).toMatchObject({ voided: true, label: null });
});

test('a parcel tells whose it is and where its label is', async () => {
  const owner = await shippingOrder('ref-1', 'bought');
  const shipmentId = await parcel(owner, 'LX1');
  expect(await parcels()).toEqual([
    expect.objectContaining({
      trackingNumber: 'LX1',
      carrierName: 'Corvid Post',
      clientName: 'shop',
      reference: 'ref-1',
      orderId: null,
      shippingOrderId: owner,
      label: { shipmentId, position: 0 },
    }),
  ]);
});

test('parcels are found by tracking number, shipment, and shipping order', async () => {
  const owner = await shippingOrder('ref-2', 'bought');
  const shipmentId = await parcel(owner, 'LX2');
  await parcel(await shippingOrder('ref-3', 'bought'), 'LX3');
  for (const text of ['LX2', ' lx 2 ', shipmentId, owner, 'ref-2'])
    expect(numbers(await parcels(`?q=${encodeURIComponent(text)}`))).toEqual(['LX2']);
  expect(await parcels('?q=nothing')).toEqual([]);
});

test('parcels are found by their order, also those with a partner’s own tracking code', async () => {
  const order = await insertOrder(sql, client.id);
  const partner = await testAccount(sql, 'partner', 'printer');
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${partner.id}, 'printer', 'Printer', 'DE', 'EUR', '{}', '{}')`;
  const printOrderId = await plannedPrintOrder(sql, { orderId: order, partnerId: partner.id, body: {} });
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, print_order_id, carrier_name, tracking_url)
    VALUES ('OWN1', 's-own', ${printOrderId}, 'Snail', 'https://snail.example/OWN1')`;
  for (const text of ['OWN1', order, 'ref', printOrderId])
    expect(await parcels(`?q=${text}`)).toEqual([
      expect.objectContaining({ trackingNumber: 'OWN1', orderId: order, carrierName: 'Snail', label: null }),
    ]);
});

test('shipping orders with problems come first, then the newest', async () => {
  await shippingOrder('bought', 'bought', { days: 0.5 });
  await shippingOrder('just now', 'buying');
  await shippingOrder('stuck', 'buying', { days: 1 });
  await shippingOrder('refused', 'refused', { days: 3, refusal: 'No such street' });
  await shippingOrder('long ago', 'refused', { days: 8 });
  await shippingOrder('canceling', 'canceling', { days: 2 });
  const all = await orders();
  expect(references(all)).toEqual(['stuck', 'canceling', 'refused', 'just now', 'bought', 'long ago']);
  expect(all[2]).toMatchObject({ problem: 'refused', refusal: 'No such street', packages: [] });
  expect(references(await orders('?problem=true'))).toEqual(['stuck', 'canceling', 'refused']);
  expect(references(await orders('?status=bought'))).toEqual(['bought']);
});

test('shipping orders are found by id, reference, shipment and tracking number', async () => {
  const id = await shippingOrder('ref-4', 'bought');
  const shipmentId = await parcel(id, 'LX4');
  await shippingOrder('ref-5', 'bought');
  for (const text of [id, 'ref-4', shipmentId, 'LX4'])
    expect(await orders(`?q=${text}`)).toEqual([
      expect.objectContaining({
        id,
        packages: [{ trackingNumber: 'LX4', label: { shipmentId, position: 0 } }],
      }),
    ]);
});

test.each(['parcels', 'shipping-orders'])('%s are paged across the last problem without gaps', async (path) => {
  for (let n = 0; n < 5; n += 1) {
    await parcel(await shippingOrder(`fine-${n}`, 'bought'), `FINE${n}`);
    await parcel(await shippingOrder(`bad-${n}`, 'refused'), `BAD${n}`, 'failed_attempt');
  }
  const key = path === 'parcels' ? 'parcels' : 'shippingOrders';
  const all = (await get(path).expect(200)).body[key];
  expect(all).toHaveLength(10);
  const page = async (cursor: object) =>
    (
      await get(path)
        .query({ limit: 3, ...cursor })
        .expect(200)
    ).body;
  expect(await everyPage(page, key)).toEqual(all);
});

test('bad input gets 400', async () => {
  for (const path of ['parcels', 'shipping-orders']) {
    for (const query of ['status=lost', 'cursor=x', 'cursor=p.x', 'limit=0', 'problem=yes'])
      await get(`${path}?${query}`).expect(400);
  }
});
