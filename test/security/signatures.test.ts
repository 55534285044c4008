import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import { allRoutes } from '../../api/routes';
import { newSigningSecret, signatureHeaders } from '../../src/platform/http/webhook-signature';
import type { Sql } from '../../src/platform/postgres';
import { testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Tracking events of carriers are authenticated by their signature (Standard Webhooks 1.0). */

const secret = newSigningSecret();
let sql: Sql;
let app: Express;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql, { config: { CARRIER_WEBHOOK_SECRET: secret } });
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
  request(app)
    .post(`/v1/carriers/${carrier}/events`)
    .set('Content-Type', 'application/json')
    .set(headers)
    .send(body);
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const without = (name: string): Signed => {
  const { body, headers } = signed();
  return { body, headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)) };
};
const withHeader = (name: string, value: string): Signed => {
  const { body, headers } = signed();
  return { body, headers: { ...headers, [name]: value } };
};

test('a fresh signature of the exact body is accepted', async () => {
  await post(signed()).expect(200);
  await post(signed(ago(4))).expect(200);
});

test('several signatures are accepted when one is valid, as during a rotation', async () => {
  const { body, headers } = signed();
  const other = signed(new Date(), BODY, newSigningSecret()).headers['webhook-signature'];
  await post({
    body,
    headers: { ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` },
  }).expect(200);
});

test.each<[string, () => Signed]>([
  ['recorded and sent again after five minutes', () => signed(ago(6))],
  ['dated into the future', () => signed(ago(-6))],
  ['by a secret that is not ours', () => signed(new Date(), BODY, newSigningSecret())],
  ['over another body', () => ({ ...signed(), body: BODY.replace('delivered', 'returned') })],
  ['over the same content spelled otherwise', () => ({ ...signed(), body: BODY.replace(':', ': ') })],
  [
    'with its time moved forward',
    () => ({
      ...signed(ago(6)),
      headers: { ...signed(ago(6)).headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) },
    }),
  ],
  ['with another message id', () => withHeader('webhook-id', 'msg_2')],
  ['without its id', () => without('webhook-id')],
  ['without its time', () => without('webhook-timestamp')],
  ['left out', () => without('webhook-signature')],
  ['empty', () => withHeader('webhook-signature', '')],
  [
    'of another version',
    () => withHeader('webhook-signature', signed().headers['webhook-signature']!.replace('v1,', 'v2,')),
  ],
  ['cut short', () => withHeader('webhook-signature', signed().headers['webhook-signature']!.slice(0, -4))],
  ['of no length', () => withHeader('webhook-signature', 'v1,')],
  ['with a time that is no number', () => withHeader('webhook-timestamp', 'NaN')],
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
