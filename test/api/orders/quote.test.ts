import { facilityOf } from '../../support/rows/partner-setup';
import { fields, type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { address, FILE_URL, FRAMED_POSTER, POSTER, T_SHIRT } from './sample-orders';

let api: OrdersApi;
let ohio: string;

beforeAll(async () => {
  api = await ordersApi();
  ({ ohio } = await subscribedPartners(api));
});

const berlinAddress = { country: 'DE', city: 'Berlin', postCode: '10119' };
const poster = (over: object = {}) => ({
  itemReferenceId: 'poster',
  productUid: POSTER,
  quantity: 2,
  ...over,
});
/** Only Berlin makes framed posters, and only Ohio makes t-shirts. */
const framed = () => ({ itemReferenceId: 'framed', productUid: FRAMED_POSTER, quantity: 1 });
const tee = (over: object = {}) => ({ itemReferenceId: 'tee', productUid: T_SHIRT, quantity: 1, ...over });
const request = (over: object = {}) => ({
  currency: 'EUR',
  shippingAddress: berlinAddress,
  items: [poster()],
  ...over,
});
const quote = (over: object = {}) => api.post('/v1/orders/quote', request(over));

interface Method {
  readonly uid: string;
  readonly price: number;
  readonly isCheapest: boolean;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
  readonly minDeliveryDays: number;
  readonly maxDeliveryDays: number;
}
interface Quoted {
  readonly shipmentMethodUid: string;
  readonly shipmentMethods: Method[];
  readonly dispatchDate: string;
  readonly items: { price: number; vat: number; priceInclVat: number }[];
  readonly shippingPrice: number;
}

const cents = (amount: number) => Math.round(amount * 100);

test('a quote has prices with VAT, every method with its dates, and totals with the cheapest method', async () => {
  const before = await api.rows();
  const { body } = await quote({ orderReferenceId: 'asked-1' }).expect(200);
  expect(body).toMatchObject({
    orderReferenceId: 'asked-1',
    currency: 'EUR',
    quotes: [
      {
        fulfillmentCountry: 'DE',
        fulfillmentFacilityId: await facilityOf(api.sql, 'prints-berlin'),
        isCrossBorder: false,
        packageCount: 1,
        // 2 x 7.90 before VAT at 19 %.
        items: [
          {
            itemReferenceId: 'poster',
            productName: 'Poster',
            quantity: 2,
            price: 15.8,
            vat: 3,
            priceInclVat: 18.8,
          },
        ],
      },
    ],
    productsPrice: 15.8,
    productsPriceVat: 3,
    productsPriceInclVat: 18.8,
  });
  const quoted: Quoted = body.quotes[0];
  const methods = quoted.shipmentMethods;
  expect(methods.length).toBeGreaterThan(2);
  const prices = methods.map(({ price }) => price);
  expect(prices).toEqual([...prices].sort((a, b) => a - b));
  expect(methods.map(({ isCheapest }) => isCheapest)).toEqual(methods.map((_method, index) => index === 0));
  expect(quoted.shipmentMethodUid).toBe(methods[0]!.uid);
  expect(quoted.shippingPrice).toBe(methods[0]!.price);
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(new Date());
  for (const method of methods) {
    expect(method.minDeliveryDate >= quoted.dispatchDate).toBe(true);
    expect(method.maxDeliveryDate >= method.minDeliveryDate).toBe(true);
    const days = (Date.parse(method.maxDeliveryDate) - Date.parse(today)) / 86_400_000;
    expect(method.maxDeliveryDays).toBe(days);
  }
  expect(cents(body.total)).toBe(cents(body.productsPrice) + cents(body.shippingPrice));
  expect(cents(body.totalInclVat)).toBe(cents(body.total) + cents(body.totalVat));
  expect(await api.rows()).toEqual(before);
});

test('a larger quantity lowers the unit price and shows the discount', async () => {
  const { body } = await quote({ items: [poster({ quantity: 10 })] }).expect(200);
  expect(body.quotes[0].items[0]).toMatchObject({ priceInitial: 79, discount: 15, price: 64 });
});

test('an order for two partners returns two quotes, totals over both, and isCrossBorder', async () => {
  const { body } = await quote({ items: [tee(), framed()] }).expect(200);
  expect(body.needsRetailPrices).toBe(true);
  const [german, american]: [Quoted, Quoted] = body.quotes;
  expect(body.quotes).toMatchObject([
    {
      fulfillmentFacilityId: await facilityOf(api.sql, 'prints-berlin'),
      isCrossBorder: false,
      items: [{ itemReferenceId: 'framed', price: 34.9, vat: 6.63 }],
    },
    {
      fulfillmentFacilityId: await facilityOf(api.sql, 'prints-ohio'),
      fulfillmentCountry: 'US',
      fulfillmentStateProvince: 'OH',
      isCrossBorder: true,
      // An export carries no VAT. 11.90 x 1.35 for both sides.
      items: [{ itemReferenceId: 'tee', price: 16.07, vat: 0, priceInclVat: 16.07 }],
    },
  ]);
  expect(cents(body.productsPrice)).toBe(cents(german.items[0]!.price) + cents(american.items[0]!.price));
  expect(cents(body.shippingPrice)).toBe(cents(german.shippingPrice) + cents(american.shippingPrice));
});

test('totals use the requested method: a uid, a tier, or the cheapest of a list', async () => {
  const methods: Method[] = (await quote().expect(200)).body.quotes[0].shipmentMethods;
  const dearest = methods.at(-1)!;
  const byUid = (await quote({ shipmentMethodUid: dearest.uid }).expect(200)).body;
  expect(byUid.quotes[0]).toMatchObject({ shipmentMethodUid: dearest.uid, shippingPrice: dearest.price });
  expect(byUid.shippingPrice).toBe(dearest.price);

  const express = (await quote({ shipmentMethodUid: 'express' }).expect(200)).body.quotes[0];
  const soonest = Math.min(...methods.map(({ maxDeliveryDays }) => maxDeliveryDays));
  const chosen = methods.find(({ uid }) => uid === express.shipmentMethodUid)!;
  expect(chosen.maxDeliveryDays).toBe(soonest);

  const list = `unknown_carrier,${dearest.uid},${methods[1]!.uid}`;
  const ofList = (await quote({ shipmentMethodUid: list }).expect(200)).body.quotes[0];
  expect(ofList.shipmentMethodUid).toBe(methods[1]!.uid);
});

test('a quote can name products by productName and variant, another currency and another country', async () => {
  const items = [{ itemReferenceId: 'a', productName: 'Classic tee', productVariant: { Size: 'S' }, quantity: 1 }];
  const shippingAddress = { country: 'US', state: 'NY', city: 'New York', postCode: '10001' };
  const { body } = await quote({ items, shippingAddress, currency: 'USD' }).expect(200);
  expect(body.quotes[0]).toMatchObject({
    fulfillmentFacilityId: await facilityOf(api.sql, 'prints-ohio'),
    isCrossBorder: false,
    items: [{ itemReferenceId: 'a', productName: 'T-shirt', currency: 'USD', price: 12.9, vat: 0 }],
  });
});

test('a quote converts a currency without a price list; amounts without minor units are whole', async () => {
  const { body } = await quote({ currency: 'JPY' }).expect(200);
  for (const amount of [body.total, body.totalVat, body.totalInclVat]) expect(Number.isInteger(amount)).toBe(true);
  expect(body.productsPrice).toBeGreaterThan(100);
});

test('a quote accepts the complete address of an order and ignores other fields', async () => {
  const items = [poster({ files: [{ type: 'default', url: 'https://files.example/a.pdf' }], surprise: 1 })];
  await quote({ shippingAddress: address(), items, preventDuplicate: true }).expect(200);
});

const pack = (orderItemReferenceId: string, quantity: number) => ({
  packageItems: [{ orderItemReferenceId, quantity }],
});

test('packaging instructions determine the packages, and with them weight and price', async () => {
  const items = [poster({ quantity: 4 })];
  const together: Quoted & { packageCount: number; totalWeight: number } = (await quote({ items }).expect(200)).body
    .quotes[0];
  const apart: typeof together = (
    await quote({
      items,
      packagingInstructions: [
        pack('poster', 1),
        { ...pack('poster', 1), packingSlip: { fileUrl: 'https://files.example/slip.pdf' } },
      ],
    }).expect(200)
  ).body.quotes[0];
  expect(together.packageCount).toBe(1);
  expect(apart.packageCount).toBe(3);
  expect(apart.totalWeight).toBeGreaterThan(together.totalWeight);
  expect(apart.shippingPrice).toBeGreaterThan(together.shippingPrice);
});

const CARD = 'card_product_pf_a6_pt_350-gsm-silk_cl_4-0_ver';
const STICKER = 'sticker_product_sf_75x75-mm';
const line = (productUid: string, quantity: number) => ({
  itemReferenceId: productUid.slice(0, 4),
  productUid,
  quantity,
});

test('products that fit one parcel share one; a quote has the contents, weight, size and price of each', async () => {
  const items = [
    line('flat_product_pf_a4_pt_200-gsm-uncoated_cl_4-0_ver', 1),
    line(CARD, 1),
    line('photobook_hard_cover_product_pf_a4_pt_170-gsm-silk_fin_matt_pc_24', 1),
    line('mug_product_msz_11-oz_mcl_white', 1),
    line(STICKER, 1),
  ];
  const { body } = await quote({ items }).expect(200);
  const one = (itemReferenceId: string) => ({ itemReferenceId, quantity: 1 });
  expect(body.quotes).toMatchObject([
    {
      packageCount: 2,
      totalWeight: 910,
      // 8.78 instead of 20.25 in five parcels.
      shippingPrice: 8.78,
      packages: [
        { items: [one('flat')], weight: 153, lengthMm: 240, widthMm: 80, heightMm: 80, price: 3.89 },
        {
          items: ['card', 'phot', 'mug_', 'stic'].map(one),
          ...{ weight: 757, lengthMm: 322, widthMm: 235, heightMm: 134, price: 4.89 },
        },
      ],
    },
  ]);
  const packageItems = items.map(({ itemReferenceId, quantity }) => ({
    orderItemReferenceId: itemReferenceId,
    quantity,
  }));
  const { body: box } = await quote({ items, packagingInstructions: [{ packageItems }] }).expect(200);
  expect(box.quotes[0].packages).toMatchObject([
    { items: items.map((each) => one(each.itemReferenceId)), price: 4.89 },
  ]);
});

test('equal parcels are one entry of a quote with their number, and cost their price times it', async () => {
  const { body } = await quote({ items: [poster({ quantity: 4_995 })] }).expect(200);
  const [{ packages, packageCount, totalWeight, shippingPrice }] = body.quotes;
  expect(packages).toMatchObject([
    { count: 499, items: [{ itemReferenceId: 'poster', quantity: 10 }] },
    { count: 1, items: [{ itemReferenceId: 'poster', quantity: 5 }] },
  ]);
  expect(packageCount).toBe(500);
  const sum = (of: (pack: { count: number; price: number; weight: number }) => number) => {
    return packages.reduce((total: number, pack: never) => total + of(pack), 0);
  };
  expect(sum(({ count, weight }) => count * weight)).toBe(totalWeight);
  expect(sum(({ count, price }) => count * cents(price))).toBe(cents(shippingPrice));
});

test('an order with more parcels or units than a print shop takes is refused in quotes, submissions and drafts', async () => {
  const files = [{ type: 'default', url: FILE_URL }];
  const order = (items: object[], over: object = {}) => ({
    orderReferenceId: 'large',
    currency: 'EUR',
    shippingAddress: address(),
    items: items.map((each) => ({ ...each, files })),
    ...over,
  });
  const large = [poster({ quantity: 5_001 })];
  const tooMany = {
    code: 'TOO_MANY_PARCELS',
    message: 'The order makes 501 parcels, and at most 500 are allowed. Split it into several orders.',
  };
  expect((await quote({ items: large }).expect(400)).body).toMatchObject(tooMany);
  expect((await api.submit(order(large)).expect(400)).body).toMatchObject(tooMany);
  const draft = (await api.submit(order([poster()], { orderType: 'draft' })).expect(200)).body.id;
  expect((await api.patch(draft, { items: order(large).items }).expect(400)).body).toMatchObject(tooMany);

  // Instructions decide how many units share a parcel.
  const each = { packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }] };
  const instructed = { items: [poster({ quantity: 4_990 })], packagingInstructions: [each, each] };
  expect((await quote(instructed).expect(400)).body.message).toContain('501 parcels');

  const items = Array.from({ length: 500 }, (_, index) => {
    return poster({ itemReferenceId: `p-${index}`, quantity: 10_000 });
  });
  const tooLarge = {
    code: 'VALIDATION_ERROR',
    errors: [
      {
        code: 'VALIDATION_ERROR',
        message: 'The order has 5,000,000 units, and at most 50,000 are allowed. Split it into several orders.',
        reference: 'items',
      },
    ],
  };
  expect((await quote({ items }).expect(400)).body).toMatchObject(tooLarge);
  expect((await api.submit(order(items)).expect(400)).body).toMatchObject(tooLarge);
});

test.each([
  ['share a letter', 5, 8, 'standard', [2.1]],
  ['have letters of their own where a parcel for both is dearer', 12, 9, 'standard', [2.1, 1.65]],
  ['share a parcel that is cheaper than two letters', 15, 10, 'standard', [3.89]],
  [
    'have letters of their own where the ordered method takes no parcel for both',
    15,
    10,
    'corvid_post_letter',
    [2.95, 1.65],
  ],
])('cards and stickers %s', async (_what, cards, stickers, shipmentMethodUid, prices) => {
  const items = [line(CARD, cards), line(STICKER, stickers)];
  const { body } = await quote({ items, shipmentMethodUid }).expect(200);
  expect(body.quotes[0].packages.map(({ price }: { price: number }) => price)).toEqual(prices);
  expect(cents(body.shippingPrice)).toBe(prices.reduce((sum, price) => sum + cents(price), 0));
});

const CHOICE = 'NO_SUCH_CHOICE_ERROR';
const refused: [rule: string, over: object, errors: string[]][] = [
  ['no items', { items: [] }, ['VALIDATION_ERROR items']],
  ['no address', { shippingAddress: null }, ['VALIDATION_ERROR shippingAddress']],
  [
    'an address without city, post code and state',
    { shippingAddress: { country: 'US' } },
    ['city', 'postCode', 'state'].map((name) => `MISSING_FIELD_ERROR shippingAddress.${name}`),
  ],
  ['an unknown currency', { currency: 'XX' }, [`${CHOICE} currency`]],
  ['a currency without rates', { currency: 'XPF' }, ['VALIDATION_ERROR items[0]']],
  [
    'a file of an unknown type',
    { items: [poster({ files: [{ type: 'zzz' }] })] },
    [`${CHOICE} items[0].files[0].type`],
  ],
  [
    'a file for a side that is not printed',
    { items: [poster({ files: [{ type: 'front' }, { type: 'back' }] })] },
    [`${CHOICE} items[0].files[1].type`],
  ],
  ['a repeated item', { items: [poster(), poster()] }, ['VALIDATION_ERROR items[1].itemReferenceId']],
  ['no product', { items: [poster({ productUid: null })] }, ['MISSING_FIELD_ERROR items[0].productUid']],
  ['an unknown product', { items: [poster(), tee({ productUid: 'x' })] }, [`${CHOICE} items[1].productUid`]],
  [
    'productUid and productName mixed',
    {
      items: [poster(), { itemReferenceId: 'b', productName: 'Classic tee', productVariant: {}, quantity: 1 }],
    },
    ['VALIDATION_ERROR items[1].productName'],
  ],
  [
    'packaging instructions for an unknown item',
    { packagingInstructions: [pack('mug', 1)] },
    ['VALIDATION_ERROR packagingInstructions[0].packageItems[0].orderItemReferenceId'],
  ],
  [
    'packages with more than ordered',
    { packagingInstructions: [pack('poster', 3)] },
    ['VALIDATION_ERROR packagingInstructions[0].packageItems[0].quantity'],
  ],
  ['an unknown method', { shipmentMethodUid: 'pigeon' }, ['VALIDATION_ERROR shipmentMethodUid']],
];
test.each(refused)('a quote with %s is refused', async (_rule, over, errors) => {
  expect(fields((await quote(over).expect(400)).body)).toEqual(errors);
});

describe('items that no partner can make', () => {
  const enable = (id: string, enabled: boolean) =>
    api.sql`UPDATE partners SET enabled = ${enabled} WHERE account_id = ${id}`;

  test('they are named with 409 when a disabled partner could make them', async () => {
    await enable(ohio, false);
    const { body } = await quote({ items: [poster(), tee()] }).expect(409);
    await enable(ohio, true);
    expect(body.code).toBe('CONFLICT');
    expect(body.errors[0].message).toBe('This item cannot be produced: the product cannot be produced at the moment.');
    expect(fields(body)).toEqual(['VALIDATION_ERROR items[1]']);
  });

  test('they are named with 400 when no partner serves the country', async () => {
    const serve = (countries: string[]) =>
      api.sql`
        UPDATE partners SET capabilities = capabilities || ${api.sql.json({ countriesServed: countries })}
        WHERE account_id = ${ohio}`;
    await serve(['US']);
    const { body } = await quote({ items: [poster(), tee()] }).expect(400);
    await serve(['*']);
    expect(fields(body)).toEqual(['VALIDATION_ERROR items[1]']);
    expect(body.errors[0].message).toBe('This item cannot be produced: the product is not shipped to this country.');
  });
});
