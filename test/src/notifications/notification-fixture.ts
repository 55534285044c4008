import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { createNotificationDelivery } from '../../../src/notifications/delivery';
import { sendTestEvent } from '../../../src/notifications/delivery-log';
import { NOTIFICATION_EVENTS, type NotificationEvent } from '../../../src/notifications/domain/event-schemas';
import { createEndpoint, type EndpointFields } from '../../../src/notifications/endpoints';
import { enqueueOrderNotifications } from '../../../src/notifications/enqueue';
import { createSafeClient, type SafeClient } from '../../../src/platform/http/safe-client';
import { uuidv7 } from '../../../src/platform/ids';
import type { OutboxRow } from '../../../src/platform/outbox/outbox';
import { inTransaction, type Sql } from '../../../src/platform/postgres';
import { testAccount } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { serveHttp } from '../../support/other-systems/http-server';
import { testSecretBox } from '../../support/secret-box';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Respond = (received: Received, response: ServerResponse) => void;

/**
 * Clients with endpoints on an HTTP server of the test, and their orders. Call it once at the top of a test file: it
 * installs the hooks that start and stop the server and that empty the outbox before each test.
 */
export function notificationFixture() {
  const log = pino({ level: 'silent' });
  const received: Received[] = [];
  let sql: Sql;
  let server: Awaited<ReturnType<typeof serveHttp>>;
  let client: SafeClient;
  let respond: Respond;

  beforeAll(async () => {
    ({ sql } = await testDatabase());
    server = await serveHttp(async (request, response) => {
      const call = { path: request.url!, headers: request.headers, body: await text(request) };
      received.push(call);
      respond(call, response);
    });
    client = createSafeClient({ allowPrivate: true });
  });
  beforeEach(async () => {
    received.length = 0;
    respond = (_received, response) => response.writeHead(204).end();
    await sql`DELETE FROM outbox`;
  });
  afterAll(() => client.close());

  const outbox = () =>
    sql<OutboxRow[]>`SELECT id, kind, target, payload, attempts + 1 AS attempts, created_at FROM outbox ORDER BY id`;
  const addEndpoint = async (clientId: string, fields: EndpointFields) =>
    await inTransaction(sql, (tx) => createEndpoint(tx, testSecretBox, clientId, fields, 20));

  return {
    log,
    /** Requests that the server has received. */
    received,
    get sql() {
      return sql;
    },
    get client() {
      return client;
    },
    get server() {
      return server;
    },
    /** Sets how the server responds. It responds with 204 at the start of each test. */
    respondWith(next: Respond): void {
      respond = next;
    },
    outbox,
    addEndpoint,
    async newClient(): Promise<string> {
      return (await testAccount(sql, 'client')).id;
    },
    newEndpoint: (clientId: string, path = '/hook', events: readonly NotificationEvent[] = NOTIFICATION_EVENTS) =>
      addEndpoint(clientId, { url: `${server.url}${path}`, description: '', events, enabled: true }),
    /** Inserts an order with one item, both in status `passed`. */
    async newOrder(clientId: string): Promise<string> {
      const orderId = uuidv7();
      await sql`
        INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency, shipping_address, metadata)
        VALUES (${orderId}, ${clientId}, ${`ref-${orderId}`}, 'order', 'passed', 'pending', 'EUR', '{}', '[{"key": "shop", "value": "a"}]')`;
      await sql`
        INSERT INTO order_items (order_id, position, item_reference_id, quantity, fulfillment_status)
        VALUES (${orderId}, 0, 'item-1', 1, 'passed')`;
      return orderId;
    },
    async setStatus(orderId: string, status: string): Promise<void> {
      await inTransaction(sql, async (tx) => {
        await tx`UPDATE orders SET fulfillment_status = ${status} WHERE id = ${orderId}`;
        await tx`UPDATE order_items SET fulfillment_status = ${status} WHERE order_id = ${orderId}`;
        await enqueueOrderNotifications(tx, { orderId });
      });
    },
    /** Makes one attempt to deliver an outbox row. */
    deliver: (row: OutboxRow) => createNotificationDelivery({ sql, client, secretBox: testSecretBox, log })(row),
    /** Enqueues a test event and returns its outbox row. */
    async oneTest(endpointId: string): Promise<OutboxRow> {
      await sendTestEvent(sql, endpointId);
      return (await outbox()).at(-1)!;
    },
  };
}
