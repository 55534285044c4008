import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { ORDER_STATUSES } from '../../../src/orders/domain/lifecycle/statuses';
import { serveHttp } from '../../support/other-systems/http-server';
import { facilityOf } from '../../support/rows/partner-setup';
import { eventually, type TestStack, testStack } from '../../support/stack';
import {
  addressIn,
  faultyFile,
  goodFile,
  isAt,
  type Order,
  type OrderBody,
  ordered,
  orderOf,
  poster,
  STICKER,
} from './client-orders';

/** Notifications of clients while orders run. A dead or silent receiver delays only its own notifications. */

interface Message {
  readonly id: string;
  readonly event: string;
  readonly created: string;
  readonly orderId: string;
  readonly orderReferenceId: string;
  readonly fulfillmentStatus?: string;
  readonly itemReferenceId?: string;
  readonly status?: string;
  readonly [field: string]: unknown;
}

let stack: TestStack;
let origin: string;
/** Received messages by path, in the order of arrival. */
const received = new Map<string, { headers: IncomingMessage['headers']; body: string }[]>();
const webhooks = new Map<string, { id: string; secret: string }>();

/** Responses of the receivers. `/silent` does not respond. */
const RESPONSES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/good': (response) => response.writeHead(204).end(),
  '/tracking': (response) => response.writeHead(200).end('{}'),
  '/dead': (response) => response.writeHead(500).end('out of order'),
  '/silent': () => undefined,
  '/down-for-a-while': (response) => response.writeHead(isDown ? 503 : 204).end(),
};
let isDown = true;

beforeAll(async () => {
  ({ url: origin } = await serveHttp(async (request, response) => {
    const path = request.url!;
    const message = { headers: request.headers, body: await text(request) };
    received.set(path, [...(received.get(path) ?? []), message]);
    RESPONSES[path]!(response);
  }));
  stack = await testStack();
  // The bad receivers come first, so that a sequential sender would be delayed.
  for (const path of ['/dead', '/silent', '/good']) {
    const { id, secret } = await stack.client.createWebhook({ body: { url: `${origin}${path}` } });
    webhooks.set(path, { id, secret });
  }
  const { id, secret } = await stack.client.createWebhook({
    body: { url: `${origin}/tracking`, events: ['order_item_tracking_code_updated'] },
  });
  webhooks.set('/tracking', { id, secret });
});

/** Returns the verified messages about an order at a receiver, without duplicates, in the order of creation. */
function messagesTo(path: string, orderId: string): Message[] {
  const { secret } = webhooks.get(path)!;
  const byId = new Map<string, Message>();
  for (const { headers, body } of received.get(path) ?? []) {
    const message = new Webhook(secret).verify(body, headers as Record<string, string>) as Message;
    expect(headers['webhook-id']).toBe(message.id);
    if (message.orderId === orderId) byId.set(message.id, message);
  }
  return [...byId.values()].sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0));
}

const statusesIn = (messages: readonly Message[]) => messages.map(({ status }) => status);
const rank = (status: unknown) => ORDER_STATUSES.indexOf(status as (typeof ORDER_STATUSES)[number]);

describe('notifications about a delivered order', () => {
  let order: Order;
  let messages: Message[];
  /** The parcels with units of an item. The poster and the stickers travel in a parcel each. */
  const parcelsWith = (itemReferenceId: string) =>
    order.shipment!.packages.flatMap(({ trackingCode, items }) =>
      items
        .filter((units) => units.itemReferenceId === itemReferenceId)
        .map(({ quantity }) => ({ trackingCode, quantity })),
    );
  const of = (event: string) => messages.filter((message) => message.event === event);

  beforeAll(async () => {
    order = await ordered(
      stack,
      orderOf(stack, {
        metadata: [{ key: 'shelf', value: '7' }],
        items: [
          poster(stack, { metadata: [{ key: 'line', value: 'a' }] }),
          {
            itemReferenceId: 'sticker',
            productUid: STICKER,
            quantity: 2,
            files: [{ type: 'default', url: goodFile(stack, 'sticker-75.png') }],
          },
        ],
      }),
    );
    messages = await eventually(async () => {
      const soFar = messagesTo('/good', order.id);
      // Of the order and of both items.
      return soFar.filter(({ status }) => status === 'delivered').length === 3 ? soFar : undefined;
    });
  });

  test('report each order status once, without a step back, with items, parcels and metadata', () => {
    const updates = of('order_status_updated');
    const statuses = statusesIn(updates);
    expect(new Set(statuses).size).toBe(statuses.length);
    expect(statuses.map(rank)).toEqual(statuses.map(rank).sort((a, b) => a - b));
    // Postbacks that arrive together make one record of the run, and so one notification.
    expect(statuses).toEqual(expect.arrayContaining(['passed', 'delivered']));
    expect(updates.at(-1)).toMatchObject({
      orderId: order.id,
      storeId: null,
      orderReferenceId: order.orderReferenceId,
      fulfillmentStatus: 'delivered',
      metadata: order.metadata,
    });
    const items = updates.at(-1)!.items as {
      fulfillmentStatus: string;
      itemReferenceId: string;
      fulfillments: { trackingCode: string; quantity: number }[];
    }[];
    for (const { fulfillmentStatus, itemReferenceId, fulfillments } of items) {
      expect(fulfillmentStatus).toBe('delivered');
      expect(fulfillments.map(({ trackingCode, quantity }) => ({ trackingCode, quantity }))).toEqual(
        parcelsWith(itemReferenceId),
      );
    }
    expect(items).toHaveLength(2);
  });

  test('report each item’s statuses', () => {
    for (const itemReferenceId of ['poster', 'sticker']) {
      const statuses = statusesIn(
        of('order_item_status_updated').filter((one) => one.itemReferenceId === itemReferenceId),
      );
      expect(new Set(statuses).size).toBe(statuses.length);
      expect(statuses.map(rank)).toEqual(statuses.map(rank).sort((a, b) => a - b));
      expect(statuses.at(-1)).toBe('delivered');
    }
    expect(of('order_item_status_updated').find(({ itemReferenceId }) => itemReferenceId === 'poster')).toMatchObject({
      metadata: [{ key: 'line', value: 'a' }],
      orderMetadata: order.metadata,
      fulfillmentCountry: null,
    });
  });

  test('report tracking codes and links, also to a receiver that subscribed to these only', async () => {
    const parcels = order.shipment!.packages;
    const codes = of('order_item_tracking_code_updated');
    for (const [itemReferenceId, quantity] of [
      ['poster', 1],
      ['sticker', 2],
    ] as const) {
      const ofItem = codes.filter((code) => code.itemReferenceId === itemReferenceId);
      expect(ofItem.map(({ trackingCode, quantity }) => ({ trackingCode, quantity }))).toEqual(
        parcelsWith(itemReferenceId),
      );
      expect(ofItem.map((code) => code.quantity)).toEqual([quantity]);
    }
    expect(parcels.map(({ trackingCode }) => trackingCode).sort()).toEqual(
      codes.map(({ trackingCode }) => trackingCode).sort(),
    );
    for (const code of codes) {
      const parcel = parcels.find(({ trackingCode }) => trackingCode === code.trackingCode)!;
      expect(code).toMatchObject({
        trackingUrl: parcel.trackingUrl,
        shipmentMethodUid: order.shipment!.shipmentMethodUid,
        shipmentMethodName: order.shipment!.shipmentMethodName,
        fulfillmentCountry: 'DE',
        fulfillmentFacilityId: await facilityOf(stack.services.sql, 'prints-berlin'),
      });
    }
    const alone = await eventually(async () => {
      const seen = messagesTo('/tracking', order.id);
      return seen.length === codes.length ? seen : undefined;
    });
    expect(new Set(alone.map(({ event }) => event))).toEqual(new Set(['order_item_tracking_code_updated']));
  });

  test('name the parcels that a search for changed orders names', async () => {
    const { orders } = await stack.client.searchOrders({ body: { updatedFrom: order.createdAt } });
    const { parcels } = orders.find(({ id }) => id === order.id)!;
    const codes = of('order_item_tracking_code_updated');
    expect(new Set(parcels.map(({ trackingCode }) => trackingCode))).toEqual(
      new Set(codes.map(({ trackingCode }) => trackingCode)),
    );
    for (const { trackingCode, trackingUrl, shipmentMethodUid } of parcels)
      expect(codes).toContainEqual(expect.objectContaining({ trackingCode, trackingUrl, shipmentMethodUid }));
    expect(parcels).toHaveLength(order.shipment!.packages.length);
  });

  test('report the delivery estimate', () => {
    expect(of('order_delivery_estimate_updated')).toMatchObject([
      { minDeliveryDate: order.shipment!.minDeliveryDate, maxDeliveryDate: order.shipment!.maxDeliveryDate },
    ]);
  });

  test('are not delayed by a dead or a silent receiver', async () => {
    // A sequential sender would have waited 15 seconds for each message to the silent receiver.
    const [log] = await stack.services.sql<{ count: number; medianMs: number }[]>`
      SELECT count(*)::int, percentile_cont(0.5) WITHIN GROUP (ORDER BY
        extract(epoch FROM (attempts -> 0 ->> 'at')::timestamptz - created_at) * 1000)::float8 AS median_ms
      FROM webhook_deliveries WHERE endpoint_id = ${webhooks.get('/good')!.id} AND state = 'delivered'`;
    expect(log!.count).toBeGreaterThanOrEqual(messages.length);
    expect(log!.medianMs).toBeLessThan(60_000);

    const { deliveries } = await stack.client.listWebhookDeliveries({
      params: { webhookId: webhooks.get('/dead')!.id },
      query: { orderId: order.id },
    });
    expect(deliveries).toHaveLength(messages.length);
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['pending']));
    const [failed] = await stack.client
      .getWebhookDelivery({
        params: { webhookId: webhooks.get('/dead')!.id, deliveryId: deliveries.at(-1)!.id },
      })
      .then(({ attempts }) => attempts);
    expect(failed).toMatchObject({ status: 500, response: 'out of order' });
    const silent = await stack.client.listWebhookDeliveries({
      params: { webhookId: webhooks.get('/silent')!.id },
      query: { state: 'delivered' },
    });
    expect(silent.deliveries).toEqual([]);
  });
});

/** Returns a refused order, and the messages about its refusal: of the order, then of its item. */
async function refused(body: OrderBody): Promise<{ order: Order; messages: Message[] }> {
  const order = await ordered(stack, body, isAt('failed'));
  const messages = await eventually(async () => {
    const failed = messagesTo('/good', order.id).filter(({ status }) => status === 'failed');
    return failed.length === 2 ? failed : undefined;
  });
  return { order, messages };
}

test('notifications about a refused order have the reason, its code and the status under both names', async () => {
  const files = [{ type: 'default', url: faultyFile(stack, 'missing.pdf') }];
  const metadata = [{ key: 'shelf', value: '9' }];
  const { order, messages } = await refused(orderOf(stack, { metadata, items: [poster(stack, { files })] }));
  const reason = {
    status: 'failed',
    fulfillmentStatus: 'failed',
    comment: order.refusalReason,
    refusalReasonCode: 'file_not_found',
  };
  expect(messages).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: 'order_status_updated', metadata, ...reason }),
      expect.objectContaining({ event: 'order_item_status_updated', orderMetadata: metadata, metadata: [], ...reason }),
    ]),
  );
});

test('a client reads why no partner can make its order without names and settings of partners', async () => {
  const { partners } = await stack.operator.listPartners({});
  const serve = async (countriesServed: string[]) => {
    for (const { id } of partners)
      await stack.operator.changePartner({ params: { partnerId: id }, body: { capabilities: { countriesServed } } });
  };
  await serve(['DE']);
  const { order, messages } = await refused(
    orderOf(stack, { shippingAddress: addressIn.FR, items: [poster(stack)] }),
  ).finally(() => serve(['*']));
  const text = 'the product is not shipped to this country';
  expect(order).toMatchObject({
    refusalReasonCode: 'no_production_partner',
    refusalReason: `The order cannot be produced: poster: ${text}.`,
    refusalReasonDetails: { items: [{ itemReferenceId: 'poster', code: 'destination_not_served', reason: text }] },
  });
  expect(JSON.stringify([order, messages])).not.toMatch(/prints-|disabled|subscribe/);
  const { routing } = await stack.operator.getOperatorOrder({ params: { orderId: order.id } });
  expect(JSON.stringify(routing)).toContain('prints-ohio does not ship to this country: FR');
});

test('a receiver that works again gets its waiting messages with the first success', async () => {
  const { client, services } = stack;
  const { id: webhookId } = await client.createWebhook({ body: { url: `${origin}/down-for-a-while` } });
  const params = { webhookId };
  const sent = [
    await client.testWebhook({ params }),
    await client.testWebhook({ params }),
    await client.testWebhook({ params }),
  ];
  const inState = async (state: 'pending' | 'delivered') =>
    (await client.listWebhookDeliveries({ params, query: { state } })).deliveries;
  await eventually(async () =>
    (await inState('pending')).filter(({ attempts }) => attempts.length > 0).length === sent.length ? true : undefined,
  );
  await services.sql`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 day' WHERE endpoint_id = ${webhookId}`;
  await services.sql`UPDATE outbox SET available_at = now() + interval '1 day' WHERE target = ${webhookId}`;
  isDown = false;
  // The client does not wait for the next attempt of one of them.
  await client.redeliverWebhookDelivery({ params: { webhookId, deliveryId: sent[1]!.id } });
  const delivered = await eventually(async () => {
    const found = await inState('delivered');
    return found.length === sent.length ? found : undefined;
  });
  for (const { attempts } of delivered) expect(attempts.at(-1)).toMatchObject({ status: 204 });
});
