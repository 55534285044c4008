import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import type { Express } from 'express';
import pino from 'pino';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { createHealth } from '../../../src/platform/health';
import { connectPostgres } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { goodParcel, sampleRoutes } from './sample-routes';

let database: TestDatabase;
let app: Express;
let client: TestAccount;
let partner: TestAccount;
let operator: TestAccount;
const logged: string[] = [];

beforeAll(async () => {
  database = await testDatabase();
  await database.asOwner('CREATE TABLE parcels (id uuid PRIMARY KEY, owner text NOT NULL)');
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  app = createApp(await testApiDeps(database.sql, { log }), sampleRoutes(database.sql));
  client = await testAccount(database.sql, 'client');
  partner = await testAccount(database.sql, 'partner');
  operator = await testAccount(database.sql, 'operator');
});

beforeEach(() => {
  logged.length = 0;
});

const create = (body: string | object, headers: Record<string, string> = {}) =>
  request(app)
    .post('/v1/parcels')
    .set(client.keyAndSecret)
    .set('Content-Type', 'application/json')
    .set(headers)
    .send(body);

const storedParcels = async () => (await database.sql`SELECT 1 FROM parcels`).length;

describe('fields', () => {
  test('every invalid field is reported with its path and code', async () => {
    const { status, body } = await create({
      parcelOwner: '  ',
      size: 'huge',
      items: [{ hsCode: 1, quantity: 0 }, {}],
      unknown: true,
    }).query({ depth: 'deep' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', message: 'The submitted data has errors.' });
    const found = Object.fromEntries(
      (body.errors as { reference: string; code: string }[]).map(({ reference, code }) => [reference, code]),
    );
    expect(found).toEqual({
      depth: 'VALIDATION_ERROR',
      parcelOwner: 'IS_BLANK_ERROR',
      size: 'NO_SUCH_CHOICE_ERROR',
      'items[0].hsCode': 'VALIDATION_ERROR',
      'items[0].quantity': 'VALIDATION_ERROR',
      'items[1].hsCode': 'MISSING_FIELD_ERROR',
      'items[1].quantity': 'MISSING_FIELD_ERROR',
    });
  });

  test('unknown fields are ignored', async () => {
    await create({ ...goodParcel, colour: 'red' }).expect(200);
  });

  test('an empty body reports every required field as missing', async () => {
    const { body } = await create('').expect(400);
    expect(body.errors.map(({ reference }: { reference: string }) => reference)).toEqual([
      'parcelOwner',
      'size',
      'items',
    ]);
  });

  test.each([
    ['a NUL character', '"a\\u0000b"'],
    ['a lone surrogate', '"\\ud83d"'],
  ])('%s is refused with its path, and a whole emoji is not', async (_name, text) => {
    const { body } = await create(
      `{"parcelOwner":"x","size":"small","items":[{"hsCode":${text},"quantity":1}]}`,
    ).expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ code: 'VALIDATION_ERROR', reference: 'items[0].hsCode' })]);
    await create({ ...goodParcel, parcelOwner: '😀' }).expect(200);
  });

  test('NUL in path and query is rejected', async () => {
    const { body } = await request(app).get('/v1/parcels/a%00b').set(client.key).expect(400);
    expect(body.errors[0].reference).toBe('parcelId');
  });

  test('the last of duplicate members counts, and __proto__ is ignored', async () => {
    const { body } = await create(
      '{"__proto__":{"polluted":1},"parcelOwner":"first","parcelOwner":"last","size":"small","items":[{"hsCode":"1","quantity":1}],"notes":{"__proto__":"x","a":"b"}}',
    ).expect(200);
    expect(body.owner).toBe('last');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('bodies', () => {
  test.each([
    ['broken JSON', '{"a":'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['nested past the limit', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['nested far past the limit', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ])('%s is 400 MALFORMED_JSON and stores nothing', async (_name, text) => {
    const before = await storedParcels();
    const { body } = await create({})
      .serialize(() => text as string)
      .expect(400);
    expect(body).toEqual({
      code: 'MALFORMED_JSON',
      message: expect.any(String),
      requestId: expect.any(String),
    });
    expect(await storedParcels()).toBe(before);
  });

  test('a body of 1 MiB is accepted, and a larger one is 413', async () => {
    const padded = (size: number) => {
      const text = JSON.stringify({ ...goodParcel, padding: '' });
      return text.replace('"padding":""', `"padding":"${'x'.repeat(size - text.length)}"`);
    };
    await create(padded(1_048_576)).expect(200);
    const { body } = await create(padded(1_048_577)).expect(413);
    expect(body.code).toBe('PAYLOAD_TOO_LARGE');
  });

  test.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    '%s is 415',
    async (contentType) => {
      const { body } = await create(JSON.stringify(goodParcel), { 'Content-Type': contentType }).expect(415);
      expect(body.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    },
  );

  test('application/json with charset utf-8 is accepted', async () => {
    await create(JSON.stringify(goodParcel), { 'Content-Type': 'application/json; charset=UTF-8' }).expect(200);
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 with the error body of its group', async () => {
    const orders = await request(app).get('/v1/nowhere').expect(404);
    expect(orders.body).toEqual({
      code: 'NOT_FOUND',
      message: 'There is no resource at this path.',
      requestId: orders.headers['x-request-id'],
    });
    const procurement = await request(app).get('/procurement/v1/nowhere').expect(404);
    expect(procurement.body).toEqual({ error: 'There is no resource at this path.' });
  });

  test('paths match exactly: no trailing slash, no other case', async () => {
    await request(app).get('/v1/parcels/newest/').set(client.key).expect(404);
    await request(app).get('/V1/parcels/newest').set(client.key).expect(404);
  });

  test('a known path with another method is 405 with Allow', async () => {
    const { headers, body } = await request(app).delete('/v1/parcels/abc').expect(405);
    expect(headers.allow).toBe('GET, HEAD');
    expect(body.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('a path that cannot be decoded is 400', async () => {
    const { body } = await request(app).get('/v1/parcels/%zz').set(client.key).expect(400);
    expect(body.code).toBe('VALIDATION_ERROR');
  });

  test('literal paths take precedence over ids, and an encoded slash stays in its id', async () => {
    expect((await request(app).get('/v1/parcels/newest').set(client.key)).body).toEqual({ id: 'newest' });
    expect((await request(app).get('/v1/parcels/a%2Fb').set(client.key)).body).toEqual({ id: 'a/b' });
  });

  test('HEAD responds like GET, without a body', async () => {
    const { text, headers } = await request(app).head('/v1/parcels/abc').set(client.key).expect(200);
    expect(text).toBeUndefined();
    expect(headers['content-length']).toBe('12');
  });

  test('files are streamed, and their links are not logged', async () => {
    const { text } = await request(app).get('/parcel-files/secret-token').expect(200);
    expect(text).toBe('part two');
    expect(logged.join()).not.toContain('secret-token');
  });

  test('a file whose reader has gone before it is sent is closed', async () => {
    const asked = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<Readable>();
    const file = () => {
      asked.resolve();
      return opened.promise;
    };
    const routes = sampleRoutes(database.sql, { file });
    const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    const server = createApp(await testApiDeps(database.sql, { log }), routes).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
    const reader = new AbortController();
    const { port } = server.address() as AddressInfo;
    const read = fetch(`http://127.0.0.1:${port}/parcel-files/early`, { signal: reader.signal });
    await asked.promise;
    reader.abort();
    await expect(read).rejects.toThrow();
    await closed;
    const handle = await open(__filename);
    const body = handle.createReadStream();
    opened.resolve(body);
    await once(body, 'close');
    expect(handle.fd).toBe(-1);
    expect(logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    server.close();
  });
});

describe('keys', () => {
  const read = (header?: string) => {
    const get = request(app).get('/v1/parcels/abc');
    return header === undefined ? get : get.set('X-API-KEY', header);
  };

  test('a missing or wrong key is 401; a valid key is accepted with and without its secret', async () => {
    const missing = await read().expect(401);
    expect(missing.body.code).toBe('UNAUTHORIZED');
    expect(missing.headers['www-authenticate']).toBeDefined();
    await read('nonsense').expect(401);
    await read(`plk_${'a'.repeat(32)}`).expect(401);
    await read(`${client.apiKey}:pls_${'a'.repeat(43)}`).expect(401);
    await read(client.apiKey).expect(200);
    await read(`${client.apiKey}:${client.apiSecret}`).expect(200);
  });
});

// The tests of its routes prove the error body of each other group.
test('a partner route has one error text', async () => {
  const { body } = await request(app).post('/v2/parcel/status').set(partner.key).send({ status: 'lost' }).expect(400);
  expect(body).toEqual({
    error:
      'The submitted data has errors. orderId: This field is required. status: Not one of the choices: received, shipped.',
  });
});

describe('errors', () => {
  test('an unexpected error is a 500 without details, and its stack is logged', async () => {
    const { body } = await create({ ...goodParcel, parcelOwner: 'broken' }).expect(500);
    expect(body).toEqual({
      code: 'INTERNAL_ERROR',
      message: 'An internal error occurred.',
      requestId: expect.any(String),
    });
    expect(logged.join()).toContain('secret detail of parcels');
  });

  test.each(['postgres-unavailable', 'temporal-unavailable'])('%s is 503 with Retry-After', async (id) => {
    const { body, headers } = await request(app).get(`/v1/parcels/${id}`).set(client.key).expect(503);
    expect(body.code).toBe('UNAVAILABLE');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test('an unavailable Postgres is 503, and /readyz reports every server that is unavailable', async () => {
    const sql = connectPostgres('postgres://nobody@127.0.0.1:1/none', { max: 1 });
    const connected = await testApiDeps(database.sql);
    const objects = { stat: () => Promise.reject(new Error('the store does not respond')) };
    const deps = { ...connected, sql, health: createHealth({ sql, temporal: connected.temporal, objects }) };
    const unavailable = createApp(deps, sampleRoutes(sql));
    await request(unavailable).get('/v1/parcels/abc').set(client.key).expect(503);
    // A busy Temporal server can take longer than a probe waits.
    const body = await eventually(async () => {
      const { body } = await request(unavailable).get('/readyz').expect(503);
      return body.temporal === 'ready' ? body : undefined;
    });
    expect(body).toEqual({
      status: 'unavailable',
      postgres: 'unavailable',
      temporal: 'ready',
      objectStore: 'unavailable',
    });
    await request(unavailable).get('/healthz').expect(200, { status: 'up' });
    await sql.end();
  });

  test('/readyz is 503 from the beginning of a stop, and /livez stays 200', async () => {
    const deps = await testApiDeps(database.sql);
    const stopping = createApp(deps, []);
    await request(stopping).get('/readyz').expect(200);
    deps.health.beginStop();
    const { body } = await request(stopping).get('/readyz').expect(503);
    expect(body).toEqual({ status: 'stopping', postgres: 'ready', temporal: 'ready', objectStore: 'ready' });
    await request(stopping).get('/livez').expect(200, { status: 'up' });
  });

  test('a response outside its schema is an error while responses are checked', async () => {
    await request(app).get('/v1/parcels/undocumented').set(client.key).expect(500);
    expect(logged.join()).toContain('secret is not in the response schema');
  });

  test('/readyz is ready without Temporal', async () => {
    const deps = await testApiDeps(database.sql, { temporalAddress: '127.0.0.1:1' });
    const { body } = await request(createApp(deps, [])).get('/readyz').expect(200);
    expect(body).toEqual({ status: 'ready', postgres: 'ready', temporal: 'unavailable', objectStore: 'ready' });
  });
});

describe('requests', () => {
  test('a plain request id is kept, and any other is replaced', async () => {
    const given = await request(app).get('/healthz').set('X-Request-Id', 'order-17.a');
    expect(given.headers['x-request-id']).toBe('order-17.a');
    const forged = await request(app).get('/healthz').set('X-Request-Id', 'a b {"x":1}');
    expect(forged.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the log has one line per request, without keys, query strings or bodies', async () => {
    await create({ ...goodParcel, parcelOwner: 'personal' })
      .query({ depth: 7 })
      .set('X-Request-Id', 'seen')
      .expect(200);
    const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      requestId: 'seen',
      method: 'POST',
      path: '/v1/parcels',
      operation: 'createParcel',
      account: client.name,
      status: 200,
    });
    for (const secret of [client.apiKey, client.apiSecret, 'depth', 'personal']) {
      expect(logged.join()).not.toContain(secret);
    }
  });

  test('a key beyond the rate is 429 with rate headers; another key is not', async () => {
    const deps = await testApiDeps(database.sql, { config: { RATE_LIMIT: 3 } });
    const limited = createApp(deps, sampleRoutes(database.sql));
    const read = (headers: Record<string, string>) => request(limited).get('/v1/parcels/abc').set(headers);
    const responses = await Promise.all([1, 2, 3, 4, 5].map((n) => read(n % 2 ? client.key : client.keyAndSecret)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
    const refused = responses.find(({ status }) => status === 429)!;
    expect(refused.body.code).toBe('RATE_LIMITED');
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.headers.ratelimit).toMatch(/r=0/);
    expect(refused.headers['ratelimit-policy']).toMatch(/q=3/);
    await read(operator.key).expect(200);
    await request(limited).get('/v1/parcels/abc').expect(401);
    // After that second, the key works again.
    await eventually(async () => ((await read(client.key)).status === 200 ? true : undefined));
  });

  test('two routes with the same path or name fail at start-up', async () => {
    const deps = await testApiDeps(database.sql);
    const routes = sampleRoutes(database.sql);
    expect(() => createApp(deps, [...routes, routes[0]!])).toThrow('two routes have the name or path createParcel');
  });
});
