import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { cleanText, cutText } from '../platform/domain/foreign-text';
import { randomToken, sha256, uuidv7 } from '../platform/ids';
import type { Fragment, Queryable, Transaction } from '../platform/postgres';
import type { Account } from './account';
import { credentialHash } from './account';
import type { AuditedChange } from './audit-log';

/** Lifetime of a session. It is not extended. */
export const SESSION_SECONDS = 12 * 3_600;
/** Time without a request after which a session ends. */
export const IDLE_SECONDS = 3_600;
/** Most sessions of an operator. Another one ends the oldest. */
export const MOST_SESSIONS = 100;
/** Precision of `last_used_at`. A busy session costs one update per minute. */
const LAST_USED_SECONDS = 60;

/** `pso_` and 256 random bits in base64url. No API key has this form. */
const TOKEN_FORM = /^pso_[A-Za-z0-9_-]{43}$/;

export function isSessionToken(text: string): boolean {
  return TOKEN_FORM.test(text);
}

/** A session in lists. */
export const sessionSchema = z
  .object({
    id: z.string(),
    operator: z.object({ id: z.string(), name: z.string() }),
    method: z.enum(['api_key', 'one_time_link', 'openid_connect']),
    address: z.string().nullable().describe('IP address of the sign-in.'),
    userAgent: z.string().nullable().describe('The browser that signed in, in its own words.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.describe('Precise to a minute.'),
    expiresAt: timestamp,
    isCurrent: z.boolean().describe('True for the session of the request.'),
  })
  .meta({ id: 'Session' });

/** How an operator signed in. */
export type SignInMethod = z.output<typeof sessionSchema>['method'];

/** Who signs in, and how. */
export interface SignIn {
  readonly accountId: string;
  readonly method: SignInMethod;
  /** The key that the operator signed in with; the session ends when the key does. */
  readonly keyId: string | null;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** The condition of a session `s` that has not ended. */
const isAlive = (sql: Queryable): Fragment =>
  sql`s.expires_at > now() AND s.last_used_at > now() - make_interval(secs => ${IDLE_SECONDS})`;

/** The condition of a session `s` that was started without a key, or whose key `k` has not ended. */
const keyWorks = (sql: Queryable): Fragment =>
  sql`(s.key_id IS NULL OR (k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())))`;

/**
 * Starts a session of an operator. Deletes expired ones, and the oldest of an operator who has too many.
 * @returns the token for the cookie. The database stores only its hash
 */
export async function startSession(sql: Transaction, signIn: SignIn): Promise<string> {
  const token = `pso_${randomToken(32)}`;
  const { accountId, method, keyId, address = null, userAgent } = signIn;
  // Sign-ins of one operator take turns: each counts the sessions of those before it. Expired ones can be another operator's.
  await sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  await sql`
    DELETE FROM operator_sessions WHERE token_hash IN (
      SELECT token_hash FROM operator_sessions s WHERE NOT (${isAlive(sql)}) FOR UPDATE SKIP LOCKED)`;
  await sql`
    DELETE FROM operator_sessions WHERE token_hash IN (
      SELECT token_hash FROM operator_sessions WHERE account_id = ${accountId}
      ORDER BY id DESC OFFSET ${MOST_SESSIONS - 1})`;
  await sql`
    INSERT INTO operator_sessions (token_hash, id, account_id, key_id, method, address, user_agent, expires_at)
    VALUES (${credentialHash(token)}, ${uuidv7()}, ${accountId}, ${keyId}, ${method}, ${address},
      ${userAgent === undefined ? null : cutText(cleanText(userAgent), 300)}, now() + make_interval(secs => ${SESSION_SECONDS}))`;
  return token;
}

/**
 * Returns the operator of a session. Every call queries the database, so that a revoked operator or key ends the session
 * at once.
 * @param isUse whether the call keeps an idle session alive
 * @returns undefined for an unknown, ended, idle or expired session
 */
export async function operatorOfSession(
  sql: Queryable,
  token: string,
  { isUse }: { readonly isUse: boolean },
): Promise<Account | undefined> {
  const [found] = await sql<(Account & { wasUsedLately: boolean })[]>`
    SELECT a.id, a.name, a.role, a.operator_role,
      s.last_used_at > now() - make_interval(secs => ${LAST_USED_SECONDS}) AS was_used_lately
    FROM operator_sessions s
    JOIN accounts a ON a.id = s.account_id
    LEFT JOIN api_keys k ON k.id = s.key_id
    WHERE s.token_hash = ${credentialHash(token)} AND ${isAlive(sql)} AND a.revoked_at IS NULL AND ${keyWorks(sql)}`;
  if (found === undefined) return undefined;
  const { wasUsedLately, ...account } = found;
  if (isUse && !wasUsedLately)
    await sql`UPDATE operator_sessions SET last_used_at = now() WHERE token_hash = ${credentialHash(token)}`;
  return account;
}

/**
 * Returns the sessions that have not ended, newest first.
 * @param current the token of the request's session, if it has one
 */
export async function listSessions(sql: Queryable, accountId: string, current: string | undefined) {
  return await sql<z.output<typeof sessionSchema>[]>`
    SELECT s.id, jsonb_build_object('id', a.id, 'name', a.name) AS operator, s.method, host(s.address) AS address,
      s.user_agent, s.created_at, s.last_used_at, s.expires_at,
      s.token_hash = ${credentialHash(current ?? '')} AS is_current
    FROM operator_sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN api_keys k ON k.id = s.key_id
    WHERE s.account_id = ${accountId} AND ${isAlive(sql)} AND ${keyWorks(sql)}
    ORDER BY s.id DESC`;
}

export async function endSession(sql: Queryable, token: string): Promise<void> {
  await sql`DELETE FROM operator_sessions WHERE token_hash = ${credentialHash(token)}`;
}

/**
 * Ends a session by its id.
 * @param accountId ends it only when it is this operator's; null ends anyone's
 * @returns its operator, or undefined when there is no such session
 */
export async function endSessionById(
  sql: Queryable,
  id: string,
  accountId: string | null,
): Promise<{ readonly accountId: string; readonly method: SignInMethod } | undefined> {
  const [ended] = await sql<{ accountId: string; method: SignInMethod }[]>`
    DELETE FROM operator_sessions WHERE id = ${id} ${accountId === null ? sql`` : sql`AND account_id = ${accountId}`}
    RETURNING account_id, method`;
  return ended;
}

/** Ends every session of an operator, and makes the one-time links invalid. Returns the number of sessions. */
export async function endSessionsOf(sql: Queryable, accountId: string): Promise<number> {
  await sql`DELETE FROM one_time_sign_ins WHERE account_id = ${accountId}`;
  return (await sql`DELETE FROM operator_sessions WHERE account_id = ${accountId}`).count;
}

/** Returns the token that changing requests of a session carry. It is derived from the cookie, which scripts cannot read. */
export function csrfTokenOf(token: string): string {
  return sha256(`csrf ${token}`).toString('base64url');
}

export function signInChange({ id, operatorRole }: Account, method: SignInMethod): AuditedChange {
  return { action: 'operator.sign_in', objectId: id, before: null, after: { method, role: operatorRole } };
}

/** Lifetime of a token that nobody uses. */
export const ONE_TIME_SECONDS = 600;

/**
 * Creates a token that signs an operator in once, and deletes expired ones.
 * @returns `pst_` and 256 random bits in base64url. The database stores only the hash
 */
export async function issueOneTimeToken(sql: Queryable, accountId: string): Promise<string> {
  const token = `pst_${randomToken(32)}`;
  await sql`DELETE FROM one_time_sign_ins WHERE expires_at < now()`;
  await sql`
    INSERT INTO one_time_sign_ins (token_hash, account_id, expires_at)
    VALUES (${credentialHash(token)}, ${accountId}, now() + make_interval(secs => ${ONE_TIME_SECONDS}))`;
  return token;
}

/**
 * Uses a token up.
 * @returns its operator, or undefined for an unknown, used or expired token, and for a revoked operator
 */
export async function redeemOneTimeToken(sql: Queryable, token: string): Promise<Account | undefined> {
  const [account] = await sql<Account[]>`
    DELETE FROM one_time_sign_ins t USING accounts a
    WHERE t.token_hash = ${credentialHash(token)} AND t.expires_at > now()
      AND a.id = t.account_id AND a.revoked_at IS NULL
    RETURNING a.id, a.name, a.role, a.operator_role`;
  return account;
}
