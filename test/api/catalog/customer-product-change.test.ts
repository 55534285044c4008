import request from 'supertest';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import type { TestAccount } from '../../support/api-deps';
import { type CatalogApi, catalogApi, PRODUCTS, references, tee } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

describe('PATCH /product/v1/customer-products/{id}', () => {
  test('changes only the given fields', async () => {
    const id = await api.created({ name: 'Before' });
    const { body } = await api.change(id, { name: 'After' }).expect(200);
    expect(body).toMatchObject({
      id,
      name: 'After',
      customerIds: ['*'],
      variantOptions: tee().variantOptions,
    });
    expect(body.updatedAt > body.createdAt).toBe(true);
    expect((await api.change(id, { customerIds: [api.shop.id] }).expect(200)).body).toMatchObject({
      name: 'After',
      customerIds: [api.shop.id],
    });
    expect((await api.change(id, {}).expect(200)).body.name).toBe('After');
  });

  test('returns the whole product, with unchanged parts and options', async () => {
    const partQuantities = [{ partModelId: 'blank-t-shirt', quantity: 3 }];
    const made = (await api.create(tee({ customerIds: [api.shop.id], partQuantities })).expect(200)).body;
    const { body } = await api.change(made.id, {
      customerIds: ['*'],
      productModelId: 'mug',
      variantOptions: [],
    });
    expect(body).toEqual({ ...made, customerIds: ['*'], updatedAt: expect.stringMatching(/Z$/) });
  });

  test('updates lists and orders after a new name and new customers', async () => {
    const id = await api.created({ name: 'Open name' }, api.operator);
    const found = async (search: string, by: TestAccount) =>
      (await request(api.app).get(PRODUCTS).query({ search }).set(by.key)).body.meta.total;
    expect(await found('Open name', api.other)).toBe(1);
    await api.change(id, { name: 'Closed name', customerIds: [api.shop.id] }, api.operator).expect(200);
    expect(await found('Open name', api.shop)).toBe(0);
    expect(await found('Closed name', api.shop)).toBe(1);
    expect(await found('Closed name', api.other)).toBe(0);
    expect(
      (
        await resolveProducts(api.sql, { clientId: api.other.id }, [{ productName: 'Closed name', productVariant: {} }])
      )[0],
    ).toMatchObject({ ok: false, path: 'productName' });
  });

  test('is 404 for the product of another client, and 403 for the product of an operator', async () => {
    const shops = await api.created({ customerIds: ['*', api.other.id] });
    const forAll = await api.created({}, api.operator);
    const forShop = await api.created({ customerIds: [api.shop.id] }, api.operator);
    expect((await api.change(shops, { name: 'Mine' }, api.other)).status).toBe(404);
    expect((await api.change(forShop, { name: 'Mine' }, api.other)).status).toBe(404);
    expect((await api.change(forAll, { name: 'Mine' }, api.other)).status).toBe(403);
    expect((await api.change(forShop, { name: 'Mine' })).status).toBe(403);
    expect((await api.change(shops, { name: 'Renamed by an operator' }, api.operator)).status).toBe(200);
  });

  test.each(['nothing', '0190a000-0000-7000-8000-00000000ffff'])('is 404 for an unknown id (%s)', async (id) => {
    expect((await api.change(id, { name: 'x' })).body).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('refuses invalid values by path', async () => {
    const { body } = await api.change(await api.created(), { name: 3, customerIds: [''] }).expect(400);
    expect(references(body)).toEqual(['name', 'customerIds[0]']);
    for (const wrong of [{ name: ' ' }, { name: null }, { customerIds: '*' }, { customerIds: [] }]) {
      expect(references((await api.change(await api.created(), wrong).expect(400)).body)).toEqual(Object.keys(wrong));
    }
  });
});
