import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../../api/app';
import { conformanceRoute } from '../../../../api/operator/partners/partner-conformance';
import { subscribeRoute } from '../../../../api/partner/subscribe';
import { ensureDemoPartners } from '../../../../sandbox/demo/partners';
import { verifySignature } from '../../../../src/platform/http/webhook-signature';
import type { Sql } from '../../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';

let sql: Sql;
let app: Express;
let operator: TestAccount;
let berlin: TestAccount;
let partnerId: string;
let server: PartnerServer;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, { config: { OUTBOUND_ALLOW_PRIVATE: true } });
  app = createApp(deps, [conformanceRoute(deps), subscribeRoute(deps)]);
  operator = await testAccount(sql, 'operator');
  berlin = await testAccount(sql, 'partner', 'prints-berlin');
  const partners = await ensureDemoPartners(sql, [berlin]);
  partnerId = partners[0]!.partnerId;
  server = await partnerServer();
});

const check = () => request(app).post(`/v1/partners/${partnerId}/conformance`).set(operator.key);

test('a partner that has not subscribed cannot be checked', async () => {
  await check().expect(409);
});

test('the report names the faults of a partner that accepts everything', async () => {
  const { body: subscribed } = await request(app)
    .post('/v2/subscribe')
    .set(berlin.key)
    .send({ orderSubmitUrl: `${server.url}/orders`, orderCancelUrl: `${server.url}/cancel` })
    .expect(200);
  const { body: report } = await check().expect(200);
  expect(report.passed).toBe(false);
  const [entry] = await sql`SELECT actor_name, object_id, after FROM audit_log WHERE action = 'partner.check'`;
  expect(entry).toMatchObject({ actorName: operator.name, objectId: partnerId, after: { passed: false } });
  const faults = report.scenarios.flatMap(({ findings }: { findings: { fault: string }[] }) =>
    findings.map(({ fault }) => fault),
  );
  expect([...new Set(faults)].sort()).toEqual([
    'bad-signature-accepted',
    'changed-content-accepted',
    'future-signature-accepted',
    'old-signature-accepted',
    'unsigned-accepted',
  ]);
  const { scenarios } = report as { scenarios: { name: string; result: string; reason: string | null }[] };
  expect(scenarios.filter(({ result }) => result === 'skipped').map(({ name, reason }) => [name, reason])).toEqual([
    ['Order updates', 'no update URL'],
    ['Stock poll', 'no inventory URL'],
    ['Postbacks', 'not asked to wait for them'],
  ]);
  // The partner in Berlin makes no apparel.
  const valid = server.received.filter(({ headers, body }) =>
    verifySignature(headers as Record<string, string>, body, [subscribed.signingSecret]),
  );
  const orders = valid.map(({ body }) => JSON.parse(body)).filter(({ items }) => items !== undefined);
  expect(orders.length).toBeGreaterThan(0);
  for (const { id } of orders) expect(id).toMatch(/^99\d{16}$/);
  expect(JSON.stringify(orders)).not.toContain('apparel_product');
});

test('an address at which nothing listens is a conflict, and an unknown partner is not found', async () => {
  await request(app)
    .post('/v2/subscribe')
    .set(berlin.key)
    .send({ orderSubmitUrl: 'http://127.0.0.1:9/orders' })
    .expect(200);
  const { body } = await check().expect(409);
  expect(body.message).toContain('http://127.0.0.1:9/orders');
  await request(app)
    .post('/v1/partners/0190b5a4-0000-7000-8000-000000000000/conformance')
    .set(operator.key)
    .expect(404);
});
