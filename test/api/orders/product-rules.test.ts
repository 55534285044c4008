import request from 'supertest';
import { type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { DIE_CUT_STICKER, file, item, of, POSTER, STICKER, T_SHIRT } from './sample-orders';

/** Rules of an order item that depend on its product: sides of a garment, files of stock products, custom trims. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const itemWith = (productUid: string, ...types: string[]) =>
  item({ productUid, files: types.map((type) => file(type)) });
const asOperator = (path: string, body: object) => request(api.app).post(path).set(api.operator.key).send(body);
const refusals = async (...items: object[]) => {
  const { body } = await api.submit(of(...items)).expect(400);
  return body.errors.map(({ code, reference }: { code: string; reference: string }) => `${code} ${reference}`);
};

describe('files of a garment', () => {
  const shirt = (sides: string, ...types: string[]) =>
    item({ productUid: T_SHIRT.replace('4-4', sides), files: types.map((type) => file(type)) });

  test.each([
    ['4-0', ['front']],
    ['4-0', ['default']],
    ['0-4', ['back']],
    ['0-4', ['default']],
    ['4-4', ['front', 'back']],
    ['4-4', ['default', 'back']],
    ['4-0', ['front', 'neck-inner', 'sleeve-left']],
    ['4-0', ['chest-center-embroidery']],
    ['0-4', ['back', 'wrist-left-embroidery']],
    // A PDF with two pages. Preparation refuses a file with one page.
    ['4-4', ['default']],
  ])('color type %s with %j is accepted', async (sides, types) => {
    await api.submit(of(shirt(sides, ...types))).expect(200);
  });

  test.each([
    ['4-4', ['front'], ['MISSING_FIELD_ERROR items[0].files']],
    ['4-4', ['back', 'neck-outer'], ['MISSING_FIELD_ERROR items[0].files']],
    ['4-0', ['front', 'back'], ['NO_SUCH_CHOICE_ERROR items[0].files[1].type']],
    ['0-4', ['back', 'front'], ['NO_SUCH_CHOICE_ERROR items[0].files[1].type']],
    ['0-4', ['chest-left-embroidery', 'back'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    ['4-0', ['default', 'front'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    ['4-0', ['back'], ['MISSING_FIELD_ERROR items[0].files', 'NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
  ])('color type %s with %j is refused', async (sides, types, errors) => {
    expect(await refusals(shirt(sides, ...types))).toEqual(errors);
  });
});

describe('files of paper products, books, stickers and stocked parts', () => {
  const CARD = 'card_product_pf_a6_pt_350-gsm-silk_cl_4-4_ver';
  const BOOK = 'photobook_hard_cover_product_pf_a4_pt_170-gsm-silk_fin_matt_pc_24';
  const MUG = 'mug_product_msz_11-oz_mcl_white';

  beforeAll(async () => {
    await asOperator('/product/v1/product-models', {
      id: 'frame-alone',
      name: 'Frame alone',
      categoryId: 'frames',
      productUidTemplate: 'frame_alone_{paper_format}_{frame_material}',
      state: 'active',
      parts: [{ modelId: 'poster-frame', name: 'Frame' }],
      production: { modelUid: 'flat_product', priceList: { EUR: [{ from: 1, unitMinor: 2_000 }] } },
    }).expect(200);
  });

  test.each([
    [CARD, ['front', 'back']],
    [CARD, ['default']],
    [CARD, ['default', 'back']],
    [CARD.replace('4-4', '4-0'), ['default']],
    [CARD.replace('4-4', '4-0'), ['front']],
    [BOOK, ['default']],
    [BOOK, ['inside', 'cover']],
    [BOOK, ['default', 'cover']],
    [MUG, ['default']],
    [DIE_CUT_STICKER, ['zzz', 'my-own.Name_1']],
    [STICKER, ['default']],
  ])('%s with %j is accepted', async (productUid, types) => {
    await api.submit(of(itemWith(productUid, ...types))).expect(200);
  });

  test.each([
    [CARD, ['front'], ['MISSING_FIELD_ERROR items[0].files']],
    [CARD, ['back'], ['MISSING_FIELD_ERROR items[0].files']],
    [CARD, ['default', 'front'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    [CARD, ['front', 'back', 'inside'], ['NO_SUCH_CHOICE_ERROR items[0].files[2].type']],
    [CARD.replace('4-4', '4-0'), ['front', 'back'], ['NO_SUCH_CHOICE_ERROR items[0].files[1].type']],
    [BOOK, ['cover'], ['MISSING_FIELD_ERROR items[0].files']],
    [BOOK, ['default', 'inside'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    [MUG, ['front'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    [STICKER, ['zzz'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
    ['frame_alone_a3_wood-oak', ['default'], ['NO_SUCH_CHOICE_ERROR items[0].files[0].type']],
  ])('%s with %j is refused', async (productUid, types, errors) => {
    expect(await refusals(itemWith(productUid, ...types))).toEqual(errors);
  });
});

describe('products that no print order can make', () => {
  const partFault = (at: number) => `partQuantities[${at}].quantity`;
  const create = (name: string, productModelId: string, quantities: Record<string, number>) =>
    asOperator('/product/v1/customer-product', {
      name,
      productModelId,
      variantOptions: [],
      partQuantities: Object.entries(quantities).map(([partModelId, quantity]) => ({ partModelId, quantity })),
    });

  test.each([
    ['t-shirt', { 'blank-t-shirt': 0 }, [partFault(0)]],
    ['t-shirt', { blank: 0 }, [partFault(0)]],
    ['framed-poster', { frame: 0, poster: 0 }, [partFault(1)]],
    ['framed-poster', { poster: 0, frame: 0, mounting: 0 }, [partFault(0), partFault(1), partFault(2)]],
    ['framed-poster', { frame: 101 }, [partFault(0)]],
  ])('a customer product of %s with the part quantities %j is refused at the part', async (model, quantities, at) => {
    const { body } = await create('Impossible', model, quantities).expect(400);
    expect(body.errors.map(({ reference }: { reference: string }) => reference)).toEqual(at);
  });

  test('a customer product without one of several parts is accepted', async () => {
    await create('Poster without frame', 'framed-poster', { frame: 0 }).expect(200);
    await create('Hundred frames', 'framed-poster', { frame: 100 }).expect(200);
  });

  test('an order of an older one is refused at the item', async () => {
    await create('Old tee', 't-shirt', { blank: 1 }).expect(200);
    await api.sql`UPDATE customer_products SET part_quantities = '[{"partModelId": "blank", "quantity": 0}]' WHERE name = 'Old tee'`;
    const ordered = item({ productUid: undefined, productName: 'Old tee', productVariant: {}, files: [file('front')] });
    expect(await refusals(ordered)).toEqual(['VALIDATION_ERROR items[0].productName']);
  });

  test('a garment of a workflow takes no file without a place on it', async () => {
    await asOperator('/product/v1/product-models', {
      id: 'workflow-tee',
      name: 'Workflow tee',
      categoryId: 't-shirts',
      productUidTemplate: 'workflow_tee_{apparel_size}_{apparel_color}',
      state: 'active',
      parts: [{ modelId: 'blank-t-shirt', name: 'Blank t-shirt' }],
      production: {
        kind: 'apparel',
        modelUid: 'apparel_product',
        workflowEnabled: true,
        priceList: { EUR: [{ from: 1, unitMinor: 1_000 }] },
      },
    }).expect(200);
    const tee = (...types: string[]) => itemWith('workflow_tee_m_white', ...types);
    expect(await refusals(tee('front', 'glow'))).toEqual(['NO_SUCH_CHOICE_ERROR items[0].files[1].type']);
    await api.submit(of(tee('neck-inner'))).expect(200);
  });
});

describe('prices', () => {
  const priceOf = async (over: object, currency = 'EUR') => {
    const { body } = await api.post('/v1/orders/quote', { ...of(item(over)), currency }).expect(200);
    return Math.round(body.quotes[0].items[0].price * 100);
  };
  const named = (productName: string) => ({ productUid: undefined, productName, productVariant: {} });

  test('of a product include the parts of its model once, and each further part costs its own price', async () => {
    for (const [name, partQuantities] of [
      ['One frame', []],
      ['Three frames', [{ partModelId: 'frame', quantity: 3 }]],
      ['No frame', [{ partModelId: 'frame', quantity: 0 }]],
    ] as const) {
      const body = { name, productModelId: 'framed-poster', variantOptions: [], partQuantities };
      await asOperator('/product/v1/customer-product', body).expect(200);
    }
    for (const [currency, frame] of [
      ['EUR', 1_990],
      ['USD', 2_190],
    ] as const) {
      const one = await priceOf(named('One frame'), currency);
      expect(await priceOf(named('No frame'), currency)).toBe(one);
      expect(await priceOf(named('Three frames'), currency)).toBe(one + 2 * frame);
    }
  });

  test('of a part without prices are those of its product model', async () => {
    await asOperator('/product/v1/product-models', {
      id: 'poster-set',
      name: 'Set of posters',
      categoryId: 'posters',
      productUidTemplate: 'poster_set_{paper_format}',
      state: 'active',
      parts: [
        { modelId: 'poster', name: 'Poster', quantity: 2 },
        { modelId: 'poster-frame', name: 'Frame', quantity: 0 },
      ],
      production: { kind: 'mounted', modelUid: 'flat_product', priceList: { EUR: [{ from: 1, unitMinor: 1_500 }] } },
    }).expect(200);
    const partQuantities = [
      { partModelId: 'poster', quantity: 3 },
      { partModelId: 'poster-frame', quantity: 1 },
    ];
    const set = { name: 'Set of three', productModelId: 'poster-set', variantOptions: [], partQuantities };
    await asOperator('/product/v1/customer-product', set).expect(200);
    // A poster A3 costs 7.90, and the frame has a unit price of 11.50 only.
    expect(await priceOf(named('Set of three'))).toBe(1_500 + 790 + 1_150);
  });

  test('of a print area are charged for a required one, and for an optional one that has a file', async () => {
    await asOperator('/product/v1/product-models', {
      id: 'stamped-card',
      name: 'Stamped card',
      categoryId: 'cards',
      productUidTemplate: 'stamped_{card_format}',
      state: 'active',
      production: {
        modelUid: 'flat_product',
        sizeAttribute: 'card_format',
        printAreas: [
          { fileType: 'front', prices: { EUR: 20 } },
          { fileType: 'back', required: false, prices: { EUR: 35 } },
        ],
        priceList: { EUR: [{ from: 1, unitMinor: 100 }] },
      },
    }).expect(200);
    const card = (...types: string[]) => ({ productUid: 'stamped_a6', files: types.map((type) => file(type)) });
    expect(await priceOf(card('front'))).toBe(120);
    expect(await priceOf(card('front', 'back'))).toBe(155);
    expect(await priceOf({ productUid: 'stamped_a6', files: undefined })).toBe(120);
  });
});

describe('items without files', () => {
  test('are refused for every product that is printed', async () => {
    const bare = [item({ files: undefined }), item({ itemReferenceId: 'b', files: [], productUid: T_SHIRT })];
    expect(await refusals(...bare)).toEqual(['MISSING_FIELD_ERROR items[0].files', 'VALIDATION_ERROR items[1].files']);
  });
});

describe('a custom trim', () => {
  const prices = async (...items: object[]) => {
    const { body } = await api.post('/v1/orders/quote', of(...items)).expect(200);
    return body.quotes[0].items.map(({ price }: { price: number }) => price);
  };
  const sized = (size: string, over: object = {}) =>
    item({
      itemReferenceId: `${size}-${Object.keys(over).length}`,
      productUid: POSTER.replace('a3', size),
      ...over,
    });

  test('has the price of the smallest size that contains it, upright or turned, whatever size is ordered', async () => {
    const [trimmed, turned, a2, a3] = await prices(
      sized('a1', { customTrim: { widthMm: 300, heightMm: 500 } }),
      sized('a4', { customTrim: { widthMm: 500, heightMm: 300 } }),
      sized('a2'),
      sized('a3'),
    );
    expect([trimmed, turned]).toEqual([a2, a2]);
    expect(a3).not.toBe(a2);
  });

  test('of exactly a size has the price of that size', async () => {
    const [trimmed, a3] = await prices(sized('a1', { customTrim: { widthMm: 297, heightMm: 420 } }), sized('a3'));
    expect(trimmed).toBe(a3);
  });

  test('has the weight and the packed size of the cut, whatever size is ordered', async () => {
    const parcel = async (...items: object[]) => {
      const { body } = await api.post('/v1/orders/quote', of(...items)).expect(200);
      const { shippingPrice, shipmentMethodUid, packages } = body.quotes[0];
      return {
        shippingPrice,
        shipmentMethodUid,
        packages: packages.map(({ items: _items, ...each }: object & { items: object }) => each),
      };
    };
    const enlarged = await parcel(sized('a4', { customTrim: { widthMm: 841, heightMm: 594 } }));
    expect(enlarged).toEqual(await parcel(sized('a1')));
    // 140 g of packaging, and 0.5 m² of paper of 200 g/m².
    expect(enlarged.packages).toMatchObject([{ weight: 240, lengthMm: 624 }]);
    expect(await parcel(sized('a1', { customTrim: { widthMm: 300, heightMm: 500 } }))).toMatchObject({
      packages: [{ weight: 170, lengthMm: 330 }],
    });
  });

  test('that no size contains is refused, in an order and in a quote', async () => {
    const customTrim = { widthMm: 595, heightMm: 842 };
    expect(await refusals(sized('a1', { customTrim }))).toEqual(['VALIDATION_ERROR items[0].customTrim']);
    const { body } = await api.post('/v1/orders/quote', of(sized('a1', { customTrim }))).expect(400);
    expect(body.errors[0].reference).toBe('items[0].customTrim');
    await api.submit(of(sized('a1', { customTrim: { widthMm: 594, heightMm: 841 } }))).expect(200);
  });
});
