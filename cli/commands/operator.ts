import { accountByName, createAccount, rotateKeys } from '../../src/accounts/store';
import { connectPostgres, inTransaction } from '../../src/platform/postgres';
import { assertSet, type CommandContext, say } from '../command';

/** How long the previous keys of an operator stay valid beside a new key. */
const OVERLAP_SECONDS = 86_400;

/**
 * Issues a key for an operator and prints it. Creates the operator's account when it does not exist, so this command is
 * how a new deployment gets its first account. The key is not shown again.
 */
export async function issueOperatorKey({ config }: CommandContext, name: string): Promise<number> {
  assertSet(config, 'DATABASE_URL');
  const sql = connectPostgres(config.DATABASE_URL!, { max: 1, applicationName: 'pressline-operator' });
  try {
    const { apiKey } = await inTransaction(sql, async (tx) => {
      const account =
        (await createAccount(tx, { role: 'operator', name })) ?? (await accountByName(tx, 'operator', name));
      return await rotateKeys(tx, account!.id, OVERLAP_SECONDS);
    });
    say(`Operator     X-API-KEY: ${apiKey} (${name})`);
    return 0;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
