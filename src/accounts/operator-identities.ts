import type { GroupRoles } from '../platform/configuration/service-variables';
import { sha256 } from '../platform/ids';
import type { Queryable } from '../platform/postgres';
import { type Account, credentialHash, OPERATOR_ROLES, type OperatorRole } from './account';
import { createAccount } from './accounts-and-keys';
import type { Identity } from './identity-provider';
import { endSessionsOf } from './sessions';

/** Returns the highest role of a user's groups, or undefined when none of them has one. */
export function roleOfGroups(roles: GroupRoles | undefined, groups: readonly string[]): OperatorRole | undefined {
  const found = groups.map((group) => roles?.get(group));
  return OPERATOR_ROLES.findLast((role) => found.includes(role));
}

/** What a sign-in did to the account of its user. */
export type Admission =
  | { readonly outcome: 'created'; readonly account: Account }
  | { readonly outcome: 'known'; readonly account: Account; readonly previousRole: OperatorRole }
  /** The account of the user is revoked. */
  | { readonly outcome: 'revoked'; readonly account: Account }
  /** The user has no role. `withdrawn`: the account that lost something by it. */
  | { readonly outcome: 'no-role'; readonly withdrawn: Withdrawal | undefined };

/** What the account of a user without a role lost. */
export interface Withdrawal {
  /** As it was before. */
  readonly account: Account;
  readonly sessionsEnded: number;
  readonly keysRevoked: number;
}

/**
 * Creates the account of a user at the first sign-in, and sets its role at each. A user without a role loses sessions and
 * keys, and its account the permissions of its role. The last admin is no exception: the provider decides who is an admin.
 * Call it in a transaction.
 */
export async function admit(tx: Queryable, identity: Identity, role: OperatorRole | undefined): Promise<Admission> {
  const { issuer, subject } = identity;
  // Two first sign-ins of one user wait for each other.
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`${issuer} ${subject}`}, 0))`;
  const [found] = await tx<(Account & { operatorRole: OperatorRole; isRevoked: boolean })[]>`
    SELECT a.id, a.name, a.role, a.operator_role, a.revoked_at IS NOT NULL AS is_revoked
    FROM operator_identities i JOIN accounts a ON a.id = i.account_id
    WHERE i.issuer = ${issuer} AND i.subject = ${subject} FOR UPDATE OF a`;
  if (found === undefined) {
    if (role === undefined) return { outcome: 'no-role', withdrawn: undefined };
    return { outcome: 'created', account: await createOperator(tx, identity, role) };
  }
  const { isRevoked, ...account } = found;
  if (isRevoked) return { outcome: 'revoked', account };
  if (role === undefined) return { outcome: 'no-role', withdrawn: await withdraw(tx, account) };
  if (role !== account.operatorRole) {
    await tx`UPDATE accounts SET operator_role = ${role} WHERE id = ${account.id}`;
    await endSessionsOf(tx, account.id);
  }
  return {
    outcome: 'known',
    account: { ...account, operatorRole: role },
    previousRole: account.operatorRole,
  };
}

/** Creates the account of a user. Another operator's name gets a suffix, because the audit log shows the name. */
async function createOperator(
  tx: Queryable,
  { issuer, subject, name }: Identity,
  operatorRole: OperatorRole,
): Promise<Account> {
  const suffix = sha256(`${issuer} ${subject}`).toString('hex').slice(0, 12);
  const account =
    (await createAccount(tx, { role: 'operator', name, operatorRole })) ??
    (await createAccount(tx, { role: 'operator', name: `${name} ${suffix}`, operatorRole }));
  if (account === undefined) throw new Error(`there are already operators ${name} and ${name} ${suffix}`);
  await tx`
    INSERT INTO operator_identities (issuer, subject, account_id) VALUES (${issuer}, ${subject}, ${account.id})`;
  const { id, role } = account;
  return { id, name: account.name, role, operatorRole };
}

/** Takes everything from an account that opens the API. Returns undefined when it had nothing. */
async function withdraw(tx: Queryable, account: Account): Promise<Withdrawal | undefined> {
  const [lowest] = OPERATOR_ROLES;
  await tx`UPDATE accounts SET operator_role = ${lowest} WHERE id = ${account.id}`;
  const sessionsEnded = await endSessionsOf(tx, account.id);
  const keys = await tx`
    UPDATE api_keys SET revoked_at = now() WHERE account_id = ${account.id} AND revoked_at IS NULL`;
  if (account.operatorRole === lowest && sessionsEnded === 0 && keys.count === 0) return undefined;
  return { account, sessionsEnded, keysRevoked: keys.count };
}

/**
 * Marks the `state` of a sign-in as used, and forgets those that have expired.
 * @returns false when it was used before
 */
export async function takeState(sql: Queryable, state: string, expiresAt: Date): Promise<boolean> {
  await sql`DELETE FROM used_sign_in_states WHERE expires_at < now()`;
  const taken = await sql`
    INSERT INTO used_sign_in_states (state_hash, expires_at) VALUES (${credentialHash(state)}, ${expiresAt})
    ON CONFLICT DO NOTHING RETURNING 1`;
  return taken.length > 0;
}
