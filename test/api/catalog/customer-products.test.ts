import request from 'supertest';
import { createApp } from '../../../api/app';
import { catalogRoutes } from '../../../api/catalog/routes';
import { seedDemoCatalog } from '../../../src/catalog/demo/seed';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

let sql: Sql;
let app: ReturnType<typeof createApp>;
let shop: TestAccount;
let other: TestAccount;
let operator: TestAccount;
let partner: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  await seedDemoCatalog(sql);
  const deps = await testApiDeps(sql);
  app = createApp(deps, catalogRoutes(deps));
  shop = await testAccount(sql, 'client');
  other = await testAccount(sql, 'client');
  operator = await testAccount(sql, 'operator');
  partner = await testAccount(sql, 'partner');
});

const LIST = '/product/v1/customer-products';
const tee = (over: object = {}) => ({
  name: 'Band tee',
  customerIds: ['*'],
  productModelId: 't-shirt',
  variantOptions: [
    {
      id: 'size',
      name: 'Size',
      attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
    },
    {
      id: 'color',
      name: 'Color',
      attributesMapping: [{ partModelId: 't-shirt', attributeIds: ['apparel_color'] }],
    },
  ],
  ...over,
});
const sizes = (...values: [value: string, id: string, isDefault?: boolean][]) => ({
  variantOptionId: 'size',
  values: values.map(([value, id, isDefault]) => ({
    value,
    attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: id } }],
    ...(isDefault === undefined ? {} : { isDefault }),
  })),
});
const create = (body: object, by = shop) =>
  request(app).post('/product/v1/customer-product').set(by.key).send(body);
const addValues = (id: string, body: unknown, by = shop) =>
  request(app)
    .post(`${LIST}/${id}/variant-values`)
    .set(by.key)
    .send(body as object);
const references = (body: { errors?: { reference: string }[] }) =>
  body.errors?.map(({ reference }) => reference);

async function created(over: object = {}, by = shop): Promise<string> {
  const { body } = await create(tee(over), by).expect(200);
  return body.id;
}

describe('creating a customer product', () => {
  test('answers with its id and times, without a state', async () => {
    const { body } = await create(
      tee({ partQuantities: [{ partModelId: 'blank-t-shirt', quantity: 2 }] }),
    ).expect(200);
    expect(body).toEqual({
      id: expect.any(String),
      ...tee(),
      partQuantities: [{ partModelId: 'blank-t-shirt', quantity: 2 }],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
  });

  test('by a client is for itself, by an operator for all, when customerIds are left out', async () => {
    const { customerIds: _, ...open } = tee();
    expect((await create(open)).body.customerIds).toEqual([shop.id]);
    expect((await create(open, operator)).body.customerIds).toEqual(['*']);
  });

  test('names every missing field', async () => {
    const { body } = await create({}).expect(400);
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', requestId: expect.any(String) });
    expect(references(body)).toEqual(['name', 'productModelId', 'variantOptions']);
    expect(body.errors.map(({ code }: { code: string }) => code)).toEqual(
      Array(3).fill('MISSING_FIELD_ERROR'),
    );
  });

  test('names every wrong field by path', async () => {
    const { body } = await create({
      name: ' ',
      customerIds: 'all',
      productModelId: 't-shirt',
      variantOptions: [{ id: 'a', name: 'A', attributesMapping: [{ partModelId: 7, attributeIds: ['x'] }] }],
      partQuantities: [{ partModelId: 'blank-t-shirt', quantity: -1 }],
    }).expect(400);
    expect(body.errors).toEqual([
      expect.objectContaining({ reference: 'name', code: 'IS_BLANK_ERROR' }),
      expect.objectContaining({ reference: 'customerIds' }),
      expect.objectContaining({ reference: 'variantOptions[0].attributesMapping[0].partModelId' }),
      expect.objectContaining({ reference: 'partQuantities[0].quantity' }),
    ]);
  });

  const option = tee().variantOptions[0]!;
  const mapping = option.attributesMapping[0]!;
  test.each([
    ['an option without an id', { variantOptions: [{ ...option, id: undefined }] }, 'variantOptions[0].id'],
    [
      'an option without a name',
      { variantOptions: [{ ...option, name: undefined }] },
      'variantOptions[0].name',
    ],
    [
      'an option without a mapping',
      { variantOptions: [{ ...option, attributesMapping: undefined }] },
      'variantOptions[0].attributesMapping',
    ],
    [
      'a mapping without a part',
      { variantOptions: [{ ...option, attributesMapping: [{ ...mapping, partModelId: undefined }] }] },
      'variantOptions[0].attributesMapping[0].partModelId',
    ],
    [
      'a mapping without attributes',
      { variantOptions: [{ ...option, attributesMapping: [{ ...mapping, attributeIds: undefined }] }] },
      'variantOptions[0].attributesMapping[0].attributeIds',
    ],
    [
      'an attribute mapped twice',
      { variantOptions: [option, { ...option, id: 'again' }] },
      'variantOptions[1].attributesMapping[0].attributeIds[0]',
    ],
    ['a quantity without a part', { partQuantities: [{ quantity: 1 }] }, 'partQuantities[0].partModelId'],
    [
      'a part without a quantity',
      { partQuantities: [{ partModelId: 'blank-t-shirt' }] },
      'partQuantities[0].quantity',
    ],
    [
      'a part counted twice',
      { partQuantities: [1, 2].map((quantity) => ({ partModelId: 'blank-t-shirt', quantity })) },
      'partQuantities[1].partModelId',
    ],
    ['a blank customer', { customerIds: ['a', ' '] }, 'customerIds[1]'],
  ])('with %s is refused, naming it', async (_, over, reference) => {
    const { body } = await create(tee(over)).expect(400);
    expect(references(body)).toEqual([reference]);
  });

  test('may name a customer twice, and has it once in lists', async () => {
    const id = await created({ name: 'Twice named', customerIds: [shop.id, shop.id] });
    const { body } = await request(app).get(LIST).query({ search: 'Twice named' }).set(shop.key);
    expect(body).toMatchObject({ customerProducts: [{ id }], meta: { total: 1 } });
  });

  test('a quantity of a part may be zero', async () => {
    await create(tee({ partQuantities: [{ partModelId: 'blank-t-shirt', quantity: 0 }] })).expect(200);
    const { body } = await create(
      tee({ partQuantities: [{ partModelId: 'blank-t-shirt', quantity: 1.5 }] }),
    ).expect(400);
    expect(references(body)).toEqual(['partQuantities[0].quantity']);
  });

  test('of an unknown or inactive product model is refused', async () => {
    for (const productModelId of ['hat', 'satin-poster']) {
      const { body } = await create(tee({ productModelId, variantOptions: [] })).expect(400);
      expect(body.errors).toEqual([
        expect.objectContaining({ reference: 'productModelId', code: 'NO_SUCH_CHOICE_ERROR' }),
      ]);
    }
  });

  test('with unknown parts, attributes, or ids used twice is refused, all at once', async () => {
    const { body } = await create(
      tee({
        variantOptions: [
          {
            id: 'size',
            name: 'Size',
            attributesMapping: [{ partModelId: 'hat', attributeIds: ['apparel_size'] }],
          },
          {
            id: 'size',
            name: 'Frame',
            attributesMapping: [
              { partModelId: 'blank-t-shirt', attributeIds: ['apparel_size', 'frame_material'] },
            ],
          },
        ],
        partQuantities: [{ partModelId: 'frame', quantity: 1 }],
      }),
    ).expect(400);
    expect(references(body)).toEqual([
      'variantOptions[0].attributesMapping[0].partModelId',
      'variantOptions[1].id',
      'variantOptions[1].attributesMapping[0].attributeIds[1]',
      'partQuantities[0].partModelId',
    ]);
  });

  test('ignores unknown fields, and never stores them', async () => {
    const { body } = await create(tee({ state: 'draft', id: 'mine', secret: 1 })).expect(200);
    expect(body.id).not.toBe('mine');
    expect(body).not.toHaveProperty('secret');
    expect(body).not.toHaveProperty('state');
  });

  test('twice with one Idempotency-Key makes one', async () => {
    const send = () => create(tee({ name: 'Once' })).set('Idempotency-Key', 'tee-1');
    const [first, second] = [await send().expect(200), await send().expect(200)];
    expect(second.body).toEqual(first.body);
    const { body } = await request(app).get(LIST).query({ search: 'Once' }).set(shop.key);
    expect(body.meta.total).toBe(1);
  });

  test.each([
    ['no key', () => ({}), 401],
    ['a partner’s key', () => partner.key, 403],
  ])('with %s is refused', async (_, headers, status) => {
    await request(app).post('/product/v1/customer-product').set(headers()).send(tee()).expect(status);
  });
});

describe('changing a customer product', () => {
  const patch = (id: string, body: object, by = shop) =>
    request(app).patch(`${LIST}/${id}`).set(by.key).send(body);

  test('changes the given fields only', async () => {
    const id = await created({ name: 'Before' });
    const { body } = await patch(id, { name: 'After' }).expect(200);
    expect(body).toMatchObject({
      id,
      name: 'After',
      customerIds: ['*'],
      variantOptions: tee().variantOptions,
    });
    expect(body.updatedAt > body.createdAt).toBe(true);
    expect((await patch(id, { customerIds: [shop.id] }).expect(200)).body).toMatchObject({
      name: 'After',
      customerIds: [shop.id],
    });
    expect((await patch(id, {}).expect(200)).body.name).toBe('After');
  });

  test('answers with the whole product, parts and options as they were', async () => {
    const partQuantities = [{ partModelId: 'blank-t-shirt', quantity: 3 }];
    const made = (await create(tee({ customerIds: [shop.id], partQuantities })).expect(200)).body;
    const { body } = await patch(made.id, { customerIds: ['*'], productModelId: 'mug', variantOptions: [] });
    expect(body).toEqual({ ...made, customerIds: ['*'], updatedAt: expect.stringMatching(/Z$/) });
  });

  test('keeps lists and orders right: renamed, and closed to other customers', async () => {
    const id = await created({ name: 'Open name' });
    await patch(id, { name: 'Closed name', customerIds: [shop.id] }).expect(200);
    const found = async (search: string, by: TestAccount) =>
      (await request(app).get(LIST).query({ search }).set(by.key)).body.meta.total;
    expect(await found('Open name', shop)).toBe(0);
    expect(await found('Closed name', shop)).toBe(1);
    expect(await found('Closed name', other)).toBe(0);
    expect(
      (await resolveProducts(sql, other.id, [{ productName: 'Closed name', productVariant: {} }]))[0],
    ).toMatchObject({ ok: false, path: 'productName' });
  });

  test('of another client: 403 where one may order it, 404 where not', async () => {
    const open = await created();
    const closed = await created({ customerIds: [shop.id] });
    expect((await patch(open, { name: 'Mine' }, other)).status).toBe(403);
    expect((await patch(closed, { name: 'Mine' }, other)).status).toBe(404);
    expect((await patch(closed, { name: 'The engine’s' }, operator)).status).toBe(200);
  });

  test.each(['nothing', '0190a000-0000-7000-8000-00000000ffff'])(
    'that does not exist (%s) is 404',
    async (id) => {
      expect((await patch(id, { name: 'x' })).body).toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  test('to wrong values is refused by field', async () => {
    const { body } = await patch(await created(), { name: 3, customerIds: [''] }).expect(400);
    expect(references(body)).toEqual(['name', 'customerIds[0]']);
    for (const wrong of [{ name: ' ' }, { name: null }, { customerIds: '*' }, { customerIds: [] }]) {
      expect(references((await patch(await created(), wrong).expect(400)).body)).toEqual(Object.keys(wrong));
    }
  });
});

describe('variant values', () => {
  test('are echoed, read back, and shown in lists', async () => {
    const id = await created({ name: 'With values' });
    const body = [sizes(['S', 's'], ['M', 'm', true])];
    const echoed = await addValues(id, body).expect(200);
    expect(echoed.body).toEqual([sizes(['S', 's', false], ['M', 'm', true])]);
    await addValues(id, [sizes(['L', 'l'])]).expect(200);

    const read = await request(app).get(`${LIST}/${id}/variant-values`).set(shop.key).expect(200);
    expect(read.body).toEqual([
      sizes(['S', 's', false], ['M', 'm', true], ['L', 'l', false]),
      { variantOptionId: 'color', values: [] },
    ]);
    const list = await request(app).get(LIST).query({ customerProductIds: id }).set(shop.key).expect(200);
    expect(list.body.customerProducts[0]).toMatchObject({
      id,
      state: 'published',
      variantOptions: [
        { id: 'size', values: ['S', 'M', 'L'], defaultValue: 'M', state: 'published' },
        { id: 'color', values: [], defaultValue: '', state: 'published' },
      ],
    });
  });

  test('make the product orderable by name and variant at once', async () => {
    const id = await created({ name: 'Ordered at once' });
    await addValues(id, [sizes(['Small', 's'], ['Large', 'l', true])]).expect(200);
    const order = (productVariant: Record<string, string>, client = shop) =>
      resolveProducts(sql, client.id, [{ productName: 'Ordered at once', productVariant }]);
    expect((await order({ Size: 'Small' }))[0]).toMatchObject({
      ok: true,
      product: { productUid: expect.stringContaining('_gsi_s_') },
    });
    expect((await order({}, other))[0]).toMatchObject({
      ok: true,
      product: { productUid: expect.stringContaining('_gsi_l_') },
    });
    expect((await order({ Size: 'Huge' }))[0]).toMatchObject({ ok: false, path: 'productVariant.Size' });
  });

  test('that refer to nothing are refused with every path', async () => {
    const { body } = await addValues(await created(), [
      { variantOptionId: 'sleeve', values: [] },
      {
        variantOptionId: 'size',
        values: [
          { value: 'S', attributeValues: [{ partModelId: 'hat', attributes: { apparel_size: 's' } }] },
          {
            value: 'M',
            attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_color: 'white' } }],
          },
          {
            value: 'L',
            attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: 'giant' } }],
          },
          { value: 'S', attributeValues: [] },
        ],
      },
    ]).expect(400);
    expect(references(body)).toEqual([
      '[0].variantOptionId',
      '[1].values[0].attributeValues[0].partModelId',
      '[1].values[1].attributeValues[0].attributes.apparel_color',
      '[1].values[2].attributeValues[0].attributes.apparel_size',
      '[1].values[3].value',
    ]);
  });

  test('have one default per option, in a request and beside those that are there', async () => {
    const id = await created();
    const twice = await addValues(id, [sizes(['S', 's', true], ['M', 'm', true])]).expect(400);
    expect(references(twice.body)).toEqual(['[0].values[1].isDefault']);
    await addValues(id, [sizes(['S', 's', true])]).expect(200);
    const second = await addValues(id, [sizes(['M', 'm', true], ['S', 's'])]).expect(409);
    expect(references(second.body)).toEqual(['[0].values[0].isDefault', '[0].values[1].value']);
  });

  test('are added all or none', async () => {
    const id = await created();
    await addValues(id, [sizes(['S', 's'], ['M', 'nothing'])]).expect(400);
    const read = await request(app).get(`${LIST}/${id}/variant-values`).set(shop.key);
    expect(read.body[0].values).toEqual([]);
  });

  test('missing fields are named', async () => {
    const { body } = await addValues(await created(), [{ values: [{ attributeValues: [{}] }] }]).expect(400);
    expect(references(body)).toEqual([
      '[0].variantOptionId',
      '[0].values[0].value',
      '[0].values[0].attributeValues[0].partModelId',
      '[0].values[0].attributeValues[0].attributes',
    ]);
  });

  test.each([
    ['no list', { variantOptionId: 'size', values: [] }],
    ['an empty list', []],
    [
      'a default that is no boolean',
      [{ variantOptionId: 'size', values: [{ ...sizes(['S', 's']).values[0], isDefault: 1 }] }],
    ],
    ['a blank value', [{ variantOptionId: 'size', values: [{ value: ' ', attributeValues: [] }] }]],
    [
      'an attribute value that is no text',
      [
        {
          variantOptionId: 'size',
          values: [
            {
              value: 'S',
              attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: 1 } }],
            },
          ],
        },
      ],
    ],
  ])('%s is refused', async (_, body) => {
    const { body: answer } = await addValues(await created(), body).expect(400);
    expect(answer).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ reference: expect.any(String) }] });
  });

  test('may be none, and may be without attributes', async () => {
    const id = await created();
    const body = [
      { variantOptionId: 'color', values: [] },
      { variantOptionId: 'size', values: [{ value: 'As it comes', attributeValues: [], isDefault: false }] },
    ];
    expect((await addValues(id, body).expect(200)).body).toEqual(body);
  });

  test('of parts that share an attribute must agree', async () => {
    const { body: product } = await create({
      name: 'Frame',
      productModelId: 'framed-poster',
      variantOptions: [
        {
          id: 'size',
          name: 'Size',
          attributesMapping: [
            { partModelId: 'poster', attributeIds: ['paper_format'] },
            { partModelId: 'poster-frame', attributeIds: ['paper_format'] },
          ],
        },
      ],
    }).expect(200);
    const value = (poster: string, frame: string) => [
      {
        variantOptionId: 'size',
        values: [
          {
            value: `${poster}/${frame}`,
            attributeValues: [
              { partModelId: 'poster', attributes: { paper_format: poster } },
              { partModelId: 'poster-frame', attributes: { paper_format: frame } },
            ],
          },
        ],
      },
    ];
    await addValues(product.id, value('a3', 'a3')).expect(200);
    const clash = await addValues(product.id, value('a3', 'a4')).expect(400);
    expect(references(clash.body)).toEqual(['[0].values[0].attributeValues[1].attributes.paper_format']);
    // Frames are not made in A1.
    await addValues(product.id, value('a1', 'a1')).expect(400);
  });

  test('of products that one cannot see: 404; that are another’s: 403', async () => {
    const closed = await created({ customerIds: [shop.id] });
    expect((await addValues(closed, [sizes(['S', 's'])], other)).status).toBe(404);
    expect((await request(app).get(`${LIST}/${closed}/variant-values`).set(other.key)).status).toBe(404);
    expect((await addValues(await created(), [sizes(['S', 's'])], other)).status).toBe(403);
  });

  test('added to one option from several sides at once: each value once, one default', async () => {
    const id = await created();
    const answers = await Promise.all(
      ['xs', 's', 'm', 'l', 'xl'].flatMap((size) => [
        addValues(id, [sizes([size, size, true])]),
        addValues(id, [sizes([size, size, false])]),
      ]),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { body } = await request(app).get(`${LIST}/${id}/variant-values`).set(shop.key);
    const values: { value: string; isDefault: boolean }[] = body[0].values;
    expect(values.map(({ value }) => value).sort()).toEqual(['l', 'm', 's', 'xl', 'xs']);
    expect(values.filter(({ isDefault }) => isDefault).length).toBeLessThanOrEqual(1);
  });
});

describe('listing customer products', () => {
  let mine: string[];
  let viewer: TestAccount;
  let stranger: TestAccount;

  beforeAll(async () => {
    viewer = await testAccount(sql, 'client');
    stranger = await testAccount(sql, 'client');
    mine = [];
    for (const name of ['Zebra 100%', 'zebra_two', 'Zebra three']) {
      mine.push(await created({ name, customerIds: [viewer.id] }, viewer));
    }
    mine.push(
      (
        await create(
          {
            name: 'Zebra poster',
            customerIds: [viewer.id, stranger.id],
            productModelId: 'poster',
            variantOptions: [],
          },
          operator,
        )
      ).body.id,
    );
  });
  const list = async (query: object, by = viewer) =>
    (await request(app).get(LIST).query(query).set(by.key)).body;
  const ids = (body: { customerProducts: { id: string }[] }) => body.customerProducts.map(({ id }) => id);

  test('gives newest first, with offset, limit and total', async () => {
    const body = await list({ customerIds: viewer.id });
    expect(ids(body)).toEqual([...mine].reverse());
    expect(body.meta).toEqual({ offset: 0, limit: 250, total: 4 });
    const page = await list({ customerIds: viewer.id, offset: 1, limit: 2 });
    expect(ids(page)).toEqual([mine[2], mine[1]]);
    expect(page.meta).toEqual({ offset: 1, limit: 2, total: 4 });
  });

  test('gives 250 when no limit is given, and one when one is asked for', async () => {
    const crowd = await testAccount(sql, 'client');
    await sql`
      INSERT INTO customer_products (id, name, customer_ids, product_model_id, variant_options)
      SELECT gen_random_uuid(), 'Crowd ' || n, ARRAY[${crowd.id}], 'mug', '[]' FROM generate_series(1, 251) AS n`;
    for (const query of [{}, { limit: 250 }, { search: 'crowd' }]) {
      const body = await list({ ...query, customerIds: crowd.id }, crowd);
      expect(body.customerProducts).toHaveLength(250);
      expect(body.meta).toEqual({ offset: 0, limit: 250, total: 251 });
    }
    const rest = await list({ customerIds: crowd.id, offset: 250 }, crowd);
    expect(rest.customerProducts).toHaveLength(1);
    const one = await list({ customerIds: crowd.id, limit: 1 }, crowd);
    expect(one.customerProducts).toHaveLength(1);
    const behind = await list({ customerIds: crowd.id, offset: 9_000 }, crowd);
    expect(behind).toEqual({ customerProducts: [], meta: { offset: 9_000, limit: 250, total: 251 } });
    await sql`DELETE FROM customer_products WHERE customer_ids = ARRAY[${crowd.id}]`;
  });

  test('a filter without entries filters nothing', async () => {
    const all = await list({ customerIds: viewer.id });
    for (const empty of ['', ',', ' , ']) {
      expect(
        await list({ customerIds: viewer.id, customerProductIds: empty, productModelIds: empty }),
      ).toEqual(all);
    }
  });

  test.each([
    ['limit', 251],
    ['limit', 0],
    ['limit', 'many'],
    ['offset', -1],
    ['offset', 1.5],
  ])('%s of %s is refused', async (name, value) => {
    const { body } = await request(app)
      .get(LIST)
      .query({ [name]: value })
      .set(viewer.key)
      .expect(400);
    expect(references(body)).toEqual([name]);
  });

  test.each([
    ['zebra', 4],
    ['ZEBRA P', 1],
    ['%', 1],
    ['_', 1],
    ['\\', 0],
    ['ebra t', 1],
    ['', undefined],
  ])('search for %j finds %j', async (search, total) => {
    const body = await list({ search, customerIds: viewer.id });
    expect(body.meta.total).toBe(total ?? 4);
  });

  test('filters by ids, customers and product models, separated by commas', async () => {
    expect(ids(await list({ customerProductIds: `${mine[0]}, ${mine[3]},nothing` }))).toEqual([
      mine[3],
      mine[0],
    ]);
    expect(ids(await list({ productModelIds: 'poster,mug', customerIds: viewer.id }))).toEqual([mine[3]]);
    const all = await list({ customerIds: `${viewer.id},*`, limit: 250 });
    expect(ids(all)).toEqual(expect.arrayContaining(mine));
    expect(all.meta.total).toBe(all.customerProducts.length);
    expect((await list({ productModelIds: 'hat' })).meta.total).toBe(0);
  });

  test('a client sees what it may order and nothing else', async () => {
    const seen = await list({ search: 'Zebra' }, stranger);
    expect(ids(seen)).toEqual([mine[3]]);
    // Nor who else may order it.
    expect(seen.customerProducts[0].customerIds).toEqual([stranger.id]);
    expect(ids(await list({ customerIds: viewer.id }, stranger))).toEqual([mine[3]]);
    expect(ids(await list({ customerProductIds: mine.join(',') }, stranger))).toEqual([mine[3]]);
    expect((await list({ search: 'Zebra' }, operator)).meta.total).toBe(4);
  });

  test('an owner that may not order its own product sees it, but cannot order it', async () => {
    const id = await created({ name: 'For the other', customerIds: [stranger.id] }, viewer);
    expect(ids(await list({ search: 'For the other' }))).toEqual([id]);
    const reference = [{ productName: 'For the other', productVariant: {} }];
    expect((await resolveProducts(sql, viewer.id, reference))[0]!.ok).toBe(false);
    expect((await resolveProducts(sql, stranger.id, reference))[0]!.ok).toBe(true);
  });

  test('totals without a search agree with what pages hold, for every viewer', async () => {
    for (const by of [viewer, stranger, operator, shop, other]) {
      const first = await list({}, by);
      expect(first.meta.total).toBe(first.customerProducts.length);
      const posters = await list({ productModelIds: 'poster' }, by);
      expect(posters.meta.total).toBe(posters.customerProducts.length);
    }
  });

  test('an equal name of another client does not take orders away', async () => {
    const operators = (await create(tee({ name: 'Shared name' }), operator)).body.id;
    await created({ name: 'Shared name', variantOptions: [] }, other);
    await addValues(operators, [sizes(['S', 's'])], operator).expect(200);
    const resolve = (by: TestAccount) =>
      resolveProducts(sql, by.id, [{ productName: 'Shared name', productVariant: { Size: 'S' } }]);
    expect((await resolve(viewer))[0]!.ok).toBe(true);
    // Its own product comes first, and has no such option.
    expect((await resolve(other))[0]).toMatchObject({ ok: false, path: 'productVariant.Size' });
  });
});
