import { type OrdersApi, ordersApi } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

let api: OrdersApi;
let first: string;
let second: string;

/** Submits an order and sets its attention reasons. */
async function flagged(...reasons: string[]): Promise<string> {
  const { id } = (await api.submit(order()).expect(200)).body;
  await api.sql`UPDATE orders SET attention = ${reasons} WHERE id = ${id}`;
  return id;
}

const list = async (query: object = {}) => (await api.list('/v1/operator/attention', query).expect(200)).body;
const ids = async (query: object) => (await list(query)).orders.map(({ id }: { id: string }) => id);

beforeAll(async () => {
  api = await ordersApi();
  first = await flagged('not_printed');
  second = await flagged('not_printed', 'partner_error');
  await api.submit(order()).expect(200);
});

test('lists the orders that need attention with all their reasons, newest first', async () => {
  expect((await list()).orders).toMatchObject([
    { id: second, attention: ['not_printed', 'partner_error'] },
    { id: first, attention: ['not_printed'] },
  ]);
});

test.each([
  { reason: 'not_printed', found: () => [second, first] },
  { reason: 'partner_error', found: () => [second] },
  { reason: 'no_partner', found: () => [] },
])('the filter $reason finds the orders that have it among their reasons', async ({ reason, found }) => {
  expect(await ids({ reason })).toEqual(found());
});

test('pages continue after the last order', async () => {
  const { orders, nextCursor } = await list({ limit: 1, reason: 'not_printed' });
  expect(orders).toMatchObject([{ id: second }]);
  const next = await list({ limit: 1, reason: 'not_printed', cursor: nextCursor });
  expect(next).toMatchObject({ orders: [{ id: first }], nextCursor: null });
});
