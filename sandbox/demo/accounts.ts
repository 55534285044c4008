import type { Account, Role } from '../../src/accounts/account';
import {
  accountByName,
  createAccount,
  isRevokedAccount,
  issueKey,
  type NewAccount,
} from '../../src/accounts/accounts-and-keys';
import { createAuthenticator } from '../../src/accounts/authenticator';
import { inTransaction, type Queryable, type Sql } from '../../src/platform/postgres';

/** The accounts in `credentials.json`. */
export interface DemoCredentials {
  readonly client: { readonly apiKey: string; readonly apiSecret: string };
  readonly partners: readonly { readonly name: string; readonly apiKey: string }[];
  /** An admin. The key is empty when the operator was revoked before the first start with this file. */
  readonly operator: { readonly apiKey: string };
}

export const DEMO_CLIENT = 'demo-client';
export const DEMO_PARTNERS = ['prints-berlin', 'prints-ohio'] as const;
export const DEMO_OPERATOR = 'operator';

async function ensureAccount(sql: Queryable, role: Role, name: string): Promise<Account> {
  const wanted: NewAccount = role === 'operator' ? { role, name, operatorRole: 'admin' } : { role, name };
  const created = await createAccount(sql, wanted);
  if (created === undefined) return (await accountByName(sql, role, name))!;
  const { createdAt: _createdAt, ...account } = created;
  return account;
}

/**
 * Creates the accounts of the embedded mode that are missing, and the keys that do not work.
 * @param stored credentials file of an earlier start. Keys in it that still work are kept. Others are replaced by new
 *   keys; the old keys stay in the database, because another process may use them.
 * @returns the credentials to write to the file, and their accounts
 */
export async function ensureDemoAccounts(sql: Sql, stored?: DemoCredentials) {
  const authenticator = createAuthenticator(sql);
  const works = async (role: Role, name: string, header: string | undefined) => {
    const account = (await authenticator.authenticate(header))?.account;
    return account?.role === role && account.name === name;
  };
  const clientWorks = await works(
    'client',
    DEMO_CLIENT,
    stored && `${stored.client.apiKey}:${stored.client.apiSecret}`,
  );
  const operatorWorks = await works('operator', DEMO_OPERATOR, stored?.operator.apiKey);
  const workingPartnerKeys = new Map<string, string>();
  for (const { name, apiKey } of stored?.partners ?? []) {
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
    const clientKey = clientWorks ? stored!.client : await issueKey(tx, client.id);
    // A revoked operator stays revoked: a start gives it no new key.
    const operatorKey =
      operatorWorks || (await isRevokedAccount(tx, operator.id))
        ? (stored?.operator ?? { apiKey: '' })
        : await issueKey(tx, operator.id);
    const credentials: DemoCredentials = {
      client: { apiKey: clientKey.apiKey, apiSecret: clientKey.apiSecret },
      partners: partnerKeys,
      operator: { apiKey: operatorKey.apiKey },
    };
    return { credentials, accounts: { client, partners, operator } };
  });
}
