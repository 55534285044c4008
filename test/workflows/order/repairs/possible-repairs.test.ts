import { createPresslineClient } from '../../../../client/pressline-client';
import { testAccount } from '../../../support/api-deps';
import { type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { handedOver, is, orderBody, orderUntil } from '../order-fixture';

/** What an operator can do about an order now, and who has to act next. */

let stack: TestStack;
const { repair, say, look, partnerId } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { TEMPORAL_UI_URL: 'https://temporal.test' } });
});

/** Why the order does not accept its other repairs. */
const reasons = ({ impossibleRepairs }: Awaited<ReturnType<typeof look>>) =>
  Object.fromEntries(impossibleRepairs.map(({ action, reason }) => [action, reason]));
const names = (order: Awaited<ReturnType<typeof look>>) => order.possibleRepairs.map(({ action }) => action);

test('an order in error can be repaired in the listed ways, with the partners that routing would choose from', async () => {
  const order = await handedOver(stack, 'repairs-error');
  const [itemId] = order.itemIds;
  expect(await look(order.orderId)).toMatchObject({
    nextStep: {
      who: 'partner',
      waitsFor: 'received',
      printOrderId: order.printOrderId,
      partnerUid: 'prints-berlin',
      dueAt: expect.any(String),
    },
    promise: { minDeliveryDate: expect.any(String), maxDeliveryDate: expect.any(String) },
    consoleUrl: `${stack.baseUrl}/console/orders/${order.orderId}`,
    temporalUrl: `https://temporal.test/namespaces/default/workflows/order-${order.orderId}`,
  });

  await say(order, 'error', { message: 'no ink' });
  await orderUntil(stack, order.orderId, is('on_hold'));
  const failed = await look(order.orderId);
  expect(failed.nextStep).toMatchObject({
    who: 'operator',
    waitsFor: 'repair',
    printOrderId: order.printOrderId,
  });
  expect(names(failed)).toEqual(['retry', 'reroute', 'reproduce', 'hold', 'cancel', 'mark_shipped', 'change_shipping']);
  expect(failed.possibleRepairs[0]).toMatchObject({ action: 'retry', itemIds: [itemId] });
  expect(failed.possibleRepairs[1]).toMatchObject({
    action: 'reroute',
    reroutes: [
      {
        itemId,
        needsForce: false,
        partners: expect.arrayContaining([
          expect.objectContaining({ partnerId: await partnerId('prints-berlin'), current: true }),
          expect.objectContaining({
            ...{ partnerId: await partnerId('prints-ohio'), current: false, rejected: null },
            deliveryDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          }),
        ]),
      },
    ],
  });

  expect(reasons(failed)).toEqual({
    accept_files: 'no print file waits to be accepted',
    accept_address: 'no address waits to be accepted',
    release: 'the order is not on hold',
    refund: 'partners have cancelled no units of these items',
    dismiss: 'the order is still open: its attention reasons disappear when their causes are repaired',
    claim: 'no units have shipped that were not refunded',
    reprint: 'only an order that was delivered, was returned or has failed is made again',
  });

  // The listed choice is accepted, and one that is not listed is refused.
  await expect(repair(order.orderId, { action: 'release' })).rejects.toMatchObject({ status: 409 });
  await repair(order.orderId, {
    action: 'reroute',
    itemId: itemId!,
    partnerId: await partnerId('prints-ohio'),
  });
  const rerouted = await orderUntil(stack, order.orderId, ({ printOrderIds }) => printOrderIds.length === 2);
  expect(rerouted.printOrderIds).toContain(order.printOrderId);
  // The dates that the repair showed.
  const ohio = failed.possibleRepairs[1]!.reroutes[0]!.partners.find(({ partnerUid }) => partnerUid === 'prints-ohio')!;
  expect((await look(order.orderId)).promise).toMatchObject({
    dispatchDate: ohio.dispatchDate,
    maxDeliveryDate: ohio.deliveryDate,
  });
});

test('the parcel of a shipped order shows, and its carrier has to act until the promised delivery', async () => {
  const order = await handedOver(stack, 'repairs-shipped');
  await say(order, 'received');
  await say(order, 'printed');
  const { trackingCode } = await stack
    .partner('prints-berlin')
    .dispatchOrder({ body: { orderId: order.printOrderId } });
  expect((await look(order.orderId)).nextStep).toMatchObject({ who: 'partner', waitsFor: 'shipping' });
  await say(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  const shipped = await look(order.orderId);
  expect(shipped.parcels).toMatchObject([
    { trackingNumber: trackingCode, printOrderId: order.printOrderId, voided: false },
  ]);
  expect(shipped.nextStep).toMatchObject({
    who: 'carrier',
    waitsFor: 'tracking',
    dueAt: `${shipped.promise!.maxDeliveryDate}T23:59:59Z`,
  });
  expect(names(shipped)).toEqual(['reproduce', 'claim']);
  expect(reasons(shipped)).toMatchObject({
    reroute: 'an item has no units that can be rerouted',
    cancel: 'an item that has shipped cannot be cancelled',
    mark_shipped: 'the print order has shipped or ended',
    change_shipping: 'an order that has shipped cannot be changed',
  });
});

test('a viewer sees the order and no repair', async () => {
  const order = await handedOver(stack, 'repairs-viewer');
  const viewer = await testAccount(stack.services.sql, 'operator', 'only-looks', 'viewer');
  const client = createPresslineClient({ baseUrl: stack.baseUrl, apiKey: viewer.apiKey, retries: 0 });
  const seen = await client.getOperatorOrder({ params: { orderId: order.orderId } });
  expect(seen).toMatchObject({
    id: order.orderId,
    possibleRepairs: [],
    impossibleRepairs: [],
    nextStep: { who: 'partner' },
  });
  expect(names(await look(order.orderId))).not.toEqual([]);
});

test('a refused order can be dismissed and made again; a draft accepts no repair', async () => {
  const body = orderBody(stack, 'repairs-refused');
  const items = body.items.map((item) => ({
    ...item,
    files: [{ type: 'default', url: `${stack.sandbox.url}/faulty-files/missing.pdf` }],
  }));
  const { id } = await stack.client.submitOrder({ body: { ...body, items } });
  await orderUntil(stack, id, is('failed'));
  expect(await look(id)).toMatchObject({
    possibleRepairs: [{ action: 'dismiss', reasons: ['order_failed'] }, { action: 'reprint' }],
    nextStep: { who: 'operator', waitsFor: 'decision' },
  });
  expect(reasons(await look(id))).toMatchObject({
    retry: 'the order has ended',
    refund: 'no units are left to refund',
  });
  await repair(id, { action: 'dismiss' });
  expect(reasons(await look(id))).toMatchObject({ dismiss: 'the order needs no attention' });
  expect(await look(id)).toMatchObject({ attention: [], nextStep: { who: 'nobody', waitsFor: 'nothing' } });
  const draft = await stack.client.submitOrder({
    body: { ...orderBody(stack, 'repairs-draft'), orderType: 'draft' },
  });
  expect(await look(draft.id)).toMatchObject({
    possibleRepairs: [],
    impossibleRepairs: expect.arrayContaining([
      { action: 'cancel', reason: 'the order is a draft, which its client submits' },
    ]),
    nextStep: { who: 'client', waitsFor: 'submission' },
    promise: null,
    parcels: [],
  });
});

test('the same repairs follow from Postgres while no worker runs', async () => {
  const order = await handedOver(stack, 'repairs-unavailable');
  await say(order, 'received');
  await orderUntil(stack, order.orderId, is('in_production'));
  const before = await look(order.orderId);
  expect(before.run).not.toBeNull();
  await stack.stopWorker();
  try {
    const lost = await look(order.orderId);
    expect(lost.run).toBeNull();
    expect(lost.possibleRepairs).toEqual(before.possibleRepairs);
    expect(lost.nextStep).toEqual(before.nextStep);
    expect(lost.nextStep).toMatchObject({ who: 'partner', waitsFor: 'printed' });
  } finally {
    await stack.startWorker();
  }
});
