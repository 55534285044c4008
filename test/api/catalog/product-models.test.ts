import request from 'supertest';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import { type CatalogApi, catalogApi, references } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

const MODELS = '/product/v1/product-models';
const list = async (query: object, by = api.client) =>
  (await request(api.app).get(MODELS).query(query).set(by.key).expect(200)).body.productModels;
const create = (body: object, by = api.operator) => request(api.app).post(MODELS).set(by.key).send(body);
const patch = (id: string, body: object, by = api.operator) =>
  request(api.app).patch(`${MODELS}/${id}`).set(by.key).send(body);

let made = 0;
const model = (over: object = {}) => {
  made += 1;
  return {
    id: `banner-${made}`,
    name: 'Banner',
    categoryId: 'banners',
    productUidTemplate: `banner${made}_pf_{paper_format}_{orientation}`,
    ...over,
  };
};

describe('GET /product/v1/product-models', () => {
  test('returns attributes with their properties, template and parts', async () => {
    const [poster] = await list({ modelIds: 'framed-poster' });
    expect(poster).toMatchObject({
      id: 'framed-poster',
      name: expect.any(String),
      description: expect.any(String),
      previewURL: '',
      productUidTemplate: expect.stringContaining('{paper_format}'),
      categoryId: 'framed-posters',
      state: 'active',
    });
    expect(poster.attributes[0]).toEqual({
      id: 'paper_format',
      description: 'Paper format',
      properties: expect.arrayContaining([{ id: 'widthMm', description: expect.any(String), type: 'number' }]),
      defaultValueId: 'a3',
      values: expect.any(Array),
    });
    expect(poster.parts[1]).toEqual({
      modelId: 'poster-frame',
      id: 'frame',
      name: 'Frame',
      quantity: 1,
      order: 2,
      prices: { EUR: 1_990, USD: 2_190, GBP: 1_690 },
    });
    expect(poster).not.toHaveProperty('production');
  });

  test('filters by ids and by state', async () => {
    const ids = (models: { id: string }[]) => models.map(({ id }) => id);
    expect(ids(await list({ modelIds: 'mug, poster,hat' }))).toEqual(['mug', 'poster']);
    expect(ids(await list({ state: 'draft' }, api.operator))).toContain('canvas');
    expect(ids(await list({ state: 'inactive' }))).toEqual(['satin-poster']);
    expect(ids(await list({ modelIds: 'mug,canvas', state: 'active' }))).toEqual(['mug']);
    expect((await list({}, api.operator)).length).toBeGreaterThanOrEqual(12);
    const { body } = await request(api.app).get(MODELS).query({ state: 'gone' }).set(api.client.key).expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ reference: 'state', code: 'NO_SUCH_CHOICE_ERROR' })]);
  });
});

test('drafts are visible to operators only', async () => {
  const page = async (query: object, by = api.client) =>
    (await request(api.app).get(MODELS).query(query).set(by.key).expect(200)).body;
  const { productModels, meta } = await page({}, api.operator);
  const drafts = productModels.filter(({ state }: { state: string }) => state === 'draft');
  expect(drafts.map(({ id }: { id: string }) => id)).toContain('canvas');
  const shown = await page({});
  expect(shown.productModels.filter(({ state }: { state: string }) => state === 'draft')).toEqual([]);
  expect(shown.meta.total).toBe(meta.total - drafts.length);
  for (const query of [{ state: 'draft' }, { modelIds: 'canvas' }]) {
    expect(await page(query)).toMatchObject({ productModels: [], meta: { total: 0 } });
    expect((await page(query, api.operator)).meta.total).toBeGreaterThan(0);
  }
  // Nor can a client use one for a customer product.
  const product = { name: 'Canvas', productModelId: 'canvas', variantOptions: [] };
  const { body } = await api.create(product).expect(400);
  expect(body.errors[0].message).toBe('There is no product model "canvas".');
  await api.create(product, api.operator).expect(200);
});

test('the list has pages of at most 1,000, with offset, limit and total', async () => {
  const page = async (query: object) => (await request(api.app).get(MODELS).query(query).set(api.client.key)).body;
  await api.sql`
    INSERT INTO product_models (id, name, description, preview_url, category_id, product_uid_template, uid_prefix,
                                state, attributes, parts, production)
    SELECT 'zz-' || lpad(n::text, 4, '0'), 'Bulk', '', '', 'bulk', 'bulk' || n || '_x', 'bulk' || n || '_', 'active', '[]', '[]', '{}'
    FROM generate_series(1, 1001) AS n`;
  const { total } = (await page({ limit: 1 })).meta;
  expect(total).toBeGreaterThan(1_001);
  const first = await page({});
  expect(first.productModels).toHaveLength(1_000);
  expect(first.meta).toEqual({ offset: 0, limit: 1_000, total });
  const rest = await page({ offset: 1_000 });
  expect(rest.meta).toEqual({ offset: 1_000, limit: 1_000, total });
  const ids = [...first.productModels, ...rest.productModels].map(({ id }) => id);
  expect(ids).toHaveLength(total);
  expect(new Set(ids).size).toBe(total);
  expect(await page({ offset: 5_000, limit: 10 })).toEqual({
    productModels: [],
    meta: { offset: 5_000, limit: 10, total },
  });
  expect((await page({ offset: 1_000_000 })).productModels).toEqual([]);
  for (const query of [{ limit: 1_001 }, { limit: 0 }, { offset: -1 }, { offset: 1_000_001 }]) {
    expect(references(await page(query))).toEqual(Object.keys(query));
  }
  await api.sql`DELETE FROM product_models WHERE id LIKE 'zz-%'`;
});

describe('POST /product/v1/product-models', () => {
  test('creates a draft, which can be ordered once it is active', async () => {
    const { body } = await create(
      model({
        attributes: [{ id: 'paper_format', valueIds: ['a2', 'a1'], defaultValueId: 'a2' }],
        production: {
          sizeAttribute: 'paper_format',
          printAreas: [{ fileType: 'front' }],
          priceList: { EUR: [{ from: 1, unitMinor: 2500 }] },
        },
      }),
    ).expect(200);
    expect(body).toMatchObject({
      state: 'draft',
      attributes: [{ valueIds: ['a2', 'a1'] }, { id: 'orientation' }],
    });
    const order = async (format: string) =>
      (
        await resolveProducts(api.sql, { clientId: api.client.id }, [{ productUid: `banner${made}_pf_${format}_ver` }])
      )[0]!;
    expect(await order('a2')).toMatchObject({ ok: false, message: expect.stringContaining('draft') });
    await patch(body.id, { state: 'active' }).expect(200);
    expect(await order('a2')).toMatchObject({ ok: true, product: { printAreas: [{ widthMm: 420 }] } });
    expect(await order('a3')).toMatchObject({ ok: false });
  });

  test('refuses unknown attributes, values and parts by path', async () => {
    const unknown = await create(model({ productUidTemplate: 'x_{nothing}' })).expect(400);
    expect(references(unknown.body)).toEqual(['productUidTemplate']);
    const { body } = await create(
      model({
        attributes: [{ id: 'paper_format', valueIds: ['a3', 'a99'], defaultValueId: 'a1' }, { id: 'mug_size' }],
      }),
    ).expect(400);
    expect(references(body)).toEqual(['attributes[0].valueIds[1]', 'attributes[0].defaultValueId', 'attributes[1].id']);
    const parts = await create(
      model({
        parts: [
          { modelId: 'hat', name: 'Hat' },
          { modelId: 'framed-poster', name: 'Nested' },
          { modelId: 'hat', name: 'Twin' },
        ],
      }),
    ).expect(400);
    expect(references(parts.body)).toEqual(['parts[0].modelId', 'parts[1].modelId', 'parts[2].modelId', 'parts[2].id']);
  });

  test('refuses an active garment without units of its blank, also when a draft becomes active', async () => {
    const garment = (state: string) =>
      model({
        state,
        parts: [{ modelId: 'blank-t-shirt', name: 'Blank', quantity: 0 }],
        production: { kind: 'apparel' },
      });
    expect(references((await create(garment('active')).expect(400)).body)).toEqual(['parts']);
    const { body } = await create(garment('draft')).expect(200);
    expect(references((await patch(body.id, { state: 'active' }).expect(400)).body)).toEqual(['parts']);
  });

  test.each([
    ['{paper_format}_x'],
    ['banner_{paper_format}{orientation}'],
    ['banner_{paper_format}_{paper_format}'],
    ['banner {paper_format}'],
    ['banner_{paper_format'],
  ])('refuses template %s', async (productUidTemplate) => {
    expect(references((await create(model({ productUidTemplate })).expect(400)).body)).toEqual(['productUidTemplate']);
  });

  test('refuses an inconsistent production spec by path', async () => {
    const wrong = await create(
      model({
        production: {
          kind: 'hologram',
          hsCode: 'x',
          priceList: { EUR: [{ from: 0, unitMinor: 1.5 }], XQQ: [{ from: 1, unitMinor: 1 }] },
        },
      }),
    ).expect(400);
    expect(references(wrong.body)).toEqual([
      'production.kind',
      'production.hsCode',
      'production.priceList.EUR[0].from',
      'production.priceList.EUR[0].unitMinor',
      'production.priceList.XQQ',
    ]);
    const { body } = await create(
      model({
        production: {
          sizeAttribute: 'mug_size',
          priceList: {
            EUR: [
              { from: 1, unitMinor: 1 },
              { from: 1, unitMinor: 2 },
            ],
          },
          pages: { attributeId: 'page_count' },
          pagePrices: { USD: 1 },
        },
      }),
    ).expect(400);
    expect(references(body)).toEqual([
      'production.sizeAttribute',
      'production.pages.attributeId',
      'production.priceList.EUR',
      'production.pagePrices.EUR',
    ]);
  });

  // test/security/bounds.test.ts proves that lists have limits.
  test('limits the numbers of an attribute to 1,000 entries', async () => {
    const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, 1]));
    const withGrams = (count: number) =>
      create(model({ production: { addedGrams: { paper_format: entries(count) } } }));
    await withGrams(1_000).expect(200);
    expect(references((await withGrams(1_001).expect(400)).body)).toEqual(['production.addedGrams.paper_format']);
  });

  test('is 409 for an id or a template that is already in use', async () => {
    const first = model();
    await create(first).expect(200);
    expect(references((await create({ ...model(), id: first.id }).expect(409)).body)).toEqual(['id']);
    expect(
      references((await create({ ...model(), productUidTemplate: first.productUidTemplate }).expect(409)).body),
    ).toEqual(['productUidTemplate']);
  });
});

describe('PATCH /product/v1/product-models/{id}', () => {
  test.each([
    ['draft', 'active', 200],
    ['draft', 'inactive', 200],
    ['active', 'inactive', 200],
    ['inactive', 'active', 200],
    ['active', 'draft', 409],
    ['inactive', 'draft', 409],
    ['active', 'active', 200],
  ])('a change from state %s to %s is %i', async (from, to, status) => {
    const { body } = await create(model()).expect(200);
    if (from !== 'draft') await patch(body.id, { state: from }).expect(200);
    const response = await patch(body.id, { state: to }).expect(status);
    if (status === 200) expect(response.body.state).toBe(to);
  });

  test('template and parts can change only in state draft, other fields later too', async () => {
    const { body } = await create(model()).expect(200);
    await patch(body.id, { productUidTemplate: `${body.productUidTemplate}_x` }).expect(200);
    await patch(body.id, { state: 'active' }).expect(200);
    const refused = await patch(body.id, {
      productUidTemplate: 'y_{orientation}',
      parts: [{ modelId: 'poster', name: 'Poster' }],
    }).expect(409);
    expect(references(refused.body)).toEqual(['productUidTemplate', 'parts']);
    const { body: changed } = await patch(body.id, {
      name: 'Vinyl banner',
      previewURL: 'https://example.com/banner.png',
      attributes: [{ id: 'paper_format', valueIds: ['a1'] }],
    }).expect(200);
    expect(changed).toMatchObject({ name: 'Vinyl banner', categoryId: 'banners', state: 'active' });
    expect(changed.attributes[0].valueIds).toEqual(['a1']);
  });

  test('is 404 for an unknown id', async () => {
    await patch('hat', { name: 'Hat' }).expect(404);
  });
});

describe('POST /product/v1/product-models/{id}/preview', () => {
  const preview = (id: string, body: object) =>
    request(api.app).post(`${MODELS}/${id}/preview`).set(api.operator.key).send(body);
  type Variant = { values: Record<string, string>; prices: Record<string, { before: number; after: number }> };
  const production = async (id: string) => (await list({ modelIds: id }, api.operator))[0].production;
  const eurosOf = ({ variants }: { variants: Variant[] }, wanted: Record<string, string>) =>
    variants.find(({ values }) => Object.entries(wanted).every(([name, value]) => values[name] === value))?.prices.EUR;

  test('returns what each variant costs at quantity 1 before and after, and changes nothing', async () => {
    const before = await production('mug');
    const changed = {
      ...before,
      priceList: { EUR: [{ from: 1, unitMinor: 700 }] },
      priceFactors: { ...before.priceFactors, mug_size: { '15-oz': '1.5' } },
    };
    const { body } = await preview('mug', { production: changed }).expect(200);
    expect(eurosOf(body, { mug_size: '11-oz', mug_color: 'white' })).toEqual({ before: 6.9, after: 7 });
    // 690 x 1.2 x 1.1 = 910.8; 700 x 1.5 x 1.1 = 1,155.
    expect(eurosOf(body, { mug_size: '15-oz', mug_color: 'black' })).toEqual({ before: 9.11, after: 11.55 });
    expect(body.variants[0].prices.USD).toEqual({ before: 7.9, after: null });
    expect(body.total).toBe(body.variants.length);
    expect(body.before.production).toMatchObject({ priceFactors: before.priceFactors, priceList: before.priceList });
    expect(body.after.production).toEqual({ ...body.before.production, ...changed, printAreas: expect.any(Array) });
    expect(await production('mug')).toEqual(before);
  });

  test('prices the change once its last price has started', async () => {
    const before = await production('sticker');
    const coming = { from: 1, unitMinor: 310, validFrom: '2999-01-01T00:00:00Z' };
    const priceList = { ...before.priceList, EUR: [...before.priceList.EUR, coming] };
    const { body } = await preview('sticker', { production: { ...before, priceList } }).expect(200);
    expect(eurosOf(body, {})).toEqual({ before: 2.9, after: 3.1 });
  });

  test('shows values that are no longer offered without a price; an order of them is then refused', async () => {
    const limited = model({ state: 'active', production: { priceList: { EUR: [{ from: 1, unitMinor: 1_000 }] } } });
    await create(limited).expect(200);
    const change = {
      attributes: [{ id: 'paper_format', valueIds: ['500x700-mm'], defaultValueId: '500x700-mm' }],
    };
    const { body } = await preview(limited.id, change).expect(200);
    expect(eurosOf(body, { paper_format: 'a3' })).toEqual({ before: 10, after: null });
    expect(eurosOf(body, { paper_format: '500x700-mm' })).toEqual({ before: 10, after: 10 });
    await patch(limited.id, change).expect(200);
    const uid = (format: string) =>
      limited.productUidTemplate.replace('{paper_format}', format).replace('{orientation}', 'ver');
    const [refused, accepted] = await resolveProducts(api.sql, { clientId: api.client.id }, [
      { productUid: uid('a3') },
      { productUid: uid('500x700-mm') },
    ]);
    expect(refused).toMatchObject({ ok: false, path: 'productUid', message: expect.stringContaining('paper_format') });
    expect(accepted).toMatchObject({ ok: true });
  });

  test('refuses what the change would refuse, and a product model that does not exist', async () => {
    const { body } = await preview('mug', {
      production: { priceFactors: { mug_size: { '11-oz': '2' }, finish: { matt: '2' } } },
      attributes: [{ id: 'mug_size', valueIds: ['no-size'] }],
    }).expect(400);
    expect(references(body)).toEqual(['production.priceFactors.finish']);
    const fixed = await preview('mug', { productUidTemplate: 'mug2_{mug_size}' }).expect(409);
    expect(references(fixed.body)).toEqual(['productUidTemplate']);
    await preview('nothing', { name: 'x' }).expect(404);
    await request(api.app).post(`${MODELS}/mug/preview`).set(api.client.key).send({ name: 'x' }).expect(403);
  });
});
