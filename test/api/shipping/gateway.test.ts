import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../api/app';
import { shippingRoutes } from '../../../api/routes';
import { startEasyPostServer } from '../../../sandbox/carriers/easypost-server';
import { carriersOf } from '../../../src/carriers/carriers';
import { createEasyPostGateway } from '../../../src/carriers/easypost/gateway';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { createSafeClient, type SafeClient } from '../../../src/platform/http/safe-client';
import { randomToken } from '../../../src/platform/ids';
import type { Sql } from '../../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { internationalRequest } from './shipping-request';
import { startShippingWorker } from './shipping-worker';

let sql: Sql;
let app: Express;
let client: TestAccount;
let http: SafeClient;
let server: Awaited<ReturnType<typeof startEasyPostServer>>;
let stopWorker: () => Promise<void>;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  server = await startEasyPostServer();
  http = createSafeClient({ allowPrivate: true });
  const carriers = carriersOf([
    createEasyPostGateway({
      apiKey: 'EZTK-test',
      baseUrl: server.url,
      client: http,
      timeoutMs: 1_000,
      rates: () => Promise.resolve(REFERENCE_RATES),
    }),
  ]);
  const taskQueue = `gateway-${randomToken(6)}`;
  const deps = { ...(await testApiDeps(sql, { config: { TEMPORAL_TASK_QUEUE: taskQueue } })), carriers };
  app = createApp(deps, shippingRoutes(deps));
  client = await testAccount(sql, 'client');
  stopWorker = await startShippingWorker(deps);
});
afterAll(async () => {
  await stopWorker();
  await http.close();
  await server.stop();
});
beforeEach(() => {
  for (const kind of ['retrieve', 'create', 'buy', 'refund', 'label'] as const) server.fail(kind);
});

function order(packages = 2) {
  const body = internationalRequest();
  const [pack] = body.packages;
  body.packages = Array.from({ length: packages }, (_, index) => ({
    ...pack!,
    packageReferenceId: `pkg-${index + 1}`,
  }));
  return request(app)
    .post('/v1/shipping-orders')
    .set(client.key)
    .send({ ...body, currency: 'USD', shippingMethod: { uid: 'easypost_usps_groundadvantage' } });
}

/** Returns the labels that stay bought. A child workflow voids the others after the response. */
async function labelsLeft(): Promise<number> {
  for (let tries = 0; tries < 100 && server.live() > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return server.live();
}

test('a gateway’s refusal of one package is a PUBLIC_API_ERROR with the carrier’s message tree, and no label stays bought', async () => {
  server.fail('buy', 'refuse');

  const response = await order();

  expect(response.status).toBe(400);
  expect(response.body).toMatchObject({
    orderReferenceId: expect.any(String),
    code: 'PUBLIC_API_ERROR',
    message: 'The carrier refused.',
    detail: {
      code: 'CARRIER_API_ERROR',
      message: {
        code: 'SHIPMENT.POSTAGE.FAILURE',
        errors: [{ field: 'to_address.zip', message: 'is not served' }],
      },
    },
  });
  expect(await labelsLeft()).toBe(0);
});

test.each([
  ['buy', 'timeout'],
  ['buy', '500'],
  ['label', 'garbled'],
  ['label', '500'],
] as const)(
  'a gateway that always responds to %s with %s is a PUBLIC_API_ERROR, and no label stays bought',
  async (kind, fault) => {
    server.fail(kind, ...Array<typeof fault>(20).fill(fault));

    const response = await order();

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      code: 'PUBLIC_API_ERROR',
      detail: { code: 'CARRIER_API_ERROR', message: { code: 'CARRIER_UNAVAILABLE' } },
    });
    expect(await labelsLeft()).toBe(0);
    expect(await sql`SELECT 1 FROM shipments WHERE status = 'bought'`).toHaveLength(0);
  },
);

test('temporary faults are retried, and each label is bought once', async () => {
  server.fail('buy', 'complete-then-disconnect', '500');

  const response = await order();

  expect(response.status).toBe(200);
  expect(new Set(response.body.packages.map((pack: { trackingNumber: string }) => pack.trackingNumber)).size).toBe(2);
  expect(response.body.packages[0]).toMatchObject({
    label: { contentType: 'application/pdf' },
    documents: [{ documentType: 'invoice' }],
    totalCost: { value: 7.58, currency: 'USD' },
  });
  expect(server.live()).toBe(2);
});
