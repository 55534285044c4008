import { eventually, type TestStack, testStack } from '../../../support/stack';
import { fileHost } from '../file-host';
import { conflict, operatorHelpers } from '../operator-fixture';
import { accepted, handedOver, is, orderBody, orderNow, orderUntil, seenPrintOrders } from '../order-fixture';

/** Operators' repairs. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const files = fileHost();
const { repair, say, look, partnerId, enablePartners, repairs } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const audited = (type: string) => ({ type, by: 'operator', reason: 'agreed by phone' });

describe('hold and release', () => {
  test('an order on hold is not delivered to its partner before the release', async () => {
    const { id, send } = await files.submit(stack, 'hold-early');
    expect(await repair(id, { action: 'hold' })).toMatchObject({ fulfillmentStatus: 'on_hold' });
    await expect(repair(id, { action: 'hold' })).rejects.toMatchObject(conflict(/on hold already/));
    await expect(repair(id, { action: 'retry' })).rejects.toMatchObject(conflict(/release it first/));
    send();
    const planned = await orderUntil(stack, id, ({ printOrderIds }) => printOrderIds.length === 1);
    expect(planned.status).toBe('on_hold');
    expect(seenPrintOrders(stack, planned.printOrderIds)).toEqual([]);

    await repair(id, { action: 'release' });
    await orderUntil(stack, id, is('passed'));
    await eventually(async () => seenPrintOrders(stack, planned.printOrderIds)[0]);
    await expect(repair(id, { action: 'release' })).rejects.toMatchObject(conflict(/not on hold/));
    expect(await repairs(id)).toEqual([audited('hold'), audited('release')]);
  });
});

test('retry plans a parked order again', async () => {
  await enablePartners(false);
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, 'parked') });
  expect(await orderUntil(stack, id, is('on_hold'))).toMatchObject({ attention: 'no_partner' });
  const { orders } = await stack.operator.listOperatorOrders({ query: { attention: 'no_partner' } });
  expect(orders.map((order) => order.id)).toEqual([id]);
  await enablePartners(true);
  await repair(id, { action: 'retry' });
  expect(await orderUntil(stack, id, is('passed'))).toMatchObject({ attention: null });
  expect(await repairs(id)).toEqual([audited('retry')]);
});

test('retry delivers the same message again', async () => {
  const order = await handedOver(stack, 'again');
  await expect(repair(order.orderId, { action: 'retry' })).rejects.toMatchObject(conflict(/can be retried/));
  await say(order, 'error', { message: 'Lost it' });
  await orderUntil(stack, order.orderId, is('on_hold'));
  expect(await repair(order.orderId, { action: 'retry' })).toMatchObject({
    fulfillmentStatus: 'passed',
    attention: [],
  });
  const seen = await eventually(async () =>
    seenPrintOrders(stack, [order.printOrderId]).find(({ deliveries }) => deliveries === 2),
  );
  expect(seen).toMatchObject({ distinctContents: 1, distinctWebhookIds: 1 });
});

describe('reroute', () => {
  test('moves a whole item to another partner, and the first gets a cancel request', async () => {
    const order = await handedOver(stack, 'elsewhere');
    await say(order, 'received');
    const [itemId] = order.itemIds as [string];
    await repair(order.orderId, { action: 'reroute', itemId });
    const { printOrders } = await look(order.orderId);
    expect(printOrders).toMatchObject([
      { partnerUid: 'prints-berlin', status: 'cancelled', jobs: [{ status: 'superseded' }] },
      { partnerUid: 'prints-ohio', reproducesId: order.printOrderId, jobs: [{ quantity: 1 }] },
    ]);
    await eventually(async () => seenPrintOrders(stack, [order.printOrderId])[0]!.cancelOrders[0]);
    await expect(
      stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } }),
    ).rejects.toMatchObject({ status: 409 });
    const ids = printOrders.map(({ id }) => id);
    const seen = await eventually(async () => {
      const both = seenPrintOrders(stack, ids);
      return both.length === 2 ? both : undefined;
    });
    expect(new Set(seen.map(({ distinctContents }) => distinctContents))).toEqual(new Set([1]));
  });

  test('moves some units to a named partner, and the rest stays', async () => {
    const order = await handedOver(stack, 'divided', { quantity: 3 });
    const [itemId] = order.itemIds as [string];
    const ohio = await partnerId('prints-ohio');
    const some = { action: 'reroute', itemId, quantity: 2, partnerId: ohio } as const;
    // The first partner can only be asked to stop the whole job.
    await expect(repair(order.orderId, some)).rejects.toMatchObject(conflict(/cannot be asked to stop some/));
    await repair(order.orderId, { ...some, force: true });
    expect((await look(order.orderId)).printOrders).toMatchObject([
      { partnerUid: 'prints-berlin', status: 'accepted', jobs: [{ quantity: 1 }] },
      { partnerUid: 'prints-ohio', jobs: [{ quantity: 2 }] },
    ]);
  });

  test.each([
    ['currency', { retailCurrency: null }],
    ['shipping price', { retailShippingPriceInclVat: null }],
  ])('is refused across a customs border without the retail %s', async (name, over) => {
    const body = { ...orderBody(stack, `no-${name}`), ...over };
    const { id } = await stack.client.submitOrder({ body: body as never });
    const { itemIds } = await accepted(stack, id);
    await expect(repair(id, { action: 'reroute', itemId: itemIds[0]! })).rejects.toMatchObject(
      conflict(/customs border/),
    );
    expect((await orderNow(stack, id)).printOrderIds).toHaveLength(1);
  });

  test('five at once make one print order, and a repeated idempotency key makes none', async () => {
    const order = await handedOver(stack, 'five');
    const [itemId] = order.itemIds as [string];
    const ohio = await partnerId('prints-ohio');
    const request = { action: 'reroute', itemId, partnerId: ohio } as const;
    const first = await repair(order.orderId, request, 'reroute-once');
    expect(await repair(order.orderId, request, 'reroute-once')).toEqual(first);
    expect((await orderNow(stack, order.orderId)).printOrderIds).toHaveLength(2);

    // Of five concurrent cancels, one succeeds.
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => repair(order.orderId, { action: 'cancel', itemIds: [itemId] })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 409, code: 'CONFLICT' });
    }
    expect((await repairs(order.orderId)).map(({ type }) => type)).toEqual([
      'reroute_requested',
      'reroute',
      'cancel_items',
    ]);
  });

  test('five at once with different idempotency keys make one print order', async () => {
    const order = await handedOver(stack, 'five-keys');
    const [itemId] = order.itemIds as [string];
    await say(order, 'cancelled');
    await orderUntil(stack, order.orderId, is('on_hold'));
    const ohio = await partnerId('prints-ohio');
    await Promise.all(
      Array.from({ length: 5 }, () =>
        repair(order.orderId, { action: 'reroute', itemId, partnerId: ohio }).catch((error: unknown) => {
          expect(error).toMatchObject({ status: 409, code: 'CONFLICT' });
        }),
      ),
    );
    const open = (await look(order.orderId)).printOrders.filter(({ status }) => status !== 'cancelled');
    expect(open).toHaveLength(1);
  });
});

describe('reproduce', () => {
  test('two items at once get one print order each', async () => {
    const order = await handedOver(stack, 'both-again', { items: 2 });
    await say(order, 'cancelled');
    await orderUntil(stack, order.orderId, is('on_hold'));
    await Promise.all(order.itemIds.map((itemId) => repair(order.orderId, { action: 'reproduce', itemId })));
    const { printOrders } = await look(order.orderId);
    expect(printOrders).toHaveLength(3);
    expect(
      printOrders
        .slice(1)
        .flatMap(({ jobs }) => jobs.map(({ itemId }) => itemId))
        .sort(),
    ).toEqual([...order.itemIds].sort());
  });

  test('a unit damaged after shipping is made in addition', async () => {
    const order = await handedOver(stack, 'one-more', { quantity: 3 });
    const [itemId] = order.itemIds as [string];
    await say(order, 'shipped');
    await orderUntil(stack, order.orderId, is('shipped'));
    await repair(order.orderId, { action: 'reproduce', itemId, quantity: 1 });
    const { printOrders, fulfillmentStatus } = await look(order.orderId);
    expect(fulfillmentStatus).toBe('shipped');
    expect(printOrders).toMatchObject([
      { jobs: [{ quantity: 3, status: 'shipped' }] },
      { jobs: [{ quantity: 1 }], reproducesId: order.printOrderId },
    ]);
  });
});

test('cancel refunds the item, asks the partner, and the rest continues', async () => {
  const order = await handedOver(stack, 'let-go', { items: 2 });
  const [poster] = order.itemIds as [string];
  const after = await repair(order.orderId, { action: 'cancel', itemIds: [poster] });
  expect(after).toMatchObject({ fulfillmentStatus: 'passed' });
  const shown = await stack.client.getOrder({ params: { orderId: order.orderId } });
  expect(shown).toMatchObject({
    financialStatus: 'partially_refunded',
    items: [{ fulfillmentStatus: 'cancelled' }, { fulfillmentStatus: 'passed' }],
  });
  expect(shown.receipts.filter(({ productsPrice }) => productsPrice !== 0)).toHaveLength(2);
  const seen = await eventually(async () => seenPrintOrders(stack, [order.printOrderId])[0]!.cancelOrders[0]);
  expect(seen.itemIds).toEqual([order.jobIds[0]]);
  await say(order, 'shipped', { orderItemId: order.jobIds[1] });
  await orderUntil(stack, order.orderId, is('shipped'));
  await expect(repair(order.orderId, { action: 'cancel', itemIds: [poster] })).rejects.toMatchObject(
    conflict(/cancelled/),
  );
  await expect(repair(order.orderId, { action: 'cancel' })).rejects.toMatchObject(conflict(/shipped/));
  expect(await repairs(order.orderId)).toEqual([audited('cancel_items')]);
});
