import { randomUUID } from 'node:crypto';
import { everyPage } from '../../../support/every-page';
import { type OrdersApi, ordersApi, subscribedPartners } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

let api: OrdersApi;
let orderId: string;
let printOrderId: string;

const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 10, minute)).toISOString();

beforeAll(async () => {
  api = await ordersApi();
  const { berlin } = await subscribedPartners(api);
  const { sql } = api;
  orderId = (await api.submit(order()).expect(200)).body.id;
  await sql`DELETE FROM order_events WHERE order_id = ${orderId}`;
  const [printed] = await sql<{ id: string }[]>`
    INSERT INTO print_orders (order_id, partner_id, step, kind, version, status, message_id, dispatch_date)
    VALUES (${orderId}, ${berlin}, 'prepare:0', 'print', '1.1', 'accepted', 'msg_1', '2026-06-01') RETURNING id::text`;
  printOrderId = printed!.id;
  await sql`
    INSERT INTO order_events (order_id, print_order_id, type, data, at) VALUES
      (${orderId}, ${printOrderId}, 'handed_over', '{}', ${at(1)}),
      (${orderId}, ${printOrderId}, 'postback_error', '{}', ${at(4)}),
      (${orderId}, NULL, 'retry', '{"by":"ada","reason":"new ink"}', ${at(5)})`;
  await sql`
    INSERT INTO partner_requests (partner_id, print_order_id, kind, at, duration_ms, status, outcome, response)
    VALUES (${berlin}, ${printOrderId}, 'print_order', ${at(2)}, 12, 200, 'accepted', 'ok')`;
  await sql`
    INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, received_at)
    VALUES (${berlin}, ${orderId}, ${printOrderId}, '\\x01', '{"status":"error","at":"2026-01-05T10:03:00Z","message":"no ink"}', ${at(4)})`;
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, print_order_id, carrier_uid, carrier_name)
    VALUES ('T1', 't1', ${printOrderId}, 'post', 'The Post')`;
  await sql`
    INSERT INTO tracking_checkpoints (tracking_number, generation, tracked_since, event_key, status_uid, message, location, signed_by, occurred_at)
    SELECT tracking_number, 0, created_at, 'k1', 'in_transit', 'Sorted', 'Berlin', '', ${at(6)} FROM trackings WHERE tracking_number = 'T1'`;
  const endpoint = randomUUID();
  await sql`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
    VALUES (${endpoint}, ${api.client.id}, 'https://shop.example/hook', '{}', 'whsec_hidden')`;
  await sql`
    INSERT INTO webhook_deliveries (id, endpoint_id, message_id, event, order_id, body, state, created_at)
    VALUES (${randomUUID()}, ${endpoint}, ${randomUUID()}, 'order_status_updated', ${orderId}, '{"event":"x"}', 'dead', ${at(7)})`;
  await sql`
    INSERT INTO audit_log (at, actor_name, actor_role, action, object_type, object_id, before, after) VALUES
      (${at(5)}, 'ada', 'operator', 'order.retry', 'order', ${orderId}, '{}', '{}'),
      (${at(8)}, 'bo', 'admin', 'order.record_payment', 'order', ${orderId}, '{"financialStatus":"invoiced"}', '{"financialStatus":"paid"}')`;
});

const path = () => `/v1/operator/orders/${orderId}/timeline`;
const read = async (query: object = {}) => (await api.list(path(), query).expect(200)).body;

test('the timeline merges all sources, newest first, each entry with its content', async () => {
  const { entries, nextCursor } = await read();
  expect(nextCursor).toBeNull();
  expect(entries).toMatchObject([
    {
      kind: 'repair',
      type: 'order.record_payment',
      by: 'bo',
      at: at(8),
      data: { after: { financialStatus: 'paid' } },
    },
    { kind: 'notification', type: 'order_status_updated', data: { state: 'dead', body: { event: 'x' } } },
    { kind: 'checkpoint', type: 'in_transit', by: 'The Post', printOrderId, data: { location: 'Berlin' } },
    { kind: 'repair', type: 'retry', by: 'ada', data: { reason: 'new ink' } },
    { kind: 'postback', type: 'error', by: 'prints-berlin', data: { message: 'no ink', handledAt: null } },
    { kind: 'request', type: 'print_order', by: 'prints-berlin', data: { outcome: 'accepted', status: 200 } },
    { kind: 'event', type: 'handed_over', by: null, printOrderId },
  ]);
  expect(JSON.stringify(entries)).not.toContain('whsec_hidden');
});

test('the timeline is filtered by kind, and continues page by page', async () => {
  const { entries } = await read({ kind: 'repair,checkpoint' });
  expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual(['repair', 'checkpoint', 'repair']);
  const paged = await everyPage((cursor) => read({ limit: 2, ...cursor }), 'entries');
  expect(paged).toEqual((await read()).entries);
});

test('bad input and unknown orders are refused', async () => {
  for (const query of [{ kind: 'rumour' }, { limit: 0 }, { cursor: 'x' }]) await api.list(path(), query).expect(400);
  await api.list(`/v1/operator/orders/${randomUUID()}/timeline`).expect(404);
});
