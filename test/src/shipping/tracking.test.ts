import { json } from 'node:stream/consumers';
import { startEasyPostServer } from '../../../sandbox/carriers/easypost-server';
import { carriersOf, createCarriers } from '../../../src/carriers/carriers';
import { S10_SERIALS, s10, sscc } from '../../../src/carriers/domain/tracking-numbers';
import { createEasyPostGateway } from '../../../src/carriers/easypost/gateway';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { createSafeClient } from '../../../src/platform/http/safe-client';
import { testAccount } from '../../support/api-deps';
import { signedCarrierEvents } from '../../support/carrier-events';
import { serveHttp } from '../../support/other-systems/http-server';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { sweepTrackings } from '../../support/sweep-trackings';
import { accepted, is, orderBody, orderUntil, partnerClock } from '../../workflows/order/order-fixture';

/** Carrier events of an order's parcels, and tracking codes that print partners bring with `shipped`. */

interface Notification {
  readonly orderId: string;
  readonly minDeliveryDate?: string;
  readonly maxDeliveryDate?: string;
}

const rates = async () => REFERENCE_RATES;
const notifications: Notification[] = [];

let stack: TestStack;
let easyPost: Awaited<ReturnType<typeof startEasyPostServer>>;
const http = createSafeClient({ allowPrivate: true });
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  easyPost = await startEasyPostServer();
  const { url } = await serveHttp(async (request, response) => {
    notifications.push((await json(request)) as Notification);
    response.end();
  });
  await stack.client.createWebhook({ body: { url, events: ['order_delivery_estimate_updated'] } });
});
afterAll(async () => {
  await http.close();
  await easyPost.stop();
});

/** Submits an order that its partner ships with its own tracking code. */
async function shippedWith(reference: string, trackingCode: string): Promise<string> {
  const { id: orderId } = await stack.client.submitOrder({ body: orderBody(stack, reference) });
  const { printOrderId } = await accepted(stack, orderId);
  const partner = stack.partner('prints-berlin');
  const postback = { orderId: printOrderId, timestamp: now() };
  await partner.postOrderStatus({ body: { ...postback, status: 'received' } });
  await partner.postOrderStatus({
    body: {
      orderId: printOrderId,
      timestamp: now(),
      status: 'shipped',
      trackingCode,
      trackingLink: 'https://partner.example/follow',
    },
  });
  await orderUntil(stack, orderId, is('shipped'));
  return orderId;
}

let scans = 0;
/** Sends one scan to the carrier webhook. */
async function report(carrierUid: string, trackingNumber: string, statusUid: string, expectedDeliveryDate?: string) {
  const createdAt = new Date(Date.now() + ++scans * 1_000).toISOString();
  const scan = { id: `scan-${scans}`, trackingNumber, statusUid, message: statusUid, createdAt, expectedDeliveryDate };
  const [secret] = stack.services.secrets.carrierWebhookSecrets.get(carrierUid)!;
  const request = { method: 'POST', ...signedCarrierEvents([scan], secret!) };
  const response = await fetch(`${stack.baseUrl}/v1/carriers/${carrierUid}/events`, request);
  expect(response.status).toBe(200);
  return (await response.json()) as object;
}

const track = (trackingNumber: string, client: Pick<TestStack['client'], 'getTracking'> = stack.client) =>
  client.getTracking({ params: { trackingNumber } });
const followed = async (orderId: string) =>
  (await stack.client.getOrder({ params: { orderId } })).shipment?.trackingFollowed;

test.each([
  ['postal', 'corvid_post', 'Corvid Post', s10('R', 4_711, 'FR')],
  ['Tern Parcel', 'tern_parcel', 'Tern Parcel', sscc('9521101', 4_711)],
])('a %s number is followed to the end', async (name, carrierUid, carrierName, code) => {
  const orderId = await shippedWith(`own-${name}`, code);

  expect(await followed(orderId)).toBe(true);
  expect(await track(code)).toMatchObject({
    trackingNumber: code,
    trackingUrl: 'https://partner.example/follow',
    carrierUid,
    carrierName,
    checkpoints: [],
  });
  expect(await track(code, stack.partner('prints-berlin'))).toMatchObject({ trackingNumber: code });
  const stranger = await testAccount(stack.services.sql, 'client');
  const foreign = await fetch(`${stack.baseUrl}/v1/tracking/${code}`, { headers: stranger.key });
  expect(foreign.status).toBe(404);

  expect(await report(carrierUid, code, 'in_transit')).toMatchObject({ recorded: 1, unknown: [] });
  await orderUntil(stack, orderId, is('in_transit'));
  await report(carrierUid, code, 'delivered');
  await orderUntil(stack, orderId, is('delivered'));
  expect((await track(code)).checkpoints).toMatchObject([{ statusUid: 'delivered' }, { statusUid: 'in_transit' }]);
});

test('a code of no known carrier is not followed, until a gateway knows it', async () => {
  const code = '1Z999AA10123456784';
  const orderId = await shippedWith('own-gateway', code);
  const { sql } = stack.services;
  const gateway = createEasyPostGateway({ apiKey: 'EZTK-test', baseUrl: easyPost.url, client: http, rates });
  const carriers = carriersOf([...createCarriers(sql, stack.baseUrl).adapters, gateway]);
  const sweep = async () => {
    await sql`UPDATE trackings SET next_check_at = now() WHERE tracking_number = ${code}`;
    return await sweepTrackings({ sql, carriers, log: stack.services.log }, { limit: 100 });
  };

  expect(await followed(orderId)).toBe(false);
  await sweep();
  await expect(track(code)).rejects.toMatchObject({ status: 404 });
  expect(await followed(orderId)).toBe(false);

  easyPost.know(code);
  expect(await sweep()).toMatchObject({ recorded: 1, unavailable: [] });
  expect(await followed(orderId)).toBe(true);
  expect(await track(code)).toMatchObject({
    carrierUid: 'easypost',
    carrierName: 'USPS',
    checkpoints: [{ statusUid: 'registered' }],
  });

  easyPost.move(code, 'in_transit', '2026-02-02T09:30:00Z');
  await sweep();
  await orderUntil(stack, orderId, is('in_transit'));
  easyPost.move(code, 'delivered', '2026-02-03T09:30:00Z');
  await sweep();
  await orderUntil(stack, orderId, is('delivered'));
});

test('the search for a carrier ends after two weeks', async () => {
  const code = 'HOUSE-CARRIER-1';
  await shippedWith('own-house', code);
  const { sql } = stack.services;
  const carriers = createCarriers(sql, stack.baseUrl);
  const hoursAt = async (ageDays: number) => {
    await sql`
      UPDATE trackings SET next_check_at = now(), created_at = now() - make_interval(days => ${ageDays})
      WHERE tracking_number = ${code}`;
    await sweepTrackings({ sql, carriers, log: stack.services.log }, { limit: 100 });
    const [row] = await sql<{ hours: number | null }[]>`
      SELECT round(extract(epoch FROM next_check_at - now()) / 3600)::int AS hours FROM trackings
      WHERE tracking_number = ${code}`;
    return row!.hours;
  };

  expect([await hoursAt(1), await hoursAt(15)]).toEqual([6, null]);
});

test('a code that another parcel has is not followed twice', async () => {
  const code = s10('R', 4_712, 'DE');
  const [first, second] = [await shippedWith('twice-1', code), await shippedWith('twice-2', code)];

  await report('corvid_post', code, 'in_transit');
  await orderUntil(stack, first, is('in_transit'));

  expect([await followed(first), await followed(second)]).toEqual([true, false]);
});

test('a label takes over a number that a partner has named before', async () => {
  const { sql } = stack.services;
  const [{ last }] = (await sql`
    SELECT (CASE WHEN is_called THEN last_value + 1 ELSE last_value END)::text AS last FROM s10_serials`) as unknown as [
    { last: string },
  ];
  const code = s10('C', Number(BigInt(last) % BigInt(S10_SERIALS)), 'DE');
  await shippedWith('named-before', code);

  const { id } = await stack.client.submitOrder({
    body: { ...orderBody(stack, 'takes-over'), shipmentMethodUid: 'corvid_post_parcel' },
  });
  const { printOrderId: own } = await accepted(stack, id);
  const { trackingCode } = await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: own } });

  expect(trackingCode).toBe(code);
  expect(await track(code)).toMatchObject({ shipmentMethodUid: 'corvid_post_parcel' });
});

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
