import { type TestStack, testStack } from '../../../support/stack';
import { FRAMED_POSTER, framedPoster } from '../client-orders';
import { fileHost } from '../file-host';
import { operatorHelpers } from '../operator-fixture';
import { orderBody, orderLog, orderUntil, seenPrintOrders } from '../order-fixture';

/** Print orders that cannot be built from their order. No API accepts such an order: the test changes its row. */

let stack: TestStack;
const files = fileHost();
const { repair, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

test('a print order that cannot be built is not retried: its item waits for an operator at once, with the reason', async () => {
  const { sql } = stack.services;
  const { url, send } = files.hold(stack);
  const productUid = FRAMED_POSTER.replace('300x400-mm', 'a4');
  const items = [
    framedPoster(stack, {
      productUid,
      files: [{ type: 'default', url }],
      retailPriceInclVat: 40,
    }),
  ];
  const { id } = await stack.client.submitOrder({ body: { ...orderBody(stack, 'unbuildable'), items } });
  await orderUntil(stack, id, ({ status }) => status === 'uploading');
  await repair(id, { action: 'hold' });
  send();
  await orderUntil(stack, id, ({ printOrderIds }) => printOrderIds.length === 1);
  await sql`UPDATE order_items SET product = jsonb_set(product, '{parts}', '[]') WHERE order_id = ${id}`;
  await repair(id, { action: 'release' });

  const stopped = await orderUntil(stack, id, ({ attention }) => attention !== null);
  expect(stopped).toMatchObject({
    status: 'on_hold',
    attention: 'print_order_unbuildable',
    items: [{ status: 'manual_handling' }],
  });
  expect(await look(id)).toMatchObject({ printOrders: [{ status: 'unbuildable' }], nextStep: { who: 'operator' } });
  const log = await orderLog(stack, id);
  expect(log.filter(({ type }) => type === 'print_order_unbuildable')).toMatchObject([
    { data: { message: expect.stringMatching(/cannot be built: item .* has no parts/) } },
  ]);
  expect(seenPrintOrders(stack, stopped.printOrderIds)).toEqual([]);
  const shown = await stack.client.getOrder({ params: { orderId: id } });
  expect(shown).toMatchObject({ fulfillmentStatus: 'on_hold', items: [{ fulfillmentStatus: 'manual_handling' }] });
  expect(JSON.stringify(shown)).not.toContain('cannot be built');

  // No partner has it: a cancel needs no agreement.
  expect(await repair(id, { action: 'cancel' })).toMatchObject({ fulfillmentStatus: 'canceled', attention: [] });
});
