import {
  type OrderItemTrackingCodeUpdated,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../client';
import { changesOf } from '../../src/notifications/domain/order-changes';
import { newSigningSecret, signatureHeaders } from '../../src/platform/http/webhook-signature';
import { fulfillment, itemView, orderView } from '../support/order-view';

const secret = newSigningSecret();
const parcel = { ...fulfillment, trackingCode: 'CX473124829DE' };
const order = orderView({
  fulfillmentStatus: 'shipped',
  minDeliveryDate: '2026-11-25',
  maxDeliveryDate: '2026-11-27',
  refusedCancels: [['1']],
  items: [itemView({ status: 'shipped', cancelledUnits: 1, fulfillments: [parcel] })],
});
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
    itemReferenceId: 'item-1',
    metadata: [{ key: 'shelf', value: '7' }],
    orderMetadata: order.metadata as OrderItemTrackingCodeUpdated['orderMetadata'],
    ...parcel,
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
