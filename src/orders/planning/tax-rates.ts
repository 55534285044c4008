import type { TaxCategory } from '../../catalog/domain/product';
import { dailyCache } from '../../platform/daily-cache';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { REFERENCE_TAX_RATES, taxSourceOf } from '../domain/reference-tax-rates';
import type { TaxTable } from '../domain/vat';

export interface TaxRate {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly category: TaxCategory;
  /** Decimal fraction, for example `0.19`. */
  readonly rate: string;
  readonly source: string;
}

/** A rate with the day from which it applies. Null: a reference rate, which no loaded rate replaces. */
export interface DatedTaxRate extends TaxRate {
  readonly validFrom: string | null;
}

/**
 * Stores tax rates that apply from a day on. Replaces rates of the same day, country and category.
 * @param alongside runs in the same transaction; `before` holds the rates of the day that were replaced
 */
export async function loadTaxRates(
  sql: Sql,
  { date, rates }: { readonly date: string; readonly rates: readonly TaxRate[] },
  alongside: (tx: Transaction, before: readonly TaxRate[]) => Promise<void>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const loaded = tx`jsonb_to_recordset(${json(tx, rates)}) AS r (country text, category text, rate numeric, source text)`;
    const before = await tx<TaxRate[]>`
      SELECT t.country, t.category, t.rate::text, t.source FROM tax_rates t JOIN ${loaded} USING (country, category)
      WHERE t.valid_from = ${date}::date`;
    await tx`
      INSERT INTO tax_rates (country, category, valid_from, rate, source)
      SELECT country, category, ${date}::date, rate, source FROM ${loaded}
      ON CONFLICT (country, category, valid_from) DO UPDATE SET rate = excluded.rate, source = excluded.source`;
    await alongside(tx, before);
  });
  tables.forget(sql);
}

/** Returns the tax rates of a day: the newest loaded ones on or before it, else the reference rates. @param day YYYY-MM-DD */
export async function taxRatesOn(sql: Sql, day: string): Promise<DatedTaxRate[]> {
  const rates = new Map<string, DatedTaxRate>();
  for (const [country, byCategory] of Object.entries(REFERENCE_TAX_RATES)) {
    for (const [name, rate] of Object.entries(byCategory)) {
      const category = name as TaxCategory;
      const source = taxSourceOf(country, category);
      rates.set(`${country} ${category}`, { country, category, rate, source, validFrom: null });
    }
  }
  const loaded = await sql<DatedTaxRate[]>`
    SELECT DISTINCT ON (country, category) country, category, rate::text, source, valid_from::text
    FROM tax_rates WHERE valid_from <= ${day}::date ORDER BY country, category, valid_from DESC`;
  for (const rate of loaded) rates.set(`${rate.country} ${rate.category}`, rate);
  return [...rates.values()].sort((a, b) => (`${a.country} ${a.category}` < `${b.country} ${b.category}` ? -1 : 1));
}

const tables = dailyCache(async (sql, day) => {
  const table: Record<string, Partial<Record<TaxCategory, string>>> = {};
  for (const { country, category, rate } of await taxRatesOn(sql, day)) {
    table[country] = { ...table[country], [category]: rate };
  }
  return table;
});

/** Returns the tax rates of the day (UTC) of a time. Rates that another process loads apply after at most 30 s. */
export const taxTableAt = (sql: Sql, at: Date): Promise<TaxTable> => tables.at(sql, at);
