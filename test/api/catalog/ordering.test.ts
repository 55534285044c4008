import request from 'supertest';
import { eventually } from '../../support/eventually';
import { type OrdersApi, ordersApi, planOrder, subscribedPartners } from '../orders/orders-api';
import { FRAMED_POSTER, file, item, of, POSTER, T_SHIRT } from '../orders/sample-orders';

/** What a client reads, with its key, before its first order. */

let api: OrdersApi;
beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const read = (path: string, by = api.client) => request(api.app).get(path).set(by.key);
const product = async (productUid: string) => (await read(`/v1/products/${productUid}`).expect(200)).body;

const models = async (by = api.client) =>
  Object.fromEntries(
    (await read('/product/v1/product-models', by).expect(200)).body.productModels.map((model: { id: string }) => [
      model.id,
      model,
    ]),
  );

describe('GET /product/v1/product-models', () => {
  test('says which models are sellable: no blank, no service, nothing inactive', async () => {
    const sellable = Object.values(await models()).flatMap(({ id, sellable }) => (sellable ? [id] : []));
    expect(sellable).toEqual([
      'die-cut-sticker',
      'flat-card',
      'framed-poster',
      'mug',
      'photo-book',
      'poster',
      'sticker',
      't-shirt',
    ]);
  });

  test('has options with values and defaults, file types, print areas, prices and lead time', async () => {
    const all = await models();
    const { poster } = all;
    const format = poster.attributes.find(({ id }: { id: string }) => id === 'paper_format');
    expect(format.defaultValueId).toBe('a3');
    expect(format.values[0]).toEqual({
      id: 'a4',
      description: 'A4',
      isCustom: false,
      properties: { widthMm: 210, heightMm: 297, code: 'a4', widthIn: 8.268, heightIn: 11.693 },
    });
    expect(poster.ordering).toMatchObject({
      sizeAttribute: 'paper_format',
      fileTypes: ['default', 'front', 'back'],
      printAreas: [
        { fileType: 'front', required: true },
        { fileType: 'back', when: { attributeId: 'color_type' } },
      ],
      priceList: { EUR: [{ from: 1, unitMinor: 790 }, { from: 10 }, { from: 50 }] },
      leadDays: { min: expect.any(Number), max: expect.any(Number) },
    });
    // Only the values that the model offers.
    const frame = all['framed-poster'].attributes.find(({ id }: { id: string }) => id === 'paper_format');
    expect(frame.values.map(({ id }: { id: string }) => id)).toEqual(['a4', 'a3', '300x400-mm', '500x700-mm']);
    expect(all['framed-poster'].parts[1].prices).toEqual({ EUR: 1_990, USD: 2_190, GBP: 1_690 });
    expect(all['die-cut-sticker'].ordering.fileTypes).toBeNull();
    // No subscribed partner makes it.
    expect(all['satin-poster'].ordering.leadDays).toBeNull();
    expect(poster).not.toHaveProperty('production');
    expect((await models(api.operator)).poster.production).toMatchObject({ modelUid: 'flat_product' });
  });
});

describe('GET /v1/products/{productUid}', () => {
  test('says what an order needs, and an order of it is accepted', async () => {
    expect(await product(T_SHIRT)).toMatchObject({
      productUid: T_SHIRT,
      productModelId: 't-shirt',
      attributes: expect.arrayContaining([{ name: 'apparel_size', title: 'Size', value: 'm', formattedValue: 'M' }]),
      parts: [{ name: 'Blank t-shirt', type: 'stock', quantity: 1 }],
      files: {
        isRequired: true,
        types: expect.arrayContaining(['default', 'neck-inner']),
        areas: [
          { fileType: 'front', isRequired: true, widthMm: 300, heightMm: 400 },
          { fileType: 'back', isRequired: true, widthMm: 300, heightMm: 400 },
        ],
        otherSizes: { 'neck-inner': { widthMm: 60, heightMm: 60 }, 'sleeve-left': { widthMm: 90, heightMm: 110 } },
        pages: { min: 1, max: 2, multipleOf: 1 },
      },
      leadDays: { min: expect.any(Number), max: expect.any(Number) },
    });
    const { files, prices } = await product(POSTER);
    expect(prices.EUR[0]).toEqual({ from: 1, price: 7.9 });
    const types = files.areas.map(({ fileType }: { fileType: string }) => file(fileType));
    await api.submit(of(item({ files: types }))).expect(200);
    expect((await product(FRAMED_POSTER)).parts.map(({ type }: { type: string }) => type)).toEqual([
      'print',
      'stock',
      'service',
    ]);
    expect((await product('photobook_hard_cover_product_pf_a4_pt_170-gsm-silk_fin_matt_pc_30')).files).toMatchObject({
      types: expect.arrayContaining(['default', 'cover']),
      pages: { min: 30, max: 30, multipleOf: 2, coverPages: 1 },
      // Two sides of A4, and a spine of 6 mm and 0.1 mm for each page.
      otherSizes: { cover: { widthMm: 429, heightMm: 297 } },
    });
  });

  test('has what each print area needs: what its model says, else what its family needs', async () => {
    const needs = async (uid: string) => (await product(uid)).files.areas.map(({ needs }: { needs: object }) => needs);
    const paper = (await models()).poster.ordering.needs;
    expect(paper).toMatchObject({ bleedMm: 3, leastDpi: 75, warningDpi: 150, otherSize: false });
    expect(await needs(POSTER)).toEqual([paper]);
    const apparel = { ...paper, bleedMm: 0, safeMarginMm: 0, otherSize: true, fitMethod: 'contain' };
    expect(await needs(T_SHIRT)).toEqual(Array(2).fill(apparel));

    const model = {
      id: 'label',
      name: 'Label',
      categoryId: 'labels',
      productUidTemplate: 'label_{paper_format}',
      state: 'active',
      production: {
        sizeAttribute: 'paper_format',
        printAreas: [{ fileType: 'default', needs: { bleedMm: 2, colors: ['cmyk'] } }],
        priceList: { EUR: [{ from: 1, unitMinor: 100 }] },
      },
    };
    const change = (method: 'post' | 'patch', path: string, body: object) =>
      request(api.app)[method](`/product/v1/product-models${path}`).set(api.operator.key).send(body);
    await change('post', '', model).expect(200);
    expect(await needs('label_a4')).toEqual([{ ...paper, bleedMm: 2, colors: ['cmyk'] }]);
    const withNeeds = (needs: object) => ({
      production: { ...model.production, printAreas: [{ fileType: 'default', needs }] },
    });
    await change('patch', '/label', withNeeds({ leastDpi: 200 })).expect(200);
    expect((await models(api.operator)).label.production.printAreas[0].needs).toEqual({ leastDpi: 200 });
    const { body } = await change('patch', '/label', withNeeds({ colors: ['pink'], bleedMm: -1 })).expect(400);
    expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([
      'production.printAreas[0].needs.bleedMm',
      'production.printAreas[0].needs.colors[0]',
    ]);
  });

  test('names the file types that the product takes: those of its sides, and no others', async () => {
    expect((await product(POSTER)).files.types).toEqual(['default', 'front']);
    expect((await product(POSTER.replace('4-0', '4-4'))).files.types).toEqual(['default', 'front', 'back']);
    const { types } = (await product(T_SHIRT.replace('4-4', '0-4'))).files;
    expect(types).toEqual(expect.arrayContaining(['default', 'back', 'neck-inner', 'sleeve-left']));
    for (const type of ['front', 'chest-left-embroidery']) {
      expect(types).not.toContain(type);
      const files = [file('back'), file(type)];
      const refused = await api.submit(of(item({ productUid: T_SHIRT.replace('4-4', '0-4'), files }))).expect(400);
      expect(refused.body.errors).toMatchObject([{ reference: 'items[0].files[1].type' }]);
    }
  });

  test.each([
    [POSTER.replace(/_ver$/, ''), /ends before the value of attribute orientation: ver, hor\.$/],
    [POSTER.replace(/_cl_.*$/, ''), /ends before the value of attribute color_type/],
    [POSTER.replace('a3', 'a9'), /no known value for attribute paper_format: a4, a3, /],
    ['blank_t-shirt_gsi_m_gco_white', /not sold separately/],
    ['fulfillment_service_product_mounting', /not sold separately/],
    ['satin_poster_product_pf_a3_ver', /inactive/],
    ['nothing', /no product/],
  ])('%s is 404 and says why; an order of it is 400', async (productUid, message) => {
    const { body } = await read(`/v1/products/${productUid}`).expect(404);
    expect(body.message).toMatch(message);
    const refused = await api.submit(of(item({ productUid }))).expect(400);
    expect(refused.body.errors).toEqual([
      { code: expect.any(String), message: body.message, reference: 'items[0].productUid' },
    ]);
  });
});

test('a stocked model with a price list is sold from stock, without files', async () => {
  await request(api.app)
    .post('/product/v1/product-models')
    .set(api.operator.key)
    .send({
      id: 'frame-itself',
      name: 'Frame',
      categoryId: 'frames',
      productUidTemplate: 'frame_itself_{paper_format}_{frame_material}',
      state: 'active',
      production: {
        modelUid: 'flat_product',
        partType: 'stock',
        partnerSku: 'frame-{frame_material}-{paper_format.code}',
        weightGrams: 900,
        priceList: { EUR: [{ from: 1, unitMinor: 2_000 }] },
      },
    })
    .expect(200);
  const productUid = 'frame_itself_a3_wood-oak';
  expect(await product(productUid)).toMatchObject({
    parts: [{ name: 'Frame', type: 'stock', quantity: 1 }],
    files: { isRequired: false, types: [], areas: [] },
    weightGrams: 900,
  });
  await api.submit(of(item({ productUid, files: undefined }))).expect(200);
  const { body } = await api.submit(of(item({ productUid }))).expect(400);
  expect(body.errors[0].reference).toBe('items[0].files[0].type');
});

test('a dated price takes effect at its date by itself, and earlier ones stay for the record', async () => {
  const dated = (validFrom: string) => [
    { from: 1, unitMinor: 1_000 },
    { from: 10, unitMinor: 900 },
    { from: 1, unitMinor: 1_200, validFrom },
    { from: 1, unitMinor: 1_500, validFrom: '2999-01-01T00:00:00+01:00' },
  ];
  const productionFrom = (validFrom: string) => ({
    sizeAttribute: 'paper_format',
    printAreas: [{ fileType: 'default' }],
    modelUid: 'flat_product',
    priceList: { EUR: dated(validFrom), USD: [{ from: 1, unitMinor: 1_600, validFrom }] },
  });
  const path = '/product/v1/product-models';
  const model = { id: 'dated', name: 'Dated', categoryId: 'dated', productUidTemplate: 'dated_{paper_format}' };
  await request(api.app)
    .post(path)
    .set(api.operator.key)
    .send({ ...model, state: 'active', production: productionFrom('2998-01-01T00:00:00Z') })
    .expect(200);

  const submitted = async () =>
    (await api.submit(of(item({ productUid: 'dated_a4', quantity: 1 }))).expect(200)).body.id;
  const charged = async (id: string) => {
    await planOrder(api, id);
    return (await api.get(id).expect(200)).body.receipts[0].productsPrice as number;
  };
  const quoted = async () => {
    const order = { ...of(item({ productUid: 'dated_a4', quantity: 1 })), currency: 'EUR' };
    const { body } = await api.post('/v1/orders/quote', order).expect(200);
    return body.quotes[0].items[0].price as number;
  };
  const change = (production: object) =>
    request(api.app).patch(`${path}/dated`).set(api.operator.key).send({ production });
  // On a slow machine the price can change before all of this is read: then again, with more time.
  let leadMs = 1_000;
  const before = await eventually(async () => {
    leadMs *= 2;
    const start = new Date(Date.now() + leadMs).toISOString();
    await change(productionFrom(start)).expect(200);
    const { prices } = await product('dated_a4');
    const seen = { start, prices, price: await quoted(), early: await submitted() };
    return Date.now() < Date.parse(start) ? seen : undefined;
  });
  const { start, early } = before;
  expect(before.prices).toEqual({
    EUR: [
      { from: 1, price: 10 },
      { from: 10, price: 9 },
    ],
  });
  expect(before.price).toBe(10);
  const after = await eventually(async () => {
    const { prices } = await product('dated_a4');
    return prices.EUR[0].price === 12 ? prices : undefined;
  });
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(start));
  expect(after).toEqual({ EUR: [{ from: 1, price: 12 }], USD: [{ from: 1, price: 16 }] });
  expect(await quoted()).toBe(12);
  // An order has the price of the time of its submission, also when it is planned later.
  expect(await charged(early)).toBe(10);
  expect(await charged(await submitted())).toBe(12);
  const { ordering, production: stored } = (await models(api.operator)).dated;
  expect(ordering.priceList).toEqual({ EUR: [{ from: 1, unitMinor: 1_200 }], USD: [{ from: 1, unitMinor: 1_600 }] });
  const production = productionFrom(start);
  expect(stored.priceList).toEqual(production.priceList);

  const changeEuros = (EUR: object[]) => change({ ...production, priceList: { EUR } });
  // The same moment in another zone.
  const twice = [...dated(start), { from: 1, unitMinor: 1, validFrom: '2998-12-31T23:00:00Z' }];
  const { body } = await changeEuros(twice).expect(400);
  expect(body.errors.map(({ reference }: { reference: string }) => reference)).toEqual(['production.priceList.EUR']);
  await changeEuros([{ from: 1, unitMinor: 1_500, validFrom: '2999-01-01T00:00:00Z' }]).expect(200);
  expect((await models()).dated).toMatchObject({ sellable: false, ordering: { priceList: {} } });
  await api.submit(of(item({ productUid: 'dated_a4' }))).expect(400);
});

test('a garment model without a blank garment is not sellable', async () => {
  const garment = {
    id: 'bare-garment',
    name: 'Bare garment',
    categoryId: 'garments',
    productUidTemplate: 'bare_garment_{apparel_size}',
    state: 'active',
    production: {
      modelUid: 'apparel_product',
      kind: 'apparel',
      weightGrams: 200,
      printAreas: [{ fileType: 'front', size: { widthMm: 300, heightMm: 400 } }],
      priceList: { EUR: [{ from: 1, unitMinor: 1_000 }] },
    },
  };
  await request(api.app).post('/product/v1/product-models').set(api.operator.key).send(garment).expect(200);
  const { productModels } = (await read('/product/v1/product-models').expect(200)).body;
  expect(productModels).toContainEqual(expect.objectContaining({ id: 'bare-garment', sellable: false }));
});
