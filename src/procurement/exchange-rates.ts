import { REFERENCE_RATES } from '../platform/domain/exchange-rates';
import type { RateTable } from '../platform/domain/money';
import { json, type Sql } from '../platform/postgres';

/** Stores the exchange rates of a day. Replaces rates of the same day and currency. */
export async function loadExchangeRates(sql: Sql, { date, perEuro }: RateTable): Promise<void> {
  const rows = Object.entries(perEuro).map(([currency, rate]) => ({ currency, rate }));
  await sql`
    INSERT INTO exchange_rates (currency, date, per_euro)
    SELECT currency, ${date}::date, rate FROM jsonb_to_recordset(${json(sql, rows)}) AS r (currency text, rate numeric)
    ON CONFLICT (currency, date) DO UPDATE SET per_euro = excluded.per_euro`;
}

/**
 * Returns the exchange rates for each of the days: for every currency the newest rate on or before the day, else the
 * reference rate.
 * @param dates YYYY-MM-DD
 */
export async function ratesOn(sql: Sql, dates: readonly string[]): Promise<Map<string, RateTable>> {
  const days = [...new Set(dates)];
  const tables = new Map(days.map((date) => [date, { date, perEuro: { ...REFERENCE_RATES.perEuro } }]));
  if (days.length === 0) return tables;
  const rows = await sql<{ day: string; currency: string; perEuro: string }[]>`
    SELECT d.day, c.currency, r.per_euro
    FROM unnest(${days}::text[]) AS d (day)
    CROSS JOIN (SELECT DISTINCT currency FROM exchange_rates) c
    CROSS JOIN LATERAL (
      SELECT per_euro FROM exchange_rates e WHERE e.currency = c.currency AND e.date <= d.day::date
      ORDER BY e.date DESC LIMIT 1
    ) r`;
  for (const { day, currency, perEuro } of rows) tables.get(day)!.perEuro[currency] = perEuro;
  return tables;
}
