import { join } from 'node:path';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { columnsWith, filesWith, historiesWith } from '../../support/stored-texts';
import {
  accepted,
  deliveredByCarrier,
  is,
  orderBody,
  orderUntil,
  partnerClock,
} from '../../workflows/order/order-fixture';

/** An erasure leaves no text about the recipient in any column, object, workflow history or repeated response. */

const RECIPIENT = { firstName: 'Theophanu', lastName: 'Drosselbart', addressLine1: 'Kranichsteg 4c', city: 'Kyritz' };
const EMAIL = 'theophanu@drosselbart.example';
const TEXTS = {
  note: 'Nachbarin nimmt fuer Theophanu an',
  repair: 'Drosselbart rief an',
  bulkRepair: 'Kyritz ist verschneit',
  cancel: 'Theophanu will nur eines',
  postback: 'Foto von Theophanu zu dunkel',
};
const WORDS = [...Object.values(RECIPIENT), EMAIL, EMAIL.toUpperCase(), ...Object.values(TEXTS)];

let stack: TestStack;
let orderId: string;
let noteRequest: () => Promise<{ replayed: boolean; body: unknown }>;
let bulkRequest: typeof noteRequest;
const now = partnerClock();

/** Sends a request of an operator with an Idempotency-Key. */
async function keyed(path: string, key: string, body: object) {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-KEY': stack.credentials.operator.apiKey,
      'Idempotency-Key': key,
    },
    body: JSON.stringify(body),
  });
  const read = (await response.json()) as Record<string, unknown>;
  expect([path, response.status, read]).toEqual([path, 200, read]);
  return { replayed: response.headers.get('Idempotency-Replayed') === 'true', body: read };
}

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  await stack.client.createWebhook({ body: { url: `${stack.sandbox.url}/nowhere` } });
  const body = orderBody(stack, 'everywhere-1');
  const shippingAddress = { ...body.shippingAddress, ...RECIPIENT, email: EMAIL };
  const { id } = await stack.client.submitOrder({ body: { ...body, shippingAddress } });
  const { printOrderId } = await accepted(stack, id);
  orderId = id;
  const partner = stack.partner('prints-berlin');
  const say = (status: string, message?: string) =>
    partner.postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status, message } as never });
  const repairs = `/v1/operator/orders/${id}/repairs`;

  noteRequest = () => keyed(`/v1/operator/orders/${id}/notes`, 'note-1', { text: TEXTS.note });
  await noteRequest();
  await say('error', TEXTS.postback);
  await orderUntil(stack, id, is('on_hold'));
  await say('received');
  await orderUntil(stack, id, is('in_production'));
  await keyed(repairs, 'repair-1', { action: 'hold', reason: TEXTS.repair });
  bulkRequest = () =>
    keyed('/v1/operator/bulk-repairs', 'bulk-1', { action: 'release', reason: TEXTS.bulkRepair, orderIds: [id] });
  const { body: bulk } = await bulkRequest();
  await eventually(async () => {
    const { status } = await stack.operator.getBulkRepair({ params: { bulkRepairId: (bulk as { id: string }).id } });
    return status === 'ended' ? true : undefined;
  });
  await partner.dispatchOrder({ body: { orderId: printOrderId } });
  await say('shipped');
  await orderUntil(stack, id, is('shipped'));
  const [endpoint] = (await stack.client.listWebhooks({ query: {} })).webhooks;
  const params = { webhookId: endpoint!.id };
  const [delivery] = (await stack.client.listWebhookDeliveries({ params, query: {} })).deliveries;
  await stack.client.redeliverWebhookDelivery({ params: { ...params, deliveryId: delivery!.id } });
});

const stored = async () => ({
  columns: await columnsWith(stack.services.sql, WORDS),
  objects: await filesWith(join(stack.services.config.DATA_DIR, 'objects'), WORDS),
  histories: await historiesWith(stack.services, WORDS),
});

const erasure = (erasureId: string) => stack.operator.getErasure({ params: { erasureId } });

test('the request says what a shipped order waits for, and a later read says when it ended', async () => {
  await expect(stack.operator.erasePersonalData({ body: { orderId } })).rejects.toMatchObject({ status: 409 });
  const asked = await stack.operator.erasePersonalData({ body: { email: EMAIL.toUpperCase() } });
  expect(asked).toMatchObject({
    erased: 0,
    waiting: 1,
    completedAt: null,
    waitingFor: [{ kind: 'order', id: orderId, waitsFor: 'parcels_under_way' }],
  });
  expect(await erasure(asked.id)).toEqual(asked);
  const before = await stored();
  expect(before.columns.map((found) => found.split(':')[0])).toEqual(
    expect.arrayContaining([
      'idempotency_keys.body',
      'order_notes.text',
      'bulk_repairs.reason',
      'orders.shipping_address',
    ]),
  );
  expect(before.histories.join()).toContain(orderId);

  await deliveredByCarrier(stack, orderId);
  await eventually(async () => {
    const { status } = await stack.services.temporal.workflow.getHandle(`order-${orderId}`).describe();
    return status.name === 'COMPLETED' ? true : undefined;
  });
  expect((await erasure(asked.id)).waitingFor).toEqual([{ kind: 'order', id: orderId, waitsFor: 'job' }]);
  const job = () =>
    stack.services.temporal.workflow.execute('erasePersonalData', {
      workflowId: `erase-everywhere-${orderId}`,
      taskQueue: stack.services.config.TEMPORAL_TASK_QUEUE,
    });
  expect(await job()).toEqual({ waiting: 1, expired: 0 });
  expect(await job()).toEqual({ waiting: 0, expired: 0 });
  const ended = await erasure(asked.id);
  expect(ended).toMatchObject({ erased: 1, waiting: 0, waitingFor: [] });
  expect(new Date(ended.completedAt!).getTime()).toBeGreaterThanOrEqual(new Date(asked.requestedAt).getTime());
  await expect(erasure(orderId)).rejects.toThrow('There is no such erasure.');
});

test('no column, object or workflow history has a word about the recipient', async () => {
  const left = await eventually(async () => {
    const found = await stored();
    // Temporal deletes in the background.
    return found.histories.length === 0 ? found : undefined;
  });
  expect(left).toEqual({ columns: [], objects: [], histories: [] });
});

test('repeated requests with an Idempotency-Key return the erased texts', async () => {
  expect(await noteRequest()).toMatchObject({
    replayed: true,
    body: { text: 'erased', author: { id: expect.any(String) } },
  });
  expect(await bulkRequest()).toMatchObject({ replayed: true, body: { reason: 'erased', action: 'release' } });
});
