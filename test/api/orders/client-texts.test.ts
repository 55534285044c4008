import { type TestStack, testStack } from '../../support/stack';
import { type HandedOver, handedOver, is, orderUntil, partnerClock } from '../../workflows/order/order-fixture';

/** Texts of partners and operators are internal: clients do not see them in orders or notifications. */

const PARTNER_TEXT = 'Press 4 is broken, ask Jonas';
const OPERATOR_TEXT = 'client owes us money';

let stack: TestStack;
let webhookId: string;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  ({ id: webhookId } = await stack.client.createWebhook({
    body: { url: `${stack.sandbox.url}/webhooks` } as never,
  }));
});

const berlinKey = () => stack.credentials.partners.find(({ name }) => name === 'prints-berlin')!.apiKey;

/** Sends a postback as prints-berlin. Returns the status and the body of the response. */
async function post({ printOrderId }: HandedOver, status: string, more: object = {}) {
  const response = await fetch(`${stack.baseUrl}/v2/order/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-API-KEY': berlinKey() },
    body: JSON.stringify({ timestamp: now(), orderId: printOrderId, status, ...more }),
  });
  return { status: response.status, body: (await response.json()) as { error?: string } };
}

/** Returns the bodies of the notifications about an order. */
async function notifications(orderId: string): Promise<Record<string, unknown>[]> {
  const { deliveries } = await stack.client.listWebhookDeliveries({
    params: { webhookId },
    query: { orderId, limit: 250 },
  });
  const bodies = await Promise.all(
    deliveries.map(({ id }) => stack.client.getWebhookDelivery({ params: { webhookId, deliveryId: id } })),
  );
  return bodies.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}

test('an order and its notifications have no names of operators, internal reasons or words of partners', async () => {
  const order = await handedOver(stack, 'internal-texts');
  const params = { orderId: order.orderId };
  const repair = (action: 'hold' | 'release') =>
    stack.operator.repairOrder({ params, body: { action, reason: OPERATOR_TEXT } });
  await repair('hold');
  await repair('release');
  expect((await post(order, 'error', { message: PARTNER_TEXT })).status).toBe(200);
  await orderUntil(stack, order.orderId, is('on_hold'));
  expect((await post(order, 'received', { message: PARTNER_TEXT })).status).toBe(200);
  await orderUntil(stack, order.orderId, is('in_production'));
  await stack.operator.cancelOrder({ params, body: { reason: OPERATOR_TEXT } });

  const read = await stack.client.getOrder({ params });
  const { name } = stack.credentials.operator as { name?: string };
  const internal = [PARTNER_TEXT, OPERATOR_TEXT, ...(name === undefined ? [] : [name]), '"by"', '"message"'];
  for (const text of internal) expect(JSON.stringify(read)).not.toContain(text);
  const types = [...read.eventLog, ...read.items[0]!.eventLog].map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['hold', 'release', 'postback_error', 'cancel_requested', 'status']));

  const sent = await notifications(order.orderId);
  expect(sent.length).toBeGreaterThan(0);
  for (const text of [PARTNER_TEXT, OPERATOR_TEXT]) expect(JSON.stringify(sent)).not.toContain(text);
  expect(sent).toContainEqual(
    expect.objectContaining({
      event: 'order_item_status_updated',
      status: 'manual_handling',
      comment: 'The print partner reported an error.',
    }),
  );

  const { events } = await stack.operator.getOperatorOrder({ params });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'postback_error',
      data: expect.objectContaining({ message: PARTNER_TEXT }),
    }),
  );
});

describe('trackingLink of a postback', () => {
  let order: HandedOver;
  beforeAll(async () => {
    order = await handedOver(stack, 'tracking-links');
  });

  test.each([
    'javascript:alert(1)',
    'ftp://couriers.example/1',
    'couriers.example/1',
    'https://user:secret@couriers.example/1',
  ])('%s gets 400', async (trackingLink) => {
    const response = await post(order, 'printed', { trackingCode: 'T1', trackingLink });
    expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining('trackingLink') } });
  });

  test.each(['https://couriers.example/1', 'http://couriers.example/1', '', null])(
    '%p is accepted',
    async (trackingLink) => {
      expect((await post(order, 'printed', { trackingCode: 'T1', trackingLink })).status).toBe(200);
    },
  );

  test('an accepted link is shown to the client', async () => {
    await post(order, 'shipped', { trackingCode: 'T1', trackingLink: 'https://couriers.example/1' });
    await orderUntil(stack, order.orderId, is('shipped'));
    const { shipment } = await stack.client.getOrder({ params: { orderId: order.orderId } });
    expect(shipment!.packages).toMatchObject([{ trackingCode: 'T1', trackingUrl: 'https://couriers.example/1' }]);
  });
});
