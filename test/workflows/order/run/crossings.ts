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
    change: ({ orderId }: HandedOver, _label: string, crossing: number) =>
      stack.client.updateShipment({
        params: { orderId },
        body: { shippingAddress: { ...orderBody(stack, 'x').shippingAddress, addressLine2: `Floor ${crossing}` } },
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

/** Returns a valid label of an order. Null: nothing is left to ship. */
async function labelOf(stack: TestStack, { printOrderId: orderId, partner }: HandedOver): Promise<string | null> {
  return await eventually(async () => {
    try {
      return (await stack.partner(partner).dispatchOrder({ body: { orderId } })).trackingCode;
    } catch (error) {
      const status = error instanceof PresslineError ? error.status : null;
      if (status === 409) return null;
      // A busy machine answers in time when it is asked again.
      if (status === 503) return undefined;
      throw error;
    }
  });
}

/** Crossings of one order: each has other units, another address and another label. */
const MOST_OF_ORDER = 5;

/** Lets each pair of requests cross some times, about orders with labels. Some are refused, none fails. */
export async function crossAll(stack: TestStack, times: number): Promise<void> {
  const { sql } = stack.services;
  const kinds = Object.values(requests(stack));
  const pairs = kinds.flatMap((first, index) => kinds.slice(index + 1).map((second) => [first, second] as const));
  /** Returns the number of crossings of one order, which ends when its labels are void. */
  async function cross(pair: (typeof pairs)[number], reference: string, most: number): Promise<number> {
    const order = await handedOver(stack, reference, { items: 2, quantity: 10 });
    for (let crossings = 0; crossings < most; crossings += 1) {
      const label = await labelOf(stack, order);
      if (label === null) return crossings;
      for (const result of await Promise.allSettled(pair.map((send) => send(order, label, crossings)))) {
        if (result.status === 'fulfilled') continue;
        expect(result.reason).toBeInstanceOf(PresslineError);
        expect([409, 503]).toContain(result.reason.status);
      }
    }
    return most;
  }
  await Promise.all(
    pairs.map(async (pair, index) => {
      for (let crossed = 0; crossed < times; )
        crossed += await cross(pair, `crossing-${index}-${crossed}`, Math.min(MOST_OF_ORDER, times - crossed));
    }),
  );
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
