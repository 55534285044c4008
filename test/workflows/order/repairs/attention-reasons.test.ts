import { eventually, type TestStack, testStack } from '../../../support/stack';
import { handedOver, orderUntil, partnerClock } from '../order-fixture';

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Returns the ids of the workflows that a visibility query finds. */
async function workflowsWith(query: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of stack.services.temporal.workflow.list({ query })) found.push(workflowId);
  return found;
}

test('an order with two attention reasons is found by each of them, in the API and in Temporal', async () => {
  const now = partnerClock();
  const { orderId, printOrderId, jobIds } = await handedOver(stack, 'two-reasons', { items: 2 });
  const say = (status: string, more: object) =>
    stack
      .partner('prints-berlin')
      .postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status, ...more } as never });

  await say('error', { orderItemId: jobIds[0], message: 'The press is broken.' });
  await say('cancelled', { items: [{ orderItemId: jobIds[1] }] });
  await orderUntil(stack, orderId, ({ attention }) => attention === 'partner_cancelled partner_error');

  for (const reason of ['partner_cancelled', 'partner_error'] as const) {
    const { orders } = await stack.operator.listOperatorOrders({ query: { attention: reason } });
    expect(orders).toMatchObject([{ id: orderId, attention: ['partner_cancelled', 'partner_error'] }]);
    const workflows = await eventually(async () => {
      const ids = await workflowsWith(`PresslineAttentionReasons = '${reason}' AND PresslineReference = 'two-reasons'`);
      return ids.length > 0 ? ids : undefined;
    });
    expect(workflows).toEqual([`order-${orderId}`]);
  }
});
