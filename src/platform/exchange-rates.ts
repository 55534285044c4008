import { dailyCache } from './daily-cache';
import { REFERENCE_RATES } from './domain/exchange-rates';
import type { RateTable } from './domain/money';
import { Refusal } from './errors';
import { inTransaction, json, type Sql, type Transaction } from './postgres';

/**
 * Stores the exchange rates of a day. Replaces rates of the same day and currency.
 * @param alongside runs in the same transaction; `before` holds the rates of the day that were replaced
 */
export async function loadExchangeRates(
  sql: Sql,
  { date, perEuro }: RateTable,
  alongside?: (tx: Transaction, before: RateTable['perEuro']) => Promise<void>,
): Promise<void> {
  const rates = Object.entries(perEuro).map(([currency, rate]) => ({ currency, rate }));
  await inTransaction(sql, async (tx) => {
    const replaced = await tx<{ currency: string; perEuro: string }[]>`
      SELECT currency, per_euro FROM exchange_rates
      WHERE date = ${date}::date AND currency = ANY(${Object.keys(perEuro)})`;
    await tx`
      INSERT INTO exchange_rates (currency, date, per_euro)
      SELECT currency, ${date}::date, rate FROM jsonb_to_recordset(${json(tx, rates)}) AS r (currency text, rate numeric)
      ON CONFLICT (currency, date) DO UPDATE SET per_euro = excluded.per_euro`;
    await alongside?.(tx, Object.fromEntries(replaced.map((row) => [row.currency, row.perEuro])));
  });
  tables.forget(sql);
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

const tables = dailyCache(async (sql, day) => (await ratesOn(sql, [day])).get(day)!);

/** Returns the exchange rates of the day (UTC) of a time. Rates that another process loads apply after at most 30 s. */
export const ratesAt = (sql: Sql, at: Date): Promise<RateTable> => tables.at(sql, at);

/** @throws Refusal `VALIDATION_ERROR` with the references of the currencies that have no exchange rate today */
export async function requireRates(
  sql: Sql,
  fields: readonly { readonly currency: string; readonly reference: string }[],
): Promise<RateTable> {
  const rates = await ratesAt(sql, new Date());
  const { perEuro } = rates;
  const errors = fields
    .filter(({ currency }) => currency !== 'EUR' && perEuro[currency] === undefined)
    .map(({ currency, reference }) => ({
      code: 'NO_SUCH_CHOICE_ERROR' as const,
      message: `No exchange rate is known for ${currency}.`,
      reference,
    }));
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return rates;
}
