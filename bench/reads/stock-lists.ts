import { connectPostgres } from '../../src/platform/postgres';
import { listConsumption } from '../../src/procurement/consumption';
import { listStockItems } from '../../src/procurement/stock-items';
import type { Filled, Reading } from '../support/compare-sizes';

const PARTNER = '0190c000-0000-7000-8000-00000000a001';

/**
 * Fills a migrated database with `rows` stock items of one partner and as many reservations, which spread over a year.
 * A third of the items is low on stock, a tenth is out of stock.
 */
export async function fillStock(url: string, rows: number): Promise<Filled> {
  const sql = connectPostgres(url, { max: 4, applicationName: 'bench-stock' });
  await sql`SELECT set_config('statement_timeout', '0', false)`;
  await sql`INSERT INTO accounts (id, name, role) VALUES (${PARTNER}, 'bench', 'partner')`;
  await sql`
    INSERT INTO partners (account_id, uid, name, country, currency, sender_address, capabilities)
    VALUES (${PARTNER}, 'bench', 'Bench', 'DE', 'EUR', '{}', '{}')`;
  const step = 50_000;
  for (let from = 1; from <= rows; from += step) {
    const to = Math.min(rows, from + step - 1);
    await sql`
      INSERT INTO stock_items (partner_id, position, partner_sku, product_uid, product_name, quantity, min_stock, max_stock)
      SELECT ${PARTNER}, n, 'sku-' || n, 'product-' || n, 'Item ' || n, CASE WHEN n % 10 = 0 THEN 0 ELSE n % 90 END, 30, 200
      FROM generate_series(${from}::int, ${to}::int) AS n`;
  }
  await sql`INSERT INTO stock_item_counts (partner_id, items) VALUES (${PARTNER}, ${rows})`;
  await sql`
    INSERT INTO stock_reservations (stock_item_id, partner_id, print_job_id, step, product_name, quantity, allocated, state, created_at)
    SELECT id, ${PARTNER}, 1000000 + position, 'bench-' || position, product_name, 1, 1,
           CASE WHEN position % 20 = 0 THEN 'released' ELSE 'consumed' END,
           '2026-01-01'::timestamptz + position * (interval '365 days' / ${rows}::float8)
    FROM stock_items`;
  await sql`VACUUM ANALYZE`;
  return { url, sql, rows };
}

/** Position in the data that a turn reads, as a share of 1. Equal for both sizes. */
const share = (turn: number) => ((turn * 7_919) % 1_000) / 1_000;
const skuAt = (rows: number, turn: number) => `sku-${1 + Math.floor(share(turn) * (rows - 1))}`;
const always = { from: null, before: null, partnerSku: [], printJobId: [] };

/** The measured reads: pages of 50 rows, each with its total. */
export const STOCK_READINGS: Readonly<Record<string, Reading>> = {
  'stock, first page': ({ sql }) => listStockItems(sql, PARTNER, { page: { pageNumber: 1, perPage: 50 } }),
  'stock, any page': ({ sql, rows }, turn) =>
    listStockItems(sql, PARTNER, {
      page: { pageNumber: 1 + Math.floor(share(turn) * (rows / 50 - 1)), perPage: 50 },
    }),
  'stock, last page': ({ sql, rows }) => listStockItems(sql, PARTNER, { page: { pageNumber: rows / 50, perPage: 50 } }),
  'stock, by sku': ({ sql, rows }, turn) => {
    const partnerSkus = Array.from({ length: 20 }, (_, n) => skuAt(rows, turn + n));
    return listStockItems(sql, PARTNER, { partnerSkus, page: { pageNumber: 1, perPage: 50 } });
  },
  'consumption, first page': ({ sql }) => listConsumption(sql, PARTNER, always, { pageNumber: 1, perPage: 50 }),
  'consumption, any page': ({ sql, rows }, turn) =>
    listConsumption(sql, PARTNER, always, {
      pageNumber: 1 + Math.floor(share(turn) * ((0.95 * rows) / 50 - 1)),
      perPage: 50,
    }),
  'consumption, some days of the year': ({ sql }, turn) => {
    const from = new Date(Date.UTC(2026, 0, 1 + Math.floor(share(turn) * 300), 7, 30));
    const before = new Date(from.getTime() + 20.5 * 86_400_000);
    return listConsumption(sql, PARTNER, { ...always, from, before }, { pageNumber: 1, perPage: 50 });
  },
  'consumption, by sku': ({ sql, rows }, turn) =>
    listConsumption(sql, PARTNER, { ...always, partnerSku: [skuAt(rows, turn)] }, { pageNumber: 1, perPage: 50 }),
  'consumption, by print job': ({ sql, rows }, turn) =>
    listConsumption(
      sql,
      PARTNER,
      { ...always, printJobId: [1_000_001 + Math.floor(share(turn) * (rows - 1))] },
      { pageNumber: 1, perPage: 50 },
    ),
};
