import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { type OrdersApi, ordersApi } from './orders-api';
import { order } from './sample-orders';

/** An order, its Idempotency-Key and its response are stored by one statement: all of them or none, once. */

let api: OrdersApi;
let server: Server;

beforeAll(async () => {
  api = await ordersApi();
  server = createServer(api.app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

interface ReceivedResponse {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: { id?: string; code?: string; createdAt?: string };
}

async function send(body: object, key?: string): Promise<ReceivedResponse> {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/orders`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...api.client.keyAndSecret,
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    replayed: response.headers.get('Idempotency-Replayed') === 'true',
    body: (await response.json()) as ReceivedResponse['body'],
  };
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Returns what is stored of the orders with these references. */
async function stored(references: readonly string[]) {
  const orders = await api.sql<{ id: string; items: number; files: number; starts: number }[]>`
    SELECT id, (SELECT count(*)::int FROM order_items WHERE order_id = orders.id) AS items,
      (SELECT count(*)::int FROM order_files f JOIN order_items i ON i.id = f.order_item_id WHERE i.order_id = orders.id) AS files,
      (SELECT count(*)::int FROM outbox WHERE kind = 'start_workflow' AND payload -> 'args' -> 0 ->> 'orderId' = orders.id::text) AS starts
    FROM orders WHERE order_reference_id = ANY(${references as string[]})`;
  return [...orders];
}

const keysNamed = async (prefix: string) => [
  ...(await api.sql<{ key: string; status: number | null; id: string; lockedUntil: Date | null }[]>`
    SELECT key, status, body ->> 'id' AS id, locked_until FROM idempotency_keys WHERE starts_with(key, ${prefix})`),
];

async function setPostersState(state: 'active' | 'inactive'): Promise<void> {
  await api.sql`UPDATE product_models SET state = ${state} WHERE uid_prefix LIKE 'flat_product%'`;
  await api.sql`UPDATE catalog_version SET version = version + 1`;
}

test('200 concurrent duplicates of 10 keys whose connections are terminated create 10 orders', async () => {
  const bodies = times(10, () => order());
  let interrupting = true;
  const refused: ReceivedResponse[] = [];
  const client = async (index: number): Promise<ReceivedResponse[]> => {
    const responses: ReceivedResponse[] = [];
    for (;;) {
      const isLast = !interrupting;
      const response = await send(bodies[index % 10]!, `terminated-${index % 10}`);
      if (response.status === 200) responses.push(response);
      else refused.push(response);
      if (isLast && response.status === 200) return responses;
      if (response.status !== 200) await sleep(5);
    }
  };
  const clients = Promise.all(times(200, client));
  let terminated = 0;
  const terminate = async () => {
    const { count } = await api.database.owner`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'test'`;
    terminated += count;
    return terminated > 10 && refused.length > 0 ? true : undefined;
  };
  await eventually(terminate).finally(() => {
    interrupting = false;
  });
  const responses = await clients;
  for (const { status, body } of refused)
    expect([`503 UNAVAILABLE`, '409 IDEMPOTENCY_IN_FLIGHT']).toContain(`${status} ${body.code}`);
  const orders = await stored(bodies.map(({ orderReferenceId }) => orderReferenceId));
  expect(orders.map(({ items, files, starts }) => [items, files, starts])).toEqual(times(10, () => [1, 1, 1]));
  const keys = await keysNamed('terminated-');
  expect(keys.map(({ status, lockedUntil }) => [status, lockedUntil])).toEqual(times(10, () => [200, null]));
  expect(keys.map(({ id }) => id).sort()).toEqual(orders.map(({ id }) => id).sort());
  const idOf = new Map(keys.map(({ key, id }) => [key, id]));
  for (const [index, ofClient] of responses.entries())
    for (const { body } of ofClient) expect(body.id).toBe(idOf.get(`terminated-${index % 10}`));
});

test('concurrent requests with new, repeated and no keys: one order for each key and for each request without one', async () => {
  const keyed = times(15, () => order());
  const plain = times(15, () => order());
  const all = await Promise.all([
    ...times(60, (index) => send(keyed[index % 15]!, `mixed-${index % 15}`)),
    ...plain.map((body) => send(body)),
  ]);
  expect(all.map(({ status }) => status)).toEqual(times(75, () => 200));
  expect(await stored(plain.map(({ orderReferenceId }) => orderReferenceId))).toHaveLength(15);
  for (const [index, { orderReferenceId }] of keyed.entries()) {
    const responses = all.slice(0, 60).filter((_, at) => at % 15 === index);
    const orders = await stored([orderReferenceId]);
    expect(orders).toHaveLength(1);
    expect(new Set(responses.map(({ body }) => body.id))).toEqual(new Set([orders[0]!.id]));
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
  }
});

test('of concurrent requests with one key and different content, one is executed and the others get 422', async () => {
  const bodies = times(30, () => order());
  const responses = await Promise.all(bodies.map((body) => send(body, 'contested')));
  const done = responses.filter(({ status }) => status === 200);
  expect(done).toHaveLength(1);
  for (const { status, body } of responses.filter((response) => !done.includes(response)))
    expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  expect((await stored(bodies.map(({ orderReferenceId }) => orderReferenceId))).map(({ id }) => id)).toEqual([
    done[0]!.body.id,
  ]);
});

test('a rejected order stores no key, and the orders of the same group commit are stored', async () => {
  await api.database
    .owner`ALTER TABLE orders ADD CONSTRAINT rejected CHECK (order_reference_id <> 'rejected') NOT VALID`;
  const bodies = [...times(10, () => order()), order({ orderReferenceId: 'rejected' }), ...times(10, () => order())];
  const responses = await Promise.all(bodies.map((body, index) => send(body, `neighbour-${index}`)));
  expect(responses.map(({ status }) => status)).toEqual(bodies.map((_, index) => (index === 10 ? 500 : 200)));
  const keys = await keysNamed('neighbour-');
  expect(keys.map(({ key }) => key)).not.toContain('neighbour-10');
  expect(keys).toHaveLength(20);
  await api.database.owner`ALTER TABLE orders DROP CONSTRAINT rejected`;
  expect((await send(bodies[10]!, 'neighbour-10')).status).toBe(200);
});

test('the stored response precedes a refusal that the same request would get now', async () => {
  const body = order();
  const first = await send(body, 'withdrawn');
  expect(first.status).toBe(200);
  await setPostersState('inactive');
  // Each process checks the version of the catalog once a second.
  await eventually(async () => ((await send(order())).status === 400 ? true : undefined));
  expect(await send(body, 'withdrawn')).toEqual({ ...first, replayed: true });
  expect((await send({ ...body, currency: 'USD' }, 'withdrawn')).status).toBe(422);
  expect((await send(order(), 'withdrawn-new')).status).toBe(400);
  expect(await keysNamed('withdrawn-new')).toEqual([]);
  await setPostersState('active');
  await eventually(async () => ((await send(order())).status === 200 ? true : undefined));
  expect((await send(order(), 'withdrawn-new')).status).toBe(200);
});

test('a lease that another process holds on the key gets 409, until it ends', async () => {
  const body = order();
  expect((await send(body, 'leased')).status).toBe(200);
  await api.sql`
    UPDATE idempotency_keys SET status = NULL, body = NULL, locked_until = now() + interval '1 minute' WHERE key = 'leased'`;
  const held = await send(body, 'leased');
  expect([held.status, held.body.code]).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT']);
  expect((await send(order(), 'leased')).status).toBe(422);
  await api.sql`UPDATE idempotency_keys SET locked_until = now() - interval '1 second' WHERE key = 'leased'`;
  expect((await send(order(), 'leased')).status).toBe(422);
  const executed = await send(body, 'leased');
  expect([executed.status, executed.replayed]).toEqual([200, false]);
  expect((await send(body, 'leased')).body).toEqual(executed.body);
});

test('a key is free seven days after its use, for any content', async () => {
  const first = await send(order(), 'expired');
  await api.sql`UPDATE idempotency_keys SET created_at = now() - interval '7 days 1 minute' WHERE key = 'expired'`;
  const body = order();
  const second = await send(body, 'expired');
  expect([second.status, second.replayed]).toEqual([200, false]);
  expect(second.body.id).not.toBe(first.body.id);
  expect(await send(body, 'expired')).toEqual({ ...second, replayed: true });
});

test('the response has the creation time that the order has', async () => {
  const { body } = await send(order(), 'created-at');
  const { body: read } = await api.get(body.id!).expect(200);
  expect(read.createdAt).toBe(body.createdAt);
});
