import { serveHttp } from '../../../support/other-systems/http-server';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { is, orderBody, orderLog, orderUntil, withBerlin } from '../order-fixture';

/** What waits for a partner that does not respond: it is canceled by what was sent, and flagged. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { PARTNER_CALLS: 1, STALL_AFTER: 3_000 } });
});

const submit = async (reference: string) => (await stack.client.submitOrder({ body: orderBody(stack, reference) })).id;
const cancel = (orderId: string) =>
  stack.client.cancelOrder({ params: { orderId }, body: { reason: 'ordered twice' } });

test('an order that was never sent is canceled at once, a wait for the partner is flagged, and a sent one is asked for when its call is over', async () => {
  const ids = new Set<string>();
  const server = await serveHttp((request) => {
    ids.add(String(request.headers['webhook-id']));
    request.resume();
  });
  const { sql } = stack.services;
  const [before] = await sql<
    { url: string }[]
  >`SELECT order_submit_url AS url FROM partners WHERE uid = 'prints-berlin'`;
  const setUrl = (url: string) => sql`UPDATE partners SET order_submit_url = ${url} WHERE uid = 'prints-berlin'`;
  await setUrl(`${server.url}/orders`);
  try {
    const sent = await submit('sent-unanswered');
    await eventually(async () => (ids.size === 1 ? true : undefined));
    const unsent = await Promise.all(['unsent-1', 'unsent-2', 'unsent-3'].map(submit));
    for (const id of unsent) {
      await orderUntil(stack, id, ({ attention }) => attention === 'stalled');
      const flags = (await orderLog(stack, id, 'flagged')).map(({ data }) => String(data.message));
      expect(flags.join()).toContain('prints-berlin has not responded to the calls that are under way');
    }
    for (const id of unsent)
      expect(await cancel(id)).toMatchObject({ fulfillmentStatus: 'canceled', cancellation: 'done' });
    expect(ids.size).toBe(1);

    // The partner does not have the print order. It confirms the cancel request, which follows the call.
    expect(await cancel(sent)).toMatchObject({ fulfillmentStatus: 'passed', cancellation: 'requested' });
    server.closeAllConnections();
    await orderUntil(stack, sent, is('canceled'));
    expect(ids.size).toBe(1);
    for (const id of [sent, ...unsent])
      expect((await stack.client.getOrder({ params: { orderId: id } })).financialStatus).toBe('refunded');
  } finally {
    await setUrl(before!.url);
  }
});

test('a cancel request that waits for its partner is flagged, and sent in the end', async () => {
  const server = await serveHttp((request) => void request.resume());
  const first = await submit('holds-the-call');
  const second = await submit('waits-for-the-call');
  for (const id of [first, second]) await orderUntil(stack, id, is('passed'));
  await eventually(async () => {
    const { count } = await stack.services.sql`
      SELECT FROM print_orders WHERE order_id = ANY(${[first, second]}) AND status = 'accepted'`;
    return count === 2 ? true : undefined;
  });
  await withBerlin(stack, 'order_cancel_url', `${server.url}/cancel`, async () => {
    await Promise.all([cancel(first), cancel(second)]);
    for (const id of [first, second])
      await orderUntil(stack, id, ({ attention }) => attention?.includes('stalled') ?? false);
  });
  server.closeAllConnections();
  for (const id of [first, second])
    expect(await orderUntil(stack, id, is('canceled'))).toMatchObject({ financialStatus: 'refunded' });
});
