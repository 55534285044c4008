import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import request from 'supertest';
import { createApp } from '../../../../../api/app';
import { allRoutes } from '../../../../../api/routes';
import type { KeyRing } from '../../../../../src/platform/sealing/named-keys';
import { encryptionCodec } from '../../../../../src/platform/temporal/codec/data-converter';
import { type TestAccount, testAccount, testApiDeps } from '../../../../support/api-deps';
import { testDatabase } from '../../../../support/database';

/** The codec server as the Temporal UI and CLI use it: their JSON form, from a browser on another origin. */

const UI = 'http://temporal-ui.example:8080';
const spring = { id: 'spring', key: randomBytes(32) };
const autumn = { id: 'autumn', key: randomBytes(32) };
let app: ReturnType<typeof createApp>;
let appWithoutKeys: ReturnType<typeof createApp>;
let operator: TestAccount;
let client: TestAccount;

beforeAll(async () => {
  const { sql } = await testDatabase();
  const appWith = async (PAYLOAD_KEYS: KeyRing | undefined) => {
    const deps = await testApiDeps(sql, { config: { PAYLOAD_KEYS, TEMPORAL_UI_URL: UI } });
    return createApp(deps, allRoutes(deps));
  };
  app = await appWith([autumn, spring]);
  appWithoutKeys = await appWith(undefined);
  operator = await testAccount(sql, 'operator');
  client = await testAccount(sql, 'client');
});

const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
const asJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(Object.entries(metadata!).map(([name, value]) => [name, base64(value)])),
  data: base64(data),
});
const plain = asJson(defaultPayloadConverter.toPayload({ reference: 'for-mrs-lovelace' }));
const sealed = async (keys = [spring]) => {
  const payload = defaultPayloadConverter.toPayload({ reference: 'for-mrs-lovelace' });
  const [encrypted] = await encryptionCodec(keys as [typeof spring]).encode([payload]);
  return asJson(encrypted!);
};
const post = (path: string, payloads: unknown[], to = app) =>
  request(to).post(`/v1/operator/codec/${path}`).set(operator.key).set('X-Namespace', 'default').send({ payloads });

test('the endpoint decrypts payloads of every configured key and returns others unchanged', async () => {
  const response = await post('decode', [await sealed(), plain, await sealed([autumn])]);
  expect(response.status).toBe(200);
  expect(response.body).toEqual({ payloads: [plain, plain, plain] });
});

test('a payload that the UI sends is encrypted under the first key', async () => {
  const encoded = await post('encode', [plain]);
  const [payload] = (encoded.body as { payloads: { metadata: Record<string, string>; data: string }[] }).payloads;
  expect(Buffer.from(payload!.metadata['encryption-key-id']!, 'base64').toString()).toBe('autumn');
  expect((await post('decode', [payload])).body).toEqual({ payloads: [plain] });
});

test('a key that is not configured is named, in the error body of the group', async () => {
  const unknown = await sealed([{ id: 'winter', key: randomBytes(32) }]);
  const response = await post('decode', [unknown]);
  expect(response.status).toBe(400);
  expect(response.body).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'Cannot decode: payload key "winter" is not in PAYLOAD_KEYS.',
  });
});

test('values that are no payloads are refused', async () => {
  expect((await post('decode', [{ metadata: { encoding: 'not base64!' }, data: 7 }])).body).toMatchObject({
    errors: [{ reference: 'payloads[0].metadata.encoding' }, { reference: 'payloads[0].data' }],
  });
});

test('the endpoint returns payloads unchanged when no keys are configured', async () => {
  for (const path of ['encode', 'decode']) {
    expect((await post(path, [plain], appWithoutKeys)).body).toEqual({ payloads: [plain] });
  }
});

describe('the endpoint', () => {
  const decode = () =>
    request(app)
      .post('/v1/operator/codec/decode')
      .send({ payloads: [plain] });
  const basic = (password: string) => ({
    Authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}`,
  });
  test('rejects callers without an operator’s key', async () => {
    expect((await decode()).status).toBe(401);
    expect((await decode().set(client.keyAndSecret)).status).toBe(403);
    expect((await decode().set(basic(client.apiKey))).status).toBe(403);
    expect((await decode().set(basic('nonsense'))).status).toBe(401);
  });
  test('accepts an operator whose browser keeps the key as a password', async () => {
    expect((await decode().set(basic(operator.apiKey))).status).toBe(200);
    const signIn = () => request(app).get('/v1/operator/codec');
    const asked = await signIn();
    expect({ status: asked.status, how: asked.get('WWW-Authenticate') }).toEqual({
      status: 401,
      how: 'Basic realm="Pressline operator", charset="UTF-8"',
    });
    expect((await signIn().set(basic(operator.apiKey))).body).toMatchObject({ encrypted: true });
    expect((await signIn().set(basic(client.apiKey))).status).toBe(403);
  });
  test('the key as a password opens nothing but the codec', async () => {
    const response = await request(app).get('/v1/operator/orders').set(basic(operator.apiKey));
    expect(response.status).toBe(401);
  });
});

describe('from a browser', () => {
  const preflight = (origin: string) =>
    request(app)
      .options('/v1/operator/codec/decode')
      .set('Origin', origin)
      .set('Access-Control-Request-Method', 'POST')
      .set('Access-Control-Request-Headers', 'content-type,x-namespace');
  test('the Temporal UI’s page may send requests with credentials', async () => {
    const response = await preflight(UI);
    expect(response.status).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': UI,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': expect.stringContaining('x-namespace'),
      vary: expect.stringContaining('Origin'),
    });
    const decoded = await post('decode', [await sealed()]).set('Origin', UI);
    expect(decoded.get('access-control-allow-origin')).toBe(UI);
  });
  test.each(['http://evil.example', `${UI}.evil.example`, 'null'])('a page of %s may not', async (origin) => {
    expect((await preflight(origin)).headers).not.toHaveProperty('access-control-allow-origin');
    const response = await post('decode', [plain]).set('Origin', origin);
    expect(response.headers).not.toHaveProperty('access-control-allow-origin');
  });
  test('responses of other routes do not name the UI', async () => {
    const response = await request(app).options('/v1/operator/orders').set('Origin', UI);
    expect(response.status).toBe(405);
    expect(response.headers).not.toHaveProperty('access-control-allow-origin');
  });
});
