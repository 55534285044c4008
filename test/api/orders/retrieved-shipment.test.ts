import { replanShipments } from '../../../src/orders/planning/shipment-rest';
import { planReroute } from '../../../src/orders/production/reroute-plan';
import { ARCHIVE_FILES } from '../../../src/orders/upkeep/archive-files';
import { loadExchangeRates } from '../../../src/platform/exchange-rates';
import { facilityOf } from '../../support/rows/partner-setup';
import { type OrdersApi, ordersApi, planningSteps, planOrder, subscribedPartners } from './orders-api';
import { item, of, order, STICKER } from './sample-orders';

/** Plans of orders, as they are stored and as a client sees their shipments. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const read = async (id: string) => (await api.get(id).expect(200)).body;

/** Submits an order with retail prices, so that every partner can make it, and plans it. Returns its id. */
async function planned(quantity = 1): Promise<string> {
  const { id } = (
    await api
      .submit(
        order({
          retailCurrency: 'EUR',
          retailShippingPriceInclVat: 5,
          items: [item({ retailPriceInclVat: 20, quantity })],
        }),
      )
      .expect(200)
  ).body;
  expect((await planOrder(api, id)).outcome).toBe('planned');
  return id;
}

/** Reroutes the only item of an order, or units of it, to prints-ohio. Returns the ids of the first and of the second print order. */
async function rerouted(
  id: string,
  units?: { jobId: string; quantity: number },
): Promise<[first: string, second: string]> {
  const { items } = await read(id);
  const [first] = await api.sql<{ id: string; partnerId: string }[]>`
    SELECT id::text, partner_id FROM print_orders WHERE order_id = ${id}`;
  const reroute = await planReroute(planningSteps(api), {
    orderId: id,
    step: 'reroute:test',
    action: 'reroute',
    itemId: items[0].id,
    quantity: units?.quantity ?? null,
    partnerId: null,
    units: units === undefined ? [] : [units],
    madeAt: [{ printOrderId: first!.id, partnerId: first!.partnerId }],
    waits: false,
  });
  if (reroute.outcome !== 'planned') throw new Error(reroute.message);
  // The order workflow writes these statuses with its next record.
  await api.sql`UPDATE print_jobs SET status = 'superseded' WHERE print_order_id = ${first!.id}`;
  await api.sql`UPDATE print_orders SET status = 'cancelled' WHERE id = ${first!.id}`;
  return [first!.id, reroute.printOrder.id];
}

test('after a reroute the shipment is that of the new partner alone', async () => {
  const id = await planned();
  const before = await read(id);
  expect(before.shipment).toMatchObject({
    fulfillmentFacilityId: await facilityOf(api.sql, 'prints-berlin'),
    packageCount: 1,
  });

  const [first, second] = await rerouted(id);

  const { shipment, connectedOrderIds } = await read(id);
  const [plan] = await api.sql<{ price: string; weight: string; from: string; to: string; uid: string }[]>`
    SELECT price_minor AS price, total_weight_grams AS weight, shipment_method_uid AS uid,
      min_delivery_date::text AS from, max_delivery_date::text AS to
    FROM planned_shipments WHERE print_order_id = ${second}`;
  expect(shipment).toMatchObject({
    fulfillmentCountry: 'US',
    fulfillmentFacilityId: await facilityOf(api.sql, 'prints-ohio'),
    shipmentMethodUid: plan!.uid,
    packageCount: 1,
    totalWeight: Number(plan!.weight),
    price: Number(plan!.price) / 100,
    minDeliveryDate: plan!.from,
    maxDeliveryDate: plan!.to,
  });
  expect(connectedOrderIds).toEqual([]);
  expect(first).not.toBe(second);
});

test('print orders that are live together are connected, and the shipment counts both', async () => {
  const id = await planned();
  const [first, second] = await rerouted(id);
  await api.sql`UPDATE print_orders SET status = 'accepted' WHERE id = ${first}`;
  const { shipment, connectedOrderIds } = await read(id);
  expect(shipment.packageCount).toBe(2);
  expect(connectedOrderIds).toEqual([first, second]);
});

test('units that a partner keeps after a partial reroute are planned without the moved ones', async () => {
  const id = await planned(3);
  const before = await read(id);
  const [printJob] = before.items[0].printJobs;
  const [first, second] = await rerouted(id, { jobId: printJob.id, quantity: 2 });
  await api.sql`UPDATE print_orders SET status = 'accepted' WHERE id = ${first}`;
  const weights = await api.sql<{ weight: string }[]>`
    SELECT total_weight_grams AS weight FROM planned_shipments WHERE order_id = ${id} ORDER BY print_order_id`;
  const [kept, moved] = weights.map(({ weight }) => Number(weight));
  expect(kept).toBeLessThan(before.shipment.totalWeight);
  const { shipment, connectedOrderIds } = await read(id);
  expect(shipment.totalWeight).toBe(kept! + moved!);
  expect(connectedOrderIds).toEqual([first, second]);
});

test('a retrieved order has the planned parcels; their rest is priced once, at the exchange rates of the order', async () => {
  const items = [item({ quantity: 12 }), item({ itemReferenceId: 'sticker', productUid: STICKER })];
  const { id } = (await api.submit(order({ currency: 'CHF', items })).expect(200)).body;
  await planOrder(api, id);
  const planned = await read(id);
  const prices = (await read(id)).shipment.plannedPackages.map(({ price }: { price: number }) => price);
  expect(planned.shipment.plannedPackages).toMatchObject([
    { items: [{ quantity: 10 }] },
    { items: [{ quantity: 2 }] },
    { items: [{ itemReferenceId: 'sticker' }] },
  ]);
  const sum = (amounts: number[]) => Math.round(amounts.reduce((total, amount) => total + amount, 0) * 100);
  expect(sum(prices)).toBe(sum([planned.shipment.price]));
  expect(sum(prices)).toBe(sum([planned.receipts[0].shippingPrice]));

  await api.sql`UPDATE orders SET created_at = created_at - interval '1 day' WHERE id = ${id}`;
  const today = new Date().toISOString().slice(0, 10);
  await loadExchangeRates(api.sql, { date: today, perEuro: { CHF: '2' } });
  await api.sql`UPDATE print_jobs SET quantity = 2 WHERE quantity = 12`;
  const [{ printOrderIds }] = await api.sql<[{ printOrderIds: string[] }]>`
    SELECT array_agg(id::text) AS print_order_ids FROM print_orders WHERE order_id = ${id}`;
  for (let attempt = 0; attempt < 2; attempt += 1)
    await replanShipments(planningSteps(api), { orderId: id, printOrderIds, refunds: true });
  const { shipment, receipts } = await read(id);
  expect(sum([shipment.price])).toBe(sum(prices.slice(1)));
  expect(receipts.map(({ shippingPrice }: { shippingPrice: number }) => shippingPrice)).toEqual([
    planned.shipment.price,
    -prices[0],
  ]);
});

test('a cancelled order shows the shipment of its last print order', async () => {
  const id = await planned();
  const [, second] = await rerouted(id);
  await api.sql`UPDATE print_orders SET status = 'cancelled' WHERE id = ${second}`;
  await api.sql`UPDATE orders SET fulfillment_status = 'canceled' WHERE id = ${id}`;
  expect((await read(id)).shipment).toMatchObject({
    status: 'canceled',
    fulfillmentFacilityId: await facilityOf(api.sql, 'prints-ohio'),
    packageCount: 1,
  });
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
