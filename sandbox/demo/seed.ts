import type { Sql } from '../../src/platform/postgres';
import { type DemoCredentials, ensureDemoAccounts } from './accounts';
import { seedDemoCatalog } from './catalog';
import { ensureDemoPartners } from './partners';
import { ensureDemoStock } from './stock';

/**
 * Adds the demo accounts, catalog, partners and stock that are missing.
 * @param stored credentials whose keys are kept when they still work
 * @returns the keys of the demo accounts
 */
export async function seedDemoData(sql: Sql, stored?: DemoCredentials): Promise<DemoCredentials> {
  const { credentials, accounts } = await ensureDemoAccounts(sql, stored);
  await seedDemoCatalog(sql);
  const partners = await ensureDemoPartners(sql, accounts.partners);
  await ensureDemoStock(sql, partners);
  return credentials;
}
