import { EVENT_SCHEMAS, type NotificationPayload } from '../../../src/notifications/domain/event-schemas';
import { messageBody } from '../../../src/notifications/domain/message-body';
import { changesOf, type OrderView, snapshotOf } from '../../../src/notifications/domain/order-changes';
import { fulfillment, itemView, orderView } from '../../support/order-view';

/** Returns an order whose texts have all the bytes that a submission accepts. */
function longOrder(items: number, parcels: number): OrderView {
  const metadata = Array.from({ length: 20 }, () => ({ key: '版'.repeat(100), value: '"'.repeat(100) }));
  const parcel = { ...fulfillment, trackingCode: 'T'.repeat(100), trackingUrl: `https://t/${'x'.repeat(500)}` };
  return orderView({
    order: { orderId: 'o1', storeId: null, orderReferenceId: '版'.repeat(100) },
    fulfillmentStatus: 'shipped',
    metadata,
    refusedCancels: [Array.from({ length: items }, (_, index) => String(index))],
    items: Array.from({ length: items }, (_, index) =>
      itemView({
        id: String(index),
        itemReferenceId: `${index}-${'版'.repeat(90)}`,
        status: index === items - 1 ? 'shipped' : 'created',
        metadata,
        fulfillments: Array.from({ length: parcels }, () => parcel),
      }),
    ),
  });
}

const sent = ({ event, payload }: NotificationPayload) =>
  messageBody({ id: 'm1', event, created: '2026-05-04T09:30:00.000Z', ...payload });

test.each([
  [60, 0],
  [3, 20],
])('every message of %i items with %i parcels each is shorter than 20 kB and has its schema', (items, parcels) => {
  const bodies = changesOf(longOrder(items, parcels), null).map(sent);
  expect(bodies.length).toBeGreaterThan(2);
  for (const body of bodies) {
    expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    const message = JSON.parse(body);
    expect(EVENT_SCHEMAS[message.event as keyof typeof EVENT_SCHEMAS].schema.parse(message)).toEqual(message);
    if (message.items !== undefined) expect(message.items.length).toBeGreaterThan(0);
  }
});

test('a long message names the items with a new status first, and counts what each list lacks', () => {
  const view = longOrder(60, 20);
  const before = snapshotOf({ ...view, fulfillmentStatus: 'created', items: longOrder(60, 0).items.slice(0, -1) });
  const message = JSON.parse(sent(changesOf(view, before)[0]!));
  expect(message).toMatchObject({ event: 'order_status_updated', leftOut: { items: 60 - message.items.length } });
  const [first, second] = message.items;
  expect([first.status, second.status]).toEqual(['shipped', 'created']);
  expect(first.leftOut.fulfillments).toBe(20 - first.fulfillments.length);
  expect(first.fulfillments.length).toBeGreaterThan(0);
});

test('a message that is short enough is complete', () => {
  const { event, payload } = changesOf(longOrder(1, 1), null)[0]!;
  const message = { event, ...payload, metadata: [] };
  expect(JSON.parse(messageBody(message))).toEqual(message);
});
