import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { type HttpServer, startHttpServer } from '../../../api/http/server';
import { allRoutes } from '../../../api/routes';
import { endSession } from '../../../src/accounts/sessions';
import { testAccount } from '../../support/api-deps';
import { eventually } from '../../support/eventually';
import { type OrdersApi, ordersApi } from '../orders/orders-api';
import { order } from '../orders/sample-orders';

let api: OrdersApi;
let server: HttpServer;
const open: IncomingMessage[] = [];

beforeAll(async () => {
  api = await ordersApi();
  server = await startHttpServer(createApp(api.deps, allRoutes(api.deps)), { host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  for (const response of open.splice(0)) response.destroy();
});
afterAll(async () => await server.stop(1_000));

interface Received {
  readonly id: string;
  readonly event: string;
  readonly data: { ids?: string[]; changed?: string[] };
}

/** Opens a stream and collects what it receives. */
async function stream(headers: Record<string, string> = api.operator.key, at: HttpServer = server) {
  const opening = get(`${at.url}/v1/operator/stream`, { headers });
  const [response] = (await once(opening, 'response')) as [IncomingMessage];
  open.push(response);
  let text = '';
  let hasEnded = false;
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('close', () => {
    hasEnded = true;
  });
  response.on('error', () => undefined);
  const events = (): Received[] =>
    text
      .split('\n\n')
      .filter((block) => /^event: /m.test(block))
      .map((block) => {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) };
      });
  return {
    response,
    text: () => text,
    events,
    hasEnded: () => hasEnded,
    /** Waits for an event that names an order. */
    changed: (id: string) =>
      eventually(async () => events().find(({ event, data }) => event === 'orders' && data.ids!.includes(id))),
  };
}

const submitted = async (): Promise<string> => (await api.submit(order()).expect(200)).body.id;

/** Waits until the feed knows where to start. */
async function started(headers?: Record<string, string>) {
  const opened = await stream(headers);
  const probe = await submitted();
  await opened.changed(probe);
  return opened;
}

test('the stream names changed orders: new ones, changes of status, and entries of the log', async () => {
  const opened = await started();
  expect(opened.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
  });
  expect(opened.response.headers['content-encoding']).toBeUndefined();
  const id = await submitted();
  await opened.changed(id);
  const before = opened.events().length;
  await api.sql`UPDATE orders SET fulfillment_status = 'uploading' WHERE id = ${id}`;
  await eventually(async () =>
    opened
      .events()
      .slice(before)
      .find(({ data }) => data.ids?.includes(id)),
  );
  const logged = opened.events().length;
  await api.sql`INSERT INTO order_events (order_id, type, data) VALUES (${id}, 'note', '{"secret":"words"}')`;
  await eventually(async () =>
    opened
      .events()
      .slice(logged)
      .find(({ data }) => data.ids?.includes(id)),
  );
  expect(opened.text()).not.toContain('words');
});

test('the stream names changed counts and messages', async () => {
  const opened = await started();
  // The first counts are read with the start.
  await eventually(async () => opened.events().find(({ event }) => event === 'counts' || event === 'orders'));
  const before = opened.events().length;
  const id = await submitted();
  await api.sql`UPDATE orders SET attention = '{not_printed}' WHERE id = ${id}`;
  const after = (event: string) =>
    opened
      .events()
      .slice(before)
      .filter((each) => each.event === event);
  await eventually(async () => after('counts').find(({ data }) => data.changed!.includes('attention')));
  await eventually(async () => after('messages')[0]);
});

test('a stream resumes after the last event that it received, or is told to read everything again', async () => {
  const opened = await started();
  const id = await submitted();
  const { id: last } = await opened.changed(id);
  const missed = await submitted();
  await opened.changed(missed);
  const resumed = await stream({ ...api.operator.key, 'Last-Event-ID': last });
  await resumed.changed(missed);
  expect(resumed.events().some(({ event }) => event === 'reset')).toBe(false);
  expect(resumed.events().some(({ data }) => data.ids?.includes(id))).toBe(false);

  const lost = await stream({ ...api.operator.key, 'Last-Event-ID': 'another-process-7' });
  await eventually(async () => lost.events().find(({ event }) => event === 'reset'));
});

test('a session opens a stream, which ends with the session', async () => {
  const signedIn = await request(server.url)
    .post('/v1/operator/session')
    .send({ apiKey: api.operator.apiKey })
    .expect(200);
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
  const opened = await started({ cookie });
  await endSession(api.sql, cookie.split('=')[1]!);
  await eventually(async () => opened.hasEnded() || undefined);
});

test('a stream ends when its key is revoked', async () => {
  const viewer = await testAccount(api.sql, 'operator', 'stream-viewer', 'viewer');
  const opened = await started(viewer.key);
  await api.sql`UPDATE accounts SET revoked_at = now() WHERE id = ${viewer.id}`;
  await eventually(async () => opened.hasEnded() || undefined);
});

test('an operator opens fifty at most', async () => {
  const busy = await testAccount(api.sql, 'operator', 'stream-busy', 'viewer');
  const opened = await Promise.all(Array.from({ length: 50 }, () => stream(busy.key)));
  expect(opened.map(({ response }) => response.statusCode)).toEqual(Array(50).fill(200));
  const refused = await stream(busy.key);
  expect(refused.response.statusCode).toBe(429);
  expect(refused.response.headers['retry-after']).toBe('10');
  opened[0]!.response.destroy();
  await eventually(async () => ((await stream(busy.key)).response.statusCode === 200 ? true : undefined));
});

test('the API stops without waiting for its streams', async () => {
  const other = await startHttpServer(createApp(api.deps, allRoutes(api.deps)), {
    host: '127.0.0.1',
    port: 0,
  });
  const opened = await stream(api.operator.key, other);
  const began = Date.now();
  await other.stop(240_000);
  expect(Date.now() - began).toBeLessThan(120_000);
  await eventually(async () => opened.hasEnded() || undefined);
});
