import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import type { ApiDeps } from '../../../api/deps';
import { documentRoutes } from '../../../api/documents';
import { shippingRoutes } from '../../../api/routes';
import type { CarrierAdapter } from '../../../src/carriers/carrier';
import { carriersOf, createCarriers } from '../../../src/carriers/carriers';
import { newSigningSecret } from '../../../src/platform/http/webhook-signature';
import { randomToken, uuidv7 } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { binaryBody } from '../../support/binary-body';
import { oneCarrierSecret, signedCarrierEvents } from '../../support/carrier-events';
import { testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { domesticRequest } from './shipping-request';
import { startShippingWorker } from './shipping-worker';

/** Reading, finding and canceling shipping orders. */

const METHOD = 'tern_parcel_domestic';
const secret = newSigningSecret();
const config = {
  TEMPORAL_TASK_QUEUE: `shipping-lifecycle-${randomToken(6)}`,
  ...oneCarrierSecret(secret),
};

let sql: Sql;
let app: Express;
/** The same routes without a Temporal server. */
let appWithoutTemporal: Express;
let client: TestAccount;
let stranger: TestAccount;
let operator: TestAccount;
let stopWorker: () => Promise<void>;
/** Replaces functions of the carrier for one test. */
let faults: Partial<CarrierAdapter> = {};

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps: ApiDeps = await testApiDeps(sql, { config });
  const tern = createCarriers(sql, 'https://pressline.test').forMethod(METHOD)!;
  const carriers = carriersOf([
    {
      ...tern,
      buy: (purchase) => (faults.buy ?? tern.buy)(purchase),
      void: (purchase) => (faults.void ?? tern.void)(purchase),
    },
  ]);
  const routes = (own: ApiDeps) => createApp(own, [...shippingRoutes(own), ...documentRoutes(own)]);
  app = routes({ ...deps, carriers });
  appWithoutTemporal = routes(await testApiDeps(sql, { config, temporalAddress: '127.0.0.1:1' }));
  client = await testAccount(sql, 'client');
  stranger = await testAccount(sql, 'client');
  operator = await testAccount(sql, 'operator');
  stopWorker = await startShippingWorker({ ...deps, carriers });
});
afterAll(() => stopWorker());
afterEach(() => {
  faults = {};
});

const requestFor = (change: object = {}) => ({
  ...domesticRequest(),
  shippingMethod: { uid: METHOD },
  ...change,
});
const create = (body: object, as = client) => request(app).post('/v1/shipping-orders').set(as.key).send(body);
const get = (idOrReference: string, as = client) =>
  request(app)
    .get(`/v1/shipping-orders/${encodeURIComponent(idOrReference)}`)
    .set(as.key);
const cancel = (idOrReference: string, as = client) =>
  request(app)
    .post(`/v1/shipping-orders/${encodeURIComponent(idOrReference)}/cancel`)
    .set(as.key);
const search = (body: object, as = client) => request(app).post('/v1/shipping-orders/search').set(as.key).send(body);

async function bought(change: object = {}, as = client) {
  const body = requestFor(change);
  const response = await create(body, as);
  expect(response.status).toBe(200);
  return {
    body,
    response: response.body,
    reference: body.orderReferenceId,
    number: response.body.packages[0].trackingNumber as string,
  };
}

/** Returns true when the carrier still honours a label. */
async function isLive(trackingNumber: string): Promise<boolean> {
  const rows = await sql`
    SELECT 1 FROM carrier_purchases WHERE tracking_number = ${trackingNumber} AND voided_at IS NULL`;
  return rows.length === 1;
}

async function scan(trackingNumber: string, statusUid: string): Promise<void> {
  const event = {
    id: uuidv7(),
    trackingNumber,
    statusUid,
    message: statusUid,
    createdAt: '2026-02-01T10:00:00Z',
  };
  const { headers, body } = signedCarrierEvents([event], secret);
  const response = await request(app).post('/v1/carriers/tern_parcel/events').set(headers).send(body);
  expect(response.body).toMatchObject({ recorded: 1 });
}

describe('GET /v1/shipping-orders/{shippingOrderId}', () => {
  test('returns the labels by id and by reference, so that they are found after a lost response', async () => {
    const { response, reference, number } = await bought();

    const [byId, byReference] = [await get(response.orderId), await get(reference)];

    expect(byReference.status).toBe(200);
    expect(byReference.body).toMatchObject({
      orderId: response.orderId,
      orderReferenceId: reference,
      status: 'bought',
      shippingMethod: { carrier: 'Tern Parcel', uid: METHOD },
      createdAt: expect.any(String),
      canceledAt: null,
      refusal: null,
      packages: [{ packageReferenceId: 'pkg-1', trackingNumber: number, totalCost: { currency: 'EUR' } }],
    });
    expect(byId.body.packages[0].trackingNumber).toBe(number);
    const label = await request(app)
      .get(new URL(byReference.body.packages[0].label.fileUrl).pathname)
      .buffer(true)
      .parse(binaryBody);
    expect(label.body.subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('responds to the account and operators only', async () => {
    const { response, reference } = await bought();

    expect((await get(response.orderId, stranger)).status).toBe(404);
    expect((await get(reference, stranger)).status).toBe(404);
    expect((await get(response.orderId, operator)).status).toBe(200);
    expect((await request(app).get(`/v1/shipping-orders/${response.orderId}`)).status).toBe(401);
    expect((await get('unknown')).status).toBe(404);
    expect((await get(uuidv7())).body).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('shows a purchase that is not complete, and one that was refused', async () => {
    const body = requestFor();
    const waiting = await request(appWithoutTemporal).post('/v1/shipping-orders').set(client.key).send(body);
    expect(waiting.status).toBe(503);
    expect((await get(body.orderReferenceId)).body).toMatchObject({
      status: 'buying',
      shippingMethod: { carrier: null, uid: METHOD },
      packages: [],
    });

    faults = {
      buy: async () => ({ ok: false, refusal: { code: 'NOT_SERVED', message: 'No service today.' } }),
    };
    expect((await create(body)).status).toBe(400);
    expect((await get(body.orderReferenceId)).body).toMatchObject({
      status: 'refused',
      refusal: { code: 'NOT_SERVED', message: 'No service today.' },
      packages: [],
    });

    faults = {};
    expect((await create(body)).status).toBe(200);
    expect((await get(body.orderReferenceId)).body).toMatchObject({ status: 'bought', refusal: null });
  });

  test('lists no label after the retention period', async () => {
    const { response, reference } = await bought();
    await sql`
      UPDATE shipment_documents SET deleted_at = now()
      WHERE shipment_id IN (SELECT id FROM shipments WHERE shipping_order_id = ${response.orderId})`;

    const { body } = await get(reference);

    expect(body.packages).toHaveLength(1);
    expect(body.packages[0].label).toBeUndefined();
  });
});

describe('POST /v1/shipping-orders/{shippingOrderId}/cancel', () => {
  test('voids the labels, once, and keeps the reference used', async () => {
    const { body, response, reference, number } = await bought();
    expect(await isLive(number)).toBe(true);

    const [first, again] = [await cancel(reference), await cancel(response.orderId)];

    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ status: 'canceled', canceledAt: expect.any(String) });
    expect(again.body.canceledAt).toBe(first.body.canceledAt);
    expect(await isLive(number)).toBe(false);
    const repeated = await create(body);
    expect(repeated.status).toBe(409);
    expect(repeated.body).toMatchObject({ code: 'DUPLICATE_ORDER_REFERENCE' });
    expect((await get(reference)).body.status).toBe('canceled');
  });

  test('is possible until the first scan, and 409 afterwards', async () => {
    const [announced, scanned] = [await bought(), await bought()];
    await scan(announced.number, 'dispatched');
    await scan(scanned.number, 'in_transit');

    expect((await cancel(announced.reference)).status).toBe(200);
    const refused = await cancel(scanned.reference);

    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('scanned') });
    expect(await isLive(announced.number)).toBe(false);
    expect(await isLive(scanned.number)).toBe(true);
    expect((await get(scanned.reference)).body.status).toBe('bought');
  });

  test('is 409 with the reason when the carrier refuses to void, and can be repeated', async () => {
    const { reference, number } = await bought();
    faults = { void: async () => ({ ok: false, reason: 'The label was printed.' }) };

    const refused = await cancel(reference);

    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('The label was printed.');
    expect((await get(reference)).body.status).toBe('bought');
    faults = {};
    expect((await cancel(reference)).status).toBe(200);
    expect(await isLive(number)).toBe(false);
  });

  test('is 409 for a refused purchase, which has no labels', async () => {
    const body = requestFor();
    faults = { buy: async () => ({ ok: false, refusal: { code: 'NOT_SERVED', message: 'No.' } }) };
    await create(body);

    expect((await cancel(body.orderReferenceId)).status).toBe(409);
  });

  test('waits for a purchase that is running: no label stays bought', async () => {
    const body = requestFor();
    const tern = createCarriers(sql, 'https://pressline.test').forMethod(METHOD)!;
    const [purchased, canceled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    faults = {
      buy: async (purchase) => {
        const outcome = await tern.buy(purchase);
        purchased.resolve();
        await canceled.promise;
        return outcome;
      },
    };
    const creating = create(body).then((response) => response);
    await purchased.promise;

    const canceling = cancel(body.orderReferenceId).then((response) => response);
    await eventually(async () => ((await get(body.orderReferenceId)).body.status === 'canceling' ? true : undefined));
    canceled.resolve();

    expect((await canceling).body.status).toBe('canceled');
    expect((await creating).body).toMatchObject({ code: 'PUBLIC_API_ERROR' });
    expect(
      await sql`
        SELECT 1 FROM carrier_purchases p JOIN shipments s ON p.idempotency_key LIKE s.id || ':%'
        JOIN shipping_orders o ON o.id = s.shipping_order_id
        WHERE o.order_reference_id = ${body.orderReferenceId} AND p.voided_at IS NULL`,
    ).toHaveLength(0);
    expect((await get(body.orderReferenceId)).body.status).toBe('canceled');
  });

  test('without Temporal is 503, and the same request cancels when Temporal is back', async () => {
    const { reference, number } = await bought();

    const unavailable = await request(appWithoutTemporal)
      .post(`/v1/shipping-orders/${reference}/cancel`)
      .set(client.key);
    expect(unavailable.status).toBe(503);
    expect((await get(reference)).body.status).toBe('canceling');

    expect((await cancel(reference)).body.status).toBe('canceled');
    expect(await isLive(number)).toBe(false);
  });
});

describe('POST /v1/shipping-orders/search', () => {
  test('finds shipping orders by reference, status and date', async () => {
    const [first, second] = [await bought(), await bought()];
    await cancel(second.reference);
    const references = [first.reference, second.reference];
    const found = async (filters: object) => {
      const { status, body } = await search({ orderReferenceIds: references, ...filters });
      expect(status).toBe(200);
      return body.shippingOrders.map((each: { orderReferenceId: string }) => each.orderReferenceId);
    };
    const { createdAt } = (await get(second.reference)).body;

    expect(await found({})).toEqual([second.reference, first.reference]);
    expect(await found({ orderReferenceIds: [first.reference] })).toEqual([first.reference]);
    expect(await found({ statuses: ['canceled'] })).toEqual([second.reference]);
    expect(await found({ createdFrom: createdAt })).toEqual([second.reference]);
    expect(await found({ createdTo: createdAt })).toEqual([first.reference]);
    expect((await search({ orderReferenceIds: [first.reference] })).body.shippingOrders[0]).toMatchObject({
      orderId: first.response.orderId,
      status: 'bought',
      shippingMethod: { carrier: 'Tern Parcel', uid: METHOD },
      packages: [{ packageReferenceId: 'pkg-1', trackingNumber: first.number }],
    });
  });

  test('returns pages, and only the shipping orders of the account', async () => {
    const owner = await testAccount(sql, 'partner');
    const references: string[] = [];
    for (let count = 0; count < 3; count++) references.unshift((await bought({}, owner)).reference);
    const listed = async (body: object, as = owner) =>
      (await search(body, as)).body as {
        shippingOrders: { orderReferenceId: string }[];
        nextCursor: string | null;
      };

    const page = await listed({ limit: 2 });
    const next = await listed({ limit: 2, cursor: page.nextCursor });

    expect([...page.shippingOrders, ...next.shippingOrders].map((each) => each.orderReferenceId)).toEqual(references);
    expect(next.nextCursor).toBeNull();
    expect((await listed({ orderReferenceIds: references }, stranger)).shippingOrders).toEqual([]);
    expect((await listed({ orderReferenceIds: references }, operator)).shippingOrders).toHaveLength(3);
    expect((await search({ cursor: 'nonsense' }, owner)).status).toBe(400);
    expect((await search({ statuses: ['lost'] }, owner)).status).toBe(400);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (body: object, key: string) => create(body).set('Idempotency-Key', key);

  test('returns the labels of a process that died after buying them', async () => {
    const body = requestFor();
    const key = `died-${body.orderReferenceId}`;
    const first = await keyed(body, key);
    // The state that such a process leaves, after its leases have expired: bought, without a response.
    await sql`
      UPDATE idempotency_keys SET status = NULL, body = NULL, locked_until = now() - interval '1 second'
      WHERE account_id = ${client.id} AND key = ${key}`;
    await sql`
      UPDATE shipping_orders SET responded_at = NULL, waiting_until = now()
      WHERE order_reference_id = ${body.orderReferenceId}`;
    // The carrier sells nothing any more, so that only the stored purchase can response.
    faults = { buy: async () => ({ ok: false, refusal: { code: 'CLOSED', message: 'Closed.' } }) };

    const [again, other] = [await keyed(body, key), await create(body)];

    expect(again.status).toBe(200);
    expect(again.body.orderId).toBe(first.body.orderId);
    expect(again.body.packages[0].trackingNumber).toBe(first.body.packages[0].trackingNumber);
    expect((await keyed(body, key)).body).toEqual(again.body);
    expect(other.status).toBe(409);
  });

  test('is stored in the transaction that marks the order as responded to', async () => {
    const body = requestFor();
    const key = `stolen-${body.orderReferenceId}`;
    const tern = createCarriers(sql, 'https://pressline.test').forMethod(METHOD)!;
    faults = {
      buy: async (purchase) => {
        // Another attempt takes over the key while the labels are being bought.
        await sql`UPDATE idempotency_keys SET locked_until = now() + interval '90 seconds' WHERE key = ${key}`;
        return await tern.buy(purchase);
      },
    };

    const lost = await keyed(body, key);
    const found = await create(body);

    expect(lost.status).toBe(409);
    expect(lost.body.code).toBe('IDEMPOTENCY_IN_FLIGHT');
    expect(found.status).toBe(200);
    expect((await get(body.orderReferenceId)).body.packages[0].trackingNumber).toBe(
      found.body.packages[0].trackingNumber,
    );
  });
});
