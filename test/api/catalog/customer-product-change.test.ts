import request from 'supertest';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import type { TestAccount } from '../../support/api-deps';
import { file, named } from '../orders/sample-orders';
import { type CatalogApi, catalogApi, colorValues, PRODUCTS, references, sizes, tee } from './catalog-api';

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
    expect((await api.change(id, { customerIds: [api.client.id] }).expect(200)).body).toMatchObject({
      name: 'After',
      customerIds: [api.client.id],
    });
    expect((await api.change(id, {}).expect(200)).body.name).toBe('After');
  });

  test('returns the whole product, with unchanged parts and options', async () => {
    const partQuantities = [{ partModelId: 'blank-t-shirt', quantity: 3 }];
    const made = (await api.create(tee({ customerIds: [api.client.id], partQuantities })).expect(200)).body;
    const { body } = await api.change(made.id, { customerIds: ['*'], productModelId: 'mug' });
    expect(body).toEqual({
      ...made,
      customerIds: ['*'],
      state: 'published',
      updatedAt: expect.stringMatching(/Z$/),
    });
  });

  test('changes options, which keep their values, and part quantities; orders keep what they resolved', async () => {
    const id = await api.created({ name: 'Changing tee' });
    await api.addValues(id, [sizes(['Medium', 'm', true], ['Large', 'l'])]).expect(200);
    const colors = { id: 'color', name: 'Colour', attributesMapping: tee().variantOptions[1]!.attributesMapping };
    await api.addValues(id, [colorValues('White', 'white', true)]).expect(200);
    const ordered = (productVariant: object, files = [file('front')]) =>
      api.order('Changing tee', { items: [named({ productName: 'Changing tee', productVariant, files })] });
    const { id: orderId } = (await ordered({ Size: 'Large', Color: 'White' }).expect(200)).body;
    const partQuantities = [{ partModelId: 'blank-t-shirt', quantity: 2 }];
    const { body } = await api
      .change(id, { variantOptions: [tee().variantOptions[0], colors], partQuantities })
      .expect(200);
    expect(body).toMatchObject({ state: 'published', partQuantities, variantOptions: [{ id: 'size' }, colors] });
    await ordered({ Size: 'Large', Color: 'White' }).expect(400);
    await ordered({ Size: 'Large', Colour: 'White' }).expect(200);
    const before = await request(api.app).get(`/v1/orders/${orderId}`).set(api.client.keyAndSecret).expect(200);
    expect(before.body.items[0].productVariant).toContainEqual({ name: 'Color', value: 'White' });
    // An option that is left out is removed with its values.
    await api.change(id, { variantOptions: [colors] }).expect(200);
    expect((await ordered({ Size: 'Large' }).expect(400)).body.errors[0].reference).toBe(
      'items[0].productVariant.Size',
    );
  });

  test('refuses options that do not map the attributes of their values, and parts that the model lacks', async () => {
    const id = await api.created();
    await api.addValues(id, [sizes(['Medium', 'm'])]).expect(200);
    const [size] = tee().variantOptions;
    const unmapped = {
      ...size,
      attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_color'] }],
    };
    const { body } = await api
      .change(id, { variantOptions: [unmapped], partQuantities: [{ partModelId: 'blank', quantity: 0 }] })
      .expect(400);
    expect(references(body)).toEqual([
      'partQuantities[0].quantity',
      'variantOptions[0].values[0].attributeValues[0].attributes.apparel_size',
    ]);
  });

  test('is 409 for a name that another product of the owner has for the same customers', async () => {
    await api.created({ name: 'Taken name' });
    const id = await api.created({ name: 'Free name' });
    for (const refused of [api.create(tee({ name: 'Taken name' })), api.change(id, { name: 'Taken name' })]) {
      expect(references((await refused.expect(409)).body)).toEqual(['name']);
    }
    // Other owners, other customers and an archived product leave the name free.
    await api.create(tee({ name: 'Taken name' }), api.other).expect(200);
    await api.create(tee({ name: 'Taken name' }), api.operator).expect(200);
    await api.create(tee({ name: 'Customer name', customerIds: ['x'] })).expect(200);
    await api.create(tee({ name: 'Customer name', customerIds: ['y'] })).expect(200);
    await api.create(tee({ name: 'Customer name', customerIds: ['y', 'z'] })).expect(409);
    await api.change(id, { state: 'archived' }).expect(200);
    const next = await api.created({ name: 'Free name' });
    await api.change(id, { state: 'published' }).expect(409);
    await api.change(next, { state: 'archived' }).expect(200);
    await api.change(id, { state: 'published' }).expect(200);
    const created = await Promise.all(Array.from({ length: 5 }, () => api.create(tee({ name: 'At once' }))));
    expect(created.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  test('updates lists and orders after a new name and new customers', async () => {
    const id = await api.created({ name: 'Open name' }, api.operator);
    const found = async (search: string, by: TestAccount) =>
      (await request(api.app).get(PRODUCTS).query({ search }).set(by.key)).body.meta.total;
    expect(await found('Open name', api.other)).toBe(1);
    await api.change(id, { name: 'Closed name', customerIds: [api.client.id] }, api.operator).expect(200);
    expect(await found('Open name', api.client)).toBe(0);
    expect(await found('Closed name', api.client)).toBe(1);
    expect(await found('Closed name', api.other)).toBe(0);
    expect(
      (
        await resolveProducts(api.sql, { clientId: api.other.id }, [{ productName: 'Closed name', productVariant: {} }])
      )[0],
    ).toMatchObject({ ok: false, path: 'productName' });
  });

  test('is 403 for the product of an operator', async () => {
    const forAll = await api.created({}, api.operator);
    const forClient = await api.created({ customerIds: [api.client.id] }, api.operator);
    expect((await api.change(forClient, { name: 'Mine' }, api.other)).status).toBe(404);
    expect((await api.change(forAll, { name: 'Mine' }, api.other)).status).toBe(403);
    expect((await api.change(forClient, { name: 'Mine' })).status).toBe(403);
  });

  test.each(['nothing', '0190a000-0000-7000-8000-00000000ffff'])('is 404 for an unknown id (%s)', async (id) => {
    expect((await api.change(id, { name: 'x' })).body).toMatchObject({ code: 'NOT_FOUND' });
  });
});
