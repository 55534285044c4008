import { randomToken } from '../platform/ids';
import type { Queryable } from '../platform/postgres';
import type { Account } from './account';
import { credentialHash } from './api-key';

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
