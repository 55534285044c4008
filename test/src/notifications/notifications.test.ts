import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createNotificationDelivery, notificationLane } from '../../../src/notifications/delivery';
import {
  deliveryOf,
  listDeliveries,
  pruneDeliveries,
  redeliver,
  sendTestEvent,
} from '../../../src/notifications/delivery-log';
import { NOTIFICATION_EVENTS, type NotificationEvent } from '../../../src/notifications/domain/events';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointFields,
  endpointOf,
  rotateSecret,
} from '../../../src/notifications/endpoints';
import { enqueueOrderNotifications } from '../../../src/notifications/enqueue';
import { createSafeClient, type SafeClient } from '../../../src/platform/http/safe-client';
import { verifySignature } from '../../../src/platform/http/webhook-signature';
import { uuidv7 } from '../../../src/platform/ids';
import { type OutboxRow, replayDead } from '../../../src/platform/outbox/outbox';
import { startRelay } from '../../../src/platform/outbox/relay';
import { inTransaction, type Sql } from '../../../src/platform/postgres';
import { testAccount } from '../../support/api-deps';
import { testDatabase } from '../../support/database';

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const log = pino({ level: 'silent' });
let sql: Sql;
let server: Server;
let origin: string;
let client: SafeClient;
let answer: (received: Received, response: ServerResponse) => void;
const received: Received[] = [];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  server = createServer((request, response) => {
    let body = '';
    request
      .on('data', (chunk) => {
        body += chunk;
      })
      .on('end', () => {
        const call = { path: request.url!, headers: request.headers, body };
        received.push(call);
        answer(call, response);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createSafeClient({ allowPrivate: true });
});
beforeEach(async () => {
  received.length = 0;
  answer = (_received, response) => response.writeHead(204).end();
  await sql`DELETE FROM outbox`;
});
afterAll(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const addEndpoint = (clientId: string, fields: EndpointFields) =>
  inTransaction(sql, (tx) => createEndpoint(tx, clientId, fields));

async function newClient(): Promise<string> {
  return (await testAccount(sql, 'client')).id;
}

async function newEndpoint(
  clientId: string,
  path = '/hook',
  events: readonly NotificationEvent[] = NOTIFICATION_EVENTS,
) {
  return (await addEndpoint(clientId, {
    url: `${origin}${path}`,
    description: '',
    events,
    enabled: true,
  }))!;
}

/** Inserts an order with one item, both in status `passed`. */
async function newOrder(clientId: string): Promise<string> {
  const orderId = uuidv7();
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency, shipping_address, metadata)
    VALUES (${orderId}, ${clientId}, ${`ref-${orderId}`}, 'order', 'passed', 'pending', 'EUR', '{}', '[{"key": "shop", "value": "a"}]')`;
  await sql`
    INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
    VALUES (${orderId}, 0, 'item-1', 1, 'passed')`;
  return orderId;
}

async function setStatus(orderId: string, status: string): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`UPDATE orders SET fulfillment_status = ${status} WHERE id = ${orderId}`;
    await tx`UPDATE order_items SET fulfillment_status = ${status} WHERE order_id = ${orderId}`;
    await enqueueOrderNotifications(tx, { orderId });
  });
}

const outbox = () =>
  sql<
    OutboxRow[]
  >`SELECT id, kind, target, payload, attempts + 1 AS attempts, created_at FROM outbox ORDER BY id`;
const deliver = (row: OutboxRow) => createNotificationDelivery({ sql, client, log })(row);

async function oneTest(endpointId: string): Promise<OutboxRow> {
  await sendTestEvent(sql, endpointId);
  const rows = await outbox();
  return rows.at(-1)!;
}

describe('a change of an order', () => {
  it('enqueues nothing when the client has no endpoint', async () => {
    await setStatus(await newOrder(await newClient()), 'printed');
    expect(await outbox()).toEqual([]);
  });

  it('is enqueued once for every endpoint that has the event', async () => {
    const clientId = await newClient();
    const all = await newEndpoint(clientId, '/all');
    const some = await newEndpoint(clientId, '/some', ['order_status_updated']);
    await newEndpoint(await newClient(), '/stranger');
    const orderId = await newOrder(clientId);
    await setStatus(orderId, 'in_production');
    await setStatus(orderId, 'in_production');
    const rows = await outbox();
    expect(rows.map(({ target }) => target).sort()).toEqual([all.id, all.id, some.id].sort());
    for (const row of rows) expect(await deliver(row)).toEqual({ outcome: 'done' });
    const bodies = received.map(({ path, body }) => [path, JSON.parse(body)] as const);
    const toAll = bodies.filter(([path]) => path === '/all').map(([, body]) => body);
    expect(toAll.map(({ event }) => event).sort()).toEqual([
      'order_item_status_updated',
      'order_status_updated',
    ]);
    const toSome = bodies.filter(([path]) => path === '/some').map(([, body]) => body);
    expect(toSome).toEqual([
      {
        id: expect.any(String),
        event: 'order_status_updated',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        orderId,
        storeId: null,
        orderReferenceId: `ref-${orderId}`,
        fulfillmentStatus: 'in_production',
        comment: null,
        metadata: [{ key: 'shop', value: 'a' }],
        items: [
          { itemReferenceId: 'item-1', fulfillmentStatus: 'in_production', fulfillments: [], metadata: [] },
        ],
      },
    ]);
    // The message is the same for every endpoint.
    expect(toAll.map(({ id }) => id)).toContain(toSome[0].id);
  });

  it('is not enqueued when the transaction fails', async () => {
    const clientId = await newClient();
    await newEndpoint(clientId);
    const orderId = await newOrder(clientId);
    const failing = inTransaction(sql, async (tx) => {
      await tx`UPDATE orders SET fulfillment_status = 'printed' WHERE id = ${orderId}`;
      await enqueueOrderNotifications(tx, { orderId });
      throw new Error('the transaction fails');
    });
    await expect(failing).rejects.toThrow('fails');
    expect(await outbox()).toEqual([]);
    await setStatus(orderId, 'printed');
    expect(await outbox()).toHaveLength(2);
  });

  it('contains the parcels of live print jobs; bought labels take precedence over postbacks', async () => {
    const clientId = await newClient();
    await newEndpoint(clientId);
    const orderId = await newOrder(clientId);
    const partner = await testAccount(sql, 'partner');
    await sql`
      INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
      VALUES (${partner.id}, ${partner.name}, 'Inkwerk', 'DE', 'EUR', '{}', '{}')`;
    const planPrintOrder = async (step: string, jobStatus: string, maxDeliveryDate: string) => {
      const [printOrder] = await sql<{ id: string }[]>`
        INSERT INTO print_orders (order_id, partner_id, step, kind, version, message_id, dispatch_date)
        VALUES (${orderId}, ${partner.id}, ${step}, 'print', '1.1', ${uuidv7()}, '2026-05-01') RETURNING id`;
      await sql`
        INSERT INTO print_jobs (print_order_id, order_item_id, quantity, status)
        SELECT ${printOrder!.id}, id, 1, ${jobStatus} FROM order_items WHERE order_id = ${orderId}`;
      await sql`
        INSERT INTO planned_shipments (id, order_id, print_order_id, carrier_uid, shipment_method_uid, shipment_method_name,
          service_type, is_cheapest, package_count, total_weight_grams, price_minor, currency, min_delivery_days,
          max_delivery_days, min_delivery_date, max_delivery_date, initial_min_delivery_date, initial_max_delivery_date,
          fulfillment_country, fulfillment_facility_id)
        VALUES (${uuidv7()}, ${orderId}, ${printOrder!.id}, 'tern', 'tern_parcel', 'Tern Parcel', 'standard', true, 1, 500,
          499, 'EUR', 2, 4, '2026-05-04', ${maxDeliveryDate}, '2026-05-04', ${maxDeliveryDate}, 'DE', 'inkwerk-de')`;
      return printOrder!.id;
    };
    await planPrintOrder('handoff:0', 'superseded', '2026-12-24');
    const printOrderId = await planPrintOrder('reproduce:1', 'in_production', '2026-05-08');
    await setStatus(orderId, 'in_production');
    await sql`UPDATE planned_shipments SET tracking_code = 'SAID-BY-PARTNER' WHERE print_order_id = ${printOrderId}`;
    await setStatus(orderId, 'in_production');
    const shipmentId = uuidv7();
    await sql`
      INSERT INTO shipments (id, idempotency_key, order_id, print_order_id, status, consignment, method_uid)
      VALUES (${shipmentId}, ${shipmentId}, ${orderId}, ${printOrderId}, 'bought', '{}', 'tern_parcel')`;
    await sql`
      INSERT INTO shipment_packages (shipment_id, position, package_reference_id, tracking_number, tracking_url, cost_minor, currency, weight_grams)
      VALUES (${shipmentId}, 0, 'p1', ${`TN-${shipmentId}`}, 'https://track.example/1', 499, 'EUR', 500)`;
    await setStatus(orderId, 'in_production');
    for (const row of await outbox()) await deliver(row);
    const told = received.map(({ body }) => JSON.parse(body));
    expect(told.map(({ event, trackingCode }) => trackingCode ?? event)).toEqual([
      'order_status_updated',
      'order_item_status_updated',
      'order_delivery_estimate_updated',
      'SAID-BY-PARTNER',
      `TN-${shipmentId}`,
    ]);
    expect(told[2]).toMatchObject({ minDeliveryDate: '2026-05-04', maxDeliveryDate: '2026-05-08' });
    expect(told[4]).toMatchObject({
      itemReferenceId: 'item-1',
      trackingUrl: 'https://track.example/1',
      shipmentMethodUid: 'tern_parcel',
      shipmentMethodName: 'Tern Parcel',
      fulfillmentCountry: 'DE',
      fulfillmentStateProvince: null,
      fulfillmentFacilityId: 'inkwerk-de',
    });
  });

  it('contains the reason of a stop', async () => {
    const clientId = await newClient();
    await newEndpoint(clientId, '/hook', ['order_item_status_updated']);
    const orderId = await newOrder(clientId);
    await sql`INSERT INTO order_events (order_id, type, data) VALUES (${orderId}, 'postback_error', '{"message": "Out of cotton"}')`;
    await setStatus(orderId, 'manual_handling');
    await deliver((await outbox())[0]!);
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      status: 'manual_handling',
      comment: 'Out of cotton',
    });
  });
});

describe('a delivery', () => {
  it('is signed, and every attempt has the same id', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    answer = (_received, response) => response.writeHead(500).end('oops');
    await deliver(row);
    answer = (_received, response) => response.writeHead(200).end();
    await deliver({ ...row, attempts: 2 });
    expect(received).toHaveLength(2);
    expect(received[0]!.headers['webhook-id']).toBe(received[1]!.headers['webhook-id']);
    expect(received[0]!.body).toBe(received[1]!.body);
    for (const { headers, body } of received) {
      expect(verifySignature(headers as Record<string, string>, body, [endpoint.secret])).toBe(true);
      expect(headers['content-type']).toBe('application/json');
    }
    const logged = (await listDeliveries(sql, endpoint.id, { limit: 10 }))[0]!;
    expect(logged).toMatchObject({
      state: 'delivered',
      nextAttemptAt: null,
      attempts: [
        { status: 500, error: 'the endpoint answered 500', response: 'oops' },
        { status: 200, error: null },
      ],
    });
  });

  it('that has succeeded is not sent again when its outbox row is claimed again', async () => {
    const row = await oneTest((await newEndpoint(await newClient())).id);
    await deliver(row);
    expect(await deliver(row)).toEqual({ outcome: 'done' });
    expect(received).toHaveLength(1);
  });

  it.each([400, 401, 404, 302, 429, 503])('answered with %i is retried by the schedule', async (status) => {
    const row = await oneTest((await newEndpoint(await newClient())).id);
    answer = (_received, response) =>
      response.writeHead(status, { location: 'https://elsewhere.example/' }).end();
    const outcome = await deliver({ ...row, attempts: 3 });
    if (outcome.outcome !== 'retry') throw new Error(outcome.outcome);
    const minutes = (outcome.at.getTime() - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(23);
    expect(minutes).toBeLessThan(37);
  });

  it('honours Retry-After', async () => {
    const row = await oneTest((await newEndpoint(await newClient())).id);
    answer = (_received, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
    const outcome = await deliver(row);
    if (outcome.outcome !== 'retry') throw new Error(outcome.outcome);
    expect((outcome.at.getTime() - Date.now()) / 60_000).toBeCloseTo(60, 0);
    const logged = (await listDeliveries(sql, row.target, { limit: 1 }))[0]!;
    expect(logged.nextAttemptAt).toEqual(outcome.at);
  });

  it('becomes a dead letter after ten attempts, and can be redelivered', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    answer = (_received, response) => response.writeHead(500).end();
    expect(await deliver({ ...row, attempts: 9 })).toMatchObject({ outcome: 'retry' });
    expect(await deliver({ ...row, attempts: 10 })).toMatchObject({ outcome: 'dead' });
    await sql`UPDATE outbox SET dead_at = now() WHERE id = ${row.id}`;
    const [dead] = await listDeliveries(sql, endpoint.id, { state: 'dead', limit: 10 });
    expect(dead).toMatchObject({ state: 'dead', settledAt: expect.any(Date) });

    answer = (_received, response) => response.end();
    expect(await redeliver(sql, endpoint.id, 'dead')).toBe(1);
    const rows = await outbox();
    expect(rows).toHaveLength(1);
    expect(await deliver(rows[0]!)).toEqual({ outcome: 'done' });
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('to an endpoint that answers 410 disables it', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const row = await oneTest(endpoint.id);
    answer = (_received, response) => response.writeHead(410).end();
    expect(await deliver(row)).toMatchObject({ outcome: 'dead' });
    expect(await endpointOf(sql, clientId, endpoint.id)).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    });
    await setStatus(await newOrder(clientId), 'printed');
    expect(await outbox()).toHaveLength(1);
    expect(await changeEndpoint(sql, clientId, endpoint.id, { enabled: true })).toMatchObject({
      enabled: true,
      disabledReason: null,
    });
  });

  it('that is due while the endpoint is disabled becomes a dead letter without a request', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const row = await oneTest(endpoint.id);
    await changeEndpoint(sql, clientId, endpoint.id, { enabled: false });
    expect(await deliver(row)).toEqual({ outcome: 'dead', error: 'the endpoint is disabled' });
    expect(received).toEqual([]);
  });

  it('to a deleted endpoint is dropped, also when its row was already claimed', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const claimed = await oneTest(endpoint.id);
    expect(await deleteEndpoint(sql, await newClient(), endpoint.id)).toBe(false);
    expect(await deleteEndpoint(sql, clientId, endpoint.id)).toBe(true);
    expect(await outbox()).toEqual([]);
    expect(await deliver(claimed)).toEqual({ outcome: 'done' });
    expect(received).toEqual([]);
  });

  it('carries both signatures during the overlap of a secret rotation', async () => {
    const clientId = await newClient();
    const endpoint = await newEndpoint(clientId);
    const rotated = (await rotateSecret(sql, clientId, endpoint.id, 3600))!;
    await deliver(await oneTest(endpoint.id));
    const { headers, body } = received[0]!;
    expect(verifySignature(headers as Record<string, string>, body, [endpoint.secret])).toBe(true);
    expect(verifySignature(headers as Record<string, string>, body, [rotated.secret])).toBe(true);
    const again = (await rotateSecret(sql, clientId, endpoint.id, 0))!;
    await deliver(await oneTest(endpoint.id));
    const last = received[1]!;
    expect(verifySignature(last.headers as Record<string, string>, last.body, [rotated.secret])).toBe(false);
    expect(verifySignature(last.headers as Record<string, string>, last.body, [again.secret])).toBe(true);
  });

  it('is never sent to a cloud metadata address', async () => {
    const clientId = await newClient();
    const endpoint = (await addEndpoint(clientId, {
      url: 'http://169.254.169.254/',
      description: '',
      events: NOTIFICATION_EVENTS,
      enabled: true,
    }))!;
    expect(await deliver(await oneTest(endpoint.id))).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining('not called'),
    });
  });

  it('stores the latest twenty attempts', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    answer = (_received, response) => response.writeHead(500).end('\0 odd \ud83d\ude00');
    for (let attempt = 1; attempt <= 23; attempt++) await deliver({ ...row, attempts: 1 });
    const logged = (await deliveryOf(sql, endpoint.id, (row.payload as { deliveryId: string }).deliveryId))!;
    expect(logged.attempts).toHaveLength(20);
    expect(logged.attempts[0]).toMatchObject({ response: '\ufffd odd \ud83d\ude00' });
  });
});

describe('through the relay', () => {
  it('a receiver that never answers does not delay other receivers', async () => {
    const slow = await newEndpoint(await newClient(), '/slow');
    const quick = await newEndpoint(await newClient(), '/quick');
    answer = ({ path }, response) => {
      if (path === '/quick') response.end();
    };
    for (let i = 0; i < 100; i++) await sendTestEvent(sql, slow.id);
    for (let i = 0; i < 20; i++) await sendTestEvent(sql, quick.id);
    const relay = await startRelay({ sql, log, lanes: [notificationLane({ sql, client, log })] });
    try {
      const started = Date.now();
      while ((await listDeliveries(sql, quick.id, { state: 'delivered', limit: 50 })).length < 20) {
        if (Date.now() - started > 10_000) throw new Error('the quick receiver was delayed by the slow one');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      server.closeAllConnections();
      answer = (_received, response) => response.end();
      await relay.stop();
    }
  });

  it('a dead outbox row that an operator replays is delivered', async () => {
    const endpoint = await newEndpoint(await newClient());
    const row = await oneTest(endpoint.id);
    answer = (_received, response) => response.writeHead(500).end();
    await deliver({ ...row, attempts: 10 });
    await sql`UPDATE outbox SET dead_at = now() WHERE id = ${row.id}`;
    answer = (_received, response) => response.end();
    expect(await replayDead(sql, { ids: [row.id] })).toBe(1);
    expect(await deliver((await outbox())[0]!)).toEqual({ outcome: 'done' });
    expect((await listDeliveries(sql, endpoint.id, { limit: 1 }))[0]).toMatchObject({ state: 'delivered' });
  });
});

describe('pruning', () => {
  it('deletes old settled deliveries with their dead outbox rows', async () => {
    const endpoint = await newEndpoint(await newClient());
    const [done, dead, pending, young] = [
      await oneTest(endpoint.id),
      await oneTest(endpoint.id),
      await oneTest(endpoint.id),
      await oneTest(endpoint.id),
    ];
    await deliver(done);
    answer = (_received, response) => response.writeHead(500).end();
    await deliver({ ...dead, attempts: 10 });
    await sql`UPDATE outbox SET dead_at = now() WHERE id = ${dead.id}`;
    const idOf = (row: OutboxRow) => (row.payload as { deliveryId: string }).deliveryId;
    await sql`UPDATE webhook_deliveries SET created_at = now() - interval '31 days' WHERE id = ANY(${[done, dead, pending].map(idOf)})`;
    expect(await pruneDeliveries(sql)).toBe(2);
    const left = await listDeliveries(sql, endpoint.id, { limit: 10 });
    expect(left.map(({ id }) => id).sort()).toEqual([idOf(pending), idOf(young)].sort());
    expect((await outbox()).map(({ id }) => id)).not.toContain(dead.id);
  });
});
