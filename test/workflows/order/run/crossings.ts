import { PresslineError } from '../../../../client/pressline-client';
import { eventually, type TestStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import { carrierScans, type HandedOver, handedOver, orderBody } from '../order-fixture';

/** Two requests about one order at the same time, of every kind that locks its rows. */

/** Returns the pairs of requests. */
function requests(stack: TestStack) {
  const { say, repair } = operatorHelpers(() => stack);
  return {
    replace: ({ printOrderId: orderId, partner }: HandedOver, label: string) =>
      stack.partner(partner).dispatchOrder({ body: { orderId, replaceLabels: [label] } }),
    change: ({ orderId }: HandedOver) =>
      stack.client.updateShipment({
        params: { orderId },
        body: { shippingAddress: { ...orderBody(stack, 'x').shippingAddress, addressLine2: '4th floor' } },
      }),
    cancel: ({ orderId }: HandedOver) =>
      stack.client.cancelOrder({
        params: { orderId },
        body: { reason: 'too many', items: [{ itemReferenceId: 'poster', quantity: 1 }] },
      }),
    postback: (order: HandedOver) =>
      say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 1 }] }),
    repair: ({ orderId, itemIds }: HandedOver) => repair(orderId, { action: 'cancel', itemIds: [itemIds[1]!] }),
    scan: (_order: HandedOver, label: string) => carrierScans(stack, label, 'in_transit'),
  };
}

/** Sends each pair of requests at the same time, about an order of its own with labels. Some are refused, none fails. */
export async function crossAll(stack: TestStack, times: number): Promise<void> {
  const { sql } = stack.services;
  const kinds = Object.values(requests(stack));
  const pairs = kinds.flatMap((first, index) => kinds.slice(index + 1).map((second) => [first, second] as const));
  for (let time = 0; time < times; time += 1) {
    await Promise.all(
      pairs.map(async (pair, index) => {
        const order = await handedOver(stack, `crossing-${time}-${index}`, { items: 2, quantity: 3 });
        const body = { orderId: order.printOrderId };
        const { trackingCode } = await stack.partner(order.partner).dispatchOrder({ body });
        const results = await Promise.allSettled(pair.map((send) => send(order, trackingCode!)));
        for (const result of results) {
          if (result.status === 'fulfilled') continue;
          expect(result.reason).toBeInstanceOf(PresslineError);
          expect([409, 503]).toContain(result.reason.status);
        }
      }),
    );
  }
  await eventually(async () => {
    const live = await sql`
      SELECT FROM carrier_purchases c WHERE c.voided_at IS NULL AND NOT EXISTS (
        SELECT FROM shipment_packages k JOIN shipments s ON s.id = k.shipment_id
        WHERE k.tracking_number = c.tracking_number AND k.left_out_at IS NULL AND s.status = 'bought')`;
    return live.length === 0 ? true : undefined;
  });
  const [{ deadlocks }] = await sql<[{ deadlocks: number }]>`
    SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
  expect(deadlocks).toBe(0);
}
