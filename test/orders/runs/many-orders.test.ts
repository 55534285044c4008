import { orderWorkflowId } from '../../../src/orders/domain/run-messages';
import { testStack } from '../../support/stack';
import { orderOf, read } from './shop';

/** The small form of `npm run bench:thousand`. */
const ORDERS = 60;
const CONNECTIONS = 20;

test(`${ORDERS} orders by ${CONNECTIONS} connections at once: as many runs, each found by id and by reference`, async () => {
  const stack = await testStack();
  const waiting = Array.from({ length: ORDERS }, (_, index) =>
    orderOf(stack, { orderReferenceId: `many-${index}` }),
  );
  const taken: { id: string; orderReferenceId: string }[] = [];
  const connection = async () => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop())
      taken.push(await stack.shop.submitOrder({ body }));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  expect(new Set(taken.map(({ id }) => id)).size).toBe(ORDERS);

  const { sql, temporal } = stack.services;
  const delivered = async () => {
    const [row] = await sql<{ count: number }[]>`
      SELECT count(*)::int FROM orders WHERE fulfillment_status = 'delivered'`;
    return row!.count;
  };
  for (const end = Date.now() + 100_000; (await delivered()) < ORDERS && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await delivered()).toBe(ORDERS);

  for (const { id, orderReferenceId } of taken) {
    expect(await read(stack.shop, id)).toMatchObject({
      id,
      orderReferenceId,
      fulfillmentStatus: 'delivered',
    });
    expect(await read(stack.shop, orderReferenceId)).toMatchObject({ id });
    const { type } = await temporal.workflow.getHandle(orderWorkflowId(id)).describe();
    expect(type).toBe('order');
  }
  const printOrders = Object.values(stack.sandbox.seen().partners).flatMap((partner) => partner.printOrders);
  expect(printOrders).toHaveLength(ORDERS);
  expect(printOrders.every(({ distinctContents }) => distinctContents === 1)).toBe(true);
}, 120_000);
