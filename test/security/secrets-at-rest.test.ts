import { randomBytes } from 'node:crypto';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import { allRoutes } from '../../api/routes';
import { resealStoredSecrets, SEALED_TABLES } from '../../cli/commands/database';
import { ensureDemoPartners } from '../../sandbox/demo/partners';
import { createEndpoint } from '../../src/notifications/endpoints';
import { PARTNER_SECRETS, partnerByAccount, signingSecretsOf } from '../../src/partners/partner-rows';
import { inTransaction, type Sql } from '../../src/platform/postgres';
import type { NamedKey } from '../../src/platform/sealing/named-keys';
import { createSecretBox, type SecretBox, SecretNotOpened, secretOwner } from '../../src/platform/sealing/secret-box';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';
import { TEST_SECRET_KEYS } from '../support/secret-box';

/** A copy of the database reveals no secret. */

let sql: Sql;
let app: Express;
let client: TestAccount;
let partner: TestAccount;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, allRoutes(deps));
  client = await testAccount(sql, 'client');
  partner = await testAccount(sql, 'partner', 'prints-berlin');
  await ensureDemoPartners(sql, [partner]);
});

const subscribePartner = async (): Promise<string> => {
  const { body } = await request(app)
    .post('/v2/subscribe')
    .set(partner.key)
    .send({ orderSubmitUrl: 'https://partner.example/orders' })
    .expect(200);
  return body.signingSecret;
};

/** Every row of every table as text. */
async function everyRow(): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`;
  let text = '';
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`SELECT t::text AS row FROM ${sql(name)} t`;
    text += rows.map(({ row }) => row).join('\n');
  }
  return text;
}

test('no table contains a signing secret, an API key or an API secret', async () => {
  const secrets = [await subscribePartner(), await subscribePartner(), client.apiKey, client.apiSecret, partner.apiKey];
  const { body: endpoint } = await request(app)
    .post('/v1/webhooks')
    .set(client.keyAndSecret)
    .send({ url: 'https://shop.example/hook' })
    .expect(200);
  const { body: rotated } = await request(app)
    .post(`/v1/webhooks/${endpoint.id}/secret`)
    .set(client.keyAndSecret)
    .send({})
    .expect(200);
  secrets.push(endpoint.secret, rotated.secret);
  const rows = await everyRow();
  expect(rows).toContain(endpoint.id);
  for (const secret of secrets) expect(rows).not.toContain(secret);
});

test('every column with secrets is sealed or holds hashes', async () => {
  const named = await sql<{ column: string }[]>`
    SELECT table_name || '.' || column_name AS column FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name ~ 'secret' AND data_type IN ('text', 'bytea', 'jsonb')`;
  const sealed = SEALED_TABLES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`));
  const hashed = ['api_keys.secret_hash'];
  expect(named.map(({ column }) => column).sort()).toEqual([...sealed, ...hashed].sort());
});

describe('sealing again', () => {
  const spring: NamedKey = { id: 'spring', key: randomBytes(32) };
  const autumn: NamedKey = { id: 'autumn', key: randomBytes(32) };
  const NEWER = `whsec_${randomBytes(32).toString('base64')}`;
  const OLDER = `whsec_${randomBytes(32).toString('base64')}`;

  /** Stores two secrets, sealed with a key. */
  const store = async (box: SecretBox) => {
    const [newer, older] = [NEWER, OLDER].map((secret) => box.seal(secret, secretOwner(PARTNER_SECRETS, partner.id)));
    await sql`
      UPDATE partners SET signing_secret = ${newer!}, previous_signing_secret = ${older!},
        previous_secret_until = now() + interval '1 h' WHERE account_id = ${partner.id}`;
  };
  const stored = async () => {
    const [row] = await sql<{ signingSecret: string; previousSigningSecret: string }[]>`
      SELECT signing_secret, previous_signing_secret FROM partners WHERE account_id = ${partner.id}`;
    return [row!.signingSecret, row!.previousSigningSecret];
  };
  const opened = async (keys: [NamedKey, ...NamedKey[]]) =>
    signingSecretsOf(createSecretBox(keys), (await partnerByAccount(sql, partner.id))!);

  beforeEach(async () => {
    await sql`DELETE FROM webhook_endpoints`;
    await store(createSecretBox([spring]));
  });

  test('seals with the first key; the secrets sign before and after, also without the old key', async () => {
    expect(await opened([spring])).toEqual([NEWER, OLDER]);
    const fields = { url: 'https://shop.example/hook', description: '', events: [], enabled: true };
    await inTransaction(sql, (tx) => createEndpoint(tx, createSecretBox([spring]), client.id, fields, 9));
    const rotated = createSecretBox([autumn, spring]);
    expect(await resealStoredSecrets(sql, rotated)).toEqual({ sealed: 3, failed: [] });
    for (const text of await stored()) expect(text).toMatch(/^sealed:autumn:/);
    expect(await opened([autumn])).toEqual([NEWER, OLDER]);
    expect(await resealStoredSecrets(sql, rotated)).toEqual({ sealed: 0, failed: [] });
  });

  test('reports secrets that no key opens and leaves them unchanged', async () => {
    const before = await stored();
    expect(await resealStoredSecrets(sql, createSecretBox([autumn]))).toEqual({
      sealed: 0,
      failed: [`partners:${partner.id}`],
    });
    expect(await stored()).toEqual(before);
    await expect(opened([autumn])).rejects.toThrow(SecretNotOpened);
  });

  test('does not lose a secret that is replaced at the same time', async () => {
    const box = createSecretBox([...TEST_SECRET_KEYS, spring]);
    const [secret] = await Promise.all([
      subscribePartner(),
      ...Array.from({ length: 8 }, () => resealStoredSecrets(sql, box)),
    ]);
    const current = (await partnerByAccount(sql, partner.id))!;
    expect(signingSecretsOf(box, current)).toEqual([secret, NEWER]);
  });
});
