import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { uuidv7 } from '../platform/ids';
import { json, type Queryable } from '../platform/postgres';
import type { Account, OperatorRole, Role } from './account';
import { type Credentials, credentialHash, keyHint, newCredentials } from './account';
import { endSessionsOf } from './sessions';

export const accountKeySchema = z
  .object({
    id: z.string(),
    name: z.string().nullable().describe('Where the key is used.'),
    hint: z.string().describe('First and last characters of the key.'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    firstUsedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().describe('Precise to a minute. Null: the key was never used.'),
  })
  .meta({ id: 'AccountKey' });

type AccountKey = z.output<typeof accountKeySchema>;

/** The name of a key, in requests. */
export const keyName = z.string().trim().min(1).max(100);

/** The end of a new key, in requests. */
export const keyExpiry = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((end) => end.getTime() > Date.now(), 'Must be in the future.')
  .refine((end) => end.getUTCFullYear() <= 9999, 'Must be before the year 10000 in UTC.')
  .nullish()
  .describe('When the key stops working, ISO 8601. Default: it works until it is revoked.');

/** Key and secret of a new key. */
export const credentialFields = {
  keyId: z.string(),
  apiKey: z.string().describe('Shown only in this response.'),
  apiSecret: z.string().describe('Shown only in this response.'),
};

/** A new key. Key and secret are readable only here. */
interface IssuedKey extends Credentials {
  readonly keyId: string;
  readonly hint: string;
  readonly createdAt: Date;
}

/** What an account is created from. Only operators have an operator role. */
export type NewAccount = { readonly name: string; readonly settings?: object } & (
  | { readonly role: 'client' | 'partner' }
  | { readonly role: 'operator'; readonly operatorRole: OperatorRole }
);

/**
 * Creates an account. Names are unique within a role.
 * @returns undefined when the role has an account with this name
 */
export async function createAccount(
  sql: Queryable,
  account: NewAccount,
): Promise<(Account & { readonly createdAt: Date }) | undefined> {
  const [row] = await sql<(Account & { createdAt: Date })[]>`
    INSERT INTO accounts (id, name, role, operator_role, settings)
    VALUES (${uuidv7()}, ${account.name}, ${account.role},
            ${account.role === 'operator' ? account.operatorRole : null}, ${json(sql, account.settings ?? {})})
    ON CONFLICT (role, name) DO NOTHING
    RETURNING id, name, role, operator_role, created_at`;
  return row;
}

export async function accountByName(sql: Queryable, role: Role, name: string): Promise<Account | undefined> {
  const [row] = await sql<Account[]>`
    SELECT id, name, role, operator_role FROM accounts WHERE role = ${role} AND name = ${name}`;
  return row;
}

export async function accountNames(sql: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    SELECT id, name FROM accounts WHERE id = ANY(${ids as string[]}::uuid[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns true for an account that is revoked, and for an id without an account. */
export async function isRevokedAccount(sql: Queryable, id: string): Promise<boolean> {
  const rows = await sql`SELECT 1 FROM accounts WHERE id = ${id} AND revoked_at IS NULL`;
  return rows.length === 0;
}

/** `name` says where a key is used. `expiresAt`: its end, if it has one. */
interface KeyOptions {
  readonly name?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

export async function issueKey(
  sql: Queryable,
  accountId: string,
  { name = null, expiresAt = null }: KeyOptions = {},
): Promise<IssuedKey> {
  const credentials = newCredentials();
  const hint = keyHint(credentials.apiKey);
  const [row] = await sql<{ id: string; createdAt: Date }[]>`
    INSERT INTO api_keys (id, account_id, key_hash, secret_hash, key_hint, name, expires_at)
    VALUES (${uuidv7()}, ${accountId}, ${credentialHash(credentials.apiKey)},
            ${credentialHash(credentials.apiSecret)}, ${hint}, ${name}, ${expiresAt})
    RETURNING id, created_at`;
  return { ...credentials, keyId: row!.id, hint, createdAt: row!.createdAt };
}

/**
 * Issues a new key and lets the account's existing keys expire after an overlap in which all of them work. A key that
 * expires earlier keeps its time. Without an overlap, every session of an operator ends too. Call it in a transaction.
 */
export async function rotateKeys(
  tx: Queryable,
  accountId: string,
  overlapSeconds: number,
  options: KeyOptions = {},
): Promise<IssuedKey & { readonly previousKeysExpireAt: Date }> {
  const [until] = await tx<{ at: Date }[]>`SELECT now() + make_interval(secs => ${overlapSeconds}) AS at`;
  await tx`
    UPDATE api_keys SET expires_at = ${until!.at}
    WHERE account_id = ${accountId} AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${until!.at})`;
  if (overlapSeconds === 0) await endSessionsOf(tx, accountId);
  return { ...(await issueKey(tx, accountId, options)), previousKeysExpireAt: until!.at };
}

/**
 * Revokes a key.
 * @returns false when the account has no such key; true also for a key that was revoked before
 */
export async function revokeKey(sql: Queryable, accountId: string, keyId: string): Promise<boolean> {
  const rows = await sql`
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, now())
    WHERE id = ${keyId} AND account_id = ${accountId}
    RETURNING id`;
  return rows.length > 0;
}

/** Returns the keys of accounts by account id, newest first. */
export async function keysOf(
  sql: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, AccountKey[]>> {
  const rows = await sql<(AccountKey & { accountId: string })[]>`
    SELECT account_id, id, name, key_hint AS hint, created_at, expires_at, revoked_at, first_used_at, last_used_at
    FROM api_keys WHERE account_id = ANY(${accountIds as string[]})
    ORDER BY created_at DESC, id DESC`;
  const byAccount = new Map<string, AccountKey[]>(accountIds.map((id) => [id, []]));
  for (const { accountId, ...entry } of rows) byAccount.get(accountId)?.push(entry);
  return byAccount;
}

/** Time before the end of an account's last key at which it is an alarm, in days. */
export const EXPIRY_NOTICE_DAYS = 14;

interface ExpiringKey extends Pick<AccountKey, 'id' | 'hint'> {
  readonly account: { readonly id: string; readonly name: string; readonly role: Role };
  readonly expiresAt: Date;
  readonly hasExpired: boolean;
  readonly count: number;
}

/**
 * Returns the last keys of accounts that end soon or have ended in the last seven days, the first to end first, and the number of
 * all. A key beside a later one, as after a rotation, is none of them.
 */
export async function expiringKeys(
  sql: Queryable,
  limit: number,
): Promise<{ count: number; rows: readonly ExpiringKey[] }> {
  const rows = await sql<ExpiringKey[]>`
    SELECT k.id, k.key_hint AS hint, k.expires_at, k.expires_at <= now() AS has_expired, count(*) OVER ()::int AS count,
      jsonb_build_object('id', a.id, 'name', a.name, 'role', a.role) AS account
    FROM accounts a JOIN LATERAL (
      SELECT id, key_hint, expires_at FROM api_keys
      WHERE account_id = a.id AND revoked_at IS NULL ORDER BY expires_at DESC NULLS FIRST, id DESC LIMIT 1) k ON true
    WHERE a.revoked_at IS NULL AND k.expires_at > now() - interval '7 days'
      AND k.expires_at < now() + make_interval(days => ${EXPIRY_NOTICE_DAYS})
    ORDER BY k.expires_at, k.id LIMIT ${limit}`;
  return { count: rows[0]?.count ?? 0, rows };
}
