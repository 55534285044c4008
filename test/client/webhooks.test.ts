import {
  type OrderItemTrackingCodeUpdated,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../client';
import { changesOf, type OrderView } from '../../src/notifications/domain/order-changes';
import { newSigningSecret, signatureHeaders } from '../../src/platform/http/webhook-signature';

const secret = newSigningSecret();
const fulfillment = {
  quantity: 1,
  trackingCode: 'CX473124829DE',
  trackingUrl: 'https://carrier.example/CX473124829DE',
  shipmentMethodName: 'Parcel',
  shipmentMethodUid: 'parcel',
  fulfillmentCountry: 'DE',
  fulfillmentStateProvince: null,
  fulfillmentFacilityId: 'berlin',
};
const order: OrderView = {
  order: { orderId: '019a0c6d-11aa-7b10-8f5e-2f0d0a3c9e41', storeId: null, orderReferenceId: 'shop-1001' },
  fulfillmentStatus: 'shipped',
  metadata: [],
  refusalReason: null,
  refusalReasonCode: null,
  minDeliveryDate: '2026-11-25',
  maxDeliveryDate: '2026-11-27',
  refusedCancels: [['item']],
  items: [
    {
      id: 'item',
      itemReferenceId: 'line-1',
      status: 'shipped',
      metadata: [{ key: 'shelf', value: '7' }],
      comment: null,
      cancelledUnits: 1,
      fulfillments: [fulfillment],
      fileChecks: [],
    },
  ],
};
const id = 'message-1';
const created = '2026-11-22T10:00:00.000Z';
/** The bodies that Pressline sends for this order, as src/notifications/enqueue.ts writes them. */
const bodies = changesOf(order, null).map(({ event, payload }) => JSON.stringify({ id, event, created, ...payload }));
const [body] = bodies;
const headersOf = (text: string, { at = new Date(), secrets = [secret] } = {}) =>
  signatureHeaders({ id, body: text, at, secrets });
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);

test('every notification of an order is returned as its event', () => {
  const events = bodies.map((text): WebhookEvent => verifyWebhook(text, headersOf(text), secret));
  expect(events.map(({ event }) => event).sort()).toEqual([
    'order_cancel_refused',
    'order_delivery_estimate_updated',
    'order_item_status_updated',
    'order_item_tracking_code_updated',
    'order_item_units_cancelled',
    'order_status_updated',
  ]);
  expect(events).toEqual(bodies.map((text) => JSON.parse(text)));
});

test('the events have exactly the fields that their types declare', () => {
  const tracking: OrderItemTrackingCodeUpdated = {
    event: 'order_item_tracking_code_updated',
    id,
    created,
    ...order.order,
    itemReferenceId: 'line-1',
    metadata: [{ key: 'shelf', value: '7' }],
    orderMetadata: order.metadata as OrderItemTrackingCodeUpdated['orderMetadata'],
    ...fulfillment,
  };
  const text = bodies.find((each) => each.includes('tracking_code_updated'))!;
  const event = verifyWebhook(text, headersOf(text), secret);
  expect(event).toEqual(tracking);
  if (event.event === 'order_item_tracking_code_updated') expect(event.trackingCode).toBe('CX473124829DE');
});

test('the body may be bytes, the headers a Headers object or of any case, the secret one of several', () => {
  const headers = headersOf(body!);
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const given of [headers, upper, new Headers(headers)])
    expect(verifyWebhook(Buffer.from(body!), given, [newSigningSecret(), secret])).toMatchObject({ id });
  // During a rotation, messages have two signatures.
  const rotated = headersOf(body!, { secrets: [newSigningSecret(), secret] });
  expect(verifyWebhook(body!, rotated, secret)).toMatchObject({ id });
});

test.each([
  ['a changed body', () => verifyWebhook(`${body} `, headersOf(body!), secret), /No signature/],
  ['another secret', () => verifyWebhook(body!, headersOf(body!), newSigningSecret()), /No signature/],
  ['another id', () => verifyWebhook(body!, { ...headersOf(body!), 'webhook-id': 'other' }, secret), /No signature/],
  [
    'a signature of another version',
    () => verifyWebhook(body!, { ...headersOf(body!), 'webhook-signature': 'v2,AAAA' }, secret),
    /No signature/,
  ],
  [
    'a message that is older than five minutes',
    () => verifyWebhook(body!, headersOf(body!, { at: secondsAgo(310) }), secret),
    /too old/,
  ],
  [
    'a message from the future',
    () => verifyWebhook(body!, headersOf(body!, { at: secondsAgo(-310) }), secret),
    /future/,
  ],
  [
    'a message that is older than toleranceSeconds',
    () => verifyWebhook(body!, headersOf(body!, { at: secondsAgo(20) }), secret, { toleranceSeconds: 10 }),
    /too old/,
  ],
  ['no headers', () => verifyWebhook(body!, {}, secret), /webhook-id is missing/],
  [
    'a time that is none',
    () => verifyWebhook(body!, { ...headersOf(body!), 'webhook-timestamp': 'now' }, secret),
    /not a time/,
  ],
  ['a body that is not JSON', () => verifyWebhook('hello', headersOf('hello'), secret), /not JSON/],
])('%s is refused', (_, verify, message) => {
  expect(verify).toThrow(WebhookVerificationError);
  expect(verify).toThrow(message);
});

test('a longer tolerance admits an older message, and a wrong secret is an error of the caller', () => {
  const headers = headersOf(body!, { at: secondsAgo(400) });
  expect(verifyWebhook(body!, headers, secret, { toleranceSeconds: 3_600 })).toMatchObject({ id });
  expect(() => verifyWebhook(body!, headersOf(body!), 'whsec_')).toThrow(TypeError);
});
