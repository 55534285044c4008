import { randomToken, sha256 } from '../platform/ids';
import type { Queryable } from '../platform/postgres';
import type { Account } from './account';
import { credentialHash } from './api-key';
import type { AuditedChange } from './audit-log';

/** Lifetime of a session. It is not extended. */
export const SESSION_SECONDS = 12 * 3_600;

/** `pso_` and 256 random bits in base64url. No API key has this form. */
const TOKEN_FORM = /^pso_[A-Za-z0-9_-]{43}$/;

export function isSessionToken(text: string): boolean {
  return TOKEN_FORM.test(text);
}

/**
 * Starts a session of an operator and deletes expired ones.
 * @param keyId the key that the operator signed in with; the session ends when the key does
 * @returns the token for the cookie. The database stores only its hash
 */
export async function startSession(sql: Queryable, accountId: string, keyId: string | null): Promise<string> {
  const token = `pso_${randomToken(32)}`;
  await sql`DELETE FROM operator_sessions WHERE expires_at < now()`;
  await sql`
    INSERT INTO operator_sessions (token_hash, account_id, key_id, expires_at)
    VALUES (${credentialHash(token)}, ${accountId}, ${keyId}, now() + make_interval(secs => ${SESSION_SECONDS}))`;
  return token;
}

/**
 * Returns the operator of a session. Every call queries the database, so that a revoked operator or key ends the session
 * at once.
 * @returns undefined for an unknown, ended or expired session
 */
export async function operatorOfSession(sql: Queryable, token: string): Promise<Account | undefined> {
  const [account] = await sql<Account[]>`
    SELECT a.id, a.name, a.role, a.operator_role
    FROM operator_sessions s
    JOIN accounts a ON a.id = s.account_id
    LEFT JOIN api_keys k ON k.id = s.key_id
    WHERE s.token_hash = ${credentialHash(token)} AND s.expires_at > now() AND a.revoked_at IS NULL
      AND (s.key_id IS NULL OR (k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())))`;
  return account;
}

/** Ends a session. */
export async function endSession(sql: Queryable, token: string): Promise<void> {
  await sql`DELETE FROM operator_sessions WHERE token_hash = ${credentialHash(token)}`;
}

/** Returns the token that changing requests of a session carry. It is derived from the cookie, which scripts cannot read. */
export function csrfTokenOf(token: string): string {
  return sha256(`csrf ${token}`).toString('base64url');
}

/** How an operator signed in. */
export type SignInMethod = 'api_key' | 'one_time_link' | 'openid_connect';

/** Returns the change of a sign-in for the audit log. */
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
