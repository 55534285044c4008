import { inCancellableTransaction, isCanceled } from '../../platform/cancellable-transaction';
import { Refusal } from '../../platform/errors';
import type { ObjectStore } from '../../platform/objects/object-store';
import type { Fragment, Sql, Transaction } from '../../platform/postgres';
import { unavailable } from '../../platform/unavailable';
import { type ArchivedDay, archivedDays, storedSums, sumsOfParts } from './day-sums';
import {
  DIMENSION_COLUMNS,
  type ReportDimension,
  type ReportFilters,
  type ReportGroup,
  ReportGroups,
} from './report-groups';
import { reportLines } from './report-lines';

/** Groups of one report at most. */
export const MOST_GROUPS = 50_000;

export interface ReportRequest {
  /** First and last day, YYYY-MM-DD in UTC, of the orders’ submission. */
  readonly from: string;
  readonly to: string;
  readonly by: readonly ReportDimension[];
  readonly filters: ReportFilters;
  readonly signal: AbortSignal;
  /** Time that the report may take. */
  readonly mostMs: number;
}

const tooLong = () => unavailable('The report took too long. Narrow its period.');

/**
 * Adds up the orders of a period: those in the tables, and those in the archive, which leave the tables in the transaction
 * that completes their part. One statement reads the tables and the list of parts, so that each order counts once.
 * @throws Refusal when the report has too many groups, or takes too long
 */
export async function report(sql: Sql, objects: ObjectStore, request: ReportRequest): Promise<ReportGroup[]> {
  const { by, filters, signal, mostMs } = request;
  const endsAt = performance.now() + mostMs;
  const groups = new ReportGroups(new Set(by), filters, MOST_GROUPS);
  const check = () => {
    if (signal.aborted || performance.now() > endsAt) throw tooLong();
    if (groups.isFull)
      throw new Refusal('VALIDATION_ERROR', {
        message: `The report has more than ${MOST_GROUPS} groups. Narrow its period or filters.`,
      });
  };
  check();
  const { hot, days } = await inCancellableTransaction(sql, request, async (tx) => {
    const [row] = await tx<{ hot: ReportGroup[]; days: ArchivedDay[] }[]>`
      WITH groups AS (${hotGroups(tx, request)}),
        days AS (${archivedDays(tx, tx`day BETWEEN ${request.from}::date AND ${request.to}::date`)})
      SELECT (SELECT coalesce(jsonb_agg(to_jsonb(g)), '[]') FROM groups g) AS hot,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('day', day, 'partIds', part_ids, 'isSummed', is_summed) ORDER BY day), '[]')
         FROM days) AS days`;
    return row!;
  }).catch((error: unknown) => {
    // Not as an error of the server: the report would be read once more, from the primary.
    throw isCanceled(error) || signal.aborted ? tooLong() : error;
  });
  for (const group of hot) groups.add(group);
  check();
  for (const day of days) {
    const sums = day.isSummed ? await storedSums(sql, day) : null;
    groups.addSums(day.day, sums ?? (await sumsOfParts(objects, day, check)));
    check();
  }
  return groups.all();
}

function hotGroups(tx: Transaction, { from, to, by, filters }: ReportRequest): Fragment {
  const nothing = tx`NULL::text`;
  const grouped = (name: keyof ReportFilters) =>
    by.includes(name) ? tx`${tx(DIMENSION_COLUMNS[name])}::text` : nothing;
  const filter = (name: keyof ReportFilters) =>
    filters[name] === undefined ? tx`` : tx`AND ${tx(DIMENSION_COLUMNS[name])}::text = ${filters[name]}`;
  const start = (day: string) => tx`(${day}::date::timestamp AT TIME ZONE 'UTC')`;
  const lines = reportLines(
    tx,
    tx`o.id >= least_uuid_at(${start(from)}) AND o.id < least_uuid_at(${start(to)} + interval '1 day')`,
  );
  // The first 48 bits of the id are the time in milliseconds.
  const day = tx`(to_timestamp(('x' || left(replace(order_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) AT TIME ZONE 'UTC')::date::text`;
  return tx`
    SELECT ${by.includes('day') ? day : nothing} AS day, ${grouped('client')} AS client, ${grouped('partner')} AS partner,
      ${grouped('carrier')} AS carrier, ${grouped('product')} AS product, currency,
      count(DISTINCT order_id) FILTER (WHERE kind = 'item')::float8 AS orders,
      count(DISTINCT order_id) FILTER (WHERE kind = 'item' AND is_reprint)::float8 AS reprints,
      sum(units)::float8 AS units, sum(revenue_minor)::float8 AS "revenueMinor", sum(cost_minor)::float8 AS "costMinor",
      count(*) FILTER (WHERE kind = 'parcel')::float8 AS parcels, count(*) FILTER (WHERE is_delivered)::float8 AS delivered,
      count(*) FILTER (WHERE is_late)::float8 AS late, count(*) FILTER (WHERE kind = 'error')::float8 AS errors
    FROM ${lines} AS lines
    WHERE true ${filter('client')} ${filter('partner')} ${filter('carrier')} ${filter('product')}
    GROUP BY 1, 2, 3, 4, 5, 6 LIMIT ${MOST_GROUPS + 1}`;
}
