import type { Sql } from '../../../src/platform/postgres';
import { type StockItemSetup, setUpStockItems } from '../../../src/procurement/stock-items';
import { type TestAccount, testAccount } from '../../support/api-deps';

/** Creates a print partner with these stock items. */
export async function stockPartner(
  sql: Sql,
  items: readonly StockItemSetup[] = [],
  currency = 'EUR',
): Promise<TestAccount> {
  const account = await testAccount(sql, 'partner');
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${account.id}, ${account.name}, ${account.name}, 'DE', ${currency}, '{}', '{}')`;
  await setUpStockItems(sql, account.id, items);
  return account;
}

/** Returns the setup of a stock item that is never reordered. */
export function stocked(
  partnerSku: string,
  openingQuantity: number,
  more: Partial<StockItemSetup> = {},
): StockItemSetup {
  return { partnerSku, openingQuantity, minStock: 0, maxStock: 0, ...more };
}

/** Returns the level of a stock item and the quantity on order. */
export async function levelOf(
  sql: Sql,
  partnerId: string,
  partnerSku: string,
): Promise<{ quantity: number; reserved: number; backorder: number; ordered: number }> {
  const [row] = await sql<{ quantity: string; reserved: string; backorder: string; ordered: string }[]>`
    SELECT quantity, reserved, backorder, quantity_ordered AS ordered FROM stock_items
    WHERE partner_id = ${partnerId} AND partner_sku = ${partnerSku}`;
  return {
    quantity: Number(row!.quantity),
    reserved: Number(row!.reserved),
    backorder: Number(row!.backorder),
    ordered: Number(row!.ordered),
  };
}
