import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signedCarrierEvents } from '../../support/carrier-events';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { accepted, is, orderBody, orderUntil, partnerClock } from '../../workflows/order/order-fixture';

/** Carrier events of an order's parcels, as they appear in the order and in its notifications. */

interface Notification {
  event: string;
  orderId: string;
  minDeliveryDate?: string;
  maxDeliveryDate?: string;
}

let stack: TestStack;
let stopServer: () => Promise<void>;
const notifications: Notification[] = [];
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    notifications.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopServer = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  await stack.client.createWebhook({ body: { url, events: ['order_delivery_estimate_updated'] } });
});
afterAll(() => stopServer());

/** Returns a shipped order of two posters in two parcels. */
async function shippedInTwo(reference: string) {
  const parcel = { packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }] };
  const body = orderBody(stack, reference, { quantity: 2 });
  const { id: orderId } = await stack.client.submitOrder({
    body: { ...body, packagingInstructions: [parcel, parcel] },
  });
  const { printOrderId } = await accepted(stack, orderId);
  const partner = stack.partner('prints-berlin');
  await partner.dispatchOrder({ body: { orderId: printOrderId } });
  await partner.postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status: 'shipped' } });
  await orderUntil(stack, orderId, is('shipped'));
  const packages = await stack.services.sql<{ trackingNumber: string; carrierUid: string }[]>`
    SELECT k.tracking_number, s.carrier_uid FROM shipments s JOIN shipment_packages k ON k.shipment_id = s.id
    WHERE s.order_id = ${orderId} ORDER BY k.position`;
  expect(packages).toHaveLength(2);
  return {
    orderId,
    carrierUid: packages[0]!.carrierUid,
    numbers: packages.map(({ trackingNumber }) => trackingNumber) as [string, string],
  };
}

let scans = 0;
/** Sends one scan to the carrier webhook. */
async function report(
  carrierUid: string,
  trackingNumber: string,
  statusUid: string,
  expectedDeliveryDate?: string,
): Promise<void> {
  const createdAt = new Date(Date.now() + ++scans * 1_000).toISOString();
  const scan = { id: `scan-${scans}`, trackingNumber, statusUid, message: statusUid, createdAt };
  const response = await fetch(`${stack.baseUrl}/v1/carriers/${carrierUid}/events`, {
    method: 'POST',
    ...signedCarrierEvents(
      [{ ...scan, expectedDeliveryDate }],
      stack.services.secrets.carrierWebhookSecrets.get(carrierUid)![0]!,
    ),
  });
  expect(response.status).toBe(200);
}

const shipmentOf = async (orderId: string) =>
  (await stack.client.getOrder({ params: { orderId } })).shipment as unknown as Record<string, unknown>;
const notifiedEstimates = (orderId: string) =>
  notifications
    .filter((each) => each.orderId === orderId)
    .map(({ minDeliveryDate, maxDeliveryDate }) => [minDeliveryDate, maxDeliveryDate]);
/** Returns the date that many calendar days after the planned one. Plans count days in the partner's time zone. */
const daysAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

test('an order of two parcels is delivered when both parcels are', async () => {
  const { orderId, carrierUid, numbers } = await shippedInTwo('two-parcels');

  await report(carrierUid, numbers[0], 'delivered');
  await orderUntil(stack, orderId, is('in_transit'));
  await report(carrierUid, numbers[1], 'in_transit');
  await report(carrierUid, numbers[0], 'delivered');
  expect((await stack.client.getOrder({ params: { orderId } })).fulfillmentStatus).toBe('in_transit');
  await report(carrierUid, numbers[1], 'delivered');

  const { items } = await orderUntil(stack, orderId, is('delivered'));
  expect(items.map(({ status }) => status)).toEqual(['delivered']);
});

test('a carrier’s expected delivery dates become the order’s delivery dates, and its client is notified', async () => {
  const { orderId, carrierUid, numbers } = await shippedInTwo('estimates');
  const planned = (await shipmentOf(orderId)) as unknown as {
    initialMinDeliveryDate: string;
    initialMaxDeliveryDate: string;
    maxDeliveryDays: number;
  };
  const { initialMinDeliveryDate, initialMaxDeliveryDate } = planned;
  const later = (days: number) => daysAfter(initialMaxDeliveryDate, days);
  await eventually(async () => (notifiedEstimates(orderId).length === 1 ? true : undefined));

  await report(carrierUid, numbers[0], 'in_transit', later(6));
  const first = await shipmentOf(orderId);
  await report(carrierUid, numbers[1], 'in_transit', later(10));
  const both = await shipmentOf(orderId);
  // A repeated estimate, a date in the past, and an earlier estimate.
  await report(carrierUid, numbers[1], 'in_transit', later(10));
  await report(carrierUid, numbers[0], 'in_transit', '2020-01-01');
  await report(carrierUid, numbers[0], 'out_for_delivery', later(4));
  const earlier = await shipmentOf(orderId);

  const dates = (min: number, max: number) => ({
    initialMinDeliveryDate,
    initialMaxDeliveryDate,
    minDeliveryDate: later(min),
    maxDeliveryDate: later(max),
    minDeliveryDays: planned.maxDeliveryDays + min,
    maxDeliveryDays: planned.maxDeliveryDays + max,
  });
  expect(planned).toMatchObject({
    minDeliveryDate: initialMinDeliveryDate,
    maxDeliveryDate: initialMaxDeliveryDate,
  });
  expect(first).toMatchObject(dates(6, 6));
  expect(both).toMatchObject(dates(6, 10));
  expect(earlier).toMatchObject(dates(4, 10));
  await eventually(async () => (notifiedEstimates(orderId).length >= 4 ? true : undefined));
  expect(notifiedEstimates(orderId).sort()).toEqual(
    [
      [initialMinDeliveryDate, initialMaxDeliveryDate],
      [later(6), later(6)],
      [later(6), later(10)],
      [later(4), later(10)],
    ].sort(),
  );
});
