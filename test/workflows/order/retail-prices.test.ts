import { type TestStack, testStack } from '../../support/stack';
import { addressIn, faultyFile, POSTER, poster } from './client-orders';
import { fileHost } from './file-host';
import { is, orderUntil } from './order-fixture';

let stack: TestStack;
const files = fileHost();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const PRICES = {
  retailCurrency: 'CHF',
  retailShippingPriceInclVat: 9,
  items: [{ itemReferenceId: 'poster', retailPriceInclVat: 30 }],
};

const read = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const patch = (orderId: string, body: object, by: 'client' | 'operator' = 'client') =>
  stack[by].patchOrder({ params: { orderId }, body: body as never });

/** Submits an order to Switzerland without retail prices. */
async function submitted(orderReferenceId: string, over: object = {}): Promise<string> {
  const { id } = await stack.client.submitOrder({
    body: {
      orderReferenceId,
      currency: 'EUR',
      shippingAddress: addressIn.CH,
      items: [poster(stack)],
      ...over,
    } as never,
  });
  return id;
}

async function refused(orderReferenceId: string): Promise<string> {
  const id = await submitted(orderReferenceId);
  await orderUntil(stack, id, is('failed'));
  expect(await read(id)).toMatchObject({ refusalReasonCode: 'missing_retail_prices' });
  return id;
}

test('an order waits for the partner that needs no retail prices, while it is off', async () => {
  const enabled = (is: boolean) => stack.services.sql`UPDATE partners SET enabled = ${is} WHERE uid = 'prints-berlin'`;
  await enabled(false);
  const { id } = await stack.client.submitOrder({
    body: {
      orderReferenceId: 'waits',
      currency: 'EUR',
      shippingAddress: addressIn.DE,
      items: [poster(stack)],
    } as never,
  });
  await orderUntil(stack, id, ({ status, attention }) => status === 'on_hold' && attention === 'no_partner');
  expect(await read(id)).toMatchObject({ refusalReasonCode: null });

  await enabled(true);
  await stack.operator.repairOrder({
    params: { orderId: id },
    body: { action: 'retry', reason: 'is on again', itemIds: [(await read(id)).items[0]!.id] },
  });
  await orderUntil(stack, id, is('passed'));
});

test('an order that was refused without retail prices goes on when its client gives them', async () => {
  const id = await refused('given-by-client');
  await expect(patch(id, { retailCurrency: 'CHF' })).rejects.toMatchObject({
    status: 400,
    body: {
      errors: [
        { code: 'MISSING_FIELD_ERROR', reference: 'retailShippingPriceInclVat' },
        { code: 'MISSING_FIELD_ERROR', reference: 'items[0].retailPriceInclVat' },
      ],
    },
  });
  await expect(
    patch(id, { ...PRICES, items: [{ itemReferenceId: 'x', retailPriceInclVat: 1 }] }),
  ).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ reference: 'items[0].itemReferenceId' }] },
  });

  expect(await patch(id, PRICES)).toMatchObject({ refusalReason: null, refusalReasonCode: null });
  await orderUntil(stack, id, is('passed'));
  const order = await read(id);
  expect(order).toMatchObject({
    financialStatus: 'invoiced',
    refusalReasonCode: null,
    retailCurrency: 'CHF',
    retailShippingPriceInclVat: 9,
    items: [{ retailPriceInclVat: 30, fulfillmentStatus: 'passed', printJobs: [{ status: 'passed' }] }],
    receipts: [{ type: 'invoice' }],
  });
  const statuses = order.items[0]!.eventLog.flatMap(({ type, data }) => (type === 'status' ? [data.status] : []));
  expect(statuses).toEqual(['uploading', 'failed', 'created', 'uploading', 'passed']);
  expect(order.eventLog.map(({ type }) => type)).toContain('retail_prices_given');

  // The order goes on like any other: it is cancelled, and takes no prices then.
  await stack.client.cancelOrder({ params: { orderId: id } });
  await expect(patch(id, { orderReferenceId: 'other' })).rejects.toMatchObject({ status: 409 });
});

test('an operator gives the prices; the audit log has it', async () => {
  const id = await refused('given-by-operator');
  await patch(id, PRICES, 'operator');
  await orderUntil(stack, id, is('passed'));
  const { entries } = await stack.operator.listAuditLog({ query: { object: `order:${id}` } as never });
  expect(entries).toMatchObject([{ action: 'order.give_retail_prices', after: { outcome: 'restarted' } }]);
  // A planned order keeps the prices that it has.
  await expect(patch(id, PRICES)).rejects.toMatchObject({ status: 409 });
});

test('an order that is not planned yet takes the prices and is not refused', async () => {
  const { url, send } = files.hold(stack);
  const id = await submitted('given-early', { items: [poster(stack, { files: [{ type: 'default', url }] })] });
  await orderUntil(stack, id, is('uploading'));
  await patch(id, PRICES);
  send();
  const order = await orderUntil(stack, id, is('passed'));
  expect(order).toBeDefined();
  expect(await read(id)).toMatchObject({ refusalReason: null, items: [{ productUid: POSTER }] });
});

test('an order that was refused for another reason, or that another order replaces, takes no prices', async () => {
  const files = [{ type: 'default', url: faultyFile(stack, 'missing.pdf') }];
  const broken = await submitted('other-reason', { items: [poster(stack, { files })] });
  await orderUntil(stack, broken, is('failed'));
  await expect(patch(broken, PRICES)).rejects.toMatchObject({ status: 409 });

  const replaced = await refused('replaced');
  await submitted('replaced', { replaces: replaced, ...PRICES, items: [poster(stack, { retailPriceInclVat: 30 })] });
  await expect(patch(replaced, PRICES)).rejects.toMatchObject({ status: 409 });
});
