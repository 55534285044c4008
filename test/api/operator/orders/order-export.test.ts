import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../../api/app';
import { operatorOrderRoutes } from '../../../../api/routes';
import { COMPARED_ROWS } from '../../../../src/platform/list-position';
import type { Sql } from '../../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

/** Operators export lists of orders as CSV: what is filtered, on all pages. */

let sql: Sql;
let app: Express;
let viewer: TestAccount;
let client: TestAccount;

/** More orders than one read of an export, and than one search compares. */
const ORDERS = COMPARED_ROWS + 1_500;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, operatorOrderRoutes(deps));
  viewer = await testAccount(sql, 'operator', 'viewer', 'viewer');
  client = await testAccount(sql, 'client', '=1+1');
  // The oldest ones go to France, and every second needs attention.
  await sql`
    INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
                        shipping_address, attention, created_at)
    SELECT gen_random_uuid(), ${client.id}, 'ref-' || n, 'order', 'created', 'pending', 'EUR',
      jsonb_build_object('country', CASE WHEN n > ${COMPARED_ROWS} THEN 'FR' ELSE 'DE' END),
      CASE WHEN n % 2 = 0 THEN ARRAY['partner_error'] END, now() - make_interval(secs => n)
    FROM generate_series(1, ${ORDERS}) n`;
});

async function exported(path: string, query: object): Promise<{ headers: object; lines: string[] }> {
  const { headers, text } = await request(app)
    .get(path)
    .query({ ...query, format: 'csv' })
    .set(viewer.key)
    .expect(200);
  return { headers, lines: text.trimEnd().split('\r\n') };
}
const references = (lines: string[]) => lines.slice(1).map((line) => line.split(',')[1]);

test('the search exports every order that matches, newest first', async () => {
  const { headers, lines } = await exported('/v1/operator/orders', { limit: 1 });
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="orders.csv"',
  });
  expect(lines[0]).toBe(
    'id,orderReferenceId,clientId,clientName,fulfillmentStatus,country,attention,archived,createdAt,updatedAt,methodUids,partners,recipient,amount,attentionSince,refusal',
  );
  expect(references(lines)).toEqual(Array.from({ length: ORDERS }, (_, index) => `ref-${index + 1}`));
  // A spreadsheet would run the name.
  expect(lines[1]).toContain(`,'=1+1,created,DE,`);
});

test('a filter that a page compares in part is exported as a whole', async () => {
  const { lines } = await exported('/v1/operator/orders', { country: 'FR' });
  expect(references(lines)).toEqual(
    Array.from({ length: ORDERS - COMPARED_ROWS }, (_, index) => `ref-${COMPARED_ROWS + index + 1}`),
  );
});

test.each(['age', 'reason'])('the list of attention sorted by %s is exported', async (sort) => {
  const { headers, lines } = await exported('/v1/operator/orders', { sort, attention: 'partner_error' });
  expect(headers).toMatchObject({ 'content-disposition': 'attachment; filename="orders.csv"' });
  expect(new Set(references(lines)).size).toBe(ORDERS / 2);
  expect(lines).toHaveLength(ORDERS / 2 + 1);
});

test('the orders that need attention are exported, newest first', async () => {
  const { lines } = await exported('/v1/operator/orders', { attention: 'partner_error' });
  expect(references(lines)).toEqual(Array.from({ length: ORDERS / 2 }, (_, index) => `ref-${2 * index + 2}`));
});

test('nothing is exported in an unknown format', async () => {
  await request(app).get('/v1/operator/orders').query({ format: 'xml' }).set(viewer.key).expect(400);
});
