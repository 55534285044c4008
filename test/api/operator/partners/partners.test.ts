import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../../api/app';
import { operatorPartnerRoutes } from '../../../../api/operator/partners/partners';
import { subscribeRoute } from '../../../../api/partner/subscribe';
import { seedDemoCatalog } from '../../../../sandbox/demo/catalog';
import { ensureDemoPartners } from '../../../../sandbox/demo/partners';
import { routeOrder } from '../../../../src/partners/domain/routing';
import { createCandidateReader, recordRoutingDecision } from '../../../../src/partners/routing-rows';
import type { Sql } from '../../../../src/platform/postgres';
import { routingRequest } from '../../../src/partners/builders';
import { mug, tShirt } from '../../../src/partners/products';
import { type TestAccount, testAccount, testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';
import { insertOrder } from '../../../support/rows/order-rows';
import { leedsPartner } from '../../../support/rows/partner-setup';

let sql: Sql;
let app: Express;
let operator: TestAccount;
let berlin: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  await seedDemoCatalog(sql);
  const deps = await testApiDeps(sql);
  app = createApp(deps, [...operatorPartnerRoutes(deps), subscribeRoute(deps)]);
  operator = await testAccount(sql, 'operator');
  berlin = await testAccount(sql, 'partner', 'prints-berlin');
  await ensureDemoPartners(sql, [berlin]);
});

const create = (body: object, as = operator) => request(app).post('/v1/partners').set(as.key).send(body);

describe('print partners', () => {
  test('can be created, read and listed; the key in the response belongs to the partner', async () => {
    const { body: created } = await create(leedsPartner('prints-leeds')).expect(200);
    expect(created).toMatchObject({
      ...leedsPartner('prints-leeds'),
      country: 'GB',
      stateProvince: null,
      enabled: true,
      printHouseUid: null,
      subscription: null,
      capabilities: { calendar: { closedDates: [] } },
    });
    const { apiKey, ...view } = created;
    await request(app).get(`/v1/partners/${created.id}`).set(operator.key).expect(200, view);
    const { body: list } = await request(app).get('/v1/partners').set(operator.key).expect(200);
    expect(list.partners.map(({ uid }: { uid: string }) => uid)).toEqual(['prints-berlin', 'prints-leeds']);

    const subscription = { orderSubmitUrl: 'https://leeds.example/orders' };
    await request(app).post('/v2/subscribe').set('X-API-KEY', apiKey).send(subscription).expect(200);
    const { body: read } = await request(app).get(`/v1/partners/${created.id}`).set(operator.key).expect(200);
    expect(read.subscription).toEqual({
      documentTypes: null,
      orderSubmitUrl: 'https://leeds.example/orders',
      apparelOrderSubmitUrl: null,
      orderCancelUrl: null,
      orderUpdateUrl: null,
      inventoryUrl: null,
      version: null,
      subscribedAt: expect.any(String),
    });
    expect(JSON.stringify(read)).not.toContain('whsec_');
  });

  test('viewers do not see the tokens in the addresses of a partner; operators do', async () => {
    const orderSubmitUrl = 'https://berlin.example/orders/secret-token';
    const subscription = { orderSubmitUrl, inventoryUrl: 'https://berlin.example/?token=secret-token' };
    await request(app).post('/v2/subscribe').set(berlin.key).send(subscription).expect(200);
    const viewer = await testAccount(sql, 'operator', 'sees-no-address', 'viewer');
    for (const path of [`/v1/partners/${berlin.id}`, '/v1/partners', '/v1/partners?format=csv']) {
      const { text } = await request(app).get(path).set(viewer.key).expect(200);
      expect(text).toContain('https://berlin.example/…');
      expect(text).not.toContain('secret-token');
    }
    const { body } = await request(app).get(`/v1/partners/${berlin.id}`).set(operator.key).expect(200);
    expect(body.subscription).toMatchObject(subscription);
  });

  test('a uid can be used once, and not for the name of another partner account', async () => {
    await create(leedsPartner('prints-york')).expect(200);
    const { body } = await create(leedsPartner('prints-york')).expect(409);
    expect(body.code).toBe('CONFLICT');
    expect(await sql`SELECT 1 FROM accounts WHERE name = 'prints-york'`).toHaveLength(1);
  });

  test('the error names every invalid field', async () => {
    const good = leedsPartner('x1');
    const { body } = await create({
      ...good,
      uid: 'Not A Uid',
      currency: 'XXX',
      senderAddress: { ...good.senderAddress, country: 'ZZ', email: 'nobody' },
      capabilities: {
        ...good.capabilities,
        productKinds: ['cakes'],
        models: { mug_product: { unitPriceMinor: 2.5, leadDays: -1 } },
        calendar: {
          ...good.capabilities.calendar,
          timeZone: 'Mars/Base',
          workingDays: [1, 1],
          cutOff: '25:00',
        },
        capacityPerDay: 0,
      },
    }).expect(400);
    expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([
      'capabilities.calendar.cutOff',
      'capabilities.calendar.timeZone',
      'capabilities.calendar.workingDays',
      'capabilities.capacityPerDay',
      'capabilities.models.mug_product.leadDays',
      'capabilities.models.mug_product.unitPriceMinor',
      'capabilities.productKinds[0]',
      'currency',
      'senderAddress.country',
      'senderAddress.email',
      'uid',
    ]);
  });

  test('a product model that the catalog does not have is refused', async () => {
    const good = leedsPartner('prints-bath');
    const models = { ...good.capabilities.models, poster: { unitPriceMinor: 200, leadDays: 1 } };
    const capabilities = { ...good.capabilities, models };
    const { body: created } = await create({ ...good, capabilities }).expect(400);
    const change = await request(app)
      .patch(`/v1/partners/${berlin.id}`)
      .set(operator.key)
      .send({ capabilities: { models } })
      .expect(400);
    for (const { errors } of [created, change.body])
      expect(errors).toEqual([
        {
          code: 'NO_SUCH_CHOICE_ERROR',
          message: 'No product model has this modelUid.',
          reference: 'capabilities.models.poster',
        },
      ]);
  });

  test('a change affects the given fields only, and routing uses it', async () => {
    const change = (body: object) => request(app).patch(`/v1/partners/${berlin.id}`).set(operator.key).send(body);
    const { body: before } = await request(app).get(`/v1/partners/${berlin.id}`).set(operator.key);
    const { body: after } = await change({ enabled: false, capabilities: { capacityPerDay: 10 } }).expect(200);
    expect(after).toEqual({
      ...before,
      enabled: false,
      capabilities: { ...before.capabilities, capacityPerDay: 10 },
    });
    const [candidate] = await createCandidateReader(sql)([]);
    expect(candidate).toMatchObject({ uid: 'prints-berlin', enabled: false });
    const { body: again } = await change({ enabled: true, printHouseUid: null }).expect(200);
    expect(again).toMatchObject({ enabled: true, printHouseUid: null, capabilities: { capacityPerDay: 10 } });
    await change({}).expect(200, again);
    const { body: wrong } = await change({ capabilities: { calendar: {} } }).expect(400);
    expect(wrong.errors.map(({ reference }: { reference: string }) => reference)).toContain(
      'capabilities.calendar.timeZone',
    );
  });

  test('an unknown partner is 404', async () => {
    for (const id of [randomUUID(), 'nonsense', operator.id]) {
      await request(app).get(`/v1/partners/${id}`).set(operator.key).expect(404);
      await request(app).patch(`/v1/partners/${id}`).set(operator.key).send({}).expect(404);
      await request(app).get(`/v1/partners/${id}/stock`).set(operator.key).expect(404);
      await request(app).post(`/v1/partners/${id}/keys`).set(operator.key).send({}).expect(404);
    }
  });
});

test('an operator reads the routing decisions of an order with the rejected partners', async () => {
  const client = await testAccount(sql, 'client');
  const orderId = await insertOrder(sql, client.id);
  await request(app)
    .post('/v2/subscribe')
    .set(berlin.key)
    .send({ orderSubmitUrl: 'https://berlin.example/orders' })
    .expect(200);
  const routing = () => request(app).get(`/v1/operator/orders/${orderId}/routing`).set(operator.key);
  await routing().expect(200, { decisions: [] });
  const partners = await createCandidateReader(sql)([]);
  const route = (product: typeof mug) =>
    routeOrder(routingRequest({ items: [{ itemId: '10001', product, quantity: 1 }], partners }));
  await recordRoutingDecision(sql, { orderId, step: 'handoff', decision: route(mug) });
  await recordRoutingDecision(sql, { orderId, step: 'reroute:1', decision: route(tShirt) });

  const { body } = await request(app).get(`/v1/operator/orders/${orderId}/routing`).set(operator.key).expect(200);
  expect(body.decisions).toMatchObject([
    {
      step: 'handoff',
      decision: { ok: true, assignments: [{ itemId: '10001', partnerUid: 'prints-berlin' }] },
    },
    { step: 'reroute:1', decision: { ok: false, unroutable: [{ itemId: '10001', passing: false }] } },
  ]);
  const rejected = body.decisions[0].decision.explanation[0].alternatives.find(
    ({ partnerUid }: { partnerUid: string }) => partnerUid === 'prints-leeds',
  );
  expect(rejected).toMatchObject({ verdict: 'rejected', reason: 'destination_not_served' });
  for (const id of ['nonsense', randomUUID()]) {
    await request(app).get(`/v1/operator/orders/${id}/routing`).set(operator.key).expect(404);
  }
});
