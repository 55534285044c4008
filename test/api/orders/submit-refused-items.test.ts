import { fields, type OrdersApi, ordersApi } from './orders-api';
import { BLANK, CHOICE, MISSING, type RefusedOrder, testRefusals, WRONG } from './refusals';
import {
  address,
  DIE_CUT_STICKER,
  file,
  item,
  named,
  of,
  order,
  pack,
  packed,
  withFiles,
  without,
} from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

/** Refusals of items, their products and files, and packages. */
const refused: RefusedOrder[] = [
  // Products.
  [
    'productUid and productName in one item',
    of(item({ productName: 'Classic tee', productVariant: {} })),
    `${WRONG} items[0].productName`,
  ],
  ['productUid with productVariant', of(item({ productVariant: { Size: 'L' } })), `${WRONG} items[0].productVariant`],
  [
    'productUid in one item, productName in another',
    of(item(), named({ itemReferenceId: 'item-2' })),
    `${WRONG} items[1].productName`,
  ],
  ['productName without a variant', of(without(named(), 'productVariant')), `${MISSING} items[0].productVariant`],
  ['a variant alone', of(without(named(), 'productName')), `${MISSING} items[0].productUid`],
  ['an unknown productUid', of(item({ productUid: 'flat_product_pf_a9' })), `${CHOICE} items[0].productUid`],
  ['a draft product model', of(item({ productUid: 'canvas_product_cf_a3_ver' })), `${CHOICE} items[0].productUid`],
  [
    'an inactive product model',
    of(item({ productUid: 'satin_poster_product_pf_a3_ver' })),
    `${CHOICE} items[0].productUid`,
  ],
  [
    'a part that is not sold alone',
    of(item({ productUid: 'blank_t-shirt_gsi_m_gco_white' })),
    `${CHOICE} items[0].productUid`,
  ],
  ['an unknown productName', of(named({ productName: 'Classic mug' })), `${CHOICE} items[0].productName`],
  ['a productName in another case', of(named({ productName: 'classic tee' })), `${CHOICE} items[0].productName`],
  [
    'an unknown variant option',
    of(named({ productVariant: { Sleeve: 'long' } })),
    `${CHOICE} items[0].productVariant.Sleeve`,
  ],
  [
    'an unknown variant value',
    of(named({ productVariant: { Size: 'XXXL' } })),
    `${CHOICE} items[0].productVariant.Size`,
  ],
  [
    'a variant value that is not a string',
    of(named({ productVariant: { Size: 42 } })),
    `${WRONG} items[0].productVariant.Size`,
  ],
  // Items.
  ['an itemReferenceId used twice', of(item(), item()), `${WRONG} items[1].itemReferenceId`],
  ...[0, -1, 1.5, 100_001, '1', null].map(
    (quantity): RefusedOrder => [
      `${JSON.stringify(quantity)} as quantity`,
      of(item({ quantity })),
      `${WRONG} items[0].quantity`,
    ],
  ),
  ...[-0.01, 1e12, '12.50'].map(
    (price): RefusedOrder => [
      `${JSON.stringify(price)} as retail price`,
      of(item({ retailPriceInclVat: price })),
      `${WRONG} items[0].retailPriceInclVat`,
    ],
  ),
  [
    'a negative retail shipping price',
    order({ retailShippingPriceInclVat: -1 }),
    `${WRONG} retailShippingPriceInclVat`,
  ],
  [
    'a trim dimension of 0',
    of(item({ customTrim: { widthMm: 0, heightMm: 10 } })),
    `${WRONG} items[0].customTrim.widthMm`,
  ],
  // Files.
  ['a file type that the product does not accept', withFiles(file('sleeve-left')), `${CHOICE} items[0].files[0].type`],
  [
    'a custom file type for a product without workflow',
    withFiles(file('my-layer')),
    `${CHOICE} items[0].files[0].type`,
  ],
  [
    'a file type of 101 characters',
    of(item({ productUid: DIE_CUT_STICKER, files: [file('x'.repeat(101))] })),
    `${WRONG} items[0].files[0].type`,
  ],
  ...['front side', 'front/back', 'größe', 'front\n'].map(
    (type): RefusedOrder => [
      `${JSON.stringify(type)} as file type`,
      of(item({ productUid: DIE_CUT_STICKER, files: [file(type)] })),
      `${WRONG} items[0].files[0].type`,
    ],
  ),
  [
    'thread colors that are no hexadecimal values',
    withFiles({ ...file('default'), metadata: [{ key: 'threadColors', value: '#cc3333,red' }] }),
    `${WRONG} items[0].files[0].metadata[0].value`,
  ],
  [
    'a repeated file type in an item',
    withFiles(file('default'), file('front'), file('default')),
    `${WRONG} items[0].files[2].type`,
  ],
  ...[
    'print.pdf',
    '/print.pdf',
    'ftp://files.example/a.pdf',
    'file:///etc/passwd',
    'data:application/pdf,x',
    'https://user:pw@files.example/a.pdf',
  ].map(
    (url): RefusedOrder => [`${url} as file URL`, withFiles(file('default', url)), `${WRONG} items[0].files[0].url`],
  ),
  // Packages.
  [
    'a package of an unknown item',
    packed([pack('item-9', 1)]),
    `${WRONG} packagingInstructions[0].packageItems[0].orderItemReferenceId`,
  ],
  [
    'packages with more than ordered',
    packed([pack('item-1', 6)]),
    `${WRONG} packagingInstructions[0].packageItems[0].quantity`,
  ],
  [
    'two packages with more than ordered together',
    packed([pack('item-1', 3), pack('item-1', 3)]),
    `${WRONG} packagingInstructions[1].packageItems[0].quantity`,
  ],
  [
    'a package with quantity 0',
    packed([pack('item-1', 0)]),
    `${WRONG} packagingInstructions[0].packageItems[0].quantity`,
  ],
  [
    'a packing slip without a valid URL',
    packed([{ ...pack('item-1', 1), packingSlip: { fileUrl: 'slip' } }]),
    `${WRONG} packagingInstructions[0].packingSlip.fileUrl`,
  ],
  // Several errors.
  [
    'an order with many errors',
    order({
      currency: 'XX',
      orderReferenceId: '',
      shippingAddress: without(address({ country: 'US', email: 'ada' }), 'city'),
      items: [
        item({ quantity: 0, files: [file('default'), file('default', 'nowhere')] }),
        item({ retailPriceInclVat: -1, customTrim: { widthMm: 5 } }),
      ],
      packagingInstructions: [pack('item-7', 1)],
      metadata: [{ value: 'v' }],
    }),
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
  ],
  [
    'product and file errors in several items',
    of(
      item({ productUid: 'nothing' }),
      item({ itemReferenceId: 'item-2', files: [file('cover'), file('default')] }),
      item({ itemReferenceId: 'item-3', productUid: 'canvas_product_cf_a3_ver' }),
    ),
    `${CHOICE} items[0].productUid`,
    `${CHOICE} items[1].files[0].type`,
    `${CHOICE} items[2].productUid`,
  ],
];

testRefusals(refused, () => api);

test('a customer product that only another client may order', async () => {
  await api.sql`UPDATE customer_products SET customer_ids = ${[api.other.id]} WHERE name = 'Wall art'`;
  const body = of(named({ productName: 'Wall art', productVariant: {}, files: [file('default')] }));
  expect(fields((await api.submit(body).expect(400)).body)).toEqual([`${CHOICE} items[0].productName`]);
  await api.sql`UPDATE customer_products SET customer_ids = '{*}' WHERE name = 'Wall art'`;
});
