import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import { allRoutes } from '../../api/routes';
import { newSigningSecret, signatureHeaders } from '../../src/platform/http/webhook-signature';
import type { Sql } from '../../src/platform/postgres';
import { testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';
import { eventually } from '../support/eventually';

/** Tracking events of carriers are authenticated by their signature (Standard Webhooks 1.0). */

const secret = newSigningSecret();
const nextSecret = newSigningSecret();
const corvidSecret = newSigningSecret();
const CARRIER_WEBHOOK_SECRETS = new Map([
  ['tern_parcel', [secret, nextSecret]],
  ['corvid_post', [corvidSecret]],
]);
let sql: Sql;
let app: Express;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, { config: { CARRIER_WEBHOOK_SECRETS } });
  app = createApp(deps, allRoutes(deps));
});

const BODY = JSON.stringify({
  events: [
    {
      id: 'event-1',
      trackingNumber: 'RR473124829DE',
      statusUid: 'delivered',
      message: 'delivered',
      createdAt: '2026-01-05T10:00:00Z',
    },
  ],
});

interface Signed {
  readonly body: string;
  readonly headers: Record<string, string>;
}

const signed = (at = new Date(), body = BODY, by = secret): Signed => ({
  body,
  headers: signatureHeaders({ id: 'msg_1', body, at, secrets: [by] }),
});
const post = ({ body, headers }: Signed, carrier = 'tern_parcel') =>
  request(app).post(`/v1/carriers/${carrier}/events`).set('Content-Type', 'application/json').set(headers).send(body);
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const withHeader = (name: string, value: string): Signed => {
  const { body, headers } = signed();
  return { body, headers: { ...headers, [name]: value } };
};

test('a fresh signature of the exact body is accepted', async () => {
  await post(signed()).expect(200);
  await post(signed(ago(4))).expect(200);
});

// test/src/platform/http/webhook-signature.test.ts has more.
test.each<[string, () => Signed]>([
  ['by a secret that is not ours', () => signed(new Date(), BODY, newSigningSecret())],
  ['over the same content spelled otherwise', () => ({ ...signed(), body: BODY.replace(':', ': ') })],
  ['left out', () => ({ ...signed(), headers: {} })],
  ['of no length', () => withHeader('webhook-signature', 'v1,')],
  ['with a time beyond all numbers', () => withHeader('webhook-timestamp', '9'.repeat(400))],
])('a signature %s is refused with 401, and nothing is stored', async (_name, make) => {
  const { body } = await post(make()).expect(401);
  expect(body).toEqual({ code: 'UNAUTHORIZED', message: expect.any(String), requestId: expect.any(String) });
  expect(await sql`SELECT 1 FROM tracking_checkpoints`).toHaveLength(0);
});

test('an API key is refused, and without a configured secret every request is', async () => {
  const deps = await testApiDeps(sql);
  const closed = createApp(deps, allRoutes(deps));
  const { body, headers } = signed();
  await request(closed)
    .post('/v1/carriers/tern_parcel/events')
    .set({ ...headers, 'Content-Type': 'application/json' })
    .send(body)
    .expect(401);
});

describe('secrets of carriers', () => {
  test('one carrier’s secret opens no other carrier’s address', async () => {
    await post(signed(new Date(), BODY, corvidSecret), 'corvid_post').expect(200);
    await post(signed(new Date(), BODY, corvidSecret), 'tern_parcel').expect(401);
    await post(signed(new Date(), BODY, secret), 'corvid_post').expect(401);
    await post(signed(), 'merlin_express').expect(401);
    await post(signed(), 'no_such_carrier').expect(401);
  });

  test('several secrets of one carrier overlap', async () => {
    await post(signed(new Date(), BODY, nextSecret)).expect(200);
  });
});

describe('a request without a valid signature', () => {
  const REFUSAL = {
    code: 'UNAUTHORIZED',
    message: 'The signature is missing or not valid.',
    requestId: expect.any(String),
  };
  const bodies: readonly (readonly [string, string])[] = [
    ['broken JSON', '{"events": ['],
    ['no events', '{}'],
    ['an empty body', ''],
    ['more events than a message may have', JSON.stringify({ events: Array.from({ length: 1_001 }, () => ({})) })],
    ['deep nesting', '['.repeat(1_000)],
  ];

  test.each(bodies)('gets the same short 401 with %s', async (_name, body) => {
    const forged = signed(new Date(), body, newSigningSecret());
    expect((await post(forged).expect(401)).body).toEqual(REFUSAL);
    expect((await post({ body, headers: {} }).expect(401)).body).toEqual(REFUSAL);
    const valid = signed(new Date(), body);
    expect((await post(valid)).status).toBe(400);
  });

  test('gets it with any content type and encoding, and with a body over the limit', async () => {
    const forged = signed(new Date(), BODY, newSigningSecret());
    const headers = { ...forged.headers, 'Content-Type': 'text/plain' };
    const send = (more: object, body = BODY) =>
      request(app)
        .post('/v1/carriers/tern_parcel/events')
        .set({ ...headers, ...more })
        .send(body);
    expect((await send({}).expect(401)).body).toEqual(REFUSAL);
    expect((await send({ 'Content-Encoding': 'nonsense' }).expect(401)).body).toEqual(REFUSAL);
    const large = request(app).post('/v1/carriers/tern_parcel/events').set('Content-Type', 'application/json');
    expect((await large.send('x'.repeat(2_000_000)).expect(401)).body).toEqual(REFUSAL);
  });
});

test('an address may send 100 requests without a valid signature in a second; beyond them the response is 429', async () => {
  const deps = await testApiDeps(sql, { config: { CARRIER_WEBHOOK_SECRETS, RATE_LIMIT: 0 } });
  const limited = createApp(deps, allRoutes(deps));
  const server = limited.listen(0);
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/carriers/tern_parcel/events`;
    const batch = () => Promise.all(Array.from({ length: 120 }, () => fetch(url, { method: 'POST', body: '[0]' })));
    expect((await batch()).filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(100);
    // On a busy machine, a batch can take longer than the second that is counted.
    const refused = await eventually(async () => (await batch()).find(({ status }) => status === 429));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Too many requests without a valid signature from this address.',
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
