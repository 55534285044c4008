import { startCutProxy } from '../../../../bench/faults/cut-proxy';
import { freePort } from '../../../../packages/embedded-servers/ports';
import { testTemporalAddress } from '../../../support/servers';
import { type TestStack, testStack } from '../../../support/stack';
import {
  handedOver,
  is,
  misbehaveOnce,
  orderBody,
  orderNow,
  orderUntil,
  partnerClock,
  seenPrintOrders,
} from '../order-fixture';

/** Temporal is unavailable: requests are accepted, and processed when it is back. */

let stack: TestStack;
let isAway = false;
let cutOff: () => void;
const now = partnerClock();

beforeAll(async () => {
  const temporal = Number(testTemporalAddress().split(':')[1]);
  const proxy = await startCutProxy(await freePort(), () => (isAway ? [] : [temporal]));
  cutOff = () => {
    isAway = true;
    proxy.cut();
  };
  closeProxy = () => proxy.close();
  stack = await testStack({ temporalAddress: `127.0.0.1:${proxy.port}` });
});

let closeProxy: (() => Promise<void>) | undefined;
// The stack's own hook runs before this one: its worker shuts down while Temporal can be reached.
afterAll(async () => await closeProxy?.());

test('twenty orders submitted meanwhile all run once when it is back', async () => {
  cutOff();
  const references = Array.from({ length: 20 }, (_, index) => `away-${index}`);
  const submitted = await Promise.all(
    references.map((reference) => stack.client.submitOrder({ body: orderBody(stack, reference) })),
  );
  const ids = submitted.map(({ id }) => id);
  for (const id of ids) expect(await orderNow(stack, id)).toMatchObject({ status: 'created' });
  isAway = false;
  for (const id of ids) {
    const order = await orderUntil(stack, id, is('delivered'));
    expect(order.printOrderIds).toHaveLength(1);
    expect(order.shipments).toEqual({ bought: 1 });
    expect(seenPrintOrders(stack, order.printOrderIds)).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
  }
});

test('postbacks received meanwhile are applied when it is back, and requests that need the run get 503', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'no-postbacks', 'postbacks-away');
  const order = await handedOver(stack, 'postbacks-away');
  cutOff();
  const partner = stack.partner('prints-berlin', 0);
  for (const status of ['received', 'printed'] as const) {
    const { message } = await partner.postOrderStatus({
      body: { timestamp: now(), orderId: order.printOrderId, status },
    });
    expect(message).toBe('Status accepted.');
  }
  const began = Date.now();
  await expect(partner.dispatchOrder({ body: { orderId: order.printOrderId } })).rejects.toMatchObject({
    status: 503,
    body: { error: expect.any(String) },
  });
  await expect(stack.client.cancelOrder({ params: { orderId: order.orderId }, body: {} })).rejects.toMatchObject({
    status: 503,
    code: 'UNAVAILABLE',
  });
  expect(Date.now() - began).toBeLessThan(60_000);
  expect(await orderNow(stack, order.orderId)).toMatchObject({ status: 'passed' });
  isAway = false;
  await orderUntil(stack, order.orderId, is('printed'));
  expect(await orderNow(stack, order.orderId)).toMatchObject({ shipments: {} });
  expect(await partner.dispatchOrder({ body: { orderId: order.printOrderId } })).toMatchObject({
    trackingCode: expect.any(String),
  });
});
