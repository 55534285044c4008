import { ARCHIVE_FILES } from '../../../src/orders/archive/archive-files';
import { OrderEnded, type PlanRecorder } from '../../../src/orders/preparation/prepare-order';
import { type OrdersApi, ordersApi, planOrder, subscribedPartners } from './orders-api';
import { item, of, order } from './sample-orders';

/** The record of a plan is written in the transaction of the plan. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const submit = async () => (await api.submit(order()).expect(200)).body.id as string;
const plan = (orderId: string, onPlanned: PlanRecorder) => planOrder(api, orderId, onPlanned);
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

test('plan and record are written together, and a repeated call records the stored plan', async () => {
  const orderId = await submit();
  const recorded: unknown[] = [];
  const record: PlanRecorder = async (tx, planned) => {
    recorded.push(planned);
    await tx`UPDATE orders SET fulfillment_status = 'passed' WHERE id = ${orderId}`;
  };
  const first = await plan(orderId, record);
  expect(await rows(orderId)).toEqual({ printOrders: 1, receipts: 1, decisions: 1, shipments: 1, prices: 1 });
  const again = await plan(orderId, record);
  expect(first).toMatchObject({ outcome: 'planned', printOrders: [{ jobs: [{ quantity: 1 }] }] });
  expect(again).toEqual({ ...first, shippingRevision: 0 });
  expect(recorded).toEqual([first, again]);
});

test('a record that fails leaves no plan', async () => {
  const orderId = await submit();
  await expect(plan(orderId, () => Promise.reject(new Error('no record')))).rejects.toThrow('no record');
  expect(await rows(orderId)).toEqual(NONE);
});

test('an order that was cancelled meanwhile gets no plan', async () => {
  const orderId = await submit();
  await api.sql`UPDATE orders SET fulfillment_status = 'canceled' WHERE id = ${orderId}`;
  const record = jest.fn<ReturnType<PlanRecorder>, Parameters<PlanRecorder>>();
  await expect(plan(orderId, record)).rejects.toThrow(OrderEnded);
  expect(record).not.toHaveBeenCalled();
  expect(await rows(orderId)).toEqual(NONE);
});

test('an item has the price of all its units, as the archive says of its column', async () => {
  const orderId = (await api.submit(of(item({ quantity: 3 }))).expect(200)).body.id;
  await plan(orderId, () => Promise.resolve());
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
