import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { testStack } from '../../../support/stack';
import { orderOf, read } from '../client-orders';

/** A small form of `npm run bench -- thousand-orders`. */
const ORDERS = 60;
const CONNECTIONS = 20;

test(`${ORDERS} orders over ${CONNECTIONS} connections: each has one run and one print order, and is found by id and reference`, async () => {
  const stack = await testStack({ mode: 'manual' });
  const waiting = Array.from({ length: ORDERS }, (_, index) => orderOf(stack, { orderReferenceId: `many-${index}` }));
  const taken: { id: string; orderReferenceId: string }[] = [];
  const connection = async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop())
      taken.push(await stack.client.submitOrder({ body }));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  expect(new Set(taken.map(({ id }) => id)).size).toBe(ORDERS);

  const { sql, temporal } = stack.services;
  const handedOver = async () => {
    const [row] = await sql<{ count: number }[]>`
      SELECT count(*)::int FROM print_orders WHERE status = 'accepted'`;
    return row!.count;
  };
  for (const end = Date.now() + 120_000; (await handedOver()) < ORDERS && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 200));

  for (const { id, orderReferenceId } of taken) {
    expect(await read(stack.client, id)).toMatchObject({
      id,
      orderReferenceId,
      fulfillmentStatus: 'passed',
    });
    expect(await read(stack.client, orderReferenceId)).toMatchObject({ id });
    const { type } = await temporal.workflow.getHandle(orderWorkflowId(id)).describe();
    expect(type).toBe('order');
  }
  const printOrders = Object.values(stack.sandbox.seen().partners).flatMap((partner) => partner.printOrders);
  expect(printOrders).toHaveLength(ORDERS);
  expect(printOrders.every(({ distinctContents }) => distinctContents === 1)).toBe(true);
});
