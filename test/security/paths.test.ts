import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import type { ApiDeps } from '../../api/deps';
import { allRoutes } from '../../api/routes';
import { seedDemoCatalog } from '../../sandbox/demo/catalog';
import { createCarriers } from '../../src/carriers/carriers';
import { uuidv7 } from '../../src/platform/ids';
import { assertObjectKey, contentDisposition } from '../../src/platform/objects/object-store';
import { json } from '../../src/platform/postgres';
import { documentLink } from '../../src/shipping/shipments';
import { order } from '../api/orders/sample-orders';
import { CHICAGO } from '../src/consignments/sample-addresses';
import { consignmentTo } from '../src/consignments/sample-consignments';
import { buyShipment } from '../src/shipping/bought-shipment';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Names from clients that could act as paths, markup or commands. */

const TRICKS = [
  '../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '....//....//etc/passwd',
  '/etc/passwd',
  'C:\\x.pdf',
  'a/b?c=d#e',
  'a%00.pdf',
  'a;rm -rf ~',
  '$(id)`id`|id',
  "'; DROP TABLE orders; --",
  '%',
  '%zz',
  '"><script>alert(1)</script>',
  'a\r\nSet-Cookie: x=y',
  '\u202efdp.exe',
  'CON',
  '.',
  '..',
  'search',
  'quote',
  '__proto__',
  'constructor',
  '😀送り状',
  'e\u0301',
];

let deps: ApiDeps;
let app: Express;
let client: TestAccount;

beforeAll(async () => {
  const { sql } = await testDatabase();
  await seedDemoCatalog(sql);
  deps = await testApiDeps(sql);
  app = createApp(deps, allRoutes(deps));
  client = await testAccount(sql, 'client');
});

const submit = (reference: string) =>
  request(app)
    .post('/v1/orders')
    .set(client.keyAndSecret)
    .send(order({ orderReferenceId: reference }));

test.each(TRICKS)('the reference %p is stored and returned unchanged', async (reference) => {
  const { body: made } = await submit(reference).expect(200);
  expect(made.orderReferenceId).toBe(reference);
  // A URL cannot contain a segment `.` or `..`. Such an order is found by its id.
  const paths = ['.', '..'].includes(reference) ? [made.id] : [made.id, encodeURIComponent(reference)];
  for (const path of paths) {
    const { body } = await request(app).get(`/v1/orders/${path}`).set(client.keyAndSecret).expect(200);
    expect([body.id, body.orderReferenceId]).toEqual([made.id, reference]);
  }
  const { body: found } = await request(app)
    .post('/v1/orders/search')
    .set(client.keyAndSecret)
    .send({ orderReferenceIds: [reference] })
    .expect(200);
  expect(found.orders.map(({ id }: { id: string }) => id)).toEqual([made.id]);
});

test.each([
  ['NUL', 'a\u0000b'],
  ['a lone surrogate', 'a\ud83d'],
  ['nothing', ''],
  ['white space', ' \t '],
  ['101 characters', 'x'.repeat(101)],
])('a reference of %s is refused', async (_name, reference) => {
  const { body } = await submit(reference).expect(400);
  expect(body.errors).toMatchObject([{ reference: 'orderReferenceId' }]);
});

// One of each kind, because each shipment has its label and its papers drawn.
test.each(TRICKS.filter((_, index) => index % 5 === 0))(
  'documents of a shipment called %p have plain names under keys of our own',
  async (reference) => {
    const id = uuidv7();
    await deps.sql`
    INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until)
    VALUES (${id}, ${client.id}, ${id}, '', ${json(deps.sql, {})}, '', ${json(deps.sql, {})}, now())`;
    const bought = await buyShipment(
      { sql: deps.sql, objects: deps.objects, carriers: createCarriers(deps.sql, 'https://pressline.test') },
      {
        consignment: consignmentTo(CHICAGO, { reference }),
        methodUid: 'merlin_express_worldwide',
        idempotencyKey: id,
        owner: { kind: 'shipping_order', shippingOrderId: id },
      },
    );
    if (!bought.ok) throw new Error(bought.refusal.message);
    const { documents } = bought.shipment;
    expect(documents.length).toBeGreaterThan(1);
    for (const document of documents) {
      expect(document.fileName).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*\.pdf$/);
      expect(document.fileName).not.toContain('..');
      const link = new URL(documentLink(deps.links, document));
      const response = await request(app).get(link.pathname).expect(200);
      expect(response.headers['content-disposition']).toContain(document.fileName);
      expect(response.headers['set-cookie']).toBeUndefined();
    }
  },
);

test('no object key leaves the object store', () => {
  for (const key of [
    ...TRICKS.filter((trick) => !/^[A-Za-z0-9_]+$/.test(trick)),
    '',
    'a//b',
    'a/../b',
    'a/.',
    '.a',
    'a/',
    '/a',
  ]) {
    expect(() => assertObjectKey(key)).toThrow(RangeError);
  }
  expect(assertObjectKey('labels/2026/a-1.pdf')).toBe('labels/2026/a-1.pdf');
});

test('a file name cannot break out of its header', () => {
  for (const trick of TRICKS) {
    const header = contentDisposition('inline', trick);
    expect(header).toMatch(/^inline; filename=("[^"\\/\r\n]*"|[^\s"\\/;]+)(; filename\*=UTF-8''[^\s"/\\]*)?$/);
  }
});
