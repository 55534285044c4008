import { inTransaction, type Queryable, type Sql } from '../platform/postgres';
import type { Account, Role } from './account';
import { createAuthenticator } from './authenticator';
import { accountByName, createAccount, issueKey } from './store';

/** The accounts part of `credentials.json` (DESIGN "Servers it needs"). */
export interface DemoCredentials {
  readonly client: { readonly apiKey: string; readonly apiSecret: string };
  readonly partners: readonly { readonly name: string; readonly apiKey: string }[];
  readonly operator: { readonly apiKey: string };
}

export const DEMO_CLIENT = 'demo-shop';
export const DEMO_PARTNERS = ['prints-berlin', 'prints-ohio'] as const;
export const DEMO_OPERATOR = 'operator';

async function ensureAccount(sql: Queryable, role: Role, name: string): Promise<Account> {
  const account = (await createAccount(sql, { role, name })) ?? (await accountByName(sql, role, name));
  return { id: account!.id, name, role };
}

/**
 * Makes the accounts of the embedded mode where they are missing, and keys where none is kept.
 * @param kept the credentials file of an earlier start: keys in it that still work are kept, others are
 *   issued anew (the old ones are left alone: another process may hold them)
 * @returns the credentials to write to the file, and the accounts they belong to
 */
export async function ensureDemoAccounts(
  sql: Sql,
  kept?: DemoCredentials,
): Promise<{
  readonly credentials: DemoCredentials;
  readonly accounts: {
    readonly client: Account;
    readonly partners: readonly Account[];
    readonly operator: Account;
  };
}> {
  const authenticator = createAuthenticator(sql);
  const works = async (role: Role, name: string, header: string | undefined) => {
    const account = (await authenticator.authenticate(header))?.account;
    return account?.role === role && account.name === name;
  };
  const clientWorks = await works(
    'client',
    DEMO_CLIENT,
    kept && `${kept.client.apiKey}:${kept.client.apiSecret}`,
  );
  const operatorWorks = await works('operator', DEMO_OPERATOR, kept?.operator.apiKey);
  const workingPartnerKeys = new Map<string, string>();
  for (const { name, apiKey } of kept?.partners ?? []) {
    if (await works('partner', name, apiKey)) workingPartnerKeys.set(name, apiKey);
  }
  return await inTransaction(sql, async (tx) => {
    const client = await ensureAccount(tx, 'client', DEMO_CLIENT);
    const operator = await ensureAccount(tx, 'operator', DEMO_OPERATOR);
    const partners: Account[] = [];
    const partnerKeys: { name: string; apiKey: string }[] = [];
    for (const name of DEMO_PARTNERS) {
      const partner = await ensureAccount(tx, 'partner', name);
      const apiKey = workingPartnerKeys.get(name) ?? (await issueKey(tx, partner.id)).apiKey;
      partners.push(partner);
      partnerKeys.push({ name, apiKey });
    }
    const clientKey = clientWorks ? kept!.client : await issueKey(tx, client.id);
    const operatorKey = operatorWorks ? kept!.operator : await issueKey(tx, operator.id);
    return {
      credentials: {
        client: { apiKey: clientKey.apiKey, apiSecret: clientKey.apiSecret },
        partners: partnerKeys,
        operator: { apiKey: operatorKey.apiKey },
      },
      accounts: { client, partners, operator },
    };
  });
}
