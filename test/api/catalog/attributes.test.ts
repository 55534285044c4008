import request from 'supertest';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import { type CatalogApi, catalogApi, references } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

const COLORS = '/product/v1/attributes/apparel_color/values';
const send = (method: 'post' | 'put', body: object, path = COLORS) =>
  request(api.app)[method](path).set(api.operator.key).send(body);
const add = (body: object, path?: string) => send('post', body, path);
const put = (body: object, path?: string) => send('put', body, path);
const valueIds = async (path = COLORS) =>
  (await request(api.app).get(path).set(api.client.key).expect(200)).body.map(({ id }: { id: string }) => id);

describe('POST /product/v1/attributes/{attributeId}/values', () => {
  test('returns the attribute id, times and computed properties', async () => {
    const { body } = await add([
      { id: 'red', description: 'Red', properties: { hex: '#FF0000', order: 7, tags: ['warm', 'bold'] } },
      { id: 'xs.1_a-b' },
    ]).expect(200);
    expect(body).toEqual([
      {
        id: 'red',
        description: 'Red',
        properties: {
          hex: '#FF0000',
          order: 7,
          tags: ['warm', 'bold'],
          rgb: 'rgb(255, 0, 0)',
          cmyk: 'cmyk(0%, 100%, 100%, 0%)',
        },
        isCustom: false,
        isDefault: false,
        attributeId: 'apparel_color',
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
      {
        id: 'xs.1_a-b',
        properties: {},
        isCustom: false,
        isDefault: false,
        attributeId: 'apparel_color',
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
  });

  test('stores isCustom, isDefault and properties', async () => {
    await put({ description: 'Engraving' }, '/product/v1/attributes/engraving').expect(200);
    const engravings = '/product/v1/attributes/engraving/values';
    const properties = { sizeMm: 25.4, weight: 0, labels: [] };
    const added = await add([{ id: 'any', isCustom: true, isDefault: true, properties }], engravings).expect(200);
    expect(added.body).toMatchObject([{ isCustom: true, isDefault: true, properties: { ...properties, sizeIn: 1 } }]);
    const { body: read } = await request(api.app).get(engravings).set(api.client.key).expect(200);
    expect(read).toEqual(added.body);
  });

  test('makes the values orderable immediately', async () => {
    const uid = 'apparel_product_gca_t-shirt_gsi_m_gco_teal_gpr_4-0';
    const order = async () =>
      (await resolveProducts(api.sql, { clientId: api.client.id }, [{ productUid: uid }]))[0]!.ok;
    expect(await order()).toBe(false);
    await add([{ id: 'teal' }]).expect(200);
    expect(await order()).toBe(true);
  });

  test.each(['Red', 'dark red', 'röd', 'a/b', '', '__proto__', 'x'.repeat(101)])('refuses id %j', async (id) => {
    const { body } = await add([{ id: 'fine' }, { id }]).expect(400);
    expect(references(body)).toEqual(['[1].id']);
    expect(await valueIds()).not.toContain('fine');
  });

  test('refuses invalid fields and repeated ids by path', async () => {
    const { body } = await add([
      { id: 'p', properties: { hex: true }, isCustom: 'yes' },
      { description: 'no id', isDefault: 1 },
    ]).expect(400);
    expect(references(body)).toEqual(['[0].properties.hex', '[0].isCustom', '[1].id', '[1].isDefault']);
    expect(references((await add([{ id: 'twin' }, { id: 'twin' }]).expect(400)).body)).toEqual(['[1].id']);
    expect((await add([]).expect(400)).body.code).toBe('VALIDATION_ERROR');
    expect((await add({ id: 'x' }).expect(400)).body.code).toBe('VALIDATION_ERROR');
  });

  test('is 409 for existing values, names them, and adds none', async () => {
    const { body } = await add([{ id: 'fresh' }, { id: 'white' }]).expect(409);
    expect(body).toMatchObject({ code: 'CONFLICT' });
    expect(references(body)).toEqual(['[1].id']);
    expect(await valueIds()).not.toContain('fresh');
  });
});

describe('PUT /product/v1/attributes/{attributeId}/values', () => {
  test('replaces a value by id, and keeps its creation time and the other values', async () => {
    const [created] = (await add([{ id: 'plum', description: 'Plum', properties: { hex: '#550055' } }])).body;
    const before = await valueIds();
    const { body } = await put([{ id: 'plum', description: 'Ripe plum' }]).expect(200);
    expect(body[0]).toMatchObject({ description: 'Ripe plum', properties: {}, createdAt: created.createdAt });
    expect(body[0].updatedAt > created.updatedAt).toBe(true);
    expect(await valueIds()).toEqual(before);
  });

  test('creates or replaces one value by its path', async () => {
    const { body } = await put({ description: 'Olive' }, `${COLORS}/olive`).expect(200);
    expect(body).toMatchObject({ id: 'olive', description: 'Olive', attributeId: 'apparel_color' });
    expect(await valueIds()).toContain('olive');
    await put({}, `${COLORS}/Olive!`).expect(400);
  });
});

test('the values of an unknown attribute are 404', async () => {
  const path = '/product/v1/attributes/nothing/values';
  await add([{ id: 'x' }], path).expect(404);
  await put([{ id: 'x' }], path).expect(404);
  await request(api.app).get(path).set(api.client.key).expect(404);
});

test('PUT of an attribute stores its property definitions, which product models return', async () => {
  const definition = {
    description: 'Foil',
    properties: [{ id: 'hex', description: 'Colour code', type: 'string' }],
  };
  await put(definition, '/product/v1/attributes/Foil').expect(400);
  await put(definition, '/product/v1/attributes/foil').expect(200);
  await add([{ id: 'gold' }, { id: 'silver', isDefault: true }], '/product/v1/attributes/foil/values').expect(200);
  const { body } = await request(api.app)
    .post('/product/v1/product-models')
    .set(api.operator.key)
    .send({ id: 'foil-card', name: 'Foil card', categoryId: 'cards', productUidTemplate: 'foil_card_{foil}' })
    .expect(200);
  const values = ['gold', 'silver'].map((id) => ({ id, description: null, isCustom: false, properties: {} }));
  expect(body.attributes).toEqual([{ id: 'foil', ...definition, values, valueIds: null, defaultValueId: 'silver' }]);
});

describe('the default value and removal of attribute values', () => {
  const at = '/product/v1/attributes/cover_finish/values';
  const remove = (value: string, attribute = 'cover_finish') =>
    request(api.app).delete(`/product/v1/attributes/${attribute}/values/${value}`).set(api.operator.key);

  test('a second default value is refused, in the request and beside the stored one; a default can move', async () => {
    const two = [
      { id: 'satin', isDefault: true },
      { id: 'linen', isDefault: true },
    ];
    expect((await add(two, at).expect(400)).body.errors[0].reference).toBe('[1].isDefault');
    const { body } = await add([{ id: 'satin' }, { id: 'linen', isDefault: true }], at).expect(409);
    expect(body).toMatchObject({
      message: expect.stringContaining('"matt"'),
      errors: [{ reference: '[1].isDefault' }],
    });
    await put([{ id: 'linen', isDefault: true }], at).expect(409);
    const one = await put({ isDefault: true }, `${at}/linen`).expect(409);
    expect(one.body.errors).toMatchObject([{ reference: 'isDefault' }]);
    await put(
      [
        { id: 'matt', isDefault: false },
        { id: 'linen', isDefault: true },
      ],
      at,
    ).expect(200);
    await put([{ id: 'linen' }, { id: 'matt', isDefault: true }], at).expect(200);
  });

  test('an unused value is removed; one in use is 409 and names what uses it', async () => {
    await add([{ id: 'velvet' }], at).expect(200);
    expect((await remove('velvet').expect(200)).body).toMatchObject({ id: 'velvet', attributeId: 'cover_finish' });
    await remove('velvet').expect(404);
    await remove('matt', 'nothing').expect(404);
    // The default of a model, a price factor, a print area, and a value of a customer product.
    for (const [attribute, value, user] of [
      ['cover_finish', 'matt', 'product model photo-book'],
      ['paper_format', 'a4', 'product model poster'],
      ['print_sides', '0-4', 'product model t-shirt'],
      ['apparel_size', 's', 'customer product 0190a000-0000-7000-8000-000000000001'],
    ] as const) {
      expect((await remove(value, attribute).expect(409)).body.message).toContain(user);
    }
  });
});

test('GET /product/v1/attributes lists attributes with their values as they were given, for operators', async () => {
  const read = (by = api.operator) => request(api.app).get('/product/v1/attributes').set(by.key);
  const { attributes } = (await read().expect(200)).body;
  const format = attributes.find(({ id }: { id: string }) => id === 'paper_format');
  expect(format.values[0]).toEqual({
    id: 'a4',
    description: 'A4',
    properties: { widthMm: 210, heightMm: 297, code: 'a4' },
    isCustom: false,
    isDefault: expect.any(Boolean),
  });
  await read(api.client).expect(403);
});
