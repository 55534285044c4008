import type { z } from 'zod';
import type { Sql, Statement } from '../platform/postgres';
import type { consumptionListResponseSchema, PageRequest, Period } from './partner-schemas';

export type ConsumptionItem = Omit<z.output<typeof consumptionListResponseSchema>['items'][number], 'createdAt'> & {
  readonly createdAt: Date;
};

/**
 * Returns the reservations of a partner's stock, open and consumed, newest first. Released reservations consumed nothing
 * and are omitted.
 * @param period with filters; an empty list does not filter
 */
export async function listConsumption(
  sql: Sql,
  partnerId: string,
  {
    partnerSku,
    printJobId,
    ...period
  }: Period & { readonly partnerSku: readonly string[]; readonly printJobId: readonly number[] },
  page: PageRequest,
): Promise<{ items: ConsumptionItem[]; total: number }> {
  const chosen = sql`
    r.partner_id = ${partnerId} AND r.state <> 'released'
    ${printJobId.length === 0 ? sql`` : sql`AND r.print_job_id = ANY(${[...printJobId]}::bigint[])`}
    ${
      partnerSku.length === 0
        ? sql``
        : sql`AND r.stock_item_id = ANY(ARRAY(
            SELECT id FROM stock_items WHERE partner_id = ${partnerId} AND partner_sku = ANY(${[...partnerSku]})))`
    }`;
  const offset = (page.pageNumber - 1) * page.perPage;
  // The first statement selects the page by an index-only scan, so that skipped rows are neither read nor joined. A
  // single statement with the join is planned without knowing the LIMIT and may read a million rows for a page of 50.
  const itemsOf = async ({ from, before }: Period, skipped: number): Promise<ConsumptionItem[]> => {
    const ids = await sql<{ id: string }[]>`
      SELECT r.id FROM stock_reservations r WHERE ${chosen} AND ${created(sql, { from, before })}
      ORDER BY r.created_at DESC, r.id DESC LIMIT ${page.perPage} OFFSET ${skipped}`;
    return await sql<ConsumptionItem[]>`
      SELECT r.print_job_id::float8, i.partner_sku, r.product_name, r.quantity::float8, r.created_at
      FROM stock_reservations r JOIN stock_items i ON i.id = r.stock_item_id
      WHERE r.id = ANY(${ids.map(({ id }) => id)}::bigint[]) ORDER BY r.created_at DESC, r.id DESC`;
  };

  if (partnerSku.length > 0 || printJobId.length > 0) {
    const [items, [count]] = await Promise.all([
      itemsOf(period, offset),
      sql<{ total: number }[]>`
        SELECT count(*)::float8 AS total FROM stock_reservations r WHERE ${chosen} AND ${created(sql, period)}`,
    ]);
    return { items, total: count!.total };
  }
  const days = await reservationsByDay(sql, partnerId, period);
  const total = days.reduce((sum, { reservations }) => sum + reservations, 0);
  // The counts of newer days are subtracted from the offset, so that those days are not scanned.
  let skipped = 0;
  const first = days.find(({ reservations }) => {
    if (skipped + reservations > offset) return true;
    skipped += reservations;
    return false;
  });
  if (first === undefined) return { items: [], total };
  return { items: await itemsOf({ from: period.from, before: first.before }, offset - skipped), total };
}

function created(sql: Sql, { from, before }: Period): Statement {
  return sql`true
    ${from === null ? sql`` : sql`AND r.created_at >= ${from}`}
    ${before === null ? sql`` : sql`AND r.created_at < ${before}`}`;
}

/** The number of reservations on one day within the period. */
interface DayCount {
  /** The end of the day or, if earlier, of the period. */
  readonly before: Date;
  readonly reservations: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the number of reservations on each day (UTC), newest day first. Whole days come from
 * stock_reservation_totals; a day that is only partly within the period is counted.
 */
async function reservationsByDay(sql: Sql, partnerId: string, { from, before }: Period): Promise<DayCount[]> {
  const cut = [from, before].filter((at) => at !== null).map((at) => Math.floor(at.getTime() / DAY_MS));
  const rows = await sql<{ day: number; total: number }[]>`
    SELECT day - date '1970-01-01' AS day, sum(total)::float8 AS total FROM stock_reservation_totals
    WHERE partner_id = ${partnerId}
      ${from === null ? sql`` : sql`AND day >= date '1970-01-01' + ${cut[0]!}::int`}
      ${before === null ? sql`` : sql`AND day <= date '1970-01-01' + ${cut.at(-1)!}::int`}
    GROUP BY day HAVING sum(total) > 0 ORDER BY day DESC`;
  return await Promise.all(
    rows.map(async ({ day, total }): Promise<DayCount> => {
      const end = (day + 1) * DAY_MS;
      const last = before !== null && before.getTime() < end ? before : new Date(end);
      if (!cut.includes(day)) return { before: last, reservations: total };
      const [count] = await sql<{ total: number }[]>`
        SELECT count(*)::float8 AS total FROM stock_reservations r
        WHERE r.partner_id = ${partnerId} AND r.state <> 'released' AND r.created_at >= ${new Date(day * DAY_MS)}
          AND ${created(sql, { from, before: last })}`;
      return { before: last, reservations: count!.total };
    }),
  );
}
