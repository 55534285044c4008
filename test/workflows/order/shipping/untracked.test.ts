import type { TestStack } from '../../../support/stack';
import { testStack } from '../../../support/stack';
import { conflict, operatorHelpers } from '../operator-fixture';
import { deliveredByCarrier, handedOver, is, orderLog, orderNow, orderUntil } from '../order-fixture';

/** Orders whose parcels no carrier reports to Pressline. Here they end two seconds after shipping, not after 14 days. */

let stack: TestStack;
const { say, repair } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { UNTRACKED_ORDER_END: 2_000 } });
});

const shipmentOf = async (orderId: string) => (await stack.client.getOrder({ params: { orderId } })).shipment;
const runOf = (orderId: string) => stack.services.temporal.workflow.getHandle(`order-${orderId}`);

test('a parcel with the partner’s own tracking code is not followed: the run ends, and the order stays shipped', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'untracked');
  expect(await shipmentOf(orderId)).toMatchObject({ trackingFollowed: null });
  await say({ printOrderId }, 'shipped', {
    trackingCode: 'OWN 1',
    trackingLink: 'https://carrier.example/1',
  });
  await orderUntil(stack, orderId, is('shipped'));
  expect(await runOf(orderId).result()).toEqual({ fulfillmentStatus: 'shipped' });
  expect(await shipmentOf(orderId)).toMatchObject({
    status: 'shipped',
    trackingFollowed: false,
    packages: [{ trackingCode: 'OWN 1', trackingUrl: 'https://carrier.example/1' }],
  });
  expect((await orderLog(stack, orderId)).at(-1)).toMatchObject({ type: 'untracked_order_ended' });
});

test('a parcel with our label is followed: the run continues until delivery', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'tracked');
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say({ printOrderId }, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
  expect(await shipmentOf(orderId)).toMatchObject({ trackingFollowed: true });
  const [seen] = await waitForCheck(orderId);
  expect(seen).toMatchObject({ reason: 'tracking_end' });
  expect((await runOf(orderId).describe()).status.name).toBe('RUNNING');
  await deliveredByCarrier(stack, orderId);
  expect(await runOf(orderId).result()).toEqual({ fulfillmentStatus: 'delivered' });
});

test('attention that an untracked order ended with can be dismissed', async () => {
  const { orderId, printOrderId, jobIds } = await handedOver(stack, 'untracked-short', { quantity: 2 });
  await say({ printOrderId }, 'cancelled', { items: [{ orderItemId: jobIds[0], quantity: 1 }] });
  await say({ printOrderId }, 'shipped', { trackingCode: 'OWN 2' });
  await orderUntil(stack, orderId, is('shipped'));
  await runOf(orderId).result();
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: 'short_shipped' });
  expect(await repair(orderId, { action: 'dismiss' })).toMatchObject({ attention: [] });
  await expect(repair(orderId, { action: 'dismiss' })).rejects.toMatchObject(conflict(/needs no attention/));
});

/** Waits until the check for tracking has passed, and returns the remaining deadlines. */
async function waitForCheck(orderId: string) {
  for (;;) {
    const { run } = await stack.operator.getOperatorOrder({ params: { orderId } });
    if (run !== null && !run.deadlines.some(({ reason }) => reason === 'tracking_check')) return run.deadlines;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
