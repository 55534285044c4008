import { setTimeout } from 'node:timers/promises';
import { ensureDemoAccounts } from '../../../sandbox/demo/accounts';
import { createAccount, issueKey, keysOf, revokeKey, rotateKeys } from '../../../src/accounts/accounts-and-keys';
import { createAuthenticator, KEY_CACHE_MS } from '../../../src/accounts/authenticator';
import { revokeOperator } from '../../../src/accounts/operators';
import { inTransaction } from '../../../src/platform/postgres';
import { testAccount } from '../../support/api-deps';
import { type TestDatabase, testDatabase } from '../../support/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

test('names are unique within a role', async () => {
  const { sql } = database;
  expect(await createAccount(sql, { role: 'client', name: 'twice' })).toMatchObject({
    role: 'client',
    name: 'twice',
  });
  expect(await createAccount(sql, { role: 'client', name: 'twice' })).toBeUndefined();
  expect(await createAccount(sql, { role: 'partner', name: 'twice' })).toBeDefined();
});

test('a key has 192 random bits and its secret 256; the database stores neither', async () => {
  const { sql } = database;
  const { apiKey, apiSecret, id } = await testAccount(sql, 'client');
  expect(Buffer.from(apiKey.slice(4), 'base64url')).toHaveLength(24);
  expect(Buffer.from(apiSecret.slice(4), 'base64url')).toHaveLength(32);
  const [row] = await sql`SELECT api_keys::text AS row FROM api_keys WHERE account_id = ${id}`;
  expect(row!.row).not.toContain(apiKey);
  expect(row!.row).not.toContain(apiSecret);
});

test('a revoked key is refused at once without a cache entry, and after the cache lifetime with one', async () => {
  const { sql } = database;
  let now = 1_000;
  const withCache = createAuthenticator(sql, () => now);
  const { id, apiKey } = await testAccount(sql, 'client');
  expect((await withCache.authenticate(apiKey))?.account.id).toBe(id);
  const [key] = (await keysOf(sql, [id])).get(id)!;
  expect(await revokeKey(sql, id, key!.id)).toBe(true);
  expect(await createAuthenticator(sql).authenticate(apiKey)).toBeUndefined();
  now += KEY_CACHE_MS + 1;
  expect(await withCache.authenticate(apiKey)).toBeUndefined();
});

test('a revoked key is refused after the cache lifetime, also when the system’s clock steps back', async () => {
  const { sql } = database;
  const { id, apiKey } = await testAccount(sql, 'client');
  const authenticator = createAuthenticator(sql);
  expect(await authenticator.authenticate(apiKey)).toBeDefined();
  const before = Date.now() - 3_600_000;
  const clock = jest.spyOn(Date, 'now').mockReturnValue(before);
  try {
    const [key] = (await keysOf(sql, [id])).get(id)!;
    await revokeKey(sql, id, key!.id);
    for (const wait = performance.now() + KEY_CACHE_MS + 100; performance.now() < wait; ) await setTimeout(50);
    expect(await authenticator.authenticate(apiKey)).toBeUndefined();
  } finally {
    clock.mockRestore();
  }
});

test('unknown keys are not cached: a key that becomes valid works at once', async () => {
  const { sql } = database;
  const authenticator = createAuthenticator(sql, () => 0);
  const { id, apiKey } = await testAccount(sql, 'client');
  await sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${id}`;
  expect(await authenticator.authenticate(apiKey)).toBeUndefined();
  await sql`UPDATE api_keys SET revoked_at = NULL WHERE account_id = ${id}`;
  expect(await authenticator.authenticate(apiKey)).toBeDefined();
});

test('an account cannot revoke the key of another account', async () => {
  const { sql } = database;
  const [mine, theirs] = [await testAccount(sql, 'client'), await testAccount(sql, 'client')];
  const [key] = (await keysOf(sql, [theirs.id])).get(theirs.id)!;
  expect(await revokeKey(sql, mine.id, key!.id)).toBe(false);
  expect(await createAuthenticator(sql).authenticate(theirs.apiKey)).toBeDefined();
});

test('the old key works during the overlap of a rotation; a rotation never extends a key', async () => {
  const { sql } = database;
  const { id, apiKey } = await testAccount(sql, 'client');
  const fresh = await inTransaction(sql, (tx) => rotateKeys(tx, id, 3600));
  const authenticate = (header: string) => createAuthenticator(sql).authenticate(header);
  expect(await authenticate(apiKey)).toBeDefined();
  expect(await authenticate(`${fresh.apiKey}:${fresh.apiSecret}`)).toMatchObject({ withSecret: true });
  await inTransaction(sql, (tx) => rotateKeys(tx, id, 7200));
  const ends = (await keysOf(sql, [id])).get(id)!.map(({ expiresAt }) => expiresAt?.getTime());
  expect(ends[0]).toBeUndefined();
  expect(ends[1]! - fresh.previousKeysExpireAt.getTime()).toBeGreaterThan(3_000_000);
  expect(ends[2]).toBe(fresh.previousKeysExpireAt.getTime());
  await sql`UPDATE api_keys SET expires_at = now() WHERE account_id = ${id} AND expires_at IS NOT NULL`;
  expect(await authenticate(apiKey)).toBeUndefined();
});

test('demo accounts keep the keys of the credentials file that work and replace the others', async () => {
  const { sql } = database;
  const first = await ensureDemoAccounts(sql);
  expect(first.credentials.partners.map(({ name }) => name)).toEqual(['prints-berlin', 'prints-ohio']);
  const second = await ensureDemoAccounts(sql, first.credentials);
  expect(second).toEqual(first);

  const damaged = { ...first.credentials, operator: { apiKey: first.credentials.client.apiKey } };
  const third = await ensureDemoAccounts(sql, damaged);
  expect(third.credentials.client).toEqual(first.credentials.client);
  expect(third.credentials.operator.apiKey).not.toBe(first.credentials.client.apiKey);
  const caller = await createAuthenticator(sql).authenticate(third.credentials.operator.apiKey);
  expect(caller?.account).toEqual(first.accounts.operator);
});

test('a revoked demo operator gets no new key at the next start', async () => {
  const { sql } = database;
  const { credentials, accounts } = await ensureDemoAccounts(sql);
  const other = await testAccount(sql, 'operator');
  expect(await inTransaction(sql, (tx) => revokeOperator(tx, accounts.operator.id))).toBe('revoked');
  expect((await ensureDemoAccounts(sql, credentials)).credentials.operator).toEqual(credentials.operator);
  expect((await ensureDemoAccounts(sql)).credentials.operator).toEqual({ apiKey: '' });
  const keys = (await keysOf(sql, [accounts.operator.id])).get(accounts.operator.id)!;
  expect(keys.filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
  expect(await inTransaction(sql, (tx) => revokeOperator(tx, other.id))).toBe('last-admin');
});

test('the last use of a key is stored once per minute, and not for a wrong secret', async () => {
  const { sql } = database;
  const { id, apiKey, apiSecret } = await testAccount(sql, 'client');
  const lastUse = async () => (await keysOf(sql, [id])).get(id)![0]!.lastUsedAt;
  const authenticator = createAuthenticator(sql);
  await authenticator.authenticate(`${apiKey}:pls_${'x'.repeat(43)}`);
  expect(await lastUse()).toBeNull();
  await authenticator.authenticate(`${apiKey}:${apiSecret}`);
  const first = await lastUse();
  expect(first).toEqual(expect.any(Date));
  await createAuthenticator(sql).authenticate(apiKey);
  expect(await lastUse()).toEqual(first);
  await sql`UPDATE api_keys SET last_used_at = now() - interval '2 minutes' WHERE account_id = ${id}`;
  await createAuthenticator(sql).authenticate(apiKey);
  expect((await lastUse())!.getTime()).toBeGreaterThanOrEqual(first!.getTime());
});

test('the key of an operator is not cached: a revocation takes effect with the next call', async () => {
  const { sql } = database;
  const authenticator = createAuthenticator(sql, () => 0);
  const { id, apiKey } = await testAccount(sql, 'operator');
  expect(await authenticator.authenticate(apiKey)).toBeDefined();
  const [key] = (await keysOf(sql, [id])).get(id)!;
  await revokeKey(sql, id, key!.id);
  expect(await authenticator.authenticate(apiKey)).toBeUndefined();
});

test('issuing a key for an unknown account fails', async () => {
  await expect(issueKey(database.sql, '00000000-0000-7000-8000-000000000000')).rejects.toThrow(/foreign key/);
});
