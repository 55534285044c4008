import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import { allRoutes } from '../../api/routes';
import { createLogger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';
import { item, order } from '../api/orders/sample-orders';
import { testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';
import { eventually, testStack } from '../support/stack';

/** Logs contain no secrets and no personal data, whatever a request or an error has. */

const PERSON = {
  country: 'DE',
  firstName: 'Wilhelmine',
  lastName: 'Zackenbarsch',
  companyName: 'Zackenbarsch Verlag',
  addressLine1: 'Kormoranweg 73b',
  addressLine2: 'Hinterhof links',
  city: 'Quakenbrück',
  postCode: '49610',
  email: 'wilhelmine@zackenbarsch.example',
  phone: '+49 5431 987654',
};

const lines: string[] = [];
const log = createLogger({ LOG_LEVEL: 'debug', LOG_FORMAT: 'json' }, 'api', {
  write: (line: string) => void lines.push(line),
});
let sql: Sql;
let app: Express;
let path: string;
let token: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, { log });
  app = createApp(deps, allRoutes(deps));
  const target = { objectKey: 'labels/a', contentType: 'application/pdf', fileName: 'label.pdf' };
  path = new URL(deps.links.sign(target, { seconds: 60 })).pathname;
  token = path.split('/')[2]!;
});

beforeEach(() => {
  lines.length = 0;
});

const upper = (text: string) => text.replace('/documents/', '/DOCUMENTS/');

test.each<[name: string, spelling: (path: string) => string]>([
  ['the link', (link) => link],
  ['without a file name', (link) => link.slice(0, link.lastIndexOf('/'))],
  ['with a slash at the end', (link) => `${link}/`],
  ['with a doubled slash', (link) => `/${link}`],
  ['in other case', upper],
  ['with another segment', (link) => `${link}/more`],
  ['behind another path', (link) => `/v1/orders${link}`],
  ['as a parameter of another route', (link) => `/v1/orders/${link.split('/')[2]}`],
  ['with an encoded slash', (link) => link.replace('/documents/', '/documents%2F')],
  ['with encoded letters', (link) => link.replace('/documents/', '/%64ocuments/')],
  ['with an encoded dot in the token', (link) => link.replace('.', '%2E')],
  ['as a query', (link) => `/documents?token=${link.split('/')[2]}`],
  ['with a semicolon', (link) => link.replace('/documents/', '/documents;/')],
  ['that cannot be decoded', (link) => `${link}%zz`],
])('the token of a document link is in no log line: %s', async (_, spelling) => {
  for (const method of ['get', 'post', 'head', 'options'] as const) await request(app)[method](spelling(path));
  const text = lines.join('');
  expect(lines).toHaveLength(4);
  const [payload, signature] = token.split('.');
  for (const secret of [token, payload!, signature!, payload!.slice(0, 60)]) expect(text).not.toContain(secret);
});

test('a log line still names the paths of ordinary requests', async () => {
  await request(app).get('/v1/orders/shop-1001');
  await request(app).get('/v1/nothing');
  const paths = lines.map((line) => JSON.parse(line).path);
  expect(paths).toEqual(['/v1/orders/shop-1001', '/v1/nothing']);
});

describe('errors of Postgres', () => {
  const SECRET = 'wilhelmine@zackenbarsch.example';

  /** Returns the error of a statement that stores SECRET wrongly. */
  const failed = (statement: string) =>
    sql.unsafe(statement).then(
      () => Promise.reject(new Error('the statement did not fail')),
      (error: Error) => error,
    );

  test.each([
    [
      'a unique violation',
      `INSERT INTO accounts (id, name, role) VALUES (gen_random_uuid(), '${SECRET}', 'client'), (gen_random_uuid(), '${SECRET}', 'client')`,
    ],
    [
      'a null violation, which shows the whole row',
      `INSERT INTO accounts (id, name, role) VALUES (gen_random_uuid(), '${SECRET}', NULL)`,
    ],
    ['a wrong number', `SELECT '${SECRET}'::int`],
    ['a wrong value in JSON', `SELECT '{"email": ${SECRET}}'::jsonb`],
  ])('no log line has values of rows after %s', async (_, statement) => {
    const error = await failed(statement);
    const wrapped = new AggregateError([error], 'several', { cause: error });
    for (const key of ['err', 'error']) for (const each of [error, wrapped]) log.error({ [key]: each }, 'failed');
    log.error(wrapped);
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      expect(line).not.toContain(SECRET);
      expect(line).not.toMatch(/"(detail|where|hint|query|parameters|internal_query)":/);
    }
    expect(lines[0]).toContain((error as Error & { code: string }).code);
  });
});

test('the log of a delivered order, a refused order and a changed address contains no keys and no personal data', async () => {
  const stack = await testStack({ log, config: { LOG_LEVEL: 'info' } });
  const { client, credentials, services } = stack;
  const url = `${stack.sandbox.url}/files/poster-a3.pdf?signature=sesame-open`;
  const body = order({ shippingAddress: PERSON, items: [item({ files: [{ type: 'default', url }] })] });
  const endpoint = await client.createWebhook({ body: { url: `${stack.sandbox.url}/nowhere` } });
  const { id } = await client.submitOrder({ body: body as never });
  const missing = [{ type: 'default', url: `${stack.sandbox.url}/no-such-file?signature=sesame-open` }];
  const failing = await client.submitOrder({ body: { ...body, items: [item({ files: missing })] } as never });
  await fetch(`${stack.baseUrl}/v1/orders`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-KEY': `${credentials.client.apiKey}:${credentials.client.apiSecret}`,
    },
    body: JSON.stringify({ ...body, currency: 'no currency' }),
  });
  await fetch(`${stack.baseUrl}/v1/orders/${encodeURIComponent(id)}?email=${encodeURIComponent(PERSON.email)}`);
  const links: string[] = [];
  await eventually(async () => {
    const seen = await client.getOrder({ params: { orderId: id } });
    links.push(...seen.items.flatMap(({ previews }) => previews.map((preview) => preview.url)));
    return seen.fulfillmentStatus === 'delivered' ? true : undefined;
  });
  await eventually(async () =>
    (await client.getOrder({ params: { orderId: failing.id } })).fulfillmentStatus === 'failed' ? true : undefined,
  );
  await fetch(links[0]!);
  const [print] = Object.values(stack.sandbox.seen().partners).flatMap(({ printOrders }) => printOrders);
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: print!.printOrderId } });

  const text = lines.join('');
  // The log does mention the order. Otherwise this test would prove nothing.
  expect(text).toContain(id);
  expect(lines.length).toBeGreaterThan(10);

  const persons = Object.entries(PERSON).filter(([name]) => !['country'].includes(name));
  for (const [name, value] of persons) expect([name, text.includes(value)]).toEqual([name, false]);
  const secrets = {
    'client key': credentials.client.apiKey,
    'client secret': credentials.client.apiSecret,
    'operator key': credentials.operator.apiKey,
    'partner key': credentials.partners[0]!.apiKey,
    'link secret': services.secrets.linkKeys[0].secret,
    'carrier secret': services.secrets.carrierWebhookSecrets.get('tern_parcel')![0]!,
    'endpoint secret': endpoint.secret,
    'query of a file’s address': 'sesame-open',
    'token of a document link': new URL(links[0]!).pathname.split('/')[2]!,
    'password of the database': new URL(services.config.DATABASE_URL!).password || 'no password',
  };
  for (const [name, value] of Object.entries(secrets)) expect([name, text.includes(value)]).toEqual([name, false]);
});
