import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';
import { sampleRoutes } from '../http/sample-routes';

let database: TestDatabase;
let app: Express;
let operator: TestAccount;

beforeAll(async () => {
  database = await testDatabase();
  const deps = await testApiDeps(database.sql);
  app = createApp(deps, [...clientRoutes(deps), ...sampleRoutes(database.sql)]);
  operator = await testAccount(database.sql, 'operator');
});

const create = (name: string) => request(app).post('/v1/connectors').set(operator.key).send({ name });
const asClient = (credentials: { apiKey: string; apiSecret: string }) =>
  request(app).get('/v1/parcels/x').set('X-API-KEY', `${credentials.apiKey}:${credentials.apiSecret}`);
test('an operator sets up a client with three addresses and a working key and secret', async () => {
  const { body } = await create(' poster-shop ').expect(200);
  expect(body).toMatchObject({
    name: 'poster-shop',
    submitOrderUrl: 'https://pressline.test/v1/orders',
    getOrderUrl: 'https://pressline.test/v1/orders',
    updateShipmentUrl: 'https://pressline.test/v1/orders/{order_id}/shipment',
  });
  await asClient(body).expect(200);
});

test('a name can be used once, and a blank name is refused', async () => {
  await create('once').expect(200);
  expect((await create('once').expect(409)).body.code).toBe('CONFLICT');
  expect((await create(' ').expect(400)).body.errors[0]).toMatchObject({
    code: 'IS_BLANK_ERROR',
    reference: 'name',
  });
});

test('the list is paged, newest first, with hints of the keys', async () => {
  for (const name of ['page-1', 'page-2', 'page-3']) await create(name).expect(200);
  const page = (query: object) => request(app).get('/v1/connectors').set(operator.key).query(query);
  const first = (await page({ limit: 2 }).expect(200)).body;
  expect(first.connectors.map(({ name }: { name: string }) => name)).toEqual(['page-3', 'page-2']);
  const second = (await page({ limit: 2, cursor: first.nextCursor }).expect(200)).body;
  expect(second.connectors[0].name).toBe('page-1');
  expect(first.connectors[0].keys).toEqual([
    expect.objectContaining({ hint: expect.stringMatching(/^plk_.{4}….{4}$/), revokedAt: null }),
  ]);
  expect((await page({ limit: 250 }).expect(200)).body.nextCursor).toBeNull();
  const messages = async (limit: unknown) =>
    (await page({ limit }).expect(400)).body.errors.map(({ message }: { message: string }) => message);
  expect(await messages(251)).toEqual(['Must be at most 250, not 251.']);
  expect(await messages('ten')).toEqual(['Must be a number, not ten.']);
  expect(await messages(1.5)).toEqual(['Must be an integer, not 1.5.']);
  await page({ cursor: 'nonsense' }).expect(400);
});

test('unknown clients and keys are 404, whatever the format of the id', async () => {
  const { body } = await create('known').expect(200);
  const unknown = '00000000-0000-7000-8000-000000000000';
  for (const id of [unknown, 'x', '..%2f..']) {
    await request(app).get(`/v1/connectors/${id}`).set(operator.key).expect(404);
    await request(app).delete(`/v1/connectors/${body.id}/keys/${id}`).set(operator.key).expect(404);
  }
});

describe('settings of a client', () => {
  const billingEntity = {
    id: 12,
    companyName: 'Poster Shop GmbH',
    companyVatNumbers: ['DE129273398'],
    countryIsoCode: 'DE',
  };
  const returnAddress = {
    country: 'DE',
    companyName: 'Poster Shop',
    addressLine1: 'Torstr. 1',
    city: 'Berlin',
    postCode: '10119',
  };

  test('are set at creation, changed and removed field by field', async () => {
    const send = (body: object) => request(app).post('/v1/connectors').set(operator.key).send(body);
    const { body: made } = await send({ name: 'billed', billingEntity, returnAddress }).expect(200);
    expect(made).toMatchObject({ billingEntity, returnAddress, iossNumber: null });
    expect(made.returnAddress).toMatchObject({ id: expect.any(String), addressLine2: null, phone: null });

    const change = (body: object) => request(app).patch(`/v1/connectors/${made.id}`).set(operator.key).send(body);
    const { body: changed } = await change({
      iossNumber: 'IM2760000742',
      billingEntity: null,
      brandedPackaging: 'tissue-and-sticker',
    }).expect(200);
    expect(changed).toMatchObject({
      brandedPackaging: 'tissue-and-sticker',
      billingEntity: null,
      returnAddress: made.returnAddress,
      iossNumber: 'IM2760000742',
    });
    const { body: read } = await request(app).get(`/v1/connectors/${made.id}`).set(operator.key).expect(200);
    expect(read).toEqual(changed);
    const { body: removed } = await change({ brandedPackaging: null }).expect(200);
    expect(removed).toEqual({ ...changed, brandedPackaging: null });
  });

  test('invalid settings are refused by their paths, other accounts are not found', async () => {
    const { body: made } = await create('unbilled').expect(200);
    expect(made).toMatchObject({
      billingEntity: null,
      returnAddress: null,
      iossNumber: null,
      brandedPackaging: null,
    });
    const change = (id: string, body: object) =>
      request(app).patch(`/v1/connectors/${id}`).set(operator.key).send(body);
    const { body } = await change(made.id, {
      billingEntity: { companyName: ' ', countryIsoCode: 'Germany' },
      returnAddress: { ...returnAddress, country: 'XX', city: undefined },
      iossNumber: 'DE129273398',
      brandedPackaging: ' ',
    }).expect(400);
    expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([
      'billingEntity.companyName',
      'billingEntity.countryIsoCode',
      'billingEntity.id',
      'brandedPackaging',
      'iossNumber',
      'returnAddress.city',
      'returnAddress.country',
    ]);
    await change(operator.id, { iossNumber: null }).expect(404);
  });
});
