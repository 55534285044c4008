import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { operatorPartnerRoutes } from '../../../api/operator/partners/partners';
import { subscribeRoute } from '../../../api/partner/subscribe';
import { ensureDemoPartners } from '../../../sandbox/demo/partners';
import { partnerByAccount, signingSecretsOf } from '../../../src/partners/partner-rows';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { testSecretBox } from '../../support/secret-box';

let sql: Sql;
let publicApp: Express;
let laptopApp: Express;
let berlin: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const app = async (allowPrivate: boolean) => {
    const deps = await testApiDeps(sql, { config: { OUTBOUND_ALLOW_PRIVATE: allowPrivate } });
    return createApp(deps, [subscribeRoute(deps), ...operatorPartnerRoutes(deps)]);
  };
  publicApp = await app(false);
  laptopApp = await app(true);
  berlin = await testAccount(sql, 'partner', 'prints-berlin');
  await ensureDemoPartners(sql, [berlin]);
});

const subscribe = (body: object, { app = publicApp, as = berlin } = {}) =>
  request(app).post('/v2/subscribe').set(as.key).send(body);

const ALL = {
  orderSubmitUrl: 'https://partner.example/orders',
  apparelOrderSubmitUrl: 'https://partner.example/apparel',
  orderCancelUrl: 'https://partner.example/cancel',
  orderUpdateUrl: 'https://partner.example/updates',
  inventoryUrl: 'https://partner.example/stock',
  version: '1.0',
  documentTypes: 'all',
};

describe('POST /v2/subscribe', () => {
  test('returns a message and a signing secret; a later call replaces everything', async () => {
    const { body: first } = await subscribe(ALL).expect(200);
    expect(first).toEqual({
      message: expect.any(String),
      signingSecret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    });
    const { version, ...urls } = ALL;
    expect(await partnerByAccount(sql, berlin.id)).toMatchObject({ ...urls, printOrderVersion: version });

    const { body: second } = await subscribe({ orderSubmitUrl: 'https://other.example/o' }).expect(200);
    expect(second.signingSecret).not.toBe(first.signingSecret);
    const partner = (await partnerByAccount(sql, berlin.id))!;
    expect(signingSecretsOf(testSecretBox, partner)).toEqual([second.signingSecret, first.signingSecret]);
    expect(partner).toMatchObject({
      orderSubmitUrl: 'https://other.example/o',
      apparelOrderSubmitUrl: null,
      orderCancelUrl: null,
      orderUpdateUrl: null,
      inventoryUrl: null,
      printOrderVersion: null,
      documentTypes: null,
    });
  });

  test('the error names every invalid field, and nothing changes', async () => {
    const before = await partnerByAccount(sql, berlin.id);
    const { body } = await subscribe({
      orderSubmitUrl: 'http://partner.example/orders',
      apparelOrderSubmitUrl: 'not a url',
      orderCancelUrl: 7,
      orderUpdateUrl: 'http://partner.example/updates',
      inventoryUrl: 'https://user:secret@partner.example/stock',
      version: '2.0',
    }).expect(400);
    expect(Object.keys(body)).toEqual(['error']);
    for (const field of Object.keys(ALL).filter((name) => name !== 'documentTypes'))
      expect(body.error).toContain(`${field}:`);
    expect((await subscribe({}).expect(400)).body.error).toContain('orderSubmitUrl: This field is required.');
    expect(await partnerByAccount(sql, berlin.id)).toEqual(before);
  });

  test.each(['https://127.0.0.1/orders', 'http://localhost:4000/orders'])(
    '%s is accepted only where private addresses are allowed',
    async (orderSubmitUrl) => {
      await subscribe({ orderSubmitUrl }).expect(400);
      await subscribe({ orderSubmitUrl }, { app: laptopApp }).expect(200);
    },
  );

  test('only partners that are set up may subscribe', async () => {
    const unset = await testAccount(sql, 'partner');
    const { body } = await subscribe(ALL, { as: unset }).expect(409);
    expect(body).toEqual({ error: 'This account has not been set up as a print partner.' });
  });
});

describe('POST /v1/partners/{partnerId}/subscription', () => {
  const register = (partnerId: string, body: object, key: TestAccount['key']) =>
    request(publicApp).post(`/v1/partners/${partnerId}/subscription`).set(key).send(body);

  test('registers the addresses as the partner does, and keeps the secret of before for a day', async () => {
    const admin = await testAccount(sql, 'operator', 'partner-admin', 'admin');
    const own = (await subscribe({ orderSubmitUrl: 'https://own.example/o' }).expect(200)).body.signingSecret;
    const once = { ...admin.key, 'Idempotency-Key': 'register-berlin' };
    const { body } = await register(berlin.id, ALL, once).expect(200);
    expect(body).toEqual({ signingSecret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) });
    expect((await register(berlin.id, ALL, once).expect(200)).body).toEqual(body);
    const partner = (await partnerByAccount(sql, berlin.id))!;
    expect(partner).toMatchObject({
      orderSubmitUrl: ALL.orderSubmitUrl,
      printOrderVersion: '1.0',
      documentTypes: 'all',
    });
    expect(signingSecretsOf(testSecretBox, partner)).toEqual([body.signingSecret, own]);
    const [audited] = await sql`
      SELECT actor_id, before ->> 'orderSubmitUrl' AS before, after ->> 'orderSubmitUrl' AS after FROM audit_log
      WHERE action = 'partner.subscribe' AND object_id = ${berlin.id} ORDER BY at DESC LIMIT 1`;
    expect(audited).toEqual({ actorId: admin.id, before: 'https://own.example/o', after: ALL.orderSubmitUrl });
  });

  test('is refused for an invalid address and an unknown partner', async () => {
    const admin = await testAccount(sql, 'operator', 'another-admin', 'admin');
    const { body } = await register(berlin.id, { orderSubmitUrl: 'http://10.0.0.1/orders' }, admin.key).expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ reference: 'orderSubmitUrl' })]);
    await register(admin.id, ALL, admin.key).expect(404);
    await register('prints-berlin', ALL, admin.key).expect(404);
  });
});
