import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fields, type OrdersApi, ordersApi } from './orders-api';
import { item, order } from './sample-orders';

let api: OrdersApi;
let server: Server;

beforeAll(async () => {
  api = await ordersApi();
  // One listener for all requests: supertest opens one for each otherwise.
  server = createServer(api.app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

const AT_ONCE = 100;

interface ReceivedResponse {
  readonly status: number;
  readonly body: { id?: string; code?: string };
}

async function atOnce(body: object): Promise<ReceivedResponse[]> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/orders`;
  const post = async (): Promise<ReceivedResponse> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...api.client.keyAndSecret },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as ReceivedResponse['body'] };
  };
  return await Promise.all(Array.from({ length: AT_ONCE }, post));
}

async function stored(reference: string): Promise<{ orders: string[]; starts: number }> {
  const orders = await api.sql<{ id: string }[]>`SELECT id FROM orders WHERE order_reference_id = ${reference}`;
  const starts = await api.sql`
    SELECT 1 FROM outbox WHERE kind = 'start_workflow' AND payload -> 'args' -> 0 ->> 'orderReferenceId' = ${reference}`;
  return { orders: orders.map(({ id }) => id), starts: starts.length };
}

test('preventDuplicate: of 100 concurrent equal submissions one creates an order and 99 are refused', async () => {
  const body = order({ preventDuplicate: true });
  const responses = await atOnce(body);
  const made = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 409);
  expect([made.length, refused.length]).toEqual([1, AT_ONCE - 1]);
  expect(new Set(refused.map(({ body: { code } }) => code))).toEqual(new Set(['DUPLICATE_ORDER_REFERENCE']));
  expect(await stored(body.orderReferenceId)).toEqual({ orders: [made[0]!.body.id], starts: 1 });
});

test('preventDuplicate considers every earlier order and draft of the client, and no other client’s', async () => {
  const body = order();
  const { id: first } = (await api.submit(body).expect(200)).body;
  await api.submit({ ...body, preventDuplicate: true }, api.other).expect(200);
  const response = (await api.submit({ ...body, preventDuplicate: true }).expect(409)).body;
  expect(response).toEqual({
    code: 'DUPLICATE_ORDER_REFERENCE',
    message: `Order ${first} has this orderReferenceId. Its status is created.`,
    requestId: expect.any(String),
  });
  const draft = order({ orderType: 'draft' });
  const { id } = (await api.submit(draft).expect(200)).body;
  await api.submit({ ...draft, orderType: 'order', preventDuplicate: true }).expect(409);
  await api.delete(id).expect(200);
  await api.submit({ ...draft, orderType: 'order', preventDuplicate: true }).expect(200);
});

test('an order replaces a failed or canceled order with its reference, once', async () => {
  const body = order({ preventDuplicate: true });
  const ended = async (id: string, status: string) =>
    await api.sql`UPDATE orders SET fulfillment_status = ${status} WHERE id = ${id}`;
  const first = (await api.submit(body).expect(200)).body.id;
  const open = (await api.submit({ ...body, replaces: first }).expect(409)).body;
  expect(open.message).toBe(`Order ${first} has the status created. Only a failed or canceled order can be replaced.`);
  await ended(first, 'failed');
  // Its reference is still used, as long as no order replaces it.
  expect((await api.submit(body).expect(409)).body.message).toContain(
    `${first} has this orderReferenceId. Its status is failed`,
  );
  const submissions = await atOnce({ ...body, replaces: first });
  const made = submissions.filter(({ status }) => status === 200);
  expect(made).toHaveLength(1);
  const second = made[0]!.body.id!;
  expect((await api.get(second).expect(200)).body.replaces).toBe(first);
  expect((await api.get(first).expect(200)).body.replaces).toBeNull();
  const again = (await api.submit({ ...body, replaces: first }).expect(409)).body;
  expect(again.message).toBe(`Order ${second} replaces this order already. Its status is created.`);
  await ended(second, 'canceled');
  const third = (await api.submit({ ...body, replaces: second }).expect(200)).body.id;
  expect((await api.submit(body).expect(409)).body.message).toContain(third);
});

test('an order that another client has, or that has another reference, cannot be replaced', async () => {
  const body = order();
  const { id } = (await api.submit(body).expect(200)).body;
  await api.sql`UPDATE orders SET fulfillment_status = 'failed' WHERE id = ${id}`;
  const refused = async (sent: object, by = api.client) =>
    expect(fields((await api.submit({ ...sent, replaces: id }, by).expect(400)).body)).toEqual([
      'VALIDATION_ERROR replaces',
    ]);
  await refused(body, api.other);
  await refused(order());
});

test('without preventDuplicate a reference can be used again', async () => {
  const body = order();
  await api.submit(body).expect(200);
  await api.submit({ ...body, preventDuplicate: false }).expect(200);
  expect((await stored(body.orderReferenceId)).orders).toHaveLength(2);
});

test('an Idempotency-Key with preventDuplicate returns the stored response, not a refusal', async () => {
  const body = order({ preventDuplicate: true });
  const submit = (key: string) => api.submit(body).set('Idempotency-Key', key);
  const first = (await submit('both-1').expect(200)).body;
  expect((await submit('both-1').expect(200)).body).toEqual(first);
  await submit('both-2').expect(409);
});

test('a used Idempotency-Key with other content gets 422; another order of the fields does not', async () => {
  const body = order();
  const submit = (sent: object) => api.submit(sent).set('Idempotency-Key', 'content-1');
  const first = (await submit(body).expect(200)).body;
  const reordered = Object.fromEntries(Object.entries(body).reverse());
  expect((await submit(reordered).expect(200)).body).toEqual(first);
  const other = (await submit({ ...body, currency: 'USD' }).expect(422)).body;
  expect(other.code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('a refused request releases its Idempotency-Key, also when refused as a duplicate', async () => {
  const submit = (sent: object) => api.submit(sent).set('Idempotency-Key', 'mended-1');
  const body = order();
  await submit({ ...body, items: [] }).expect(400);
  await submit({ ...body, items: [item({ productUid: 'nothing' })] }).expect(400);
  await submit(body).expect(200);
  const duplicate = { ...body, preventDuplicate: true };
  await api.submit(duplicate).set('Idempotency-Key', 'mended-2').expect(409);
  await api
    .submit({ ...order(), preventDuplicate: true })
    .set('Idempotency-Key', 'mended-2')
    .expect(200);
});

test('clients can use the same Idempotency-Key independently', async () => {
  const body = order();
  const mine = (await api.submit(body).set('Idempotency-Key', 'shared').expect(200)).body;
  const theirs = (await api.submit(body, api.other).set('Idempotency-Key', 'shared').expect(200)).body;
  expect(theirs.id).not.toBe(mine.id);
});

test('an order is found by id and by reference; a repeated reference finds the newest order', async () => {
  const body = order();
  const first = (await api.submit(body).expect(200)).body.id;
  expect((await api.get(body.orderReferenceId).expect(200)).body.id).toBe(first);
  const second = (await api.submit({ ...body, currency: 'USD' }).expect(200)).body.id;
  expect((await api.get(body.orderReferenceId).expect(200)).body).toMatchObject({
    id: second,
    currency: 'USD',
  });
  expect((await api.get(first).expect(200)).body).toMatchObject({ id: first, currency: 'EUR' });
});

// test/security/paths.test.ts has other odd references.
test('a reference can have the form of an id; the id of another order takes precedence', async () => {
  const { id } = (await api.submit(order()).expect(200)).body;
  const orderReferenceId = '00000000-0000-7000-8000-000000000000';
  const made = (await api.submit(order({ orderReferenceId })).expect(200)).body.id;
  expect((await api.get(orderReferenceId).expect(200)).body.id).toBe(made);
  await api.submit(order({ orderReferenceId: id })).expect(200);
  expect((await api.get(id).expect(200)).body.id).toBe(id);
});
