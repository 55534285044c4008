import request from 'supertest';
import { bumpCatalogVersion } from '../../../src/catalog/catalog-models';
import type { TestAccount } from '../../support/api-deps';
import { fields, type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { address, FILE_URL, file, item, named, order, pack, T_SHIRT } from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

const newDraft = async (over: object = {}): Promise<string> =>
  (await api.submit(order({ orderType: 'draft', ...over })).expect(200)).body.id;

test('a patch replaces the given fields and keeps the others', async () => {
  const id = await newDraft({ metadata: [{ key: 'k', value: 'v' }], customerReferenceId: 'c-1' });
  const before = (await api.get(id).expect(200)).body;
  const patch = {
    orderReferenceId: 'renamed',
    currency: 'USD',
    shippingAddress: address({ city: 'Potsdam', postCode: '14467' }),
    retailCurrency: 'GBP',
    retailShippingPriceInclVat: 2.5,
    shipmentMethodUid: 'express',
  };
  const { body } = await api.patch(id, patch).expect(200);
  expect(body).toMatchObject({
    ...patch,
    id,
    orderType: 'draft',
    fulfillmentStatus: 'draft',
    customerReferenceId: 'c-1',
    metadata: [{ key: 'k', value: 'v' }],
    items: before.items,
    createdAt: before.createdAt,
    orderedAt: null,
  });
  expect(body.updatedAt > before.updatedAt).toBe(true);
  expect((await api.get('renamed').expect(200)).body).toEqual(body);
  expect(await api.starts(id)).toEqual([]);
});

test('null removes an optional field', async () => {
  const id = await newDraft({
    customerReferenceId: 'c-1',
    retailCurrency: 'USD',
    retailShippingPriceInclVat: 1,
    shipmentMethodUid: 'express',
    metadata: [{ key: 'k', value: 'v' }],
    packagingInstructions: [{ ...pack('item-1', 1), packingSlip: { fileUrl: FILE_URL } }],
  });
  const nothing = {
    customerReferenceId: null,
    retailCurrency: null,
    retailShippingPriceInclVat: null,
    shipmentMethodUid: null,
  };
  const patch = { ...nothing, metadata: null, packagingInstructions: null };
  expect((await api.patch(id, patch).expect(200)).body).toMatchObject({ ...nothing, metadata: [] });
  const [left] = await api.sql`
    SELECT packaging_instructions, (SELECT count(*)::int FROM packing_slips WHERE order_id = ${id}) AS slips
    FROM orders WHERE id = ${id}`;
  expect(left).toEqual({ packagingInstructions: [], slips: 0 });
});

test('items are replaced with their files', async () => {
  const id = await newDraft();
  const items = [
    item({ itemReferenceId: 'a', productUid: T_SHIRT, files: [file('front'), file('back')] }),
    item({ itemReferenceId: 'b', quantity: 7, retailPriceInclVat: 3.25 }),
  ];
  const { body } = await api.patch(id, { items }).expect(200);
  expect(body.items).toMatchObject([
    { itemReferenceId: 'a', finalProductUid: T_SHIRT, files: [{ type: 'front' }, { type: 'back' }] },
    { itemReferenceId: 'b', quantity: 7, retailPriceInclVat: 3.25, files: [{ type: 'default' }] },
  ]);
  const [count] = await api.sql`
    SELECT count(DISTINCT i.id)::int AS items, count(f.id)::int AS files
    FROM order_items i LEFT JOIN order_files f ON f.order_item_id = i.id WHERE i.order_id = ${id}`;
  expect(count).toEqual({ items: 2, files: 3 });
});

test('items can change from productUid to productName', async () => {
  const id = await newDraft();
  const { body } = await api.patch(id, { items: [named()] }).expect(200);
  expect(body.items[0]).toMatchObject({ productName: 'Classic tee', quantity: 2 });
});

test('an empty patch changes nothing', async () => {
  const id = await newDraft();
  const { updatedAt: _before, ...before } = (await api.get(id).expect(200)).body;
  const { updatedAt: _after, ...after } = (await api.patch(id, {}).expect(200)).body;
  expect(after).toEqual(before);
});

test('a draft keeps its address as it was sent', async () => {
  const id = await newDraft({ shippingAddress: address({ phone: '030 901820' }) });
  const addressAsSent = { phone: '030 901820' };
  const patches: [patch: object, expected: object][] = [
    [{ currency: 'CHF' }, { phone: '+49 30 901820', addressAsSent }],
    [{ shippingAddress: address({ country: 'de' }) }, { country: 'DE', addressAsSent: { country: 'de' } }],
  ];
  for (const [patch, expected] of patches)
    expect((await api.patch(id, patch).expect(200)).body.shippingAddress).toMatchObject(expected);
});

describe('a patched draft must be a valid order', () => {
  const refused: [rule: string, draft: object, patch: object, errors: string[]][] = [
    ['an invalid field', {}, { currency: 'XX' }, ['NO_SUCH_CHOICE_ERROR currency']],
    ['a required field removed', {}, { orderReferenceId: null }, ['VALIDATION_ERROR orderReferenceId']],
    ['no items', {}, { items: [] }, ['VALIDATION_ERROR items']],
    [
      'an address without its state, and an unknown type',
      {},
      { shippingAddress: address({ country: 'US' }), orderType: 'x' },
      ['MISSING_FIELD_ERROR shippingAddress.state', 'NO_SUCH_CHOICE_ERROR orderType'],
    ],
    [
      'packages of items that the draft does not have',
      {},
      { packagingInstructions: [pack('item-2', 1), pack('item-1', 2)] },
      [
        'VALIDATION_ERROR packagingInstructions[0].packageItems[0].orderItemReferenceId',
        'VALIDATION_ERROR packagingInstructions[1].packageItems[0].quantity',
      ],
    ],
    [
      'items that do not match the draft’s packages',
      { packagingInstructions: [pack('item-1', 1)] },
      { items: [item({ itemReferenceId: 'item-2' })] },
      ['VALIDATION_ERROR packagingInstructions[0].packageItems[0].orderItemReferenceId'],
    ],
    [
      'an unknown product and a file type that a product does not accept',
      {},
      { items: [item({ productUid: 'x' }), item({ itemReferenceId: 'b', files: [file('cover')] })] },
      ['NO_SUCH_CHOICE_ERROR items[0].productUid', 'NO_SUCH_CHOICE_ERROR items[1].files[0].type'],
    ],
  ];
  test.each(refused)('%s', async (_rule, draft, patch, errors) => {
    const id = await newDraft(draft);
    const before = (await api.get(id).expect(200)).body;
    expect(fields((await api.patch(id, patch).expect(400)).body)).toEqual(errors);
    expect((await api.get(id).expect(200)).body).toEqual(before);
  });
});

test('a draft that becomes an order has one outbox message that starts its workflow', async () => {
  const id = await newDraft();
  const { body } = await api
    .patch(id, { orderType: 'order', items: [item({ quantity: 2 }), item({ itemReferenceId: 'item-2' })] })
    .expect(200);
  expect(body).toMatchObject({
    id,
    orderType: 'order',
    fulfillmentStatus: 'created',
    financialStatus: 'pending',
    items: [{ fulfillmentStatus: 'created' }, { fulfillmentStatus: 'created' }],
  });
  expect(body.orderedAt > body.createdAt).toBe(true);
  const starts = await api.starts(id);
  expect(starts).toHaveLength(1);
  expect(starts[0]).toMatchObject({
    args: [
      {
        orderId: id,
        clientId: api.client.id,
        orderReferenceId: body.orderReferenceId,
        country: 'DE',
        items: [
          { id: body.items[0].id, quantity: 2 },
          { id: body.items[1].id, quantity: 1 },
        ],
      },
    ],
    memo: { client: api.client.name },
    summary: `${body.orderReferenceId}: 2 items to DE`,
  });
  await api.patch(id, { currency: 'USD' }).expect(409);
  expect(await api.starts(id)).toHaveLength(1);
});

test('an unchanged draft that becomes an order starts the same workflow as a submission', async () => {
  const body = order({ items: [named(), named({ itemReferenceId: 'item-2' })] });
  const submitted = (await api.submit(body).expect(200)).body.id;
  const id = (await api.submit({ ...body, orderType: 'draft' }).expect(200)).body.id;
  await api.patch(id, { orderType: 'order' }).expect(200);
  const comparable = async (orderId: string) => {
    const [start] = await api.starts(orderId);
    const { requestId: _id, ...memo } = start!.memo as Record<string, unknown>;
    const { requestId: _request, orderId: _order, items, ...input } = start!.args[0]!;
    const quantities = (items as { quantity: number }[]).map(({ quantity }) => quantity);
    return { ...start, memo, args: [{ ...input, quantities }] };
  };
  expect(await comparable(id)).toEqual(await comparable(submitted));
});

test('products are resolved again when a draft becomes an order', async () => {
  const id = await newDraft();
  const stop = async (state: string) => {
    await api.sql`UPDATE product_models SET state = ${state} WHERE id = 'poster'`;
    await bumpCatalogVersion(api.sql);
  };
  await stop('inactive');
  const { body } = await api.patch(id, { orderType: 'order' }).expect(400);
  expect(fields(body)).toEqual(['NO_SUCH_CHOICE_ERROR items[0].productUid']);
  // An edit that keeps it a draft does not resolve products.
  await api.patch(id, { currency: 'GBP' }).expect(200);
  await api.sql`UPDATE product_models SET name = 'Fine poster' WHERE id = 'poster'`;
  await stop('active');
  const confirmed = (await api.patch(id, { orderType: 'order' }).expect(200)).body;
  expect(confirmed.items[0].productName).toBe('Fine poster');
});

test('deleting a draft deletes all of its rows', async () => {
  const before = await api.rows();
  const id = await newDraft({
    packagingInstructions: [{ ...pack('item-1', 1), packingSlip: { fileUrl: FILE_URL } }],
  });
  expect((await api.delete(id).expect(200)).body).toEqual({ id, deleted: true });
  expect(await api.rows()).toEqual(before);
  await api.get(id).expect(404);
  await api.delete(id).expect(404);
  await api.patch(id, {}).expect(404);
});

test('a repeated PATCH that submits a draft gets the order, and one that asks for something else 409', async () => {
  const id = await newDraft({ retailCurrency: 'EUR' });
  const change = {
    orderType: 'order',
    retailCurrency: null,
    metadata: [],
    items: [item({ quantity: 3, metadata: [] })],
  };
  const first = (await api.patch(id, change).expect(200)).body;
  expect(first).toMatchObject({ id, fulfillmentStatus: 'created', retailCurrency: null });
  expect((await api.patch(id, change).expect(200)).body).toEqual(first);
  expect(await api.starts(id)).toHaveLength(1);
  await api.patch(id, { ...change, items: [item({ quantity: 4 })] }).expect(409);
});

test('editing or deleting an order gets 409', async () => {
  const { id } = (await api.submit(order()).expect(200)).body;
  expect((await api.patch(id, { currency: 'USD' }).expect(409)).body.code).toBe('CONFLICT');
  expect((await api.delete(id).expect(409)).body.code).toBe('CONFLICT');
  expect((await api.get(id).expect(200)).body.currency).toBe('EUR');
});

test('cancelling a draft gets 409', async () => {
  const id = await newDraft();
  expect((await api.post(`/v1/orders/${id}/cancel`, {}).expect(409)).body.code).toBe('CONFLICT');
  expect((await api.get(id).expect(200)).body.fulfillmentStatus).toBe('draft');
});

test('another client’s draft gets 404, an operator’s edit 403', async () => {
  const id = await newDraft();
  await api.patch(id, { currency: 'USD' }, api.other).expect(404);
  await api.delete(id, api.other).expect(404);
  await api.patch(id, { currency: 'USD' }, api.operator).expect(403);
  await api.delete(id, api.operator).expect(403);
  const shipment = (by: TestAccount) => request(api.app).put(`/v1/orders/${id}/shipment`).set(by.keyAndSecret);
  await shipment(api.other).send({ shipmentMethodUid: 'express' }).expect(404);
  await subscribedPartners(api);
  await shipment(api.operator).send({ shipmentMethodUid: 'express', reason: 'asked' }).expect(403);
  expect((await api.get(id).expect(200)).body.shipmentMethodUid).toBeNull();
});

describe('concurrent requests', () => {
  const ROUNDS = 10;

  test('edits of different fields all take effect', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await newDraft();
      const edits = [{ currency: 'USD' }, { shipmentMethodUid: 'express' }, { items: [item({ quantity: 9 })] }];
      await Promise.all(edits.map((edit) => api.patch(id, edit).expect(200)));
      expect((await api.get(id).expect(200)).body).toMatchObject({
        currency: 'USD',
        shipmentMethodUid: 'express',
        items: [{ quantity: 9 }],
      });
    }
  });

  test('one of several confirmations creates the order and starts one workflow; the others get the order too', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await newDraft();
      const confirm = () => api.patch(id, { orderType: 'order' }).then(({ status }) => status);
      const statuses = await Promise.all([confirm(), confirm(), confirm(), confirm()]);
      expect(statuses).toEqual([200, 200, 200, 200]);
      expect(await api.starts(id)).toHaveLength(1);
    }
  });

  test('of a confirmation and a deletion exactly one takes effect', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await newDraft();
      const [confirmed, deleted] = await Promise.all([
        api.patch(id, { orderType: 'order' }).then(({ status }) => status),
        api.delete(id).then(({ status }) => status),
      ]);
      if (deleted === 200) {
        expect(confirmed).toBe(404);
        expect(await api.starts(id)).toEqual([]);
        await api.get(id).expect(404);
      } else {
        expect([confirmed, deleted]).toEqual([200, 409]);
        expect(await api.starts(id)).toHaveLength(1);
        expect((await api.get(id).expect(200)).body.items).toHaveLength(1);
      }
    }
  });
});
