import type { Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import { createApp } from '../../api/app';
import type { ApiDeps } from '../../api/deps';
import type { ErrorShape } from '../../api/http/error-body';
import { DEFAULT_TIMEOUTS_MS, type Route, route } from '../../api/http/route';
import { allRoutes } from '../../api/routes';
import { COMPARED_ROWS } from '../../src/platform/list-position';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { type TestDatabase, testDatabase } from '../support/database';
import { eventually } from '../support/eventually';

/** A short request must not cost much: bounded responses, bounded time, bounded concurrency, bounded reads. */

const SHAPES: readonly ErrorShape[] = ['coded', 'plain', 'plain-list', 'adjust-stock', 'shipping', 'tracking'];
const keyed = { credentials: 'key', roles: ['client'] } as const;

let database: TestDatabase;
let deps: ApiDeps;
let client: TestAccount;
let operator: TestAccount;
/** Ends every waiting handler of `waitingRoutes`. */
let release: () => void = () => undefined;
let handled = 0;

/** A route of each error shape whose body has many items, and a route of each shape that waits until `release`. */
function sampleRoutes(): Route[] {
  const common = { summary: 'Sample', tag: 'Samples', access: keyed, response: z.object({}) } as const;
  const body = z.object({
    adjustments: z.array(z.object({ partnerSku: z.string(), quantity: z.int() })).max(1_000),
  });
  const waiting = async () => {
    handled += 1;
    await new Promise<void>((resolve) => {
      const before = release;
      release = () => {
        before();
        resolve();
      };
    });
    return {};
  };
  return [
    ...SHAPES.flatMap((errors) => [
      route(`POST /v1/many/${errors}`, {
        ...common,
        errors,
        operationId: `many-${errors}`,
        body,
        handler: async () => ({}),
      }),
      route(`GET /v1/slow/${errors}`, {
        ...common,
        errors,
        operationId: `slow-${errors}`,
        timeoutMs: 200,
        handler: waiting,
      }),
    ]),
    route('GET /v1/waiting', {
      ...common,
      errors: 'coded',
      operationId: 'waiting',
      handler: waiting,
    }),
    route('POST /v1/slow-creation', {
      ...common,
      errors: 'coded',
      operationId: 'slow-creation',
      idempotent: true,
      timeoutMs: 200,
      handler: waiting,
    }),
  ];
}

const appWith = (config: Partial<ApiDeps['config']>, routes: Route[] = sampleRoutes()): Express =>
  createApp({ ...deps, config: { ...deps.config, ...config } }, routes);

beforeAll(async () => {
  database = await testDatabase();
  deps = await testApiDeps(database.sql);
  client = await testAccount(database.sql, 'client');
  operator = await testAccount(database.sql, 'operator');
});

afterEach(() => {
  release();
  release = () => undefined;
  handled = 0;
});

/** Returns the number of errors that a response names. */
function errorsIn(shape: ErrorShape, body: { error?: string; data?: unknown[]; errors?: unknown[] }): number {
  if (shape === 'adjust-stock') return body.data!.length;
  if (shape === 'plain' || shape === 'plain-list') return body.error!.match(/adjustments\[/g)!.length;
  return body.errors?.length ?? 1;
}

test.each(SHAPES)('a response in the shape %s names at most 100 errors, however many there are', async (shape) => {
  const adjustments = Array.from({ length: 900 }, (_, at) => ({ partnerSku: at, quantity: 'many' }));
  const { body, text } = await request(appWith({}))
    .post(`/v1/many/${shape}`)
    .set(client.key)
    .send({ adjustments })
    .expect(400);
  const named = errorsIn(shape, body);
  expect(named).toBeLessThanOrEqual(100);
  expect(named).toBeGreaterThanOrEqual({ tracking: 1, 'adjust-stock': 50 }[shape as string] ?? 100);
  expect(text.length).toBeLessThan(20_000);
});

test('an order whose 500 items name unknown products gets 100 errors', async () => {
  const items = Array.from({ length: 500 }, (_, at) => ({
    itemReferenceId: `item-${at}`,
    quantity: 1,
    productUid: `none-${at}`,
    retailPriceInclVat: 1,
  }));
  const shippingAddress = {
    country: 'DE',
    firstName: 'Ann',
    lastName: 'Berg',
    addressLine1: 'Ring 1',
    city: 'Bonn',
    postCode: '53111',
    email: 'ann@example.com',
    phone: '+4930123456',
  };
  const { body } = await request(createApp(deps, allRoutes(deps)))
    .post('/v1/orders')
    .set(client.keyAndSecret)
    .send({ orderReferenceId: 'many', currency: 'EUR', shippingAddress, items })
    .expect(400);
  expect(body.errors).toHaveLength(100);
  expect(body.errors[99].reference).toMatch(/^items\[99\]/);
});

describe('timeouts', () => {
  test.each(SHAPES)('a handler beyond its time gets 503 and Retry-After in the shape %s', async (shape) => {
    const { headers, body } = await request(appWith({})).get(`/v1/slow/${shape}`).set(client.key).expect(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.stringify(body)).toContain('took too long');
  });

  test('every route has a limit below the 60 s of a request', () => {
    for (const { operationId, timeoutMs = DEFAULT_TIMEOUTS_MS.write } of allRoutes(deps)) {
      expect(timeoutMs).toBeGreaterThan(0);
      // A print file of 200 MB comes with 6 Mbit/s.
      expect(timeoutMs).toBeLessThanOrEqual(operationId === 'uploadOrderFile' ? 270_000 : 30_000);
    }
  });

  test('what a handler beyond its time stores under an Idempotency-Key is the response to the next attempt', async () => {
    const app = appWith({});
    const create = () => request(app).post('/v1/slow-creation').set(client.key).set('Idempotency-Key', 'slow-1');
    await create().expect(503);
    await create().expect(409);
    release();
    const response = await eventually(async () => {
      const again = await create();
      return again.status === 200 ? again : undefined;
    });
    expect(response.headers['idempotency-replayed']).toBe('true');
    expect(handled).toBe(1);
  });
});

describe('CONCURRENT_REQUESTS', () => {
  test('a key with that many requests in progress gets 429; another key does not, and it works again afterwards', async () => {
    const app = appWith({ CONCURRENT_REQUESTS: 3 });
    const ask = (account: TestAccount) => request(app).get('/v1/waiting').set(account.key);
    const waiting = [1, 2, 3].map(() => ask(client).then((response) => response));
    await eventually(async () => (handled === 3 ? true : undefined));
    const refused = await ask(client).expect(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('at once') });
    await request(app).get('/v1/waiting').set(client.keyAndSecret).expect(429);
    await request(app).get('/v1/waiting').set(operator.key).expect(403);
    release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const next = ask(client).then((response) => response);
    await eventually(async () => (handled === 4 ? true : undefined));
    release();
    expect((await next).status).toBe(200);
  });

  test('a handler beyond its timeout still counts', async () => {
    const app = appWith({ CONCURRENT_REQUESTS: 1 });
    await request(app).get('/v1/slow/coded').set(client.key).expect(503);
    await request(app).get('/v1/slow/coded').set(client.key).expect(429);
    release();
    // The handler ends a moment after its release.
    expect(
      await eventually(async () => {
        const { status } = await request(app).get('/v1/slow/coded').set(client.key);
        return status === 429 ? undefined : status;
      }),
    ).toBe(503);
  });
});

describe('RATE_LIMIT_STORE=postgres', () => {
  const config = { RATE_LIMIT: 5, RATE_LIMIT_STORE: 'postgres' } as const;

  /**
   * Sends ten requests of a new account to processes, in turn. Repeats it while a slow machine needs more than the second
   * that is counted.
   */
  async function burst(...apps: readonly Express[]) {
    return await eventually(async () => {
      const account = await testAccount(database.sql, 'client');
      const before = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          request(apps[at % apps.length]!)
            .post('/v1/many/coded')
            .set(account.key)
            .send({ adjustments: [] })
            .then(({ status }) => status),
        ),
      );
      return performance.now() - before < 900 ? statuses.sort() : undefined;
    });
  }
  const FIVE_OF_TEN = [200, 200, 200, 200, 200, 429, 429, 429, 429, 429];

  test('two API processes together let a key send its rate, not twice its rate', async () => {
    expect(await burst(appWith(config), appWith(config))).toEqual(FIVE_OF_TEN);
    const alone = { ...config, RATE_LIMIT_STORE: 'memory' } as const;
    expect(await burst(appWith(alone), appWith(alone))).toEqual(Array(10).fill(200));
  });

  test('while Postgres does not count, each process counts alone', async () => {
    await database.asOwner('ALTER TABLE request_rates RENAME TO request_rates_away');
    expect(await burst(appWith(config))).toEqual(FIVE_OF_TEN);
    await database.asOwner('ALTER TABLE request_rates_away RENAME TO request_rates');
  });
});

describe('pages that begin late', () => {
  test('every page number and offset of a request is bounded to the first 1,000,000 rows', async () => {
    const app = createApp(deps, allRoutes(deps));
    const partner = await testAccount(database.sql, 'partner');
    const paged = allRoutes(deps).flatMap(({ path, method, body }) => {
      const fields = JSON.stringify(
        body === undefined ? {} : z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }),
      );
      return fields.includes('"pageNumber"') ? [{ path, method, nested: fields.includes('"pagination"') }] : [];
    });
    expect(paged.length).toBeGreaterThanOrEqual(3);
    for (const { path, method, nested } of paged) {
      const page = { pageNumber: 1_002, perPage: 1_000 };
      const { status, text } = await request(app)
        [method](path)
        .set(path.startsWith('/procurement') && nested ? partner.key : operator.key)
        .send(nested ? { pagination: page } : page);
      expect({ path, status, text }).toMatchObject({
        path,
        status: 400,
        text: expect.stringContaining('1000000'),
      });
    }
  });
});

describe('a search with filters that have no index', () => {
  /** Inserts orders of a client, one a second, the newest first in the list. */
  async function insertOrders(clientId: string, orders: readonly { country: string; status: string }[]): Promise<void> {
    await database.sql`
      INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        shipping_address, created_at)
      SELECT gen_random_uuid(), ${clientId}, 'search-' || o.at, 'order', o.row ->> 'status', 'pending', 'EUR',
        jsonb_build_object('country', o.row ->> 'country', 'firstName', 'A', 'lastName', 'B'),
        now() - make_interval(secs => o.at::int)
      FROM jsonb_array_elements(${database.sql.json(orders)}) WITH ORDINALITY AS o (row, at)`;
  }

  /** Reads every page. Returns the references of each. */
  async function pages(account: TestAccount, search: object): Promise<string[][]> {
    const app = createApp(deps, allRoutes(deps));
    const found: string[][] = [];
    let cursor: string | null = null;
    do {
      const { body }: request.Response = await request(app)
        .post('/v1/orders/search')
        .set(account.keyAndSecret)
        .send({ ...search, cursor })
        .expect(200);
      found.push(body.orders.map(({ orderReferenceId }: { orderReferenceId: string }) => orderReferenceId));
      cursor = body.nextCursor;
    } while (cursor !== null);
    return found;
  }

  test('compares a bounded number of orders per page, and its pages together find every match once', async () => {
    const account = await testAccount(database.sql, 'client');
    const total = COMPARED_ROWS * 2 + 100;
    const rare = new Set([0, COMPARED_ROWS - 1, COMPARED_ROWS, total - 1]);
    await insertOrders(
      account.id,
      Array.from({ length: total }, (_, at) => ({
        country: rare.has(at) ? 'FR' : 'DE',
        status: 'in_production',
      })),
    );
    const found = await pages(account, { countries: ['FR'] });
    expect(found).toEqual([
      ['search-1', `search-${COMPARED_ROWS}`],
      [`search-${COMPARED_ROWS + 1}`],
      [`search-${total}`],
    ]);
    expect((await pages(account, { countries: ['IT'] })).flat()).toEqual([]);
  });

  test('merges statuses without gaps when one has more orders than a page compares', async () => {
    const account = await testAccount(database.sql, 'client');
    const orders = Array.from({ length: COMPARED_ROWS + 500 }, (_, at) => ({
      country: at % 400 === 0 ? 'FR' : 'DE',
      status: at % 1_000 === 0 ? 'shipped' : 'in_production',
    }));
    await insertOrders(account.id, orders);
    const found = await pages(account, {
      countries: ['FR'],
      fulfillmentStatuses: ['in_production', 'shipped'],
      limit: 3,
    });
    const expected = orders.flatMap(({ country }, at) => (country === 'FR' ? [`search-${at + 1}`] : []));
    expect(found.flat()).toEqual(expected);
  });

  test('shipping orders: a page of a rare status ends early and continues', async () => {
    const account = await testAccount(database.sql, 'client');
    await database.sql`
      INSERT INTO shipping_orders (id, account_id, order_reference_id, fingerprint, consignment, method_uid, label, waiting_until,
        created_at, status)
      SELECT gen_random_uuid(), ${account.id}, 's-' || n, '', '{}', '', '{}', now(), now() - make_interval(secs => n),
        CASE WHEN n = ${COMPARED_ROWS + 10} THEN 'refused' ELSE 'canceled' END
      FROM generate_series(1, ${COMPARED_ROWS + 10}) AS n`;
    const app = createApp(deps, allRoutes(deps));
    const search = (cursor: string | null) =>
      request(app)
        .post('/v1/shipping-orders/search')
        .set(account.key)
        .send({ statuses: ['refused'], cursor })
        .expect(200);
    const first = (await search(null)).body;
    expect(first).toEqual({ shippingOrders: [], nextCursor: expect.any(String) });
    const second = (await search(first.nextCursor)).body;
    expect(second).toMatchObject({
      shippingOrders: [{ orderReferenceId: `s-${COMPARED_ROWS + 10}` }],
      nextCursor: null,
    });
  });
});
