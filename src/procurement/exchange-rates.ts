import { REFERENCE_RATES } from '../platform/domain/exchange-rates';
import type { RateTable } from '../platform/domain/money';
import { json, type Sql } from '../platform/postgres';

/** Loads rates of a day; rates of the same day are replaced. */
export async function loadExchangeRates(sql: Sql, { date, perEuro }: RateTable): Promise<void> {
  const rows = Object.entries(perEuro).map(([currency, rate]) => ({ currency, rate }));
  await sql`
    INSERT INTO exchange_rates (currency, date, per_euro)
    SELECT currency, ${date}::date, rate FROM jsonb_to_recordset(${json(sql, rows)}) AS r (currency text, rate numeric)
    ON CONFLICT (currency, date) DO UPDATE SET per_euro = excluded.per_euro`;
}

/**
 * The rates that hold on each of the days: of every currency the newest on or before the day, and the
 * reference rates for currencies that were never loaded.
 * @param dates YYYY-MM-DD
 */
export async function ratesOn(
  sql: Sql,
  dates: readonly string[],
  currencies: readonly string[],
): Promise<Map<string, RateTable>> {
  const rows = await sql<{ day: string; currency: string; perEuro: string }[]>`
    SELECT d.day, c.currency, r.per_euro
    FROM unnest(${[...new Set(dates)]}::text[]) AS d (day)
    CROSS JOIN unnest(${[...new Set(currencies)]}::text[]) AS c (currency)
    CROSS JOIN LATERAL (
      SELECT per_euro FROM exchange_rates e WHERE e.currency = c.currency AND e.date <= d.day::date
      ORDER BY e.date DESC LIMIT 1
    ) r`;
  const tables = new Map<string, { date: string; perEuro: Record<string, string> }>(
    dates.map((date) => [date, { date, perEuro: { ...REFERENCE_RATES.perEuro } }]),
  );
  for (const { day, currency, perEuro } of rows) tables.get(day)!.perEuro[currency] = perEuro;
  return tables;
}
