import request from 'supertest';
import { fields, type OrdersApi, ordersApi } from './orders-api';
import {
  address,
  file,
  item,
  named,
  of,
  order,
  pack,
  packed,
  pairs,
  STICKER,
  to,
  withFiles,
  without,
} from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

const MISSING = 'MISSING_FIELD_ERROR';
const BLANK = 'IS_BLANK_ERROR';
const CHOICE = 'NO_SUCH_CHOICE_ERROR';
const WRONG = 'VALIDATION_ERROR';

const requiredOf = (required: readonly string[], made: (name: string) => object, path = '') =>
  required.map((name): [string, () => object, string[]] => [
    `no ${path}${name}`,
    () => made(name),
    [`${MISSING} ${path}${name}`],
  ]);
const blanks = (names: readonly string[], path: string, made: (over: object) => object) =>
  names.flatMap((name): [string, () => object, string[]][] => [
    [`empty ${path}${name}`, () => made({ [name]: '' }), [`${BLANK} ${path}${name}`]],
    [`blank ${path}${name}`, () => made({ [name]: ' \t' }), [`${BLANK} ${path}${name}`]],
  ]);
const tooLong = (limits: Record<string, number>, path: string, made: (over: object) => object) =>
  Object.entries(limits).map(([name, limit]): [string, () => object, string[]] => [
    `${path}${name} of ${limit + 1} characters`,
    () => made({ [name]: 'x'.repeat(limit + 1) }),
    [`${WRONG} ${path}${name}`],
  ]);

const ADDRESS_TEXTS = ['firstName', 'lastName', 'addressLine1', 'city', 'postCode', 'email', 'phone'];

const refused: [rule: string, body: () => object, errors: string[]][] = [
  // Required fields.
  ...requiredOf(['orderReferenceId', 'currency', 'shippingAddress', 'items'], (name) =>
    without(order(), name),
  ),
  ...requiredOf(
    ['country', ...ADDRESS_TEXTS],
    (name) => order({ shippingAddress: without(address(), name) }),
    'shippingAddress.',
  ),
  ...requiredOf(
    ['itemReferenceId', 'productUid', 'quantity', 'files'],
    (name) => of(without(item(), name)),
    'items[0].',
  ),
  ...requiredOf(['type', 'url'], (name) => withFiles(without(file('default'), name)), 'items[0].files[0].'),
  ...requiredOf(
    ['widthMm', 'heightMm'],
    (name) => of(item({ customTrim: without({ widthMm: 1, heightMm: 1 }, name) })),
    'items[0].customTrim.',
  ),
  ...requiredOf(['packageItems'], () => packed([{}]), 'packagingInstructions[0].'),
  ...requiredOf(
    ['orderItemReferenceId', 'quantity'],
    (name) => packed([{ packageItems: [without(pack('item-1', 1).packageItems[0]!, name)] }]),
    'packagingInstructions[0].packageItems[0].',
  ),
  [
    'a packing slip without a URL',
    () => packed([{ ...pack('item-1', 1), packingSlip: {} }]),
    [`${MISSING} packagingInstructions[0].packingSlip.fileUrl`],
  ],
  [
    'an empty body',
    () => ({}),
    ['currency', 'items', 'orderReferenceId', 'shippingAddress'].map((name) => `${MISSING} ${name}`),
  ],
  ['an empty list of items', () => of(), [`${WRONG} items`]],
  ['an empty list of files', () => withFiles(), [`${WRONG} items[0].files`]],
  [
    'an empty list of package items',
    () => packed([{ packageItems: [] }]),
    [`${WRONG} packagingInstructions[0].packageItems`],
  ],
  // Blank texts.
  ...blanks(['orderReferenceId'], '', order),
  ...blanks(['country', ...ADDRESS_TEXTS], 'shippingAddress.', to),
  ...blanks(['itemReferenceId', 'productUid'], 'items[0].', (over) => of(item(over))),
  ['an empty file type', () => withFiles(file('')), [`${BLANK} items[0].files[0].type`]],
  ['an empty file URL', () => withFiles(file('default', '')), [`${BLANK} items[0].files[0].url`]],
  // Lengths.
  ...tooLong({ orderReferenceId: 100, customerReferenceId: 100, shipmentMethodUid: 255 }, '', order),
  ...tooLong(
    {
      firstName: 25,
      lastName: 25,
      companyName: 60,
      addressLine1: 35,
      addressLine2: 35,
      city: 30,
      postCode: 15,
      state: 35,
      phone: 25,
    },
    'shippingAddress.',
    to,
  ),
  ...tooLong({ itemReferenceId: 100 }, 'items[0].', (over) => of(item(over))),
  // Codes.
  ['an unknown currency', () => order({ currency: 'EUX' }), [`${CHOICE} currency`]],
  ['a currency in lower case', () => order({ currency: 'eur' }), [`${CHOICE} currency`]],
  ['an unknown retail currency', () => order({ retailCurrency: 'ABC' }), [`${CHOICE} retailCurrency`]],
  ['an unknown country', () => to({ country: 'ZZ' }), [`${CHOICE} shippingAddress.country`]],
  ['a three-letter country', () => to({ country: 'DEU' }), [`${CHOICE} shippingAddress.country`]],
  ['a country in lower case', () => to({ country: 'de' }), [`${CHOICE} shippingAddress.country`]],
  ['an unknown order type', () => order({ orderType: 'quote' }), [`${CHOICE} orderType`]],
  // State.
  ...['US', 'CA', 'AU'].flatMap((country): [string, () => object, string[]][] => [
    [`no state for ${country}`, () => to({ country }), [`${MISSING} shippingAddress.state`]],
    [`a null state for ${country}`, () => to({ country, state: null }), [`${MISSING} shippingAddress.state`]],
    [`a blank state for ${country}`, () => to({ country, state: ' ' }), [`${BLANK} shippingAddress.state`]],
  ]),
  // E-mail and phone.
  ...['ada', 'ada@', '@example.com', 'ada@example', 'ada byron@example.com'].map(
    (email): [string, () => object, string[]] => [
      `${email} as e-mail`,
      () => to({ email }),
      [`${WRONG} shippingAddress.email`],
    ],
  ),
  ...['030 901820', '901820', 'call me', '+49', '+999 123456789'].map(
    (phone): [string, () => object, string[]] => [
      `${phone} as phone`,
      () => to({ phone }),
      [`${WRONG} shippingAddress.phone`],
    ],
  ),
  // Products.
  [
    'productUid and productName in one item',
    () => of(item({ productName: 'Classic tee', productVariant: {} })),
    [`${WRONG} items[0].productName`],
  ],
  [
    'productUid with productVariant',
    () => of(item({ productVariant: { Size: 'L' } })),
    [`${WRONG} items[0].productVariant`],
  ],
  [
    'productUid in one item, productName in another',
    () => of(item(), named({ itemReferenceId: 'item-2' })),
    [`${WRONG} items[1].productName`],
  ],
  [
    'productName without a variant',
    () => of(without(named(), 'productVariant')),
    [`${MISSING} items[0].productVariant`],
  ],
  ['a variant alone', () => of(without(named(), 'productName')), [`${MISSING} items[0].productUid`]],
  [
    'an unknown productUid',
    () => of(item({ productUid: 'flat_product_pf_a9' })),
    [`${CHOICE} items[0].productUid`],
  ],
  [
    'a draft product model',
    () => of(item({ productUid: 'canvas_product_cf_a3_ver' })),
    [`${CHOICE} items[0].productUid`],
  ],
  [
    'an inactive product model',
    () => of(item({ productUid: 'satin_poster_product_pf_a3_ver' })),
    [`${CHOICE} items[0].productUid`],
  ],
  [
    'a part that is not sold alone',
    () => of(item({ productUid: 'blank_t-shirt_gsi_m_gco_white' })),
    [`${CHOICE} items[0].productUid`],
  ],
  [
    'an unknown productName',
    () => of(named({ productName: 'Classic mug' })),
    [`${CHOICE} items[0].productName`],
  ],
  [
    'a productName in another case',
    () => of(named({ productName: 'classic tee' })),
    [`${CHOICE} items[0].productName`],
  ],
  [
    'an unknown variant option',
    () => of(named({ productVariant: { Sleeve: 'long' } })),
    [`${CHOICE} items[0].productVariant.Sleeve`],
  ],
  [
    'an unknown variant value',
    () => of(named({ productVariant: { Size: 'XXXL' } })),
    [`${CHOICE} items[0].productVariant.Size`],
  ],
  [
    'a variant value that is not a string',
    () => of(named({ productVariant: { Size: 42 } })),
    [`${WRONG} items[0].productVariant.Size`],
  ],
  // Items.
  ['an itemReferenceId used twice', () => of(item(), item()), [`${WRONG} items[1].itemReferenceId`]],
  ...[0, -1, 1.5, 100_001, '1', null].map((quantity): [string, () => object, string[]] => [
    `${JSON.stringify(quantity)} as quantity`,
    () => of(item({ quantity })),
    [`${WRONG} items[0].quantity`],
  ]),
  ...[-0.01, 1.23456, 1e12, '12.50'].map((price): [string, () => object, string[]] => [
    `${JSON.stringify(price)} as retail price`,
    () => of(item({ retailPriceInclVat: price })),
    [`${WRONG} items[0].retailPriceInclVat`],
  ]),
  [
    'a retail shipping price with five decimals',
    () => order({ retailShippingPriceInclVat: 0.00001 }),
    [`${WRONG} retailShippingPriceInclVat`],
  ],
  [
    'a negative retail shipping price',
    () => order({ retailShippingPriceInclVat: -1 }),
    [`${WRONG} retailShippingPriceInclVat`],
  ],
  [
    'a trim dimension of 0',
    () => of(item({ customTrim: { widthMm: 0, heightMm: 10 } })),
    [`${WRONG} items[0].customTrim.widthMm`],
  ],
  // Files.
  [
    'a file type that the product does not accept',
    () => withFiles(file('sleeve-left')),
    [`${CHOICE} items[0].files[0].type`],
  ],
  [
    'a custom file type for a product without workflow',
    () => withFiles(file('my-layer')),
    [`${CHOICE} items[0].files[0].type`],
  ],
  [
    'a file type of 101 characters',
    () => of(item({ productUid: STICKER, files: [file('x'.repeat(101))] })),
    [`${WRONG} items[0].files[0].type`],
  ],
  ...['front side', 'front/back', 'größe', 'front\n'].map((type): [string, () => object, string[]] => [
    `${JSON.stringify(type)} as file type`,
    () => of(item({ productUid: STICKER, files: [file(type)] })),
    [`${WRONG} items[0].files[0].type`],
  ]),
  [
    'a repeated file type in an item',
    () => withFiles(file('default'), file('front'), file('default')),
    [`${WRONG} items[0].files[2].type`],
  ],
  ...[
    'print.pdf',
    '/print.pdf',
    'ftp://files.example/a.pdf',
    'file:///etc/passwd',
    'data:application/pdf,x',
    'https://user:pw@files.example/a.pdf',
  ].map((url): [string, () => object, string[]] => [
    `${url} as file URL`,
    () => withFiles(file('default', url)),
    [`${WRONG} items[0].files[0].url`],
  ]),
  // Packages.
  [
    'a package of an unknown item',
    () => packed([pack('item-9', 1)]),
    [`${WRONG} packagingInstructions[0].packageItems[0].orderItemReferenceId`],
  ],
  [
    'packages with more than ordered',
    () => packed([pack('item-1', 6)]),
    [`${WRONG} packagingInstructions[0].packageItems[0].quantity`],
  ],
  [
    'two packages with more than ordered together',
    () => packed([pack('item-1', 3), pack('item-1', 3)]),
    [`${WRONG} packagingInstructions[1].packageItems[0].quantity`],
  ],
  [
    'a package with quantity 0',
    () => packed([pack('item-1', 0)]),
    [`${WRONG} packagingInstructions[0].packageItems[0].quantity`],
  ],
  [
    'a packing slip without a valid URL',
    () => packed([{ ...pack('item-1', 1), packingSlip: { fileUrl: 'slip' } }]),
    [`${WRONG} packagingInstructions[0].packingSlip.fileUrl`],
  ],
  // Metadata.
  ['21 entries of metadata', () => order({ metadata: pairs(21) }), [`${WRONG} metadata`]],
  ['21 entries of item metadata', () => of(item({ metadata: pairs(21) })), [`${WRONG} items[0].metadata`]],
  [
    '21 entries of file metadata',
    () => withFiles({ ...file('default'), metadata: pairs(21) }),
    [`${WRONG} items[0].files[0].metadata`],
  ],
  [
    'a metadata key of 101 characters',
    () => order({ metadata: [{ key: 'k'.repeat(101), value: '' }] }),
    [`${WRONG} metadata[0].key`],
  ],
  [
    'a metadata value of 101 characters',
    () => order({ metadata: [{ key: 'k', value: 'v'.repeat(101) }] }),
    [`${WRONG} metadata[0].value`],
  ],
  [
    'a blank metadata key',
    () => order({ metadata: [{ key: ' ', value: 'v' }] }),
    [`${BLANK} metadata[0].key`],
  ],
  ['metadata without a value', () => order({ metadata: [{ key: 'k' }] }), [`${MISSING} metadata[0].value`]],
  [
    'a metadata value that is not a string',
    () => order({ metadata: [{ key: 'k', value: 1 }] }),
    [`${WRONG} metadata[0].value`],
  ],
  // Wrong types.
  ['items as an object', () => order({ items: {} }), [`${WRONG} items`]],
  ['an address as a string', () => order({ shippingAddress: 'Berlin' }), [`${WRONG} shippingAddress`]],
  ['a number as reference', () => order({ orderReferenceId: 7 }), [`${WRONG} orderReferenceId`]],
  ['a string as preventDuplicate', () => order({ preventDuplicate: 'yes' }), [`${WRONG} preventDuplicate`]],
  ['a string as isBusiness', () => to({ isBusiness: 'no' }), [`${WRONG} shippingAddress.isBusiness`]],
  // Several errors.
  [
    'an order with many errors',
    () =>
      order({
        currency: 'XX',
        orderReferenceId: '',
        shippingAddress: without(address({ country: 'US', email: 'ada', phone: '1' }), 'city'),
        items: [
          item({ quantity: 0, files: [file('default'), file('default', 'nowhere')] }),
          item({ retailPriceInclVat: -1, customTrim: { widthMm: 5 } }),
        ],
        packagingInstructions: [pack('item-7', 1)],
        metadata: [{ value: 'v' }],
      }),
    [
      `${BLANK} orderReferenceId`,
      `${CHOICE} currency`,
      `${MISSING} items[1].customTrim.heightMm`,
      `${MISSING} metadata[0].key`,
      `${MISSING} shippingAddress.city`,
      `${MISSING} shippingAddress.state`,
      `${WRONG} items[0].files[1].type`,
      `${WRONG} items[0].files[1].url`,
      `${WRONG} items[0].quantity`,
      `${WRONG} items[1].itemReferenceId`,
      `${WRONG} items[1].retailPriceInclVat`,
      `${WRONG} packagingInstructions[0].packageItems[0].orderItemReferenceId`,
      `${WRONG} shippingAddress.email`,
      `${WRONG} shippingAddress.phone`,
    ],
  ],
  [
    'product and file errors in several items',
    () =>
      of(
        item({ productUid: 'nothing' }),
        item({ itemReferenceId: 'item-2', files: [file('cover'), file('default')] }),
        item({ itemReferenceId: 'item-3', productUid: 'canvas_product_cf_a3_ver' }),
      ),
    [`${CHOICE} items[0].productUid`, `${CHOICE} items[1].files[0].type`, `${CHOICE} items[2].productUid`],
  ],
];

describe('refused: the error names the field, and nothing is stored', () => {
  let before: Record<string, number>;
  beforeAll(async () => {
    before = await api.rows();
  });
  afterAll(async () => {
    expect(await api.rows()).toEqual(before);
  });

  test.each(refused)('%s', async (_rule, body, errors) => {
    const { body: answer } = await api
      .submit(body())
      .set('Idempotency-Key', 'released by every refusal')
      .expect(400);
    expect(fields(answer)).toEqual([...errors].sort());
    expect(answer).toEqual({
      code: 'VALIDATION_ERROR',
      message: expect.any(String),
      requestId: expect.any(String),
      errors: errors.map(() => ({
        code: expect.any(String),
        message: expect.stringMatching(/\.$/),
        reference: expect.any(String),
      })),
    });
  });

  test('a customer product that only another client may order', async () => {
    await api.sql`UPDATE customer_products SET customer_ids = ${[api.other.id]} WHERE name = 'Wall art'`;
    const body = of(named({ productName: 'Wall art', productVariant: {}, files: [file('default')] }));
    expect(fields((await api.submit(body).expect(400)).body)).toEqual([`${CHOICE} items[0].productName`]);
    await api.sql`UPDATE customer_products SET customer_ids = '{*}' WHERE name = 'Wall art'`;
  });

  test('malformed JSON, another content type, a body over 1 MiB', async () => {
    const send = (type: string, body: string) =>
      request(api.app).post('/v1/orders').set(api.shop.keyAndSecret).set('Content-Type', type).send(body);
    expect((await send('application/json', '{"a":').expect(400)).body.code).toBe('MALFORMED_JSON');
    expect((await send('text/plain', JSON.stringify(order())).expect(415)).body.code).toBe(
      'UNSUPPORTED_MEDIA_TYPE',
    );
    const large = JSON.stringify(order({ comment: 'x'.repeat(1_048_576) }));
    expect((await send('application/json', large).expect(413)).body.code).toBe('PAYLOAD_TOO_LARGE');
  });

  test('no key, a wrong key, a key without its secret, a partner’s and an operator’s key', async () => {
    const post = (headers: Record<string, string>) =>
      request(api.app).post('/v1/orders').set(headers).send(order());
    await post({}).expect(401);
    await post({ 'X-API-KEY': 'plk_wrong:pls_wrong' }).expect(401);
    await post({ 'X-API-KEY': `${api.shop.apiKey}:wrong` }).expect(401);
    await post(api.shop.key).expect(401);
    await post(api.partner.keyAndSecret).expect(403);
    await post(api.operator.keyAndSecret).expect(403);
  });
});
