import { eventually } from '../../../support/eventually';
import { type TestStack, testStack } from '../../../support/stack';
import { framedPoster, tShirt } from '../client-orders';
import { conflict, operatorHelpers } from '../operator-fixture';
import {
  accepted,
  carrierScans,
  type HandedOver,
  handedOver,
  is,
  orderBody,
  orderNow,
  orderUntil,
  seenPrintOrders,
} from '../order-fixture';

/** Changes of address and method when a part of the order has left. The partners send no postbacks on their own. */

let stack: TestStack;
const { repair, say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const read = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const dispatch = (orderId: string, partner = 'prints-berlin') =>
  stack.partner(partner).dispatchOrder({ body: { orderId } });
const change = (orderId: string, reference: string, addressLine1 = 'Invalidenstrasse 2') =>
  stack.client.updateShipment({
    params: { orderId },
    body: {
      shipmentMethodUid: 'express',
      shippingAddress: { ...orderBody(stack, reference).shippingAddress, addressLine1 },
    },
  });
const itemsAre =
  (...wanted: string[]) =>
  ({ items }: { items: readonly { status: string }[] }) =>
    items.map(({ status }) => status).join() === wanted.join();

/** The second item, a sticker, ships first. */
async function stickerShipped(order: HandedOver, more: object = {}): Promise<void> {
  await say(order, 'shipped', { orderItemId: order.jobIds[1], ...more });
  await orderUntil(stack, order.orderId, itemsAre('passed', 'shipped'));
}

const scanned = (trackingNumber: string) => carrierScans(stack, trackingNumber, 'delivered');

test('an item that left with the partner’s own code keeps code and method; the rest gets the new ones', async () => {
  const order = await handedOver(stack, 'own-code', { items: 2 });
  const before = (await read(order.orderId)).shipment!;
  await stickerShipped(order, { trackingCode: 'OWN 1', trackingLink: 'https://carrier.example/1' });

  const response = await change(order.orderId, 'own-code');
  expect(response.shippingAddress).toMatchObject({ addressLine1: 'Invalidenstrasse 2' });
  expect(response.shipment.shipmentMethodUid).not.toBe(before.shipmentMethodUid);
  const { trackingCode } = await dispatch(order.printOrderId);
  expect((await read(order.orderId)).shipment!.packages).toMatchObject([
    {
      trackingCode: 'OWN 1',
      trackingUrl: 'https://carrier.example/1',
      shipmentMethodUid: before.shipmentMethodUid,
      items: [{ itemReferenceId: 'sticker', quantity: 1 }],
    },
    {
      trackingCode,
      items: [{ itemReferenceId: 'poster', quantity: 1 }],
      shipmentMethodUid: response.shipment.shipmentMethodUid,
    },
  ]);
  // The label of the rest is for the poster alone.
  const [label] = await stack.services.sql<{ items: string[] }[]>`
    SELECT jsonb_path_query_array(consignment, '$.packages[*].items[*].itemReferenceId') AS items
    FROM shipments WHERE print_order_id = ${order.printOrderId} AND status = 'bought'`;
  expect(label!.items).toEqual(['poster']);
  expect(seenPrintOrders(stack, [order.printOrderId])[0]!.updates).toMatchObject([
    { revision: 2, addressLine1: 'Invalidenstrasse 2' },
  ]);
  await say(order, 'shipped', { orderItemId: order.jobIds[0] });
  await orderUntil(stack, order.orderId, is('shipped'));
  await expect(change(order.orderId, 'own-code')).rejects.toMatchObject(conflict(/has shipped/));
});

test('an item that left with a label keeps it, and each parcel is followed separately', async () => {
  const order = await handedOver(stack, 'two-labels', { items: 2 });
  const first = (await dispatch(order.printOrderId)).trackingCode!;
  const [departed] = (await read(order.orderId)).shipment!.packages.filter(
    ({ packageReferenceId }) => packageReferenceId === 'P-2',
  );
  await stickerShipped(order);
  await change(order.orderId, 'two-labels');
  const second = (await dispatch(order.printOrderId)).trackingCode!;
  expect(second).not.toBe(first);
  expect(await orderNow(stack, order.orderId)).toMatchObject({ shipments: { bought: 2 } });
  const codes = (await read(order.orderId)).shipment!.packages.map(({ trackingCode }) => trackingCode);
  expect(codes).toEqual([departed!.trackingCode, second]);

  await scanned(departed!.trackingCode);
  await orderUntil(stack, order.orderId, itemsAre('passed', 'delivered'));
  await say(order, 'shipped', { orderItemId: order.jobIds[0] });
  await orderUntil(stack, order.orderId, itemsAre('shipped', 'delivered'));
  await scanned(second);
  expect(await orderUntil(stack, order.orderId, is('delivered'))).toMatchObject({ attention: null });
});

test.each([
  ['with a code of its partner', 'OWN 7'],
  ['with a label', undefined],
])('a second change after an item left %s renews the label of the rest again', async (how, trackingCode) => {
  const order = await handedOver(stack, how, { items: 2 });
  if (trackingCode === undefined) await dispatch(order.printOrderId);
  await stickerShipped(order, { trackingCode });
  const departed = (await read(order.orderId)).shipment!.packages.find(({ items }) =>
    items.some(({ itemReferenceId }) => itemReferenceId === 'sticker'),
  )!.trackingCode;
  await change(order.orderId, how);
  const first = (await dispatch(order.printOrderId)).trackingCode!;

  await change(order.orderId, how, 'Invalidenstrasse 3');

  const second = (await dispatch(order.printOrderId)).trackingCode!;
  expect(second).not.toBe(first);
  const { packages } = (await read(order.orderId)).shipment!;
  expect(packages.map((each) => each.trackingCode)).toEqual([departed, second]);
  await eventually(async () => {
    const voided = await stack.services.sql`
      SELECT FROM carrier_purchases WHERE tracking_number = ${first} AND voided_at IS NOT NULL`;
    return voided[0];
  });
});

test('the label of the rest in the old shipment is voided: it is not shown, and the order is delivered without it', async () => {
  const order = await handedOver(stack, 'left-behind', { items: 2 });
  await dispatch(order.printOrderId);
  const before = (await read(order.orderId)).shipment!.packages;
  // The poster and the sticker travel in a package each.
  expect(before).toMatchObject([{ packageReferenceId: 'P-1' }, { packageReferenceId: 'P-2' }]);
  const [rest, departed] = before.map(({ trackingCode }) => trackingCode!);
  await stickerShipped(order);
  await change(order.orderId, 'left-behind');
  const renewed = (await dispatch(order.printOrderId)).trackingCode!;

  expect((await read(order.orderId)).shipment!.packages).toMatchObject([
    { packageReferenceId: 'P-2', trackingCode: departed, items: [{ itemReferenceId: 'sticker', quantity: 1 }] },
    { packageReferenceId: 'P-1', trackingCode: renewed, items: [{ itemReferenceId: 'poster', quantity: 1 }] },
  ]);
  const { sql } = stack.services;
  await eventually(async () => {
    const [voided] = await sql`
      SELECT 1 FROM carrier_purchases WHERE tracking_number = ${rest!} AND voided_at IS NOT NULL`;
    return voided;
  });
  expect(
    await sql`SELECT 1 FROM carrier_purchases WHERE tracking_number = ${departed!} AND voided_at IS NULL`,
  ).toHaveLength(1);
  await scanned(departed!);
  await orderUntil(stack, order.orderId, itemsAre('passed', 'delivered'));
  await say(order, 'shipped', { orderItemId: order.jobIds[0] });
  await orderUntil(stack, order.orderId, itemsAre('shipped', 'delivered'));
  await scanned(renewed);
  await orderUntil(stack, order.orderId, is('delivered'));
  // A scan shows that the partner has used the label after all.
  await scanned(rest!);
  expect((await read(order.orderId)).shipment!.packages.map((parcel) => parcel.trackingCode)).toContain(rest);
});

test('the label of an item that its partner cancels after dispatch is voided, and the order is delivered without it', async () => {
  const order = await handedOver(stack, 'rest-cancelled', { items: 2 });
  await dispatch(order.printOrderId);
  const before = (await read(order.orderId)).shipment!.packages;
  expect(before).toMatchObject([{ packageReferenceId: 'P-1' }, { packageReferenceId: 'P-2' }]);
  const [cancelled, departed] = before.map(({ trackingCode }) => trackingCode!);
  await stickerShipped(order);
  await repair(order.orderId, { action: 'cancel', itemIds: [order.itemIds[0]!] });
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0] }] });
  await orderUntil(stack, order.orderId, itemsAre('cancelled', 'shipped'));

  await eventually(async () => {
    const [voided] = await stack.services.sql`
      SELECT 1 FROM carrier_purchases WHERE tracking_number = ${cancelled!} AND voided_at IS NOT NULL`;
    return voided;
  });
  expect((await read(order.orderId)).shipment!.packages).toMatchObject([
    { packageReferenceId: 'P-2', trackingCode: departed },
  ]);
  await scanned(departed!);
  expect(await orderUntil(stack, order.orderId, is('delivered'))).toMatchObject({ attention: null });
});

test('when every parcel of a bought shipment is left out, a dispatch request returns no document and names the void labels', async () => {
  const order = await handedOver(stack, 'all-left-out', { items: 2 });
  await stickerShipped(order);
  const { trackingCode } = await dispatch(order.printOrderId);
  await stack.client.cancelOrder({
    params: { orderId: order.orderId },
    body: { reason: 'ordered twice', items: [{ itemReferenceId: 'poster' }] },
  });
  await orderUntil(stack, order.orderId, itemsAre('cancelled', 'shipped'));
  for (let request = 0; request < 2; request += 1) {
    const { documents, voidLabels } = await dispatch(order.printOrderId);
    expect(documents).toEqual([]);
    expect(voidLabels).toMatchObject([{ trackingCode }]);
  }
});

test('an item that is cancelled after the rest has left with the partner’s own code gives back what shipping costs less', async () => {
  const order = await handedOver(stack, 'cancelled-last', { items: 2 });
  await stickerShipped(order, { trackingCode: 'OWN 2' });
  const charged = async () => {
    const { receipts } = await read(order.orderId);
    return Math.round(receipts.reduce((sum, { shippingPrice }) => sum + shippingPrice, 0) * 100);
  };
  const before = await charged();
  await repair(order.orderId, { action: 'cancel', itemIds: [order.itemIds[0]!] });
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0] }] });
  await orderUntil(stack, order.orderId, itemsAre('cancelled', 'shipped'));

  const after = await eventually(async () => {
    const now = await charged();
    return now < before ? now : undefined;
  });
  expect(after).toBe(Math.round((await read(order.orderId)).shipment!.price * 100));
});

test('of two partners, the one that has shipped keeps its label and gets no update', async () => {
  const reference = 'two-partners';
  const retail = { retailPriceInclVat: 25 };
  const { id: orderId } = await stack.client.submitOrder({
    body: { ...orderBody(stack, reference), items: [framedPoster(stack, retail), tShirt(stack, retail)] },
  });
  await accepted(stack, orderId, 2);
  const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId } });
  const at = (uid: string) => printOrders.find(({ partnerUid }) => partnerUid === uid)!.id;
  const berlin = (await dispatch(at('prints-berlin'))).trackingCode!;
  const ohio = (await dispatch(at('prints-ohio'), 'prints-ohio')).trackingCode!;
  await say({ printOrderId: at('prints-berlin') }, 'shipped');
  await orderUntil(stack, orderId, itemsAre('shipped', 'passed'));

  await change(orderId, reference);
  await orderUntil(stack, orderId, ({ shipments }) => shipments.voided === 1);
  const renewed = (await dispatch(at('prints-ohio'), 'prints-ohio')).trackingCode!;
  const codes = (await read(orderId)).shipment!.packages.map(({ trackingCode }) => trackingCode);
  expect(codes).toEqual(expect.arrayContaining([berlin, renewed]));
  expect(codes).not.toContain(ohio);
  expect(seenPrintOrders(stack, [at('prints-berlin')])[0]!.updates).toEqual([]);
  expect(seenPrintOrders(stack, [at('prints-ohio')])[0]!.updates).toHaveLength(1);
});
