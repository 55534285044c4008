import { setTimeout as sleep } from 'node:timers/promises';
import { createPresslineClient } from '../../../client/pressline-client';
import { type TestStack, testStack } from '../../support/stack';
import { handedOver, orderBody } from '../../workflows/order/order-fixture';

/** The largest dispatch, and one that is too large, beside another client. API and worker share the process of the test. */

const PARCELS = 400;
/** Numbers of labels between two reads of the other client, by which it sees the dispatch go on. */
const FEWEST_READS = 20;

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

test('the labels of 400 parcels are made in parts, between which another client is answered', async () => {
  const { sql } = stack.services;
  const { apiKey: otherKey, apiSecret } = await stack.operator.createClient({ body: { name: 'neighbour' } });
  const other = createPresslineClient({ baseUrl: stack.baseUrl, apiKey: otherKey, apiSecret });
  const order = await handedOver(stack, 'four-hundred', { quantity: PARCELS * 10 });
  const { apiKey } = stack.credentials.partners.find(({ name }) => name === order.partner)!;
  const ask = () =>
    fetch(`${stack.baseUrl}/v2/order/dispatch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ orderId: order.printOrderId }),
    });
  const bought = async () => {
    const [count] = await sql<{ labels: number }[]>`
      SELECT count(*)::int AS labels FROM carrier_purchases p JOIN shipments s ON p.idempotency_key LIKE s.id || ':%'
      WHERE s.order_id = ${order.orderId}`;
    return count!.labels;
  };
  expect((await ask()).status).toBe(202);

  const seen = new Set<number>();
  while ((await bought()) < PARCELS) {
    await other.listProductModels({ query: {} });
    seen.add(await bought());
    await sleep(10);
  }
  expect(seen.size).toBeGreaterThan(FEWEST_READS);
  let response = await ask();
  for (; response.status === 202; response = await ask()) {
    await other.listProductModels({ query: {} });
    await sleep(100);
  }
  const { documents } = (await response.json()) as { documents: readonly { type: string }[] };
  expect(documents.filter(({ type }) => type === 'label')).toHaveLength(PARCELS);
  expect(await bought()).toBe(PARCELS);
}, 600_000);

test('an order of 5,000 parcels is refused before anything is stored', async () => {
  const body = orderBody(stack, 'five-thousand', { quantity: 50_000 });
  await expect(stack.client.submitOrder({ body })).rejects.toMatchObject({
    status: 400,
    code: 'TOO_MANY_PARCELS',
    message: expect.stringMatching(/5,000 parcels, and at most 500/),
  });
  const { count } = await stack.services.sql`SELECT FROM orders WHERE order_reference_id = 'five-thousand'`;
  expect(count).toBe(0);
});
