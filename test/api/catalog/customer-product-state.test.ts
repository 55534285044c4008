import request from 'supertest';
import { type CatalogApi, catalogApi, PRODUCTS, references, tee } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

const archive = (id: string, by = api.client) => api.change(id, { state: 'archived' }, by);
const publish = (id: string, by = api.client) => api.change(id, { state: 'published' }, by);

describe('archiving a customer product', () => {
  test('makes orders of it 400 at its path, until it is published again', async () => {
    const id = await api.created({ name: 'Seasonal tee' });
    await api.order('Seasonal tee').expect(200);
    await archive(id).expect(200);
    const { body } = await api.order('Seasonal tee').expect(400);
    expect(body.errors).toEqual([
      {
        code: 'NO_SUCH_CHOICE_ERROR',
        message: 'Product "Seasonal tee" is archived and cannot be ordered.',
        reference: 'items[0].productName',
      },
    ]);
    await publish(id).expect(200);
    await api.order('Seasonal tee').expect(200);
  });

  test('hides it from lists, unless state asks for it', async () => {
    const archived = await api.created({ name: 'Listed tee, archived' });
    const published = await api.created({ name: 'Listed tee, published' });
    await archive(archived).expect(200);
    const found = async (query: object) =>
      (await api.list({ search: 'Listed tee', ...query })).customerProducts.map(({ id, state }) => [id, state]);
    expect(await found({})).toEqual([[published, 'published']]);
    expect(await found({ state: 'published' })).toEqual([[published, 'published']]);
    expect(await found({ state: 'archived' })).toEqual([[archived, 'archived']]);
    expect(await found({ state: 'archived,published' })).toEqual([
      [published, 'published'],
      [archived, 'archived'],
    ]);
    expect(await found({ customerProductIds: archived })).toEqual([]);
    const { body } = await request(api.app).get(PRODUCTS).query({ state: 'gone' }).set(api.client.key);
    expect(references(body)).toEqual(['state[0]']);
  });

  test('keeps totals exact for every state, with and without a product model', async () => {
    const id = await api.created({ name: 'Counted' });
    const totals = async (by = api.client) =>
      await Promise.all(
        [
          {},
          { state: 'archived' },
          { productModelIds: 't-shirt' },
          { productModelIds: 't-shirt', state: 'archived' },
        ].map(async (query) => {
          const { meta, customerProducts } = await api.list(query, by);
          expect(meta.total).toBe(customerProducts.length);
          return meta.total;
        }),
      );
    const [published, archived, teesPublished, teesArchived] = await totals();
    await archive(id).expect(200);
    expect(await totals()).toEqual([published! - 1, archived! + 1, teesPublished! - 1, teesArchived! + 1]);
    await totals(api.operator);
    await publish(id).expect(200);
    expect(await totals()).toEqual([published, archived, teesPublished, teesArchived]);
  });

  test('leaves other fields as they are, and refuses other states', async () => {
    const made = (await api.create(tee({ name: 'Kept' })).expect(200)).body;
    const { body } = await archive(made.id).expect(200);
    expect(body).toEqual({ ...made, state: 'archived', updatedAt: expect.any(String) });
    for (const state of ['draft', 'deleted', null, 1]) {
      expect(references((await api.change(made.id, { state }).expect(400)).body)).toEqual(['state']);
    }
  });
});

describe('DELETE /product/v1/customer-products/{id}', () => {
  test('deletes a product that was never ordered', async () => {
    const id = await api.created({ name: 'Mistake' });
    expect((await api.delete(id).expect(200)).body).toEqual({ id, deleted: true });
    await api.delete(id).expect(404);
    await api.change(id, { name: 'Gone' }).expect(404);
    expect((await api.list({ search: 'Mistake', state: 'published,archived' })).meta.total).toBe(0);
    await api.order('Mistake').expect(400);
  });

  test('is 409 once the product was ordered, also after a new name', async () => {
    const id = await api.created({ name: 'Sold tee' });
    await api.order('Sold tee').expect(200);
    await api.change(id, { name: 'Renamed tee' }).expect(200);
    const { body } = await api.delete(id).expect(409);
    expect(body.code).toBe('CONFLICT');
    expect((await api.list({ search: 'Renamed tee' })).meta.total).toBe(1);
    await api.delete(id, api.operator).expect(409);
  });

  test('ignores drafts and quotes', async () => {
    const id = await api.created({ name: 'Drafted tee' });
    const { body } = await api.order('Drafted tee', { orderType: 'draft' }).expect(200);
    await api.delete(id).expect(200);
    const submit = request(api.app).patch(`/v1/orders/${body.id}`).set(api.client.keyAndSecret);
    expect(references((await submit.send({ orderType: 'order' }).expect(400)).body)).toEqual(['items[0].productName']);
  });

  test('is for the owner and for operators', async () => {
    const ofClient = await api.created();
    const operators = await api.created({}, api.operator);
    await api.delete(ofClient, api.other).expect(404);
    await api.delete(operators).expect(403);
    await api.delete('nothing').expect(404);
    await api.delete(ofClient, api.operator).expect(200);
    await api.delete(operators, api.operator).expect(200);
  });
});

test('option names are unique within a product', async () => {
  const [size, color] = tee().variantOptions;
  const { body } = await api.create(tee({ variantOptions: [size, { ...color, name: 'Size' }] })).expect(400);
  expect(references(body)).toEqual(['variantOptions[1].name']);
  // Names are compared exactly, and other products may use the same names.
  await api.create(tee({ variantOptions: [size, { ...color, name: 'size' }] })).expect(200);
  await api.create(tee()).expect(200);
});
