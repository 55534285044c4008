import { ARCHIVE_FILES } from '../../../src/orders/upkeep/archive-files';
import { type OrdersApi, ordersApi, planOrder, subscribedPartners } from './orders-api';
import { item, of, order } from './sample-orders';

/** A plan is stored once, and not for an order that has ended. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const submit = async () => (await api.submit(order()).expect(200)).body.id as string;
const rows = async (orderId: string) => {
  const [counts] = await api.sql`
    SELECT (SELECT count(*)::int FROM print_orders WHERE order_id = ${orderId}) AS print_orders,
      (SELECT count(*)::int FROM receipts WHERE order_id = ${orderId}) AS receipts,
      (SELECT count(*)::int FROM routing_decisions WHERE order_id = ${orderId}) AS decisions,
      (SELECT count(*)::int FROM planned_shipments WHERE order_id = ${orderId}) AS shipments,
      (SELECT count(*)::int FROM order_items WHERE order_id = ${orderId} AND price_minor IS NOT NULL) AS prices`;
  return { ...counts };
};
const NONE = { printOrders: 0, receipts: 0, decisions: 0, shipments: 0, prices: 0 };

test('a repeated plan returns the stored one', async () => {
  const orderId = await submit();
  const first = await planOrder(api, orderId);
  expect(await rows(orderId)).toEqual({ printOrders: 1, receipts: 1, decisions: 1, shipments: 1, prices: 1 });
  const again = await planOrder(api, orderId);
  expect(first).toMatchObject({ outcome: 'planned', printOrders: [{ jobs: [{ quantity: 1 }] }] });
  expect(again).toEqual({ ...first, shippingRevision: 0 });
  expect(await rows(orderId)).toEqual({ printOrders: 1, receipts: 1, decisions: 1, shipments: 1, prices: 1 });
});

test('an order that was cancelled before or while it is planned gets no plan', async () => {
  const orderId = await submit();
  await api.sql`UPDATE orders SET fulfillment_status = 'canceled' WHERE id = ${orderId}`;
  expect(await planOrder(api, orderId)).toEqual({ outcome: 'ended' });
  await api.sql`UPDATE order_items SET fulfillment_status = 'cancelled' WHERE order_id = ${orderId}`;
  expect(await planOrder(api, orderId)).toEqual({ outcome: 'ended' });
  expect(await rows(orderId)).toEqual(NONE);
});

test('an item has the price of all its units, as the archive says of its column', async () => {
  const orderId = (await api.submit(of(item({ quantity: 3 }))).expect(200)).body.id;
  await planOrder(api, orderId);
  const [found] = await api.sql<{ price: number; charged: number }[]>`
    SELECT price_minor::int AS price, (r.body #>> '{lines,0,price}')::int AS charged
    FROM order_items i JOIN receipts r USING (order_id) WHERE order_id = ${orderId}`;
  expect(found!.price).toBe(found!.charged);
  const [one] = await api.sql<{ price: number }[]>`
    SELECT price_minor::int AS price FROM order_items WHERE quantity = 1 AND price_minor IS NOT NULL LIMIT 1`;
  expect(found!.price).toBe(3 * one!.price);
  const { columns } = ARCHIVE_FILES.find(({ name }) => name === 'items')!;
  expect(columns.find(({ name }) => name === 'price_minor')!.doc).toMatch(/^Price of all its units without VAT/);
});
