import { type OrdersApi, ordersApi } from './orders-api';
import { BLANK, CHOICE, MISSING, type RefusedOrder, testRefusals, WRONG } from './refusals';
import { address, FILE_URL, file, item, of, order, pack, packed, pairs, to, withFiles, without } from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

const requiredOf = (required: readonly string[], made: (name: string) => object, path = '') =>
  required.map((name): RefusedOrder => [`no ${path}${name}`, made(name), `${MISSING} ${path}${name}`]);
const blanks = (names: readonly string[], path: string, made: (over: object) => object) =>
  names.flatMap((name): RefusedOrder[] => [
    [`empty ${path}${name}`, made({ [name]: '' }), `${BLANK} ${path}${name}`],
    [`blank ${path}${name}`, made({ [name]: ' \t' }), `${BLANK} ${path}${name}`],
  ]);
const tooLong = (limits: Record<string, number>, path: string, made: (over: object) => object) =>
  Object.entries(limits).map(
    ([name, limit]): RefusedOrder => [
      `${path}${name} of ${limit + 1} characters`,
      made({ [name]: 'x'.repeat(limit + 1) }),
      `${WRONG} ${path}${name}`,
    ],
  );

const ADDRESS_TEXTS = ['firstName', 'lastName', 'addressLine1', 'city', 'postCode', 'email', 'phone'];

/** Refusals of the order's own fields: the items are in submit-refused-items.test.ts. */
const refused: RefusedOrder[] = [
  // Required fields.
  ...requiredOf(['orderReferenceId', 'currency', 'shippingAddress', 'items'], (name) => without(order(), name)),
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
    packed([{ ...pack('item-1', 1), packingSlip: {} }]),
    `${MISSING} packagingInstructions[0].packingSlip.fileUrl`,
  ],
  [
    'an empty body',
    {},
    ...['currency', 'items', 'orderReferenceId', 'shippingAddress'].map((name) => `${MISSING} ${name}`),
  ],
  ['an empty list of items', of(), `${WRONG} items`],
  ['an empty list of files', withFiles(), `${WRONG} items[0].files`],
  ['an empty list of package items', packed([{ packageItems: [] }]), `${WRONG} packagingInstructions[0].packageItems`],
  // Blank texts.
  ...blanks(['orderReferenceId'], '', order),
  ...blanks(['country', ...ADDRESS_TEXTS.filter((name) => name !== 'firstName')], 'shippingAddress.', to),
  ...blanks(['itemReferenceId', 'productUid'], 'items[0].', (over) => of(item(over))),
  ['an empty file type', withFiles(file('')), `${BLANK} items[0].files[0].type`],
  ['an empty file URL', withFiles(file('default', '')), `${BLANK} items[0].files[0].url`],
  // Lengths.
  ...tooLong({ orderReferenceId: 100, customerReferenceId: 100, shipmentMethodUid: 255 }, '', order),
  ...tooLong(
    {
      firstName: 100,
      lastName: 100,
      companyName: 255,
      addressLine1: 255,
      addressLine2: 255,
      city: 100,
      postCode: 100,
      state: 100,
      phone: 100,
    },
    'shippingAddress.',
    to,
  ),
  ...tooLong({ itemReferenceId: 100 }, 'items[0].', (over) => of(item(over))),
  // Codes.
  ['an unknown currency', order({ currency: 'EUX' }), `${CHOICE} currency`],
  ['a currency in lower case', order({ currency: 'eur' }), `${CHOICE} currency`],
  ['an unknown retail currency', order({ retailCurrency: 'ABC' }), `${CHOICE} retailCurrency`],
  ['an unknown country', to({ country: 'ZZ' }), `${CHOICE} shippingAddress.country`],
  ['a country that does not exist', to({ country: 'Atlantis' }), `${CHOICE} shippingAddress.country`],
  ['an unknown order type', order({ orderType: 'quote' }), `${CHOICE} orderType`],
  // State.
  ...['US', 'CA', 'AU'].flatMap((country): RefusedOrder[] => [
    [`no state for ${country}`, to({ country }), `${MISSING} shippingAddress.state`],
    [`a null state for ${country}`, to({ country, state: null }), `${MISSING} shippingAddress.state`],
    [`a blank state for ${country}`, to({ country, state: ' ' }), `${BLANK} shippingAddress.state`],
  ]),
  // E-mail.
  ...['ada', 'ada@', '@example.com', 'ada@example', 'ada byron@example.com'].map(
    (email): RefusedOrder => [`${email} as e-mail`, to({ email }), `${WRONG} shippingAddress.email`],
  ),
  // Metadata.
  ['21 entries of metadata', order({ metadata: pairs(21) }), `${WRONG} metadata`],
  ['21 entries of item metadata', of(item({ metadata: pairs(21) })), `${WRONG} items[0].metadata`],
  [
    '21 entries of file metadata',
    withFiles({ ...file('default'), metadata: pairs(21) }),
    `${WRONG} items[0].files[0].metadata`,
  ],
  [
    'a metadata key of 101 characters',
    order({ metadata: [{ key: 'k'.repeat(101), value: '' }] }),
    `${WRONG} metadata[0].key`,
  ],
  [
    'a metadata value of 101 characters',
    order({ metadata: [{ key: 'k', value: 'v'.repeat(101) }] }),
    `${WRONG} metadata[0].value`,
  ],
  ['a blank metadata key', order({ metadata: [{ key: ' ', value: 'v' }] }), `${BLANK} metadata[0].key`],
  ['metadata without a value', order({ metadata: [{ key: 'k' }] }), `${MISSING} metadata[0].value`],
];

testRefusals(refused, () => api);

test.each<[sent: string, body: object, reference: string, message: string]>([
  ['an array as the body', [order()], '', 'The body must be an object, not an array.'],
  ['an array as an address', order({ shippingAddress: [] }), 'shippingAddress', 'Must be an object, not an array.'],
  ['an object as items', order({ items: {} }), 'items', 'Must be an array, not an object.'],
  ['null as a city', to({ city: null }), 'shippingAddress.city', 'Must be a string, not null.'],
  [
    'a name of 101 characters',
    to({ firstName: 'A'.repeat(101) }),
    'shippingAddress.firstName',
    'Must have at most 100 characters, not 101.',
  ],
  ['no items', order({ items: [] }), 'items', 'Must have at least 1 entry, not 0.'],
  ['a quantity of 0', of(item({ quantity: 0 })), 'items[0].quantity', 'Must be at least 1, not 0.'],
])('the error of %s names its place, what it must be and what it is', async (_sent, body, reference, message) => {
  const { body: refused } = await api.submit(body).expect(400);
  expect(refused.errors[0]).toEqual({ code: WRONG, reference, message });
});

/** Returns copies of a value, each with a value of another type in the place of one of its parts, and the path of the part. */
function* ofOtherTypes(value: unknown, path = ''): Generator<[path: string, copy: unknown]> {
  const isNested = typeof value === 'object' && value !== null;
  if (path !== '') yield [path, isNested ? 'text' : { other: true }];
  if (!isNested) return;
  for (const [key, part] of Object.entries(value)) {
    const name = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    for (const [at, copy] of ofOtherTypes(part, name))
      yield [at, Array.isArray(value) ? value.with(Number(key), copy) : { ...value, [key]: copy }];
  }
}

test('a value of another type is refused in the place of every field', async () => {
  const metadata = pairs(1);
  const complete = order({
    orderType: 'draft',
    preventDuplicate: false,
    replaces: null,
    customerReferenceId: 'customer-1',
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 5,
    shipmentMethodUid: 'standard',
    shippingAddress: address({
      companyName: 'Byron GmbH',
      addressLine2: 'Hof 2',
      state: 'Berlin',
      isBusiness: true,
      federalTaxId: 'DE123456789',
      stateTaxId: '1',
      registrationState: 'Berlin',
    }),
    items: [
      item({
        files: [{ ...file('default'), metadata }],
        retailPriceInclVat: 20,
        customTrim: { widthMm: 200, heightMm: 300 },
        metadata,
      }),
    ],
    packagingInstructions: [{ ...pack('item-1', 1), packingSlip: { fileUrl: FILE_URL }, brandedPackaging: 'tissue' }],
    metadata,
  });
  await api.submit(complete).expect(200);
  const accepted: string[] = [];
  for (const [path, body] of ofOtherTypes(complete)) {
    const { status, body: response } = await api.submit(body as object);
    if (status !== 400 || !response.errors.some(({ reference }: { reference: string }) => reference.startsWith(path)))
      accepted.push(`${path}: ${status}`);
  }
  expect(accepted).toEqual([]);
});
