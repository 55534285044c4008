import { type OrdersApi, ordersApi } from './orders-api';
import {
  address,
  DIE_CUT_STICKER,
  FILE_URL,
  file,
  item,
  named,
  of,
  order,
  pack,
  packed,
  pairs,
  T_SHIRT,
  to,
} from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

const accepted: [rule: string, body: { orderReferenceId: string; [field: string]: unknown }][] = [
  ['the required fields alone', order()],
  [
    'every address field',
    to({
      companyName: 'Engines Ltd',
      addressLine2: '2nd floor',
      state: 'BE',
      isBusiness: true,
      federalTaxId: '1',
      stateTaxId: '2',
      registrationState: 'BE',
    }),
  ],
  [
    'null for optional fields',
    {
      ...to({ state: null, companyName: null }),
      retailCurrency: null,
      metadata: null,
      orderType: null,
      preventDuplicate: null,
    },
  ],
  ['a state for a US address', to({ country: 'US', state: 'NY', phone: '+1 212 555 2368' })],
  ['a state for a CA address', to({ country: 'CA', state: 'ON', phone: '+1 416 555 0123' })],
  ['a state for an AU address', to({ country: 'AU', state: 'NSW', phone: '+61 2 5550 1234' })],
  ['no state elsewhere', to({ country: 'GB', phone: '+44 20 7946 0958' })],
  [
    'texts of the largest length',
    to({
      firstName: 'f'.repeat(25),
      lastName: 'l'.repeat(25),
      addressLine1: 'a'.repeat(35),
      city: 'c'.repeat(30),
      postCode: '1'.repeat(15),
    }),
  ],
  ['letters of several scripts', to({ firstName: 'Łukasz', lastName: '王小明', addressLine1: 'شارع الملك ١٢' })],
  ['another currency', order({ currency: 'JPY' })],
  [
    'retail prices with the digits that a shop computes',
    order({
      retailCurrency: 'USD',
      retailShippingPriceInclVat: 4.118487394957983,
      items: [item({ retailPriceInclVat: 16.798319327731093 })],
    }),
  ],
  ['a retail price of 0', of(item({ retailPriceInclVat: 0 }))],
  ['productName with its variant', of(named())],
  ['productName with an empty variant, which means the defaults', of(named({ productVariant: {} }))],
  [
    'several items by productName',
    of(
      named(),
      named({
        itemReferenceId: 'item-2',
        productName: 'Wall art',
        productVariant: { Size: '50x70 cm' },
        files: [file('default')],
      }),
    ),
  ],
  ['several items by productUid', of(item(), item({ itemReferenceId: 'item-2' }))],
  [
    'the standard file types of the product kind',
    of(
      item({
        productUid: T_SHIRT,
        files: ['front', 'back', 'neck-inner', 'sleeve-left', 'chest-left-embroidery'].map((type) => file(type)),
      }),
    ),
  ],
  [
    'any file type name for a workflow-enabled product',
    of(item({ productUid: DIE_CUT_STICKER, files: [file('Cut_Line.v2-final'), file('x'.repeat(100))] })),
  ],
  ['customTrim with both dimensions', of(item({ customTrim: { widthMm: 100.5, heightMm: 200 } }))],
  [
    'metadata of order, item and file',
    order({
      metadata: pairs(20),
      items: [item({ metadata: pairs(20), files: [{ ...file('default'), metadata: pairs(20) }] })],
    }),
  ],
  [
    'metadata of 100 characters, and an empty value',
    order({
      metadata: [
        { key: 'k'.repeat(100), value: 'v'.repeat(100) },
        { key: 'k', value: '' },
      ],
    }),
  ],
  ['packages with all ordered units', packed([pack('item-1', 2), pack('item-1', 3)])],
  ['packages with some of the ordered units', packed([{ ...pack('item-1', 1), packingSlip: { fileUrl: FILE_URL } }])],
  ['a comma-separated list of shipment methods', order({ shipmentMethodUid: 'normal,standard,fed_ex_2_day' })],
];

test.each(accepted)('an order with %s is accepted', async (_rule, sent) => {
  const { body: response } = await api.submit(sent).expect(200);
  expect(response).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    orderReferenceId: sent.orderReferenceId,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  await api.get(response.id).expect(200);
});

test('unknown fields are ignored and not stored', async () => {
  const body = order({
    surprise: 'secret-1',
    fulfillmentStatus: 'delivered',
    shippingAddress: address({ surprise: 'secret-2', id: 'mine' }),
    items: [item({ surprise: 'secret-3', price: 0, files: [{ ...file('default'), surprise: 'secret-4' }] })],
    metadata: [{ key: 'k', value: 'v', surprise: 'secret-5' }],
    packagingInstructions: [{ ...pack('item-1', 1), surprise: 'secret-6' }],
  });
  const { id } = (await api.submit(body).expect(200)).body;
  const [stored] = await api.sql<{ everything: string }[]>`
    SELECT concat(row_to_json(o), row_to_json(i), row_to_json(f), (SELECT json_agg(payload) FROM outbox)) AS everything
    FROM orders o JOIN order_items i ON i.order_id = o.id JOIN order_files f ON f.order_item_id = i.id WHERE o.id = ${id}`;
  expect(stored!.everything).toContain(id);
  expect(stored!.everything).not.toContain('secret-');
  expect((await api.get(id).expect(200)).body.fulfillmentStatus).toBe('created');
});

test('an order is stored as sent, and the outbox message that starts its workflow has only ids and settings', async () => {
  const body = order({
    customerReferenceId: 'customer-7',
    retailCurrency: 'USD',
    retailShippingPriceInclVat: 4.9,
    shipmentMethodUid: 'express',
    items: [
      named({ retailPriceInclVat: 19.9, metadata: [{ key: 'gift', value: 'yes' }] }),
      named({ itemReferenceId: 'item-2', quantity: 3, customTrim: { widthMm: 90, heightMm: 120.5 } }),
    ],
    packagingInstructions: [{ ...pack('item-2', 3), packingSlip: { fileUrl: `${FILE_URL}?slip` } }],
    metadata: [{ key: 'channel', value: 'web' }],
  });
  const { id } = (await api.submit(body).expect(200)).body;
  const stored = (await api.get(id).expect(200)).body;
  expect(stored).toMatchObject({
    id,
    orderReferenceId: body.orderReferenceId,
    customerReferenceId: 'customer-7',
    packagingInstructions: [{ ...pack('item-2', 3), packingSlip: { fileUrl: `${FILE_URL}?slip` } }],
    orderType: 'order',
    fulfillmentStatus: 'created',
    financialStatus: 'pending',
    currency: 'EUR',
    retailCurrency: 'USD',
    retailShippingPriceInclVat: 4.9,
    shipmentMethodUid: 'express',
    shippingAddress: { ...address(), orderId: id, isBusiness: false, companyName: null },
    metadata: [{ key: 'channel', value: 'web' }],
    shipment: null,
    receipts: [],
    items: [
      {
        itemReferenceId: 'item-1',
        productName: 'Classic tee',
        productVariant: expect.arrayContaining([
          { name: 'Size', value: 'L' },
          { name: 'Color', value: 'Navy' },
        ]),
        finalProductUid: 'apparel_product_gca_t-shirt_gsi_l_gco_navy_gpr_4-0',
        quantity: 2,
        retailPriceInclVat: 19.9,
        metadata: [{ key: 'gift', value: 'yes' }],
        files: [{ type: 'front', url: FILE_URL }],
        fileUrl: FILE_URL,
      },
      {
        itemReferenceId: 'item-2',
        quantity: 3,
        retailPriceInclVat: null,
        customTrim: { widthMm: 90, heightMm: 120.5 },
      },
    ],
  });
  expect(stored.orderedAt).toBe(stored.createdAt);
  const slips = await api.sql`SELECT package_index, url FROM packing_slips WHERE order_id = ${id}`;
  expect([...slips]).toEqual([{ packageIndex: 0, url: `${FILE_URL}?slip` }]);

  const [start, ...more] = await api.starts(id);
  expect(more).toEqual([]);
  expect(start!.args).toEqual([
    {
      orderId: id,
      clientId: api.client.id,
      orderReferenceId: body.orderReferenceId,
      country: 'DE',
      requestId: expect.any(String),
      receivedDeadlineMs: 900_000,
      untrackedEndMs: 14 * 86_400_000,
      stopDeadlineMs: 15 * 60_000,
      fileRetryWindowMs: 3_600_000,
      items: [
        { id: stored.items[0].id, quantity: 2 },
        { id: stored.items[1].id, quantity: 3 },
      ],
    },
  ]);
  expect(JSON.stringify(start)).not.toMatch(/Ada|Byron|Torstraße|ada@example|901820/);
});

test('concurrent orders share transactions, and each keeps its own rows', async () => {
  const sent = Array.from({ length: 40 }, (_, n) => {
    const items = Array.from({ length: 1 + (n % 3) }, (_unused, k) =>
      item({ itemReferenceId: `item-${n}-${k}`, quantity: n + 1 }),
    );
    const orderType = n % 5 === 0 ? 'draft' : 'order';
    return {
      ...order({ items }),
      orderType,
      packagingInstructions: [{ ...pack(`item-${n}-0`, n + 1), packingSlip: { fileUrl: `${FILE_URL}?slip-${n}` } }],
    };
  });
  const responses = await Promise.all(sent.map((body) => api.submit(body).expect(200)));
  const ids = responses.map(({ body }) => body.id as string);
  for (const [n, body] of sent.entries()) {
    const stored = (await api.get(ids[n]!).expect(200)).body;
    expect(stored).toMatchObject({ orderReferenceId: body.orderReferenceId, orderType: body.orderType });
    expect(stored.items).toMatchObject(
      body.items.map(({ itemReferenceId }) => ({
        itemReferenceId,
        quantity: n + 1,
        files: [{ type: 'default', url: FILE_URL }],
      })),
    );
    const starts = await api.starts(ids[n]!);
    const started = starts.map(({ args }) => (args[0] as { items: object[] }).items);
    const items = stored.items.map(({ id }: { id: string }) => ({ id, quantity: n + 1 }));
    expect(started).toEqual(body.orderType === 'draft' ? [] : [items]);
    expect([...(await api.sql`SELECT url FROM packing_slips WHERE order_id = ${ids[n]!}`)]).toEqual([
      { url: `${FILE_URL}?slip-${n}` },
    ]);
  }
  const [counted] = await api.sql<{ transactions: number }[]>`
    SELECT count(DISTINCT xmin::text)::int AS transactions FROM orders WHERE id = ANY(${ids}::uuid[])`;
  expect(counted!.transactions).toBeLessThan(ids.length);
});

test.each([
  ['US', 'california', 'CA'],
  ['US', 'Washington, D.C.', 'DC'],
  ['CA', 'Québec', 'QC'],
  ['AU', 'New South Wales', 'NSW'],
  ['DE', 'Berlin', 'Berlin'],
])('the state of an address in %s, %s, is stored as %s', async (country, state, stored) => {
  const { body } = await api.submit(to({ country, state })).expect(200);
  expect((await api.get(body.id).expect(200)).body.shippingAddress.state).toBe(stored);
});

test('a national phone number, names of countries and states, and marks are understood and kept as they were sent', async () => {
  const sent = {
    country: 'UK',
    firstName: '',
    lastName: 'Lovelace\u202c',
    addressLine1: '１２ St.\tJames’s\n Square',
    postCode: 'sw1y4jh',
    phone: '020 7946 0958',
  };
  const { body } = await api.submit(to(sent)).expect(200);
  const { shippingAddress } = (await api.get(body.id).expect(200)).body;
  const { firstName, ...addressAsSent } = sent;
  expect(shippingAddress).toMatchObject({
    country: 'GB',
    firstName,
    lastName: 'Lovelace',
    addressLine1: '12 St. James’s Square',
    postCode: 'SW1Y 4JH',
    phone: '+44 20 7946 0958',
    addressAsSent,
  });
});

test('an address that nothing changed has no other form, and a retrieved one can be sent again', async () => {
  const { body } = await api.submit(to({ addressAsSent: { city: 'Bonn' }, unknown: ' spaced ' })).expect(200);
  const { shippingAddress } = (await api.get(body.id).expect(200)).body;
  expect(shippingAddress.addressAsSent).toBeNull();
  await api.submit(order({ shippingAddress })).expect(200);
});

test.each([{ postCode: '' }, { postCode: null }, { postCode: undefined }])(
  'an address in Hong Kong has no post code: %j',
  async (over) => {
    const { body } = await api.submit(to({ country: 'HK', city: 'Kowloon', ...over })).expect(200);
    expect((await api.get(body.id).expect(200)).body.shippingAddress.postCode).toBe('');
  },
);
