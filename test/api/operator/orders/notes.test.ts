import request from 'supertest';
import { type TestAccount, testAccount } from '../../../support/api-deps';
import { fields, type OrdersApi, ordersApi } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

/** Notes of operators on orders. */

let api: OrdersApi;
let operator: TestAccount;
let viewer: TestAccount;

beforeAll(async () => {
  api = await ordersApi();
  operator = await testAccount(api.sql, 'operator', 'grace', 'operator');
  viewer = await testAccount(api.sql, 'operator', 'viewer', 'viewer');
});

const submitted = async (): Promise<string> => (await api.submit(order()).expect(200)).body.id;
const path = (orderId: string) => `/v1/operator/orders/${orderId}/notes`;
const write = (orderId: string, text: unknown) => api.post(path(orderId), { text }, operator);
const read = async (orderId: string, query = '') =>
  (
    await request(api.app)
      .get(`${path(orderId)}${query}`)
      .set(viewer.key)
      .expect(200)
  ).body;

test('notes are listed newest first with author and time, and paged', async () => {
  const id = await submitted();
  const texts = ['Called the partner', 'They reprint it', 'Client informed'];
  for (const text of texts) {
    expect((await write(id, text).expect(200)).body).toEqual({
      id: expect.any(String),
      author: { id: operator.id, name: 'grace' },
      text,
      createdAt: expect.any(String),
    });
  }
  const { notes, nextCursor } = await read(id);
  expect(notes.map(({ text }: { text: string }) => text)).toEqual([...texts].reverse());
  expect(nextCursor).toBeNull();
  const first = await read(id, '?limit=2');
  const rest = await read(id, `?limit=2&cursor=${first.nextCursor}`);
  expect([...first.notes, ...rest.notes]).toEqual(notes);
  expect((await read(await submitted())).notes).toEqual([]);
});

test('an order takes a thousand notes', async () => {
  const id = await submitted();
  await api.sql`
    INSERT INTO order_notes (id, order_id, author_id, author_name, text)
    SELECT gen_random_uuid(), ${id}, ${operator.id}, 'grace', 'note' FROM generate_series(1, 999)`;
  await write(id, 'the last one').expect(200);
  const { body } = await write(id, 'one more').expect(409);
  expect(body.message).toBe('The order has 1,000 notes, and takes no more.');
});

test('the client reads no notes', async () => {
  const id = await submitted();
  await write(id, 'difficult-customer').expect(200);
  expect((await api.get(id).expect(200)).text).not.toContain('difficult-customer');
});

test('the audit log has an entry without the text', async () => {
  const id = await submitted();
  const { body: note } = await write(id, 'secret-words').expect(200);
  const rows =
    await api.sql`SELECT actor_name, after FROM audit_log WHERE action = 'order.add_note' AND object_id = ${id}`;
  expect(rows).toEqual([{ actorName: 'grace', after: { noteId: note.id } }]);
});

test('bad input is refused', async () => {
  const id = await submitted();
  expect(fields((await write(id, '  ').expect(400)).body)).toHaveLength(1);
  await write(id, undefined).expect(400);
  await write(id, 'x'.repeat(2_001)).expect(400);
  await write(id, 'x'.repeat(2_000)).expect(200);
  await write('no-such-order', 'x').expect(404);
  await request(api.app)
    .get(`${path(id)}?cursor=x`)
    .set(viewer.key)
    .expect(400);
});
