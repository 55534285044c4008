import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import type { ApiDeps } from '../../api/deps';
import { allRoutes } from '../../api/routes';
import type { Sql } from '../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Headers of every response. */

let sql: Sql;
let deps: ApiDeps;
let app: Express;
let operator: TestAccount;
let document: string;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql);
  app = createApp(deps, allRoutes(deps));
  operator = await testAccount(sql, 'operator');
  await deps.objects.put('a/page', Buffer.from('<script>alert(1)</script>'), { contentType: 'text/html' });
  const target = { objectKey: 'a/page', contentType: 'text/html', fileName: 'page.html' };
  document = new URL(deps.links.sign(target, { seconds: 60 })).pathname;
});

const EVERYWHERE: readonly (readonly [string, () => request.Test])[] = [
  ['a response', () => request(app).get('/healthz')],
  ['a response to a key', () => request(app).get('/v1/connectors').set(operator.key)],
  ['a refusal', () => request(app).get('/v1/connectors')],
  ['an address that is none', () => request(app).get('/nowhere')],
  ['a method that is none', () => request(app).delete('/healthz')],
  ['an address that does not decode', () => request(app).get('/%zz')],
  ['the start page', () => request(app).get('/')],
  ['the page at /docs', () => request(app).get('/docs')],
  ['a script of that page', () => request(app).get('/docs/start.js')],
  ['the OpenAPI document', () => request(app).get('/openapi.json')],
  ['a document', () => request(app).get(document)],
];

test.each(EVERYWHERE)('%s has the security headers', async (_name, ask) => {
  const { headers } = await ask();
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': expect.stringContaining('max-age='),
    'x-dns-prefetch-control': 'off',
    'cross-origin-opener-policy': 'same-origin',
  });
  const policy = headers['content-security-policy']!;
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("object-src 'none'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  for (const telling of ['x-powered-by', 'server', 'etag', 'access-control-allow-origin']) {
    expect([telling, headers[telling]]).toEqual([telling, undefined]);
  }
});

test('responses to requests with a key are not cached', async () => {
  const { headers } = await request(app).get('/v1/connectors').set(operator.key);
  expect(headers['cache-control']).toBe('no-store');
});

test('a stored HTML page is downloaded, not displayed', async () => {
  const { headers } = await request(app).get(document).expect(200);
  expect(headers['content-disposition']).toMatch(/^attachment;/);
});

test('there is no CORS: pages of other origins cannot send a key', async () => {
  const { headers, status } = await request(app)
    .options('/v1/orders')
    .set({ Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' });
  expect(status).toBe(405);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
});
