import request from 'supertest';
import { named, order } from '../orders/sample-orders';
import { type CatalogApi, catalogApi, PRODUCTS, sizes } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi({ CLIENT_QUOTAS: { customerProducts: 40 } });
});

const refusal = (reference: string) => ({
  code: 'VALIDATION_ERROR',
  errors: [{ code: 'NO_SUCH_CHOICE_ERROR', reference }],
});

describe('a customer product of a client', () => {
  test.each([
    ['all customers', () => ['*']],
    ['the account of another client', () => [api.other.id]],
    ['all customers and another client', () => ['*', api.other.id]],
  ])('for %s is seen, changed and ordered by its owner alone', async (title, customerIds) => {
    const name = `Own tee for ${title}`;
    const id = await api.created({ name, customerIds: customerIds() });
    const found = async (by = api.client) => (await api.list({ search: name }, by)).meta.total;
    expect(await found()).toBe(1);
    expect(await found(api.operator)).toBe(1);
    expect(await found(api.other)).toBe(0);
    expect((await api.list({ customerProductIds: id }, api.other)).meta.total).toBe(0);
    await request(api.app).get(`${PRODUCTS}/${id}/variant-values`).set(api.other.key).expect(404);
    await api.change(id, { name: 'Taken over' }, api.other).expect(404);
    await api.addValues(id, [sizes(['S', 's'])], api.other).expect(404);
    await api.delete(id, api.other).expect(404);
    const { body } = await api.order(name, { customerReferenceId: api.other.id }, api.other).expect(400);
    expect(body).toMatchObject(refusal('items[0].productName'));
  });

  test('can be ordered for the customers that it names, matched with customerReferenceId', async () => {
    await api.created({ name: 'Club tee', customerIds: ['club-1', 'club-2'] });
    await api.order('Club tee', { customerReferenceId: 'club-1' }).expect(200);
    await api.order('Club tee', { customerReferenceId: 'club-2' }).expect(200);
    for (const customer of [{ customerReferenceId: 'club-3' }, {}]) {
      const { body } = await api.order('Club tee', customer).expect(400);
      expect(body).toMatchObject(refusal('items[0].productName'));
      expect(body.errors[0].message).toContain('not for the customer');
    }
  });

  test('can be ordered for every customer when it names * or the account of its owner', async () => {
    await api.created({ name: 'Open tee', customerIds: ['*'] });
    await api.created({ name: 'Own tee', customerIds: [api.client.id] });
    for (const name of ['Open tee', 'Own tee']) {
      await api.order(name).expect(200);
      await api.order(name, { customerReferenceId: 'anyone' }).expect(200);
    }
  });

  test('is matched with the customer of drafts too', async () => {
    await api.created({ name: 'Draft tee', customerIds: ['club-1'] });
    const draft = { orderType: 'draft', customerReferenceId: 'club-1' };
    const { body } = await api.order('Draft tee', draft).expect(200);
    const patch = (change: object) =>
      request(api.app).patch(`/v1/orders/${body.id}`).set(api.client.keyAndSecret).send(change);
    const refused = await patch({ orderType: 'order', customerReferenceId: 'club-2' }).expect(400);
    expect(refused.body).toMatchObject(refusal('items[0].productName'));
    await patch({ orderType: 'order' }).expect(200);
  });

  test('is matched with the customer of quotes too', async () => {
    await api.created({ name: 'Quoted tee', customerIds: ['club-1'] });
    const { items, currency, shippingAddress } = order({
      items: [named({ productName: 'Quoted tee', productVariant: {} })],
    });
    const quote = (customerReferenceId: string) =>
      request(api.app)
        .post('/v1/orders/quote')
        .set(api.client.keyAndSecret)
        .send({ items, currency, shippingAddress, customerReferenceId });
    expect((await quote('club-2').expect(400)).body).toMatchObject(refusal('items[0].productName'));
    // The product is found. No print partner is set up.
    expect((await quote('club-1')).body.errors[0].reference).not.toBe('items[0].productName');
  });
});

describe('a customer product of an operator', () => {
  test('for some clients is seen and ordered by them alone', async () => {
    const name = 'Special tee';
    await api.created({ name, customerIds: [api.client.id] }, api.operator);
    expect((await api.list({ search: name })).meta.total).toBe(1);
    expect((await api.list({ search: name }, api.other)).meta.total).toBe(0);
    await api.order(name, { customerReferenceId: 'anyone' }).expect(200);
    const { body } = await api.order(name, { customerReferenceId: api.client.id }, api.other).expect(400);
    expect(body).toMatchObject(refusal('items[0].productName'));
  });

  test('for all clients is seen and ordered by every client', async () => {
    await api.created({ name: 'Common tee', customerIds: ['*'] }, api.operator);
    await api.order('Common tee').expect(200);
    await api.order('Common tee', {}, api.other).expect(200);
  });
});

test('an order by name takes the own product first, then an operator’s for the client, then one for all', async () => {
  const uidOf = async (by = api.client) => {
    const { body } = await api.order('Layered tee', {}, by).expect(200);
    const read = await request(api.app).get(`/v1/orders/${body.id}`).set(by.keyAndSecret).expect(200);
    return read.body.items[0].productUid;
  };
  const make = async (customerIds: string[], size: string, by = api.operator) => {
    const id = await api.created({ name: 'Layered tee', customerIds }, by);
    await api.addValues(id, [sizes([size, size, true])], by).expect(200);
    return id;
  };
  await make(['*'], 's');
  expect(await uidOf()).toContain('_gsi_s_');
  await make([api.client.id], 'm');
  expect(await uidOf()).toContain('_gsi_m_');
  await make(['*'], 'l', api.client);
  expect(await uidOf()).toContain('_gsi_l_');
  expect(await uidOf(api.other)).toContain('_gsi_s_');
  // The own product hides operators' products also where it cannot be ordered.
  await make(['club-1'], 'xl', api.other);
  await api.order('Layered tee', {}, api.other).expect(400);
});

test('a client can have as many customer products as the limit allows, also under concurrency', async () => {
  const limited = await catalogApi({ CLIENT_QUOTAS: { customerProducts: 5 } });
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, n) => limited.create({ ...quota, name: `Tee ${n}` })),
  );
  const created = responses.filter(({ status }) => status === 200);
  expect(created).toHaveLength(5);
  for (const { status, body } of responses.filter((response) => response.status !== 200)) {
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'QUOTA_EXCEEDED' });
  }
  expect((await limited.list({})).meta.total).toBe(5 + 2);
  // Other accounts have limits of their own, operators have none, and a deleted product makes room.
  await limited.create(quota, limited.other).expect(200);
  for (let n = 0; n < 6; n += 1) await limited.create({ ...quota, name: `Op ${n}` }, limited.operator).expect(200);
  await limited.delete(created[0]!.body.id).expect(200);
  await limited.create({ ...quota, name: 'One more' }).expect(200);
});

const quota = { name: 'Tee', productModelId: 't-shirt', variantOptions: [] };
