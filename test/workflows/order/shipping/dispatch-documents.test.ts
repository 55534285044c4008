import { PresslineError } from '../../../../client/pressline-client';
import { type TestStack, testStack } from '../../../support/stack';
import { addressIn, orderOf, poster, sticker } from '../client-orders';
import { operatorHelpers } from '../operator-fixture';
import { accepted, handedOver, orderUntil } from '../order-fixture';
import { downloaded } from './dispatched-order';

/** What a partner gets when it requests the documents of a part of a print order, or of an order that has changed. */

let stack: TestStack;
const { now, repair, say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const dispatch = (orderId: string, more: { orderItemIds?: string[] } = {}, partner = 'prints-berlin') =>
  stack.partner(partner).dispatchOrder({ body: { orderId, ...more } });
const parcelsOf = async (orderId: string) => (await stack.client.getOrder({ params: { orderId } })).shipment!.packages;
const refusal = async (request: Promise<unknown>) => {
  const error = await request.catch((reason: unknown) => reason);
  if (!(error instanceof PresslineError)) throw new Error('the request was not refused');
  return { status: error.status, body: error.body };
};

test('every document names its package, and its label shows the same number', async () => {
  const order = await handedOver(stack, 'named-packages', { items: 2 });

  const dispatched = await dispatch(order.printOrderId);
  const { documents, trackingCode, voidLabels } = dispatched;

  const parcels = await parcelsOf(order.orderId);
  const named = documents.map(({ type, packageReferenceId, trackingCode }) => [type, packageReferenceId, trackingCode]);
  expect(named).toEqual([
    ['label', 'P-1', parcels[0]!.trackingCode],
    ['label', 'P-2', parcels[1]!.trackingCode],
    ['invoice', 'P-1', parcels[0]!.trackingCode],
    ['invoice', 'P-2', parcels[1]!.trackingCode],
  ]);
  expect(trackingCode).toBe(parcels[0]!.trackingCode);
  expect(voidLabels).toBeUndefined();
  for (const [index, { type, text }] of (await downloaded(dispatched)).entries()) {
    if (type !== 'label') continue;
    expect(text).toContain(documents[index]!.packageReferenceId);
    expect(text.replace(/\s/g, '')).toContain(documents[index]!.trackingCode);
  }
});

test('a request for some items returns the documents of their parcels', async () => {
  const order = await handedOver(stack, 'some-items', { items: 2 });
  const [, sticker] = order.jobIds;

  const part = await dispatch(order.printOrderId, { orderItemIds: [sticker!] });

  const parcels = await parcelsOf(order.orderId);
  expect(parcels.map(({ items }) => items[0]!.itemReferenceId)).toEqual(['poster', 'sticker']);
  expect(part.documents.map(({ type, packageReferenceId }) => [type, packageReferenceId])).toEqual([
    ['label', 'P-2'],
    ['invoice', 'P-2'],
  ]);
  expect(part.trackingCode).toBe(parcels[1]!.trackingCode);
  const rest = await dispatch(order.printOrderId, { orderItemIds: [order.jobIds[0]!] });
  expect(rest.trackingCode).toBe(parcels[0]!.trackingCode);
  const all = await dispatch(order.printOrderId, { orderItemIds: [...order.jobIds] });
  expect(all.documents).toHaveLength(4);
  expect(await refusal(dispatch(order.printOrderId, { orderItemIds: [sticker!, '1'] }))).toEqual({
    status: 400,
    body: { error: expect.stringContaining('orderItemIds[1]: The print order has no item 1.') },
  });
});

/** Returns the text of the document with these words. */
const documentText = async (dispatched: Parameters<typeof downloaded>[0], words: string) =>
  (await downloaded(dispatched)).find(({ text }) => text.includes(words))?.text;

test('a delivery note lists the units in the parcel, not those that the partner has cancelled', async () => {
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, { items: [poster(stack, { quantity: 5 })] }),
  });
  const order = await accepted(stack, id);
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 2 }] });
  await orderUntil(stack, id, ({ items }) => items[0]!.status === 'manual_handling');

  const note = await documentText(await dispatch(order.printOrderId), 'Delivery note');

  expect(note).toContain('poster 3 Items in this package 3');
});

describe.each([
  ['CN 22', 'corvid_post_tracked_packet'],
  ['Commercial Invoice', 'tern_parcel_standard'],
])('a parcel with a %s whose contents change after dispatch', (form, shipmentMethodUid) => {
  const inOnePackage = ['poster', 'sticker'].map((orderItemReferenceId) => ({ orderItemReferenceId, quantity: 3 }));

  test('gets new documents, with the remaining units, and keeps its label', async () => {
    const { id } = await stack.client.submitOrder({
      body: orderOf(stack, {
        shippingAddress: addressIn.CH,
        shipmentMethodUid,
        retailCurrency: 'EUR',
        retailShippingPriceInclVat: 5,
        items: [
          poster(stack, { quantity: 3, retailPriceInclVat: 60 }),
          sticker(stack, { quantity: 3, retailPriceInclVat: 9 }),
        ],
        packagingInstructions: [{ packageItems: inOnePackage }],
      }),
    });
    const order = await accepted(stack, id);
    const [posterJob, stickerJob] = order.jobIds;
    const { partner } = order;
    const before = await dispatch(order.printOrderId, {}, partner);
    expect(await documentText(before, form)).toMatch(/60\.00 EUR.* 9\.00 EUR.*69\.00 EUR/);

    const items = [{ orderItemId: posterJob!, quantity: 1 }, { orderItemId: stickerJob! }];
    const orderId = order.printOrderId;
    await stack.partner(partner).postOrderStatus({ body: { timestamp: now(), orderId, status: 'cancelled', items } });
    await orderUntil(stack, id, ({ items }) => items.every(({ status }) => status === 'manual_handling'));

    expect((await parcelsOf(id)).map(({ items }) => items)).toEqual([[{ itemReferenceId: 'poster', quantity: 2 }]]);
    const after = await dispatch(order.printOrderId, {}, partner);
    expect(after.trackingCode).toBe(before.trackingCode);
    expect(after.voidLabels).toBeUndefined();
    expect(after.documents.map(({ type }) => type)).toEqual(before.documents.map(({ type }) => type));
    // A link of the first response leads to the new form as well.
    for (const documents of [after, before]) {
      const text = await documentText(documents, form);
      expect(text).toMatch(/40\.00 EUR/);
      expect(text).not.toMatch(/60\.00 EUR| 9\.00 EUR|Sticker/);
    }
    const invoice = await documentText(after, 'Order run-');
    expect(invoice).toMatch(/ poster 2 20\.00 EUR 40\.00 EUR/);
    expect(invoice).not.toContain('sticker');
  });
});

test('a package that is emptied by cancelled units is left out, and its label is voided', async () => {
  const order = await handedOver(stack, 'emptied', {
    quantity: 3,
    packagingInstructions: [2, 1].map((quantity) => ({ packageItems: [{ orderItemReferenceId: 'poster', quantity }] })),
  });
  await dispatch(order.printOrderId);
  const [first, second] = await parcelsOf(order.orderId);
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 1 }] });
  await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'manual_handling');

  const { documents, voidLabels } = await dispatch(order.printOrderId);

  const named = documents.map(({ type, trackingCode }) => [type, trackingCode]);
  expect(named).toEqual([
    ['label', first!.trackingCode],
    ['invoice', first!.trackingCode],
  ]);
  expect(voidLabels).toEqual([{ packageReferenceId: 'P-2', trackingCode: second!.trackingCode }]);
  expect(await documentText({ documents }, 'Order emptied')).toMatch(/ poster 2 /);
});

test('after a part was cancelled, a repeated request returns the valid label and names the void one', async () => {
  const order = await handedOver(stack, 'part-cancelled', { items: 2 });
  await dispatch(order.printOrderId);
  const [poster, sticker] = await parcelsOf(order.orderId);
  await repair(order.orderId, { action: 'cancel', itemIds: [order.itemIds[0]!] });
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0] }] });
  await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'cancelled');

  const again = await dispatch(order.printOrderId);

  expect(again.documents.map(({ type, trackingCode }) => [type, trackingCode])).toEqual([
    ['label', sticker!.trackingCode],
    ['invoice', sticker!.trackingCode],
  ]);
  expect(again.trackingCode).toBe(sticker!.trackingCode);
  expect(again.voidLabels).toEqual([{ packageReferenceId: 'P-1', trackingCode: poster!.trackingCode }]);
  expect(await refusal(dispatch(order.printOrderId, { orderItemIds: [order.jobIds[0]!] }))).toMatchObject({
    status: 409,
    body: { error: `Item ${order.jobIds[0]} is cancelled.` },
  });
});

test('after a change of address, the labels of the old address are named as void', async () => {
  const order = await handedOver(stack, 'void-labels', { items: 2 });
  await dispatch(order.printOrderId);
  const before = await parcelsOf(order.orderId);
  await stack.client.updateShipment({ params: { orderId: order.orderId }, body: { shipmentMethodUid: 'express' } });
  await orderUntil(stack, order.orderId, ({ shipments }) => shipments.voided === 1);

  const { documents, voidLabels } = await dispatch(order.printOrderId);

  expect(voidLabels).toEqual(
    before.map(({ packageReferenceId, trackingCode }) => ({ packageReferenceId, trackingCode })),
  );
  const codes = documents.map(({ trackingCode }) => trackingCode);
  expect(new Set(codes).size).toBe(2);
  for (const { trackingCode } of before) expect(codes).not.toContain(trackingCode);
});
