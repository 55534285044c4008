import { WorkflowNotFoundError } from '@temporalio/client';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { conflict, operatorHelpers } from '../operator-fixture';
import { handedOver, is, orderLog, orderNow, orderUntil } from '../order-fixture';

/** Orders whose workflow is gone: an operator terminated it, or Temporal has lost it. */

let stack: TestStack;
const { say, look, repair } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const runOf = (orderId: string) => stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
const revive = (orderId: string) =>
  stack.operator.reviveOrder({ params: { orderId }, body: { reason: 'terminated by mistake' } });

async function lose(orderId: string): Promise<void> {
  const { workflowService } = stack.services.temporal;
  await workflowService.deleteWorkflowExecution({
    namespace: stack.services.config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId: orderWorkflowId(orderId) },
  });
  await eventually(() =>
    runOf(orderId)
      .describe()
      .then(
        () => undefined,
        (error: unknown) => error instanceof WorkflowNotFoundError || undefined,
      ),
  );
}

describe.each([
  ['terminated', (orderId: string) => runOf(orderId).terminate('by mistake')],
  ['lost', lose],
])('an order whose workflow was %s', (name, end) => {
  test('is flagged by the first repair, and goes on where it was when an admin revives it', async () => {
    const order = await handedOver(stack, `gone-${name}`);
    const { orderId, printOrderId } = order;
    await say(order, 'received');
    await orderUntil(stack, orderId, is('in_production'));
    await expect(revive(orderId)).rejects.toMatchObject(conflict(/has a workflow/));
    await end(orderId);

    await expect(repair(orderId, { action: 'hold' })).rejects.toMatchObject(
      conflict(/workflow is gone .* can revive it/),
    );
    expect(await orderNow(stack, orderId)).toMatchObject({ attention: 'out_of_step' });
    expect(await look(orderId)).toMatchObject({
      possibleRepairs: [{ action: 'revive' }],
      impossibleRepairs: expect.arrayContaining([
        { action: 'cancel', reason: 'the workflow of the order is gone: an admin can revive it' },
      ]),
      problem: { type: 'out_of_step', message: expect.stringContaining('the workflow is gone') },
    });
    await expect(stack.client.cancelOrder({ params: { orderId }, body: {} })).rejects.toMatchObject({ status: 503 });
    // What the partner sends meanwhile is stored.
    await say(order, 'printed');

    // Of two requests at the same moment, one revives the order.
    const results = await Promise.allSettled([revive(orderId), revive(orderId)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await repair(orderId, { action: 'hold' })).toMatchObject({ attention: [] });
    await repair(orderId, { action: 'release' });
    await orderUntil(stack, orderId, is('printed'));
    await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
    await say(order, 'shipped');
    await orderUntil(stack, orderId, is('shipped'));
    expect((await look(orderId)).printOrders).toHaveLength(1);
    expect(await orderLog(stack, orderId, 'revive')).toMatchObject([
      { data: { by: 'operator', reason: 'terminated by mistake' } },
    ]);
  });
});
