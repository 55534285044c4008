import { eventually, type TestStack, testStack } from '../../../support/stack';
import { conflict, operatorHelpers } from '../operator-fixture';
import { deliveredByCarrier, handedOver, is, orderLog, orderUntil } from '../order-fixture';
import { address } from '../shop';

/** What operators do in the place of clients and partners. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const { repair, say, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
}, 60_000);

const actions = async (orderId: string) => (await look(orderId)).possibleRepairs.map(({ action }) => action);
const shown = (orderId: string) => stack.shop.getOrder({ params: { orderId } });
const audited = async (object: string) =>
  (await stack.operator.listAuditLog({ query: { object } })).entries.map(({ action, after }) => ({ action, after }));

describe('a print order that its partner forgot to report', () => {
  test('is marked as shipped with the partner’s code, which the client sees', async () => {
    const order = await handedOver(stack, 'forgotten');
    const { orderId, printOrderId } = order;
    await say(order, 'received');
    await orderUntil(stack, orderId, is('in_production'));
    expect((await look(orderId)).possibleRepairs).toContainEqual(
      expect.objectContaining({ action: 'mark_shipped', printOrderIds: [printOrderId] }),
    );
    const marked = { action: 'mark_shipped', printOrderId, trackingCode: 'FORGOTTEN-1' } as const;
    expect(await repair(orderId, marked)).toMatchObject({ fulfillmentStatus: 'shipped' });
    const { items, shipment } = await shown(orderId);
    expect(items[0]!.fulfillmentStatus).toBe('shipped');
    expect(shipment!.packages).toMatchObject([{ trackingCode: 'FORGOTTEN-1' }]);
    expect(await orderLog(stack, orderId)).toContainEqual(
      expect.objectContaining({
        type: 'mark_shipped',
        data: { by: 'operator', reason: 'agreed by phone', printOrderId },
      }),
    );
    expect(await audited(`order:${orderId}`)).toContainEqual({
      action: 'order.mark_shipped',
      after: { fulfillmentStatus: 'shipped', attention: [], printOrderId, trackingCode: 'FORGOTTEN-1' },
    });

    // The partner's own postback comes late, and changes nothing.
    await say(order, 'shipped');
    await eventually(
      async () =>
        (await orderLog(stack, orderId)).filter(({ type }) => type === 'postback_shipped').length === 2 || undefined,
    );
    expect((await shown(orderId)).fulfillmentStatus).toBe('shipped');
    await expect(repair(orderId, marked)).rejects.toMatchObject(conflict(/has shipped or ended/));
    expect(await actions(orderId)).not.toContain('mark_shipped');
  });

  test('with a label is followed to its delivery', async () => {
    const { orderId, printOrderId } = await handedOver(stack, 'forgotten-label');
    await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
    await repair(orderId, { action: 'mark_shipped', printOrderId });
    await deliveredByCarrier(stack, orderId);
  });

  test('of another order is refused', async () => {
    const { orderId } = await handedOver(stack, 'not-its-own');
    const { printOrderId } = await handedOver(stack, 'another');
    await expect(repair(orderId, { action: 'mark_shipped', printOrderId })).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ reference: 'printOrderId' }] },
    });
  });
});

describe('units that a partner cancels', () => {
  test('are refunded before production, and the rest of the item goes on and ships', async () => {
    const order = await handedOver(stack, 'fewer-units', { quantity: 3 });
    const { orderId, itemIds, jobIds } = order;
    await expect(repair(orderId, { action: 'refund', itemIds: [...itemIds] })).rejects.toMatchObject(
      conflict(/cancelled no units/),
    );
    await say(order, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: 2 }] });
    await orderUntil(stack, orderId, is('on_hold'));
    expect(await actions(orderId)).toContain('refund');
    expect(await repair(orderId, { action: 'refund' })).toMatchObject({ fulfillmentStatus: 'passed', attention: [] });

    const refunded = await shown(orderId);
    expect(refunded.financialStatus).toBe('partially_refunded');
    expect(refunded.receipts.map(({ transactionType, items }) => [transactionType, items[0]!.amount])).toEqual([
      ['invoice', 3],
      ['refund', 2],
    ]);
    expect((await look(orderId)).printOrders).toMatchObject([{ jobs: [{ quantity: 1 }] }]);
    await say(order, 'shipped');
    expect(await orderUntil(stack, orderId, is('shipped'))).toMatchObject({ attention: null });
  });

  test('after which the whole rest is cancelled are refunded once', async () => {
    const order = await handedOver(stack, 'fewer-then-none', { quantity: 3 });
    const { orderId, jobIds } = order;
    await say(order, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: 1 }] });
    await orderUntil(stack, orderId, is('on_hold'));
    await repair(orderId, { action: 'refund' });
    await say(order, 'cancelled');
    await orderUntil(stack, orderId, is('on_hold'));
    expect(await repair(orderId, { action: 'refund' })).toMatchObject({ fulfillmentStatus: 'canceled' });
    const { receipts, financialStatus } = await shown(orderId);
    expect(financialStatus).toBe('refunded');
    expect(receipts.reduce((sum, { totalInclVat }) => sum + totalInclVat, 0)).toBeCloseTo(0, 2);
  });

  test('of a parcel that left without them are refunded, which settles the short shipment', async () => {
    const order = await handedOver(stack, 'short-refunded', { quantity: 3 });
    const { orderId, jobIds } = order;
    await say(order, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: 1 }] });
    await say(order, 'shipped');
    await orderUntil(stack, orderId, ({ attention }) => attention === 'short_shipped');
    expect(await repair(orderId, { action: 'refund' })).toMatchObject({ fulfillmentStatus: 'shipped', attention: [] });
    const { receipts, financialStatus } = await shown(orderId);
    expect(financialStatus).toBe('partially_refunded');
    expect(receipts.at(-1)).toMatchObject({ transactionType: 'refund', items: [{ amount: 1 }] });
  });
});

describe('an operator changes the address of a client’s order', () => {
  const move = (orderId: string, body: object) =>
    stack.operator.updateShipment({ params: { orderId }, body: body as never });

  test('with a reason, which is in the log and not shown to the client', async () => {
    const { orderId } = await handedOver(stack, 'moved-by-operator');
    const shippingAddress = { ...address, addressLine1: 'Linienstrasse 9' };
    await expect(move(orderId, { shippingAddress })).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ code: 'MISSING_FIELD_ERROR', reference: 'reason' }] },
    });
    await move(orderId, { shippingAddress, reason: 'The client called.' });
    const order = await shown(orderId);
    expect(order.shippingAddress.addressLine1).toBe('Linienstrasse 9');
    expect(JSON.stringify(order)).not.toContain('The client called.');
    expect((await orderLog(stack, orderId)).find(({ type }) => type === 'change_shipping')).toMatchObject({
      data: { by: 'operator', reason: 'The client called.' },
    });
    expect((await audited(`order:${orderId}`)).map(({ action }) => action)).toEqual(['order.change_shipping']);
  });
});
