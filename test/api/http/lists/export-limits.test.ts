import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { z } from 'zod';
import { createApp } from '../../../../api/app';
import { exportedList, formatQuery, PAGES } from '../../../../api/http/exported-list';
import { operatorsOnly, type Route } from '../../../../api/http/route';
import { type HttpServer, startHttpServer } from '../../../../api/http/server';
import { allRoutes } from '../../../../api/routes';
import { uuidv7 } from '../../../../src/platform/ids';
import type { Sql } from '../../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { eventually } from '../../../support/eventually';
import { insertShippingOrder } from '../../../support/rows/shipping-rows';

/** Limits of exports: two at once for each account, and an end with the connection and after a time. */

/** Rows of each list: more than the buffers between a database and a reader that does not read. */
const ROWS = 30_000;

let sql: Sql;
let server: HttpServer;
let admin: TestAccount;
let other: TestAccount;
/** Pages that the endless list has read. */
let pages = 0;

/** A list without an end. Its rows are larger than the buffers of a connection. */
const ENDLESS: Route = exportedList('GET /v1/endless', {
  csv: { name: 'endless', rows: 'rows', pages: PAGES.byCursor },
  operationId: 'listEndless',
  summary: 'List rows without an end',
  tag: 'Test',
  access: operatorsOnly('viewer'),
  query: z.object({ cursor: z.string().optional(), limit: z.coerce.number().default(1), format: formatQuery }),
  response: z.object({ rows: z.array(z.object({ text: z.string() })), nextCursor: z.string().nullable() }),
  handler: async () => {
    pages += 1;
    return { rows: Array.from({ length: 10 }, () => ({ text: 'x'.repeat(100_000) })), nextCursor: String(pages) };
  },
});

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  const listen = { host: '127.0.0.1', port: 0 };
  // The watch of slow readers is not what ends these exports.
  server = await startHttpServer(createApp(deps, [...allRoutes(deps), ENDLESS]), listen, { checkMs: 600_000 });
  const { id: clientId } = await testAccount(sql, 'client', 'shop');
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
                        shipping_address, created_at)
    SELECT gen_random_uuid(), ${clientId}, 'ref-' || n, 'order', 'created', 'pending', 'EUR',
      jsonb_build_object('country', CASE WHEN n > ${ROWS - 5} THEN 'FR' ELSE 'DE' END), now() - make_interval(secs => n)
    FROM generate_series(1, ${ROWS}) n`;
  await sql`
    INSERT INTO audit_log (actor_name, actor_role, action, object_type, object_id)
    SELECT 'system', 'system', 'catalog.import', 'catalog', n::text FROM generate_series(1, ${ROWS}) n`;
  const { shippingOrderId } = await insertShippingOrder(sql, clientId);
  const shipmentId = uuidv7();
  await sql`
    INSERT INTO shipments (id, idempotency_key, shipping_order_id, status, consignment, method_uid, method_name, carrier_uid,
      carrier_name, bought_at)
    VALUES (${shipmentId}, ${shipmentId}, ${shippingOrderId}, 'bought', '{}', 'corvid_parcel', 'Parcel', 'corvid_post',
      'Corvid Post', now())`;
  await sql`
    INSERT INTO trackings (tracking_number, short_uid, shipment_id, carrier_uid, status_uid, created_at)
    SELECT 'LX' || n, 's-' || n, ${shipmentId}, 'corvid_post', 'in_transit', now() - make_interval(secs => n)
    FROM generate_series(1, ${ROWS}) n`;
});
// An export counts until its process knows that the connection is closed. The next test does not wait for that.
beforeEach(async () => {
  admin = await testAccount(sql, 'operator');
  other = await testAccount(sql, 'operator');
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => await server.stop(0));

/** Requests an export, and returns the response before its body is read. */
async function exported(path: string, by = admin): Promise<IncomingMessage> {
  const request = get(`${server.url}${path}${path.includes('?') ? '&' : '?'}format=csv`, { headers: by.key });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const LISTS = ['/v1/operator/orders', '/v1/operator/parcels', '/v1/operator/audit?action=catalog.import'];

test.each(LISTS)('%s exports every row of a large list', async (path) => {
  const lines = (await textOf(await exported(path))).trimEnd().split('\r\n');
  expect(lines).toHaveLength(ROWS + 1);
});

test('a filter that a page compares in part is exported as a whole', async () => {
  const [, ...lines] = (await textOf(await exported('/v1/operator/orders?country=FR'))).trimEnd().split('\r\n');
  const references = lines.map((line) => line.split(',')[1]);
  expect(references).toEqual(Array.from({ length: 5 }, (_, index) => `ref-${ROWS - 4 + index}`));
});

test('a list is refused to an account with two open exports, until their connections are closed', async () => {
  const path = '/v1/operator/orders';
  const open = [await exported('/v1/endless'), await exported('/v1/endless')];
  const third = await exported(path);
  expect({ status: third.statusCode, after: third.headers['retry-after'] }).toEqual({ status: 429, after: '5' });
  const detail = { quota: 'exports', limit: 2 };
  expect(JSON.parse(await textOf(third))).toMatchObject({ code: 'QUOTA_EXCEEDED', detail });
  expect(await textOf(await exported(path, other))).toContain('\r\n');

  for (const response of open) response.destroy();
  await eventually(async () => {
    const next = await exported(path);
    next.destroy();
    return next.statusCode === 200 || undefined;
  });
});

test('a closed connection ends its export', async () => {
  const path = '/v1/operator/orders';
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await eventually(async () => {
      const opened = await exported(path);
      opened.destroy();
      return opened.statusCode === 200 || undefined;
    });
  }
  await eventually(async () => {
    const both = [await exported(path), await exported(path)];
    for (const each of both) each.destroy();
    return both.every(({ statusCode }) => statusCode === 200) || undefined;
  });
  expect((await exported(path, other)).destroy().statusCode).toBe(200);
});

test('a closed connection ends the reads of its export', async () => {
  const response = await exported('/v1/endless');
  await once(response, 'data');
  response.destroy();
  let before = -1;
  await eventually(async () => {
    const isSame = pages === before;
    before = pages;
    return isSame || undefined;
  });
  expect(pages).toBeLessThan(1_000);
});

test('an export that takes too long is broken off, so that a part is not taken for the whole', async () => {
  const response = await exported('/v1/endless');
  const { now } = performance;
  jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 6 * 60_000);
  await expect(textOf(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a refused export frees its place', async () => {
  for (let attempt = 0; attempt < 4; attempt += 1)
    expect((await exported('/v1/operator/orders?status=lost')).statusCode).toBe(400);
  const viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  for (let attempt = 0; attempt < 4; attempt += 1)
    expect((await exported('/v1/operator/audit', viewer)).statusCode).toBe(403);
});
