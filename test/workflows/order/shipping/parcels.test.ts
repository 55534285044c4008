import { s10 } from '../../../../src/carriers/domain/tracking-numbers';
import type { TrackingStatus } from '../../../../src/consignments/domain/tracking-status';
import { eventually } from '../../../support/eventually';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';
import { type TestStack, testStack } from '../../../support/stack';
import { addressIn } from '../client-orders';
import { operatorHelpers } from '../operator-fixture';
import { carrierScans, type HandedOver, handedOver, orderBody, orderUntil } from '../order-fixture';

/** Items follow the parcels that hold them: labels, and tracking codes of the partner's own. The partners send no postbacks on their own. */

let stack: TestStack;
let receiver: PartnerServer;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  receiver = await partnerServer();
  const events = ['order_item_tracking_code_updated', 'order_item_status_updated'] as const;
  await stack.client.createWebhook({ body: { url: receiver.url, events: [...events] } });
});

let serial = 5_000;
const ownCode = () => s10('R', ++serial, 'FR');

/** The partner ships with its own code: one item, or without `item` what is left of the print order. */
const ships = ({ printOrderId, jobIds }: HandedOver, trackingCode: string | null, item?: 'poster' | 'sticker') =>
  say({ printOrderId }, 'shipped', {
    ...(trackingCode === null ? {} : { trackingCode }),
    ...(item === undefined ? {} : { orderItemId: jobIds[item === 'poster' ? 0 : 1] }),
  });

const scanned = (trackingNumber: string, statusUid: TrackingStatus) => carrierScans(stack, trackingNumber, statusUid);

/** Waits until the order and its items, poster first, have these statuses, as its client reads them. */
async function statusesAre(order: HandedOver, status: string, ...items: string[]) {
  await orderUntil(
    stack,
    order.orderId,
    (now) => now.status === status && now.items.map((item) => item.status).join() === items.join(),
  );
  return await stack.client.getOrder({ params: { orderId: order.orderId } });
}

/** Returns the parcels with their items, as the client reads them. */
async function parcelsOf({ orderId }: HandedOver): Promise<Record<string, string[]>> {
  const { shipment } = await stack.client.getOrder({ params: { orderId } });
  return Object.fromEntries(
    shipment!.packages.map(({ trackingCode, items }) => [
      trackingCode!,
      items.map(({ itemReferenceId }) => itemReferenceId),
    ]),
  );
}

const notifiedOf = ({ orderId }: HandedOver, event: string) =>
  receiver.received
    .map(({ body }) => JSON.parse(body) as { [field: string]: string })
    .filter((each) => each.orderId === orderId && each.event === event);
const notifiedCodes = (order: HandedOver) =>
  notifiedOf(order, 'order_item_tracking_code_updated').map((each) => `${each.itemReferenceId} ${each.trackingCode}`);

test.each(['delivered', 'returned'] as const)(
  'an item with its own code that is %s says nothing about the other',
  async (end) => {
    const order = await handedOver(stack, `own-${end}`, { items: 2 });
    const code = ownCode();
    await ships(order, code, 'sticker');
    await scanned(code, end);
    await statusesAre(order, 'passed', 'passed', end);
    expect(await parcelsOf(order)).toEqual({ [code]: ['sticker'] });
    await eventually(async () => (notifiedCodes(order).length > 0 ? true : undefined));

    await ships(order, null, 'poster');
    await statusesAre(order, 'shipped', 'shipped', end);
    expect(notifiedCodes(order)).toEqual([`sticker ${code}`]);
  },
);

test('of two parcels by packaging instructions, one is delivered at once and the other returned', async () => {
  const packagingInstructions = ['poster', 'sticker'].map((orderItemReferenceId) => ({
    packageItems: [{ orderItemReferenceId, quantity: 1 }],
  }));
  const order = await handedOver(stack, 'two-packages', { items: 2, packagingInstructions });
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } });
  await ships(order, null);
  await statusesAre(order, 'shipped', 'shipped', 'shipped');
  const codes = Object.entries(await parcelsOf(order));
  const codeOf = (item: string) => codes.find(([, items]) => items.join() === item)![0];

  await scanned(codeOf('poster'), 'delivered');
  await statusesAre(order, 'shipped', 'delivered', 'shipped');
  await scanned(codeOf('sticker'), 'returned');
  await statusesAre(order, 'delivered', 'delivered', 'returned');
  const told = () =>
    notifiedOf(order, 'order_item_status_updated').map(({ itemReferenceId, status }) => `${itemReferenceId} ${status}`);
  await eventually(async () => (told().includes('sticker returned') ? true : undefined));
  expect(told()).toContain('poster delivered');
  expect(told()).not.toContain('poster returned');
});

test('an order is returned when all of it came back', async () => {
  const order = await handedOver(stack, 'all-returned', { items: 2 });
  const codes = [ownCode(), ownCode()] as const;
  await ships(order, codes[0], 'poster');
  await ships(order, codes[1], 'sticker');
  await scanned(codes[0], 'returned');
  await statusesAre(order, 'shipped', 'returned', 'shipped');
  await scanned(codes[1], 'returned');
  const { fulfillmentStatus } = await statusesAre(order, 'returned', 'returned', 'returned');
  expect(fulfillmentStatus).toBe('returned');
});

test('a label and an own code in one print order are two parcels', async () => {
  const order = await handedOver(stack, 'mixed', { items: 2 });
  const { trackingCode: label } = await stack
    .partner('prints-berlin')
    .dispatchOrder({ body: { orderId: order.printOrderId } });
  const code = ownCode();
  await ships(order, code, 'sticker');
  await scanned(code, 'delivered');
  await statusesAre(order, 'passed', 'passed', 'delivered');
  await scanned(label!, 'in_transit');
  await statusesAre(order, 'in_transit', 'in_transit', 'delivered');
  expect(await parcelsOf(order)).toMatchObject({ [code]: ['sticker'], [label!]: ['poster'] });
  await scanned(label!, 'delivered');
  await statusesAre(order, 'delivered', 'delivered', 'delivered');
});

test('a package of which a part has left names only that part', async () => {
  const packageItems = ['poster', 'sticker'].map((orderItemReferenceId) => ({ orderItemReferenceId, quantity: 1 }));
  const order = await handedOver(stack, 'one-package', { items: 2, packagingInstructions: [{ packageItems }] });
  const { trackingCode: label } = await stack
    .partner('prints-berlin')
    .dispatchOrder({ body: { orderId: order.printOrderId } });
  expect(await parcelsOf(order)).toEqual({ [label!]: ['poster', 'sticker'] });
  await ships(order, null, 'sticker');
  await statusesAre(order, 'passed', 'passed', 'shipped');
  expect(await parcelsOf(order)).toEqual({ [label!]: ['sticker'] });
  await eventually(async () => (notifiedCodes(order).length > 0 ? true : undefined));
  expect(notifiedCodes(order)).toEqual([`sticker ${label}`]);
  await ships(order, null, 'poster');
  await statusesAre(order, 'shipped', 'shipped', 'shipped');
  expect(await parcelsOf(order)).toEqual({ [label!]: ['poster', 'sticker'] });
  await eventually(async () => (notifiedCodes(order).length > 1 ? true : undefined));
  expect(notifiedCodes(order)).toEqual([`sticker ${label}`, `poster ${label}`]);
});

test.each([
  ['after', ['sticker', undefined]],
  ['before', [undefined, 'sticker']],
] as const)('a postback for the whole print order %s one for an item is about the other items', async (when, parts) => {
  const order = await handedOver(stack, `whole-${when}`, { items: 2 });
  const codes = { sticker: ownCode(), rest: ownCode() };
  for (const part of parts) await ships(order, codes[part ?? 'rest'], part);
  await statusesAre(order, 'shipped', 'shipped', 'shipped');
  await scanned(codes.sticker, 'returned');
  await statusesAre(order, 'shipped', 'shipped', 'returned');
  await eventually(async () => (Object.keys(await parcelsOf(order)).length === 2 ? true : undefined));
  expect(await parcelsOf(order)).toEqual({ [codes.sticker]: ['sticker'], [codes.rest]: ['poster'] });
  await scanned(codes.rest, 'delivered');
  await statusesAre(order, 'delivered', 'delivered', 'returned');
});

test('two codes for the whole print order are two parcels: all of it is delivered when both are', async () => {
  const order = await handedOver(stack, 'two-codes', { items: 2 });
  const codes = [ownCode(), ownCode()] as const;
  await ships(order, codes[0]);
  await ships(order, codes[1]);
  await eventually(async () => ((await parcelsOf(order))[codes[1]] === undefined ? undefined : true));
  expect(await parcelsOf(order)).toEqual({ [codes[0]]: ['poster', 'sticker'], [codes[1]]: ['poster', 'sticker'] });
  await scanned(codes[0], 'delivered');
  await statusesAre(order, 'in_transit', 'in_transit', 'in_transit');
  await scanned(codes[1], 'delivered');
  await statusesAre(order, 'delivered', 'delivered', 'delivered');
});

test('a code that comes before its item has left names no units until then', async () => {
  const order = await handedOver(stack, 'early-code', { items: 2 });
  const code = ownCode();
  await say(order, 'printed', { trackingCode: code });
  await statusesAre(order, 'printed', 'printed', 'printed');
  expect(await parcelsOf(order)).toEqual({});
  await ships(order, null, 'poster');
  await statusesAre(order, 'printed', 'shipped', 'printed');
  expect(await parcelsOf(order)).toEqual({ [code]: ['poster'] });
  await eventually(async () => (notifiedCodes(order).length > 0 ? true : undefined));
  expect(notifiedCodes(order)).toEqual([`poster ${code}`]);
});

test('what left before a change of address follows its own parcel', async () => {
  const order = await handedOver(stack, 'moved', { items: 2 });
  const codes = [ownCode(), ownCode()] as const;
  await ships(order, codes[0], 'sticker');
  await statusesAre(order, 'passed', 'passed', 'shipped');
  await stack.client.updateShipment({
    params: { orderId: order.orderId },
    body: { shippingAddress: { ...orderBody(stack, 'moved').shippingAddress, addressLine1: 'Invalidenstrasse 2' } },
  });
  // The update of the partner names only what has not left.
  const update = await eventually(async () => {
    const [row] = await stack.services.sql<{ body: string }[]>`
      SELECT body FROM print_order_updates WHERE print_order_id = ${order.printOrderId}`;
    return row?.body;
  });
  expect(update).toContain(`"${order.jobIds[0]}"`);
  expect(update).not.toContain(`"${order.jobIds[1]}"`);
  await scanned(codes[0], 'returned');
  await statusesAre(order, 'passed', 'passed', 'returned');
  await ships(order, codes[1]);
  await statusesAre(order, 'shipped', 'shipped', 'returned');
  await scanned(codes[1], 'delivered');
  await statusesAre(order, 'delivered', 'delivered', 'returned');
  expect(await parcelsOf(order)).toEqual({ [codes[0]]: ['sticker'], [codes[1]]: ['poster'] });
});

test('an address in another country changes the taxes of what has not left, and of nothing else', async () => {
  const packageItems = ['poster', 'sticker'].map((orderItemReferenceId) => ({ orderItemReferenceId, quantity: 1 }));
  const order = await handedOver(stack, 'taxes', { items: 2, packagingInstructions: [{ packageItems }] });
  await ships(order, ownCode(), 'sticker');
  await statusesAre(order, 'passed', 'passed', 'shipped');
  const { orderId } = order;
  const { receipts: before } = await stack.client.getOrder({ params: { orderId } });
  await stack.client.updateShipment({ params: { orderId }, body: { shippingAddress: addressIn.FR } });
  const { receipts, shipment } = await stack.client.getOrder({ params: { orderId } });

  expect(receipts.map(({ type }) => type)).toEqual(['invoice', 'refund', 'invoice']);
  const [first, refund, invoice] = receipts.map(({ items }) =>
    Object.fromEntries(items.map(({ type, referenceId, ...line }) => [type === 'shipment' ? type : referenceId, line])),
  );
  expect([first]).toMatchObject(
    before.map(({ items }) => ({ sticker: { vat: items.find(({ referenceId }) => referenceId === 'sticker')!.vat } })),
  );
  expect(Object.keys(refund!)).toEqual(['poster', 'shipment']);
  expect(Object.keys(invoice!)).toEqual(['poster', 'shipment']);
  expect(refund!.poster!.price).toBe(-first!.poster!.price);
  expect(invoice!.poster!.price).toBe(first!.poster!.price);
  expect(invoice!.poster!.vat).toBeCloseTo(first!.poster!.price * 0.2, 2);
  // Each part would cost the same alone: what has left keeps a half of the shipping price, with its tax.
  const half = Math.round(first!.shipment!.price * 50) / 100;
  expect(-refund!.shipment!.price).toBeCloseTo(half, 2);
  expect(-refund!.shipment!.vat).toBeCloseTo(half * 0.19, 1);
  expect(invoice!.shipment!.vat).toBeCloseTo(invoice!.shipment!.price * 0.2, 2);
  const shipping = receipts.reduce((sum, { shippingPrice }) => sum + (shippingPrice as number), 0);
  expect(shipping).toBeCloseTo(shipment!.price, 2);
});
