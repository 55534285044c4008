import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import type { Queryable } from '../platform/postgres';
import { OPERATOR_ROLES, type OperatorRole } from './account';
import { endSessionsOf } from './sessions';

export const operatorRole = z
  .enum(OPERATOR_ROLES)
  .describe(
    '`viewer`: reads, searches and quotes. `operator`: also changes orders, catalog, stock and procurement. `admin`: also ' +
      'changes keys, operators, partners, clients and exchange rates, and exports the audit log.',
  );

export const operatorSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: operatorRole,
    createdAt: timestamp,
    revokedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().describe('Last use of any of the keys, precise to a minute.'),
  })
  .meta({ id: 'Operator' });

export type Operator = z.output<typeof operatorSchema>;

const columns = (sql: Queryable) => sql`
  accounts.id, accounts.name, accounts.operator_role AS role, accounts.created_at, accounts.revoked_at,
  (SELECT max(last_used_at) FROM api_keys WHERE account_id = accounts.id) AS last_used_at`;

/** Returns all operators, revoked ones included, oldest first. */
export async function listOperators(sql: Queryable): Promise<Operator[]> {
  return await sql<Operator[]>`SELECT ${columns(sql)} FROM accounts WHERE accounts.role = 'operator' ORDER BY id`;
}

export async function operatorById(sql: Queryable, id: string): Promise<Operator | undefined> {
  const [row] = await sql<Operator[]>`
    SELECT ${columns(sql)} FROM accounts WHERE accounts.role = 'operator' AND id = ${id}`;
  return row;
}

/**
 * Locks every admin that is not revoked and returns their ids. Concurrent changes of admins wait for each other, so that
 * two of them cannot remove the last two admins.
 */
async function lockAdmins(tx: Queryable): Promise<readonly string[]> {
  const rows = await tx<{ id: string }[]>`
    SELECT id FROM accounts WHERE operator_role = 'admin' AND revoked_at IS NULL ORDER BY id FOR UPDATE`;
  return rows.map(({ id }) => id);
}

/**
 * Revokes an operator with all keys, for good. Call it in a transaction.
 * @returns `last-admin` when no other admin is left; nothing is changed then
 */
export async function revokeOperator(tx: Queryable, id: string): Promise<'revoked' | 'already-revoked' | 'last-admin'> {
  const admins = await lockAdmins(tx);
  if (admins.length === 1 && admins[0] === id) return 'last-admin';
  const revoked = await tx`
    UPDATE accounts SET revoked_at = now() WHERE id = ${id} AND revoked_at IS NULL RETURNING 1`;
  await tx`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${id} AND revoked_at IS NULL`;
  return revoked.length > 0 ? 'revoked' : 'already-revoked';
}

/**
 * Changes the role of an operator, which ends the operator's sessions. Call it in a transaction.
 * @returns `last-admin` when no other admin would be left; nothing is changed then
 */
export async function changeOperatorRole(
  tx: Queryable,
  id: string,
  operatorRole: OperatorRole,
): Promise<'changed' | 'last-admin'> {
  const admins = await lockAdmins(tx);
  if (operatorRole !== 'admin' && admins.length === 1 && admins[0] === id) return 'last-admin';
  const changed = await tx`
    UPDATE accounts SET operator_role = ${operatorRole}
    WHERE role = 'operator' AND id = ${id} AND operator_role <> ${operatorRole} RETURNING 1`;
  if (changed.length > 0) await endSessionsOf(tx, id);
  return 'changed';
}

/**
 * Returns true when a key is the only one with which an admin can call the API. Call it in a transaction that then revokes
 * the key.
 */
export async function isLastAdminKey(tx: Queryable, keyId: string): Promise<boolean> {
  const admins = await lockAdmins(tx);
  const keys = await tx<{ id: string }[]>`
    SELECT id FROM api_keys
    WHERE account_id = ANY(${[...admins]}) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  return keys.length === 1 && keys[0]!.id === keyId;
}
