import type { OperatorRole } from '../../src/accounts/account';
import {
  accountByName,
  createAccount,
  isRevokedAccount,
  issueKey,
  rotateKeys,
} from '../../src/accounts/accounts-and-keys';
import type { AuditAction } from '../../src/accounts/audit-actions';
import { COMMAND_LINE, writeAuditEntry } from '../../src/accounts/audit-log';
import { listOperators, revokeOperator } from '../../src/accounts/operators';
import { inTransaction, type Transaction } from '../../src/platform/postgres';
import type { CommandContext } from '../command';
import { onDatabase } from '../database-target';
import { say } from '../terminal';

/** An expected refusal. Its text is printed, and the exit code is 1. */
class CannotDo extends Error {}

/** Runs an operator command, in one transaction. @returns the exit code */
async function inDatabase(context: CommandContext, work: (tx: Transaction) => Promise<void>): Promise<number> {
  try {
    await onDatabase(context, 'operator', (sql) => inTransaction(sql, work));
    return 0;
  } catch (error) {
    if (!(error instanceof CannotDo)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

const audit = (tx: Transaction, action: AuditAction, objectId: string, after: object) =>
  writeAuditEntry(tx, COMMAND_LINE, { action, objectId, before: null, after });

const showKey = (apiKey: string, name: string) => say(`Operator     X-API-KEY: ${apiKey} (${name})`);

export function listAllOperators(context: CommandContext): Promise<number> {
  return inDatabase(context, async (tx) => {
    for (const { name, role, createdAt, lastUsedAt, revokedAt } of await listOperators(tx)) {
      const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`;
      const revoked = revokedAt === null ? '' : `, revoked ${revokedAt.toISOString()}`;
      say(`${name} (${role}): created ${createdAt.toISOString()}, ${used}${revoked}`);
    }
  });
}

/** Creates an operator and prints its key, which is not shown again. */
export function addOperator(
  context: CommandContext,
  name: string,
  role: OperatorRole,
  keyDays: number | undefined,
): Promise<number> {
  return inDatabase(context, async (tx) => {
    const account = await createAccount(tx, { role: 'operator', name, operatorRole: role });
    if (account === undefined) throw new CannotDo(`There is an operator ${name} already.`);
    const expiresAt = keyDays === undefined ? null : new Date(Date.now() + keyDays * 86_400_000);
    const { apiKey, keyId, hint } = await issueKey(tx, account.id, { expiresAt });
    await audit(tx, 'operator.create', account.id, { name, role, keyId, hint, keyExpiresAt: expiresAt });
    showKey(apiKey, name);
  });
}

/** Revokes an operator with all keys. Refuses to revoke the last admin. */
export function revokeOperatorByName(context: CommandContext, name: string): Promise<number> {
  return inDatabase(context, async (tx) => {
    const account = await accountByName(tx, 'operator', name);
    if (account === undefined) throw new CannotDo(`There is no operator ${name}.`);
    if ((await revokeOperator(tx, account.id)) === 'last-admin')
      throw new CannotDo(`${name} is the last admin. Add another admin first.`);
    await audit(tx, 'operator.revoke', account.id, { revoked: true });
    say(`Revoked ${name}.`);
  });
}

/** Issues and prints a new key. With `create`, an operator that does not exist is created as an admin. */
export function rotateOperatorKey(
  context: CommandContext,
  name: string,
  { overlapSeconds, create = false }: { readonly overlapSeconds: number; readonly create?: boolean },
): Promise<number> {
  return inDatabase(context, async (tx) => {
    const created = create ? await createAccount(tx, { role: 'operator', name, operatorRole: 'admin' }) : undefined;
    const account = created ?? (await accountByName(tx, 'operator', name));
    if (account === undefined) throw new CannotDo(`There is no operator ${name}.`);
    if (await isRevokedAccount(tx, account.id)) throw new CannotDo(`The operator ${name} is revoked.`);
    const { apiKey, keyId, hint, previousKeysExpireAt } = await rotateKeys(tx, account.id, overlapSeconds);
    const after = { keyId, hint, previousKeysExpireAt };
    await audit(tx, created === undefined ? 'operator.rotate_key' : 'operator.create', account.id, after);
    showKey(apiKey, name);
  });
}
