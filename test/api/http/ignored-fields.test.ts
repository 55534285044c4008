import request from 'supertest';
import { createApp } from '../../../api/app';
import { allRoutes } from '../../../api/routes';
import { type TestAccount, testAccount } from '../../support/api-deps';
import { type OrdersApi, ordersApi } from '../orders/orders-api';
import { item, order } from '../orders/sample-orders';

/** Fields that an operation does not have. */

let api: OrdersApi;
let operator: TestAccount;
let call: (method: 'get' | 'post' | 'put', path: string, by: TestAccount, body?: unknown) => request.Test;

beforeAll(async () => {
  api = await ordersApi();
  operator = await testAccount(api.sql, 'operator', 'ada', 'operator');
  const app = createApp(api.deps, allRoutes(api.deps));
  call = (method, path, by, body) => {
    const sent = request(app)[method](path).set(by.keyAndSecret);
    return body === undefined ? sent : sent.send(body as object);
  };
});

const ignoredIn = ({ headers }: request.Response) => headers['x-ignored-fields'];

test('a submission names the fields that it ignores, with their places', async () => {
  const body = order({
    shipmentMethod: 'express',
    items: [item({ qty: 3, files: [{ ...item().files[0], dpi: 300 }] })],
  });
  const submitted = await call('post', '/v1/orders', api.client, body).expect(200);
  expect(ignoredIn(submitted)).toBe('items[0].files[0].dpi, items[0].qty, shipmentMethod');
});

test('a response without ignored fields has no such header', async () => {
  expect(ignoredIn(await call('post', '/v1/orders', api.client, order()).expect(200))).toBeUndefined();
  // Any name is a variant, and metadata has entries of its own.
  const metadata = [{ key: 'colour', value: 'red' }];
  expect(ignoredIn(await call('post', '/v1/orders', api.client, order({ metadata })).expect(200))).toBeUndefined();
});

test('a misspelled query parameter is named', async () => {
  const listed = await call('get', '/v1/operator/shipping-orders?state=failed&limit=1', operator).expect(200);
  expect(ignoredIn(listed)).toBe('state');
});

test('a query parameter of an operation that has none is named', async () => {
  const { id } = (await call('post', '/v1/orders', api.client, order()).expect(200)).body;
  expect(ignoredIn(await call('get', `/v1/orders/${id}?fields=items`, api.client).expect(200))).toBe('fields');
});

test('a refused request names them too', async () => {
  const refused = await call('post', '/v1/orders', api.client, { ...order(), currency: 'EUX', curency: 'EUR' }).expect(
    400,
  );
  expect(ignoredIn(refused)).toBe('curency');
});

test('names cannot break the header, and are bounded', async () => {
  const names = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`extra${index}`, 1]));
  const strange = { 'a\r\nSet-Cookie: x': 1, 'ü,ü': 1, [`long${'g'.repeat(500)}`]: 1 };
  const body = { ...order(), ...strange, ...names };
  const header = ignoredIn(await call('post', '/v1/orders', api.client, body).expect(200))!;
  expect(header).toMatch(/^a\?\?Set-Cookie:\?x, \?\?\?, longg{96}, extra0, .*, \.\.\.$/);
  expect(header.split(', ')).toHaveLength(21);
});

const id = '018f0000-0000-7000-8000-000000000000';
const ORDER = `/v1/orders/${id}`;
const REPAIRS = `/v1/operator/orders/${id}/repairs`;
const REPRINT = `/v1/operator/orders/${id}/reprint`;
const BULK = '/v1/operator/bulk-repairs';
const shipped = { action: 'mark_shipped', printOrderId: '1', reason: 'x' };

test.each([
  ['cancelling an order', `${ORDER}/cancel`, { reason: 'x', itemReferenceIds: ['a'] }, 'itemReferenceIds'],
  ['cancelling a shipping order', `/v1/shipping-orders/${id}/cancel`, { packages: [0] }, 'packages'],
  ['a change of method', `${ORDER}/shipment`, { shipmentMethodUid: 'express', dry_run: true }, 'dry_run'],
  ['a search of orders', '/v1/orders/search', { orderReferenceId: 'a' }, 'orderReferenceId'],
  ['a reprint', REPRINT, { reason: 'x', charged: true }, 'charged'],
  ['a part of a reprint', REPRINT, { reason: 'x', items: [{ itemReferenceId: 'a', qty: 1 }] }, 'items[0].qty'],
  ['a repair', REPAIRS, { action: 'cancel', reason: 'x', items: ['1'] }, 'items'],
  ['marking a print order as shipped', REPAIRS, { ...shipped, itemIds: ['1'] }, 'itemIds'],
  ['dismissing attention', REPAIRS, { action: 'dismiss', reason: 'x', attention: 'stalled' }, 'attention'],
  // The body is right: the guess is in the query.
  ['cancelling an order', `${ORDER}/cancel?itemReferenceId=a`, {}, 'itemReferenceId'],
  ['a repair', `${REPAIRS}?itemIds=1`, { action: 'cancel', reason: 'x' }, 'itemIds'],
  ['a bulk repair', BULK, { action: 'cancel', reason: 'x', filter: { client: 'shop' } }, 'filter.client'],
  ['cancelling a bulk repair', `${BULK}/${id}/cancel`, { orderIds: [id] }, 'orderIds'],
])('%s refuses a field that it does not have', async (_operation, path, body, reference) => {
  const method = path.endsWith('/shipment') ? 'put' : 'post';
  const by = path.includes('/operator/') ? operator : api.client;
  const { body: refused } = await call(method, path, by, body).expect(400);
  expect(refused.errors).toEqual([
    { code: 'VALIDATION_ERROR', reference, message: expect.stringMatching(/does not have/) },
  ]);
});

test('the list of orders of operators refuses a filter that it does not have', async () => {
  const { body } = await call('get', '/v1/operator/orders?reference=a', operator).expect(400);
  expect(body.errors).toMatchObject([{ reference: 'reference', message: expect.stringMatching(/does not have/) }]);
});

test('cancelling a shipping order needs no body', async () => {
  expect((await call('post', `/v1/shipping-orders/${id}/cancel`, api.client)).status).toBe(404);
});
