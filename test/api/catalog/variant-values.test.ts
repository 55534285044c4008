import request from 'supertest';
import { resolveProducts } from '../../../src/catalog/resolve-products';
import { type CatalogApi, catalogApi, PRODUCTS, references, sizes } from './catalog-api';

let api: CatalogApi;
beforeAll(async () => {
  api = await catalogApi();
});

describe('variant values', () => {
  test('are returned, can be read, and appear in lists', async () => {
    const id = await api.created({ name: 'With values' });
    const body = [sizes(['S', 's'], ['M', 'm', true])];
    const echoed = await api.addValues(id, body).expect(200);
    expect(echoed.body).toEqual([sizes(['S', 's', false], ['M', 'm', true])]);
    await api.addValues(id, [sizes(['L', 'l'])]).expect(200);

    const read = await request(api.app).get(`${PRODUCTS}/${id}/variant-values`).set(api.client.key).expect(200);
    expect(read.body).toEqual([
      sizes(['S', 's', false], ['M', 'm', true], ['L', 'l', false]),
      { variantOptionId: 'color', values: [] },
    ]);
    const list = await request(api.app).get(PRODUCTS).query({ customerProductIds: id }).set(api.client.key).expect(200);
    expect(list.body.customerProducts[0]).toMatchObject({
      id,
      state: 'published',
      variantOptions: [
        { id: 'size', values: ['S', 'M', 'L'], defaultValue: 'M', state: 'published' },
        { id: 'color', values: [], defaultValue: '', state: 'published' },
      ],
    });
  });

  test('can be ordered immediately', async () => {
    const id = await api.created({ name: 'Ordered at once' });
    await api.addValues(id, [sizes(['Small', 's'], ['Large', 'l', true])]).expect(200);
    const order = (productVariant: Record<string, string>) =>
      resolveProducts(api.sql, { clientId: api.client.id }, [{ productName: 'Ordered at once', productVariant }]);
    expect((await order({ Size: 'Small' }))[0]).toMatchObject({
      ok: true,
      product: { productUid: expect.stringContaining('_gsi_s_') },
    });
    expect((await order({}))[0]).toMatchObject({
      ok: true,
      product: { productUid: expect.stringContaining('_gsi_l_') },
    });
    expect((await order({ Size: 'Huge' }))[0]).toMatchObject({ ok: false, path: 'productVariant.Size' });
  });

  test('with unknown references are refused, with every path, and none is added', async () => {
    const id = await api.created();
    const { body } = await api
      .addValues(id, [
        sizes(['XS', 'xs']),
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
            { value: 'S', attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: 's' } }] },
            { value: 'Bare', attributeValues: [] },
          ],
        },
      ])
      .expect(400);
    expect(references(body)).toEqual([
      '[1].variantOptionId',
      '[2].values[0].attributeValues[0].partModelId',
      '[2].values[1].attributeValues[0].attributes.apparel_color',
      '[2].values[2].attributeValues[0].attributes.apparel_size',
      '[2].values[3].value',
      '[2].values[4].attributeValues',
    ]);
    const read = await request(api.app).get(`${PRODUCTS}/${id}/variant-values`).set(api.client.key);
    expect(read.body[0].values).toEqual([]);
  });

  test('have one default per option, in a request and together with existing values', async () => {
    const id = await api.created();
    const twice = await api.addValues(id, [sizes(['S', 's', true], ['M', 'm', true])]).expect(400);
    expect(references(twice.body)).toEqual(['[0].values[1].isDefault']);
    await api.addValues(id, [sizes(['S', 's', true])]).expect(200);
    const second = await api.addValues(id, [sizes(['M', 'm', true], ['S', 's'])]).expect(409);
    expect(references(second.body)).toEqual(['[0].values[0].isDefault', '[0].values[1].value']);
  });

  test('of a wrong form are refused, with every path', async () => {
    const { body } = await api
      .addValues(await api.created(), [
        { values: [{ attributeValues: [{}] }] },
        { variantOptionId: 'size', values: [{ value: ' ', attributeValues: [], isDefault: 1 }] },
      ])
      .expect(400);
    expect(references(body)).toEqual([
      '[0].variantOptionId',
      '[0].values[0].value',
      '[0].values[0].attributeValues[0].partModelId',
      '[0].values[0].attributeValues[0].attributes',
      '[1].values[0].value',
      '[1].values[0].isDefault',
    ]);
    for (const wrong of [{ variantOptionId: 'size', values: [] }, []])
      expect((await api.addValues(await api.created(), wrong).expect(400)).body.errors).toHaveLength(1);
  });

  test('may be empty', async () => {
    const id = await api.created();
    const body = [{ variantOptionId: 'color', values: [] }];
    expect((await api.addValues(id, body).expect(200)).body).toEqual(body);
  });

  test('of parts with a common attribute must be equal', async () => {
    const { body: product } = await api
      .create({
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
      })
      .expect(200);
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
    await api.addValues(product.id, value('a3', 'a3')).expect(200);
    const clash = await api.addValues(product.id, value('a3', 'a4')).expect(400);
    expect(references(clash.body)).toEqual(['[0].values[0].attributeValues[1].attributes.paper_format']);
    // The frame does not offer A1.
    await api.addValues(product.id, value('a1', 'a1')).expect(400);
  });

  test('are 403 for the product of an operator', async () => {
    const operators = await api.created({}, api.operator);
    expect((await api.addValues(operators, [sizes(['S', 's'])], api.other)).status).toBe(403);
  });

  test('are added once each, with one default, under concurrent requests', async () => {
    const id = await api.created();
    const responses = await Promise.all(
      ['xs', 's', 'm', 'l', 'xl'].flatMap((size) => [
        api.addValues(id, [sizes([size, size, true])]),
        api.addValues(id, [sizes([size, size, false])]),
      ]),
    );
    expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const { body } = await request(api.app).get(`${PRODUCTS}/${id}/variant-values`).set(api.client.key);
    const values: { value: string; isDefault: boolean }[] = body[0].values;
    expect(values.map(({ value }) => value).sort()).toEqual(['l', 'm', 's', 'xl', 'xs']);
    expect(values.filter(({ isDefault }) => isDefault).length).toBeLessThanOrEqual(1);
  });
});

describe('PUT and DELETE of variant values', () => {
  const valuesOf = async (id: string) =>
    (await request(api.app).get(`${PRODUCTS}/${id}/variant-values`).set(api.client.key).expect(200)).body[0].values.map(
      ({ value, attributeValues, isDefault }: { value: string; attributeValues: never[]; isDefault: boolean }) => [
        value,
        attributeValues,
        isDefault,
      ],
    );
  const size = (id: string) => [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: id } }];

  test('a replaced value keeps its place, a new one is added, and the default can move', async () => {
    const id = await api.created();
    await api.addValues(id, [sizes(['Small', 'm', true], ['Large', 'l'])]).expect(200);
    await api.replaceValues(id, [sizes(['Large', 'l', true])]).expect(409);
    await api.replaceValues(id, [sizes(['Small', 's', false], ['Large', 'l', true], ['Extra', 'xl'])]).expect(200);
    expect(await valuesOf(id)).toEqual([
      ['Small', size('s'), false],
      ['Large', size('l'), true],
      ['Extra', size('xl'), false],
    ]);
    const { body } = await api.replaceValues(id, [sizes(['Small', 'huge'])]).expect(400);
    expect(references(body)).toEqual(['[0].values[0].attributeValues[0].attributes.apparel_size']);
  });

  test('a removed value can no longer be ordered, and only the owner removes it', async () => {
    const id = await api.created({ name: 'Shrinking tee' });
    await api.addValues(id, [sizes(['Extra / small', 's', true], ['Large', 'l'])]).expect(200);
    await api.removeValue(id, 'size', 'Large', api.other).expect(404);
    await api.removeValue(id, 'size', 'Huge').expect(404);
    expect((await api.removeValue(id, 'size', 'Extra / small').expect(200)).body).toEqual({
      variantOptionId: 'size',
      value: 'Extra / small',
      deleted: true,
    });
    expect(await valuesOf(id)).toEqual([['Large', size('l'), false]]);
  });
});
