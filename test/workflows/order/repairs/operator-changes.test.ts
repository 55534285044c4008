import { uuidv7 } from '../../../../src/platform/ids';
import { untilLocked } from '../../../support/database';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { address, faultyFile, goodFile, poster } from '../client-orders';
import { conflict, operatorHelpers } from '../operator-fixture';
import {
  accepted,
  deliveredByCarrier,
  type HandedOver,
  handedOver,
  is,
  loseResponse,
  orderBody,
  orderLog,
  orderUntil,
} from '../order-fixture';

/** What operators do in the place of clients and partners. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const { repair, say, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const actions = async (orderId: string) => (await look(orderId)).possibleRepairs.map(({ action }) => action);
const shown = (orderId: string) => stack.client.getOrder({ params: { orderId } });
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
        data: expect.objectContaining({ by: 'operator', reason: 'agreed by phone', printOrderId }),
      }),
    );
    expect(await audited(`order:${orderId}`)).toContainEqual({
      action: 'order.mark_shipped',
      after: { fulfillmentStatus: 'shipped', printOrderId, trackingCode: 'FORGOTTEN-1' },
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
    expect(await actions(orderId)).toEqual(['refund', 'claim', 'reprint']);
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
});

test('a short shipment is settled by a refund after its delivery', async () => {
  await stack.client.createWebhook({ body: { url: `${stack.sandbox.url}/nowhere` } });
  const order = await handedOver(stack, 'short-delivered', { quantity: 3 });
  const { orderId, printOrderId, jobIds, itemIds } = order;
  await say(order, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: 1 }] });
  await orderUntil(stack, orderId, is('on_hold'));
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say(order, 'shipped');
  await deliveredByCarrier(stack, orderId);
  await orderUntil(stack, orderId, ({ attention }) => attention === 'short_shipped');
  expect((await look(orderId)).possibleRepairs).toContainEqual(
    expect.objectContaining({ action: 'refund', itemIds: [...itemIds] }),
  );
  // Of two requests at the same moment, one refunds.
  const results = await Promise.allSettled([
    repair(orderId, { action: 'refund', itemIds: [...itemIds] }),
    repair(orderId, { action: 'refund' }),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { receipts, financialStatus, fulfillmentStatus, items } = await shown(orderId);
  expect({ financialStatus, fulfillmentStatus }).toEqual({
    financialStatus: 'partially_refunded',
    fulfillmentStatus: 'delivered',
  });
  expect(receipts.map(({ transactionType, items: [line] }) => [transactionType, line!.amount])).toEqual([
    ['invoice', 3],
    ['refund', 1],
  ]);
  expect(items[0]!.eventLog).toContainEqual(
    expect.objectContaining({ type: 'units_cancelled', data: { quantity: 1 } }),
  );
  expect(await look(orderId)).toMatchObject({ attention: [], printOrders: [{ jobs: [{ quantity: 2 }] }] });
  // Units that nobody has cancelled can be refunded too, as many as are left.
  expect(await actions(orderId)).toEqual(['refund', 'claim', 'reprint']);
  const refundOf = (quantity: number, idempotencyKey = uuidv7()) => {
    const units = [{ itemId: [...itemIds][0]!, quantity }];
    const body = { action: 'refund' as const, reason: 'spoiled', units };
    return stack.operator.repairOrder({ params: { orderId }, body }, { idempotencyKey });
  };
  await expect(refundOf(3)).rejects.toMatchObject(conflict(/Fewer units/));
  // The process is killed between the refund and the record of its response.
  await refundOf(1, 'killed-refund');
  await loseResponse(stack, 'killed-refund');
  await refundOf(1, 'killed-refund');
  expect((await shown(orderId)).financialStatus).toBe('partially_refunded');
  await refundOf(1);
  const ended = await shown(orderId);
  expect([ended.financialStatus, ended.fulfillmentStatus]).toEqual(['refunded', 'delivered']);
  expect(ended.receipts.reduce((sum, { total }) => sum + total, 0)).toBe(0);
  expect(await actions(orderId)).toEqual(['claim', 'reprint']);
  const [notified] = await stack.services.sql<{ body: string }[]>`
    SELECT body FROM webhook_deliveries WHERE order_id = ${orderId} AND event = 'order_item_units_cancelled'`;
  expect(JSON.parse(notified!.body)).toMatchObject({ status: 'delivered', quantity: 1 });
  expect(await orderLog(stack, orderId)).toContainEqual(
    expect.objectContaining({
      type: 'refund_items',
      data: expect.objectContaining({ by: 'operator', reason: 'agreed by phone', itemIds: [...itemIds] }),
    }),
  );
});

test('an operator asks the client for another print file, which the client and its endpoints see', async () => {
  const { orderId } = await handedOver(stack, 'file-asked');
  const { id: endpointId } = await stack.client.createWebhook({
    body: { url: `${stack.sandbox.url}/asked`, events: ['order_file_requested'] },
  });
  const { items } = await shown(orderId);
  const { itemReferenceId, files } = items[0]!;
  const params = { orderId, itemReferenceId, type: files[0]!.type };
  const message = 'The photo is too dark to print.';
  expect((await stack.operator.requestFile({ params, body: { message } })).notified).toBeGreaterThan(0);
  const [notified] = await stack.services.sql<{ body: string }[]>`
    SELECT body FROM webhook_deliveries WHERE order_id = ${orderId} AND event = 'order_file_requested' AND endpoint_id = ${endpointId}`;
  expect(JSON.parse(notified!.body)).toMatchObject({ orderId, itemReferenceId, fileType: params.type, message });
  const event = { type: 'file_requested', data: { type: params.type, message } };
  expect((await shown(orderId)).items[0]!.eventLog).toContainEqual(expect.objectContaining(event));
  expect((await look(orderId)).latestChange).toMatchObject({
    type: 'file_requested',
    by: 'operator',
    state: 'waiting',
  });
  const other = { ...params, type: 'nothing' };
  await expect(stack.operator.requestFile({ params: other, body: { message } })).rejects.toMatchObject({ status: 404 });
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

describe('a delivered order', () => {
  async function deliver(order: HandedOver): Promise<string> {
    await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } });
    await say(order, 'shipped');
    await orderUntil(stack, order.orderId, is('shipped'));
    await deliveredByCarrier(stack, order.orderId);
    return order.orderId;
  }
  const delivered = async (reference: string) => await deliver(await handedOver(stack, reference, { quantity: 2 }));
  const reprint = (orderId: string, body: object) =>
    stack.operator.reprintOrder({ params: { orderId }, body: { reason: 'The parcel was lost.', ...body } });

  test('is made again from its stored files, at another address, and costs nothing', async () => {
    const { sql } = stack.services;
    const orderId = await delivered('lost-parcel');
    expect(await actions(orderId)).toEqual(['refund', 'claim', 'reprint']);
    // The files are not downloaded again.
    await sql`UPDATE order_files SET url = 'https://files.invalid/gone.pdf' WHERE order_item_id IN (
      SELECT id FROM order_items WHERE order_id = ${orderId})`;
    const shippingAddress = { ...address, addressLine1: 'Linienstrasse 9' };
    const made = await reprint(orderId, { items: [{ itemReferenceId: 'poster', quantity: 1 }], shippingAddress });
    expect(made).toMatchObject({ reprintOf: orderId, orderReferenceId: 'lost-parcel' });

    const { printOrderId } = await accepted(stack, made.id);
    const again = await shown(made.id);
    expect(again).toMatchObject({
      reprintOf: orderId,
      orderReferenceId: 'lost-parcel',
      financialStatus: 'invoiced',
      shippingAddress: { addressLine1: 'Linienstrasse 9' },
      items: [{ itemReferenceId: 'poster', quantity: 1, price: 0, retailPriceInclVat: 10 }],
      receipts: [{ transactionType: 'invoice', totalInclVat: 0 }],
      shipment: { price: 0 },
    });
    expect((await shown('lost-parcel')).id).toBe(made.id);
    const printOrder = await stack.partner('prints-berlin').getPrintOrder({ params: { printOrderId } });
    const [{ url }] = (printOrder as unknown as { items: [{ assets: [{ url: string }] }] }).items[0].assets;
    expect((await fetch(url)).status).toBe(200);

    const first = await shown(orderId);
    expect(first).toMatchObject({ fulfillmentStatus: 'delivered', reprintOf: null });
    expect(first.eventLog.find(({ type }) => type === 'reprint')).toMatchObject({ data: { orderId: made.id } });
    expect(JSON.stringify([first, again])).not.toContain('The parcel was lost.');
    expect(await orderLog(stack, made.id)).toContainEqual(
      expect.objectContaining({
        type: 'reprint_of',
        data: expect.objectContaining({ by: 'operator', reason: 'The parcel was lost.', charged: false, orderId }),
      }),
    );
    expect(await look(orderId)).toMatchObject({ reprintOf: null, reprints: [made.id] });
    expect(await look(made.id)).toMatchObject({ reprintOf: orderId, reprints: [] });
    // One of two units is left. More asks first.
    await reprint(orderId, { items: [{ itemReferenceId: 'poster', quantity: 1 }] });
    await expect(reprint(orderId, {})).rejects.toMatchObject({ status: 409, code: 'ALREADY_REPRINTED' });
    await reprint(orderId, { confirmRepeat: true });
    expect(await audited(`order:${orderId}`)).toContainEqual({
      action: 'order.reprint',
      after: { orderId: made.id, charged: false },
    });
  });

  test('is made once, however slow: a request that has lost its Idempotency-Key submits nothing', async () => {
    const { sql } = stack.services;
    const orderId = await delivered('slow-reprint');
    let slow: Promise<unknown> = Promise.resolve();
    await stack.database.owner.begin(async (tx) => {
      await tx`LOCK TABLE order_events IN SHARE MODE`;
      const body = { reason: 'The parcel was lost.' };
      slow = stack.operator.reprintOrder({ params: { orderId }, body }, { idempotencyKey: 'slow-reprint' });
      slow.catch(() => undefined);
      await untilLocked(sql, 'INSERT INTO order_events');
      await sql`UPDATE idempotency_keys SET locked_until = now() + interval '1 hour' WHERE key = 'slow-reprint'`;
    });
    await expect(slow).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT' });
    expect(await sql`SELECT FROM orders WHERE order_reference_id = 'slow-reprint'`).toHaveLength(1);
  });

  test('is made again without the items and units that were cancelled, unless an operator names them', async () => {
    const order = await handedOver(stack, 'less-cancelled', { quantity: 3, items: 2 });
    const items = [{ itemReferenceId: 'poster', quantity: 1 }, { itemReferenceId: 'sticker' }];
    await stack.client.cancelOrder({ params: { orderId: order.orderId }, body: { items } });
    await orderUntil(stack, order.orderId, (now) => now.items[1]!.status === 'cancelled');
    const orderId = await deliver(order);
    const quantities = async (body: object) =>
      (await shown((await reprint(orderId, body)).id)).items.map((item) => [item.itemReferenceId, item.quantity]);
    const [poster, sticker] = (await shown(orderId)).items;
    expect([poster, sticker]).toMatchObject([
      { fulfillmentStatus: 'delivered', printJobs: [{ status: 'delivered' }] },
      { fulfillmentStatus: 'cancelled', printJobs: [{ status: 'cancelled' }] },
    ]);
    expect(await quantities({})).toEqual([['poster', 2]]);
    expect(await quantities({ items: [{ itemReferenceId: 'sticker' }] })).toEqual([['sticker', 1]]);
  });

  test('is charged again on request', async () => {
    const orderId = await delivered('charged-again');
    const { id } = await reprint(orderId, { charge: true });
    await accepted(stack, id);
    const [first, again] = [await shown(orderId), await shown(id)];
    expect(again.receipts[0]!.totalInclVat).toBe(first.receipts[0]!.totalInclVat);
    expect(again.items[0]).toMatchObject({ quantity: 2, price: first.items[0]!.price });
  });

  test('is made again also when it replaced another one, which the reprint does not', async () => {
    const replaced = await handedOver(stack, 'replaced');
    await stack.client.cancelOrder({ params: { orderId: replaced.orderId }, body: {} });
    await orderUntil(stack, replaced.orderId, is('canceled'));
    const body = { ...orderBody(stack, 'replaced'), replaces: replaced.orderId };
    const orderId = await deliver(await accepted(stack, (await stack.client.submitOrder({ body })).id));
    const { id } = await reprint(orderId, {});
    expect(await shown(id)).toMatchObject({ reprintOf: orderId, replaces: null });
  });

  test('has no units and items beyond those that were ordered', async () => {
    const orderId = await delivered('no-such-items');
    const items = [
      { itemReferenceId: 'poster', quantity: 3 },
      { itemReferenceId: 'mug' },
      { itemReferenceId: 'poster' },
    ];
    await expect(reprint(orderId, { items })).rejects.toMatchObject({
      status: 400,
      body: {
        errors: [
          { reference: 'items[0].quantity' },
          { reference: 'items[1].itemReferenceId' },
          { reference: 'items[2].itemReferenceId' },
        ],
      },
    });
  });
});

test('an order that failed for its file is made with another file', async () => {
  const url = faultyFile(stack, 'missing.pdf');
  const body = { ...orderBody(stack, 'failed-file'), items: [poster(stack, { files: [{ type: 'default', url }] })] };
  const { id: orderId } = await stack.client.submitOrder({ body });
  await orderUntil(stack, orderId, is('failed'));
  expect(await look(orderId)).toMatchObject({ attention: ['order_failed'] });
  expect(await actions(orderId)).toEqual(['dismiss', 'reprint']);
  const again = (type: string) =>
    stack.operator.reprintOrder({
      params: { orderId },
      body: {
        items: [{ itemReferenceId: 'poster', files: [{ type, url: goodFile(stack, 'poster-a4.pdf') }] }],
        reason: 'the client sent the file',
        charge: true,
      },
    });
  await expect(again('back')).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ reference: 'items[0].files[0].type' }] },
  });
  const { id, reprintOf } = await again('default');
  expect(reprintOf).toBe(orderId);
  // The reprint settles that the order has failed.
  expect(await look(orderId)).toMatchObject({ attention: [], reprints: [id] });
  await accepted(stack, id);
});

test('an order that is still made is not reprinted', async () => {
  const { orderId } = await handedOver(stack, 'still-made');
  expect(await actions(orderId)).not.toContain('reprint');
  const request = { params: { orderId }, body: { reason: 'too early' } };
  await expect(stack.operator.reprintOrder(request)).rejects.toMatchObject(
    conflict(/delivered or returned, or has failed/),
  );
});
