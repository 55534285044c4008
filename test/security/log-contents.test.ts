import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import { allRoutes } from '../../api/routes';
import { createLogger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';
import { testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** What a log line takes over from a request and from an error. */

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
