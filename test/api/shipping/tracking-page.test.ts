import { createHash } from 'node:crypto';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { shippingRoutes } from '../../../api/routes';
import { newSigningSecret } from '../../../src/platform/http/webhook-signature';
import { uuidv7 } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { voidShipment } from '../../../src/shipping/label-voids';
import { publicPlace } from '../../../src/shipping/tracking/tracking-page';
import { CHICAGO } from '../../src/consignments/sample-addresses';
import { consignmentTo } from '../../src/consignments/sample-consignments';
import { buyShipment } from '../../src/shipping/bought-shipment';
import { testAccount, testApiDeps } from '../../support/api-deps';
import { oneCarrierSecret, signedCarrierEvents } from '../../support/carrier-events';
import { testDatabase } from '../../support/database';
import { insertShippingOrder } from '../../support/rows/shipping-rows';

const secret = newSigningSecret();
let sql: Sql;
let deps: ApiDeps;
let app: Express;
let accountId: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql, { config: oneCarrierSecret(secret) });
  app = createApp(deps, shippingRoutes(deps));
  accountId = (await testAccount(sql, 'client')).id;
});

async function bought(methodUid = 'tern_parcel_standard') {
  const result = await buyShipment(deps, {
    consignment: consignmentTo({ ...CHICAGO, addressLine1: '1420 W Fulton Market' }),
    methodUid,
    idempotencyKey: uuidv7(),
    owner: await insertShippingOrder(sql, accountId),
  });
  if (!result.ok) throw new Error(result.refusal.message);
  return { ...result.shipment.packages[0]!, shipmentId: result.shipment.shipmentId };
}

let minute = 0;
async function report(trackingNumber: string, statusUid: string, change: object = {}): Promise<void> {
  minute += 1;
  const event = {
    id: uuidv7(),
    trackingNumber,
    statusUid,
    message: statusUid,
    createdAt: `2036-02-01T10:${String(minute).padStart(2, '0')}:00Z`,
    ...change,
  };
  const { headers, body } = signedCarrierEvents([event], secret);
  await request(app).post('/v1/carriers/tern_parcel/events').set(headers).send(body).expect(200);
}

/** Follows a tracking link as a browser does: without a key. */
const open = (trackingUrl: string) => request(app).get(new URL(trackingUrl).pathname);
const doneSteps = (html: string) => [...html.matchAll(/<li class="done">([^<]+)<\/li>/g)].map(([, step]) => step);

test.each(['corvid_post_parcel', 'tern_parcel_standard', 'merlin_express_standard'])(
  'the tracking link of %s leads to a page of this server, without a key',
  async (methodUid) => {
    const { trackingUrl, trackingNumber } = await bought(methodUid);

    expect(trackingUrl).toMatch(new RegExp(`^${deps.publicUrl}/track/[\\w-]{22}$`));
    const page = await open(trackingUrl);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<h1>Label created</h1>');
    expect(page.text).toContain(trackingNumber);
  },
);

test('the page shows the steps that the package has reached, and where', async () => {
  const { trackingUrl, trackingNumber } = await bought();
  expect(doneSteps((await open(trackingUrl)).text)).toEqual(['Label created']);

  await report(trackingNumber, 'in_transit', { location: 'Leipzig, Germany' });
  await report(trackingNumber, 'out_for_delivery', {
    location: 'Chicago, IL, US',
    expectedDeliveryDate: '2036-02-03',
  });
  const moving = await open(trackingUrl);

  expect(doneSteps(moving.text)).toEqual(['Label created', 'In transit', 'Out for delivery']);
  expect(moving.text).toContain('<h1>Out for delivery</h1>');
  expect(moving.text).toContain('Tern Parcel');
  expect(moving.text).toContain('GERMANY &rarr; UNITED STATES OF AMERICA');
  expect(moving.text).toContain('Leipzig, Germany');
  expect(moving.text).toContain('Chicago, US');
  expect(moving.text).toContain('Expected delivery: <time datetime="2036-02-03">');

  await report(trackingNumber, 'delivered');
  const delivered = await open(trackingUrl);
  expect(doneSteps(delivered.text)).toEqual(['Label created', 'In transit', 'Out for delivery', 'Delivered']);
  expect(delivered.text).not.toContain('Expected delivery');
});

test('a returned package says so in place of delivered', async () => {
  const { trackingUrl, trackingNumber } = await bought();
  await report(trackingNumber, 'returned');

  expect(doneSteps((await open(trackingUrl)).text).at(-1)).toBe('Returned to the sender');
});

test('the page shows no personal data, whatever carriers report', async () => {
  const { trackingUrl, trackingNumber } = await bought();
  await report(trackingNumber, 'delivered', {
    message: 'Signed by Maria Gonzalez',
    description: 'Left with neighbour Schmidt',
    location: '1420 W Fulton Market, Suite 300, Chicago, IL, 60607-1234, US',
  });

  const { text } = await open(trackingUrl);

  expect(text).toContain('Chicago, US');
  for (const personal of [
    'Maria',
    'Gonzalez',
    'Schmidt',
    'Fulton',
    'Suite',
    '60607',
    'Lakeside',
    'example.com',
    '+1312',
    'ORDER-2026',
    'Druckhaus',
    'Northern Walls',
  ]) {
    expect(text).not.toContain(personal);
  }
});

test('the page has a strict content security policy, and text of carriers is escaped', async () => {
  const { trackingUrl, trackingNumber } = await bought();
  await report(trackingNumber, 'in_transit', { location: '<script>alert(document.domain)</script>' });

  const { text, headers } = await open(trackingUrl);

  const style = /<style>([^<]*)<\/style>/.exec(text)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  expect(text).not.toContain('<script');
  expect(text).toContain('&lt;script&gt;');
});

test('a canceled label says so', async () => {
  const { trackingUrl, shipmentId } = await bought();
  await voidShipment(deps, { shipmentId });

  const { text } = await open(trackingUrl);

  expect(text).toContain('<h1>Label canceled</h1>');
  expect(doneSteps(text)).toEqual([]);
});

test('the tracking number opens the page too, and one address opens few packages by number; tracking links are not counted', async () => {
  app = createApp(deps, shippingRoutes(deps));
  const packages = await Promise.all([bought(), bought()]);
  const [{ trackingUrl, trackingNumber }] = packages as [Awaited<ReturnType<typeof bought>>, unknown];
  const statuses = new Map<number, number>();
  for (let tried = 0; tried < 150; tried += 1) {
    const number = packages[tried]?.trackingNumber ?? `unknown-${tried}`;
    const { status, headers } = await request(app).get(`/track/${number}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    else expect((await open(trackingUrl)).status).toBe(200);
  }
  expect(Object.fromEntries(statuses)).toEqual({ 200: 2, 404: 98, 429: 50 });
  expect((await request(app).get(`/track/${trackingNumber}`)).status).toBe(429);
  expect((await open(trackingUrl)).status).toBe(200);
  app = createApp(deps, shippingRoutes(deps));
});

test('an unknown number is a 404 page that does not repeat it', async () => {
  const page = await request(app).get('/track/%3Cb%3Enowhere');

  expect(page.status).toBe(404);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.text).toContain('Tracking number not found');
  expect(page.text).not.toContain('nowhere');
});

test.each([
  [null, ''],
  ['Leipzig', 'Leipzig'],
  ['CHICAGO, IL, US', 'CHICAGO, US'],
  ['Main Street, Springfield, IL, US', 'Springfield, US'],
  ['12 rue Oberkampf, 75011 Paris, France', 'France'],
  ['東京, 日本', '東京, 日本'],
])('of the location %j the page shows %j', (location, place) => {
  expect(publicPlace(location)).toBe(place);
});
