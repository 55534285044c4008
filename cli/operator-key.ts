import { accountByName, createAccount, rotateKeys } from '../src/accounts/store';
import { connectPostgres, inTransaction } from '../src/platform/postgres';

/** How long an operator's earlier keys go on working beside a new one. */
const OVERLAP_SECONDS = 86_400;

/**
 * Makes a key for an operator, and the account on the first time: the way into a deployment that has no account yet.
 * @returns the key, which nothing shows again
 */
export async function issueOperatorKey(databaseUrl: string, name: string): Promise<string> {
  const sql = connectPostgres(databaseUrl, { max: 1, applicationName: 'pressline-operator' });
  try {
    return await inTransaction(sql, async (tx) => {
      const account =
        (await createAccount(tx, { role: 'operator', name })) ?? (await accountByName(tx, 'operator', name));
      const { apiKey } = await rotateKeys(tx, account!.id, OVERLAP_SECONDS);
      return apiKey;
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
