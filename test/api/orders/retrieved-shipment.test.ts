import { prepareOrder } from '../../../src/orders/planning/prepare-order';
import { planReroute } from '../../../src/orders/production/reroute-plan';
import { facilityOf } from '../../support/rows/partner-setup';
import { type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { item, order } from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

const steps = () => ({
  sql: api.sql,
  candidates: api.deps.candidates,
  quote: api.deps.carriers.quote,
  now: () => new Date(),
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
  expect((await prepareOrder(steps(), id)).outcome).toBe('planned');
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
  const reroute = await planReroute(steps(), {
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
