import { startEasyPostServer } from '../../../sandbox/carriers/easypost-server';
import { carriersOf, createCarriers } from '../../../src/carriers/carriers';
import { carrierOfNumber } from '../../../src/carriers/domain/rate-cards';
import { S10_SERIALS, s10, sscc } from '../../../src/carriers/domain/tracking-numbers';
import { createEasyPostGateway } from '../../../src/carriers/easypost/gateway';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { createSafeClient } from '../../../src/platform/http/safe-client';
import { testAccount } from '../../support/api-deps';
import { signedCarrierEvents } from '../../support/carrier-events';
import { type TestStack, testStack } from '../../support/stack';
import { sweepTrackings } from '../../support/sweep-trackings';
import { accepted, is, orderBody, orderUntil, partnerClock } from '../../workflows/order/order-fixture';

const rates = async () => REFERENCE_RATES;

/** Tracking codes that print partners bring with `shipped`. */

let stack: TestStack;
let easyPost: Awaited<ReturnType<typeof startEasyPostServer>>;
const http = createSafeClient({ allowPrivate: true });
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  easyPost = await startEasyPostServer();
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
async function report(carrierUid: string, trackingNumber: string, statusUid: string): Promise<object> {
  const createdAt = new Date(Date.now() + ++scans * 1_000).toISOString();
  const event = {
    id: `${trackingNumber}-${statusUid}`,
    trackingNumber,
    statusUid,
    message: statusUid,
    createdAt,
  };
  const response = await fetch(`${stack.baseUrl}/v1/carriers/${carrierUid}/events`, {
    method: 'POST',
    ...signedCarrierEvents([event], stack.services.secrets.carrierWebhookSecrets.get(carrierUid)![0]!),
  });
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

test.each([
  ['LA473124829DE', 'corvid_post'],
  ['LA473124820DE', undefined],
  [sscc('4012345', 7), undefined],
  ['1Z999AA10123456784', undefined],
])('the number %s belongs to %s', (number, carrierUid) => {
  expect(carrierOfNumber(number)?.carrierUid).toBe(carrierUid);
});
