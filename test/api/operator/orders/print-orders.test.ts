import { eraseRows } from '../../../../src/orders/domain/personal-columns';
import { cancelAtPartner } from '../../../../src/orders/production/cancel-requests';
import { deliverPrintOrder } from '../../../../src/orders/production/delivery';
import { repeatOrderUpdate } from '../../../../src/orders/production/order-updates';
import { subscribe } from '../../../../src/partners/partner-rows';
import { createSafeClient, type SafeClient } from '../../../../src/platform/http/safe-client';
import { inTransaction } from '../../../../src/platform/postgres';
import { dropExpiredPartitions } from '../../../../src/platform/schema/partitioned-tables';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';
import { plannedPrintOrder } from '../../../support/rows/planned-print-order';
import { testSecretBox } from '../../../support/secret-box';
import { type OrdersApi, ordersApi, subscribedPartners } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

/** Operators read print orders as sent, and each attempt to send them. */

let api: OrdersApi;
let partner: PartnerServer;
let client: SafeClient;
let partnerId: string;
let deps: Parameters<typeof deliverPrintOrder>[0];

beforeAll(async () => {
  api = await ordersApi();
  partner = await partnerServer();
  client = createSafeClient({ allowPrivate: true });
  deps = { ...api.deps, client };
  partnerId = (await subscribedPartners(api)).berlin;
  await subscribe({ sql: api.sql, secretBox: testSecretBox }, partnerId, {
    orderSubmitUrl: `${partner.url}/orders`,
    apparelOrderSubmitUrl: null,
    orderCancelUrl: `${partner.url}/cancel`,
    orderUpdateUrl: `${partner.url}/update`,
    inventoryUrl: null,
    printOrderVersion: null,
  });
});
afterAll(() => client.close());

const BODY = { version: '1.1', id: '7', shipping: { address: [{ type: 'delivery', firstName: 'Ada' }] } };

async function sentOrder(): Promise<{ orderId: string; printOrderId: string }> {
  const { id: orderId } = (await api.submit(order()).expect(200)).body;
  return { orderId, printOrderId: await plannedPrintOrder(api.sql, { orderId, partnerId, body: BODY }) };
}
const read = async (orderId: string) =>
  (await api.list(`/v1/operator/orders/${orderId}/print-orders`).expect(200)).body.printOrders;

test('each attempt is listed with time, status, duration and the beginning of the response', async () => {
  const { orderId, printOrderId } = await sentOrder();
  partner.respondWith(503, 'down for repairs');
  await deliverPrintOrder(deps, printOrderId);
  partner.respondWith(200, '{"accepted": true}');
  await deliverPrintOrder(deps, printOrderId);

  const [listed] = await read(orderId);
  expect(listed).toMatchObject({ id: printOrderId, partnerId, partnerUid: 'prints-berlin' });
  expect(listed.messages).toEqual([
    { revision: 1, messageId: expect.stringMatching(/^msg_/), body: BODY, acceptedAt: expect.any(String) },
  ]);
  const attempt = { printOrderId, kind: 'print_order', revision: null };
  expect(listed.requests).toEqual([
    expect.objectContaining({ ...attempt, status: 503, outcome: 'retry', response: 'down for repairs' }),
    expect.objectContaining({ ...attempt, status: 200, outcome: 'accepted', response: '{"accepted": true}' }),
  ]);
  for (const { at, durationMs } of listed.requests) {
    expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
    expect(durationMs).toBeGreaterThanOrEqual(0);
  }
});

test('a partner that cannot be reached has an attempt without a status', async () => {
  const { orderId, printOrderId } = await sentOrder();
  await api.sql`UPDATE partners SET order_submit_url = 'http://127.0.0.1:1/orders' WHERE account_id = ${partnerId}`;
  await deliverPrintOrder(deps, printOrderId);
  await api.sql`UPDATE partners SET order_submit_url = ${`${partner.url}/orders`} WHERE account_id = ${partnerId}`;
  const [{ requests }] = await read(orderId);
  expect(requests).toEqual([expect.objectContaining({ status: null, outcome: 'retry', response: expect.any(String) })]);
});

test('order updates and cancellations are listed too', async () => {
  const { orderId, printOrderId } = await sentOrder();
  partner.respondWith(200, '');
  await api.sql`
    INSERT INTO print_order_updates (print_order_id, revision, content_key, message_id, body)
    VALUES (${printOrderId}, 2, 'k', ${`msg_update_${printOrderId}`}, ${JSON.stringify({ ...BODY, revision: 2 })})`;
  await repeatOrderUpdate(deps, { printOrderId, revision: 2 });
  partner.respondWith(409, '{"message": "already printing"}');
  const cancelled = await cancelAtPartner(deps, { printOrderId, jobIds: [], reason: 'changed my mind' });
  expect(cancelled.outcome).toBe('refused');

  const [{ messages, requests }] = await read(orderId);
  expect(messages[1]).toEqual({
    revision: 2,
    messageId: `msg_update_${printOrderId}`,
    body: { ...BODY, revision: 2 },
    acceptedAt: expect.any(String),
  });
  expect(requests).toEqual([
    expect.objectContaining({
      kind: 'order_update',
      revision: 2,
      status: 200,
      outcome: 'accepted',
      response: null,
    }),
    expect.objectContaining({ kind: 'cancellation', revision: null, status: 409, outcome: 'refused' }),
  ]);
});

test('a response is cut short, and credentials in it are removed', async () => {
  const { orderId, printOrderId } = await sentOrder();
  partner.respondWith(400, `bad\0 whsec_c2VjcmV0c2VjcmV0 Authorization: Bearer abc.def ${'x'.repeat(5_000)}`);
  await deliverPrintOrder(deps, printOrderId);
  const [{ requests }] = await read(orderId);
  expect(requests[0].response).toMatch(/^bad\ufffd \[removed\] Authorization: \[removed\] x+$/);
  expect(requests[0].response).toHaveLength(500);
});

test('an erasure removes the responses, and attempts older than 90 days are deleted', async () => {
  const { orderId, printOrderId } = await sentOrder();
  partner.respondWith(400, 'no Ada at this address');
  await deliverPrintOrder(deps, printOrderId);
  await inTransaction(api.sql, (tx) => eraseRows(tx, [orderId]));
  const [erased] = await read(orderId);
  expect(erased.requests).toEqual([expect.objectContaining({ status: 400, response: null })]);
  expect(JSON.stringify(erased)).not.toContain('Ada');

  const afterDays = async (days: number) => {
    await api.sql`UPDATE partner_requests SET at = now() - make_interval(days => ${days}) WHERE print_order_id = ${printOrderId}`;
    await dropExpiredPartitions(api.sql, 365 * 86_400_000);
    return (await read(orderId))[0].requests;
  };
  expect(await afterDays(89)).toHaveLength(1);
  expect(await afterDays(91)).toEqual([]);
});

test('an accepted delivery and its attempt are written by one statement', async () => {
  const { printOrderId } = await sentOrder();
  partner.respondWith(200, '');
  await deliverPrintOrder(deps, printOrderId);
  const rows = await api.sql`
    SELECT FROM partner_requests r JOIN print_orders p ON p.id = r.print_order_id
    WHERE p.id = ${printOrderId} AND p.accepted_at IS NOT NULL AND r.xmin::text = p.xmin::text`;
  expect(rows).toHaveLength(1);
});

test('an unknown order gets 404', async () => {
  await api.list('/v1/operator/orders/no-such-order/print-orders').expect(404);
});
