import { eventually, type TestStack, testStack } from '../../support/stack';
import { address, framedPoster, poster } from '../../workflows/order/client-orders';
import { is, orderUntil, partnerClock } from '../../workflows/order/order-fixture';
import { linesOf, sentOrder } from './print-order-reader';

/** `GET /v2/orders`: partners read the print orders that were sent to them. */

let stack: TestStack;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const get = async (path: string, partner = 'prints-berlin') => {
  const { apiKey } = stack.credentials.partners.find(({ name }) => name === partner)!;
  const response = await fetch(`${stack.baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape, checked by the assertions.
  return { status: response.status, body: (await response.json()) as any };
};
const postStatus = (orderId: string, status: string, more: object = {}) =>
  stack.partner('prints-berlin').postOrderStatus({ body: { timestamp: now(), orderId, status, ...more } as never });

test('a print order is returned as it was sent, with status and revision', async () => {
  const { orderId, printOrders } = await sentOrder(stack, {});
  const { id } = printOrders[0]!;
  const [{ body: sent }] = (await stack.services.sql`
    SELECT body FROM print_orders WHERE order_id = ${orderId}`) as unknown as [{ body: string }];
  expect(await get(`/v2/orders/${id}`)).toEqual({
    status: 200,
    body: { ...JSON.parse(sent), status: 'sent', revision: 1 },
  });
});

test('after an order update, the print order has the body and the revision of the update', async () => {
  const { orderId, printOrders } = await sentOrder(stack, {});
  const { id } = printOrders[0]!;
  await postStatus(id, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  await stack.client.updateShipment({
    params: { orderId },
    body: { shippingAddress: { ...address, addressLine1: 'Chausseestrasse 3' } },
  });
  const { body } = await eventually(async () => {
    const seen = await get(`/v2/orders/${id}`);
    return seen.body.revision === 2 ? seen : undefined;
  });
  expect(body).toMatchObject({ id, status: 'received' });
  expect(body.shipping.address).toContainEqual(
    expect.objectContaining({ type: 'delivery', addressLine1: 'Chausseestrasse 3' }),
  );
  const { orders } = (await get('/v2/orders?status=received')).body;
  expect(orders).toContainEqual(body);
});

test('another partner’s print order, an unknown one and an invalid id are 404', async () => {
  const { printOrders } = await sentOrder(stack, {});
  for (const [id, partner] of [
    [printOrders[0]!.id, 'prints-ohio'],
    ['999999999999', 'prints-berlin'],
    ['abc', 'prints-berlin'],
  ]) {
    expect(await get(`/v2/orders/${id}`, partner)).toEqual({
      status: 404,
      body: { error: expect.stringContaining(id!) },
    });
  }
  const { body } = await get('/v2/orders', 'prints-ohio');
  expect(body).toEqual({ orders: [], nextCursor: null });
});

test('a print order that was not sent yet is not listed', async () => {
  const { orderId, printOrders } = await sentOrder(stack, {});
  const { id } = printOrders[0]!;
  const { sql } = stack.services;
  const [row] = await sql`SELECT body FROM print_orders WHERE order_id = ${orderId}`;
  await sql`UPDATE print_orders SET body = NULL WHERE id = ${id}`;
  expect((await get(`/v2/orders/${id}`)).status).toBe(404);
  const { body } = await get('/v2/orders?limit=100');
  expect(body.orders.map((order: { id: string }) => order.id)).not.toContain(id);
  await sql`UPDATE print_orders SET body = ${row!.body} WHERE id = ${id}`;
});

test('pages follow each other, newest first', async () => {
  for (let count = 0; count < 3; count += 1) await sentOrder(stack, {});
  const whole = (await get('/v2/orders?limit=100')).body;
  expect(whole.nextCursor).toBeNull();
  const ids = whole.orders.map(({ id }: { id: string }) => Number(id));
  expect(ids).toEqual([...ids].sort((a, b) => b - a));
  const pages: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { orders: { id: string }[]; nextCursor: string | null } = (
      await get(`/v2/orders?limit=2${cursor && `&cursor=${cursor}`}`)
    ).body;
    expect(page.orders.length).toBeLessThanOrEqual(2);
    pages.push(...page.orders.map(({ id }) => Number(id)));
    cursor = page.nextCursor;
  }
  expect(pages).toEqual(ids);
});

test.each(['status=lost', 'limit=0', 'limit=101', 'cursor=nonsense'])('%s is 400', async (query) => {
  expect(await get(`/v2/orders?${query}`)).toEqual({
    status: 400,
    body: { error: expect.stringContaining(query.split('=')[0]!) },
  });
});

test('the status follows the postbacks, and the list filters by it', async () => {
  const { orderId, printOrders } = await sentOrder(stack, {
    items: [poster(stack), poster(stack, { itemReferenceId: 'second' })],
  });
  const { id } = printOrders[0]!;
  const [first, second] = linesOf(printOrders[0]!).map((line) => line.id);
  const expectStatus = async (status: string) => {
    await eventually(async () => ((await get(`/v2/orders/${id}`)).body.status === status ? true : undefined));
    for (const filter of ['sent', 'received', 'printed', 'shipped', 'manual_handling', 'cancelled']) {
      const { body } = await get(`/v2/orders?status=${filter}&limit=100`);
      const ids = body.orders.map((order: { id: string }) => order.id);
      expect([filter, ids.includes(id)]).toEqual([filter, filter === status]);
      expect(new Set(body.orders.map((order: { status: string }) => order.status)).size).toBeLessThan(2);
    }
  };
  await expectStatus('sent');
  await postStatus(id, 'received');
  await expectStatus('received');
  await postStatus(id, 'printed', { orderItemId: first });
  await orderUntil(stack, orderId, ({ items }) => items[0]!.status === 'printed');
  await expectStatus('received');
  await postStatus(id, 'printed', { orderItemId: second });
  await expectStatus('printed');
  await postStatus(id, 'shipped');
  await expectStatus('shipped');

  const cancelled = (await sentOrder(stack, {})).printOrders[0]!;
  await postStatus(cancelled.id, 'cancelled');
  await eventually(async () =>
    (await get(`/v2/orders/${cancelled.id}`)).body.status === 'manual_handling' ? true : undefined,
  );
});

describe('postbacks for a part of a mounted poster', () => {
  const framedOrder = async () => {
    const { orderId, printOrders } = await sentOrder(stack, {
      items: [framedPoster(stack, { quantity: 2 })],
    });
    const parts = linesOf(printOrders[0]!).flatMap(({ id }) => id ?? []);
    expect(new Set(parts).size).toBe(2);
    return { orderId, id: printOrders[0]!.id, parts };
  };

  test.each([0, 1])('part %i stands for the whole item', async (part) => {
    const { orderId, id, parts } = await framedOrder();
    await postStatus(id, 'received', { orderItemId: parts[part] });
    await orderUntil(stack, orderId, is('in_production'));
    await postStatus(id, 'printed', { orderItemId: parts[1 - part] });
    await orderUntil(stack, orderId, is('printed'));
    await postStatus(id, 'shipped', { orderItemId: parts[part] });
    await orderUntil(stack, orderId, is('shipped'));
  });

  test('both parts in a cancellation are one item', async () => {
    const { orderId, id, parts } = await framedOrder();
    await postStatus(id, 'cancelled', { items: parts.map((orderItemId) => ({ orderItemId })) });
    const { items } = await orderUntil(stack, orderId, is('on_hold'));
    expect(items.map(({ status }) => status)).toEqual(['manual_handling']);
  });

  test('one part twice, the part of another item and an unknown id are 400', async () => {
    const { id, parts } = await framedOrder();
    const other = await framedOrder();
    const twice = { items: [{ orderItemId: parts[1] }, { orderItemId: parts[1] }] };
    await expect(postStatus(id, 'cancelled', twice)).rejects.toMatchObject({ status: 400 });
    for (const orderItemId of [other.parts[1], '1']) {
      await expect(postStatus(id, 'printed', { orderItemId })).rejects.toMatchObject({ status: 400 });
    }
  });

  test('a cancellation by the client names all parts', async () => {
    const { orderId, id, parts } = await framedOrder();
    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, is('canceled'));
    const seen = stack.sandbox
      .seen()
      .partners['prints-berlin']!.printOrders.find(({ printOrderId }) => printOrderId === id);
    expect(seen!.cancelOrders).toEqual([{ itemIds: [...parts].sort(), accepted: true }]);
    expect((await get(`/v2/orders/${id}`)).body.status).toBe('cancelled');
    const { body } = await get('/v2/orders?status=cancelled');
    expect(body.orders.map((order: { id: string }) => order.id)).toContain(id);
  });
});
