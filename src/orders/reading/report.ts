import { Refusal } from '../../platform/errors';
import type { ObjectStore } from '../../platform/objects/object-store';
import type { Fragment, Sql, Transaction } from '../../platform/postgres';
import { inCancellableTransaction, isCanceled } from '../../platform/postgres';
import { unavailable } from '../../platform/unavailable';
import { type SummedDay, storedSums, submittedFrom, summedDays, sumsOfParts } from './day-sums';
import {
  DIMENSION_COLUMNS,
  type ReportDimension,
  type ReportFilters,
  type ReportGroup,
  ReportGroups,
} from './report-groups';
import { byTheirIds, reportLines } from './report-lines';
import type { SummedLine } from './report-sums';

export const MOST_GROUPS = 50_000;

export interface ReportRequest {
  /** First and last day, YYYY-MM-DD in UTC, of the orders’ submission. */
  readonly from: string;
  readonly to: string;
  readonly by: readonly ReportDimension[];
  readonly filters: ReportFilters;
  readonly signal: AbortSignal;
  readonly mostMs: number;
}

const DAY_MS = 86_400_000;

const tooLong = () => unavailable('The report took too long. Narrow its period.');

export interface Report {
  readonly groups: ReportGroup[];
  /** Changes of orders after this time may be missing. Null: none is. */
  readonly asOf: Date | null;
}

/** Attempts to read sums and tables while the archive run moves orders. */
const ATTEMPTS = 5;

/**
 * Adds up the orders of a period: those in the tables, and those in the archive, which leave the tables in the transaction
 * that completes their part. One statement reads the tables and the list of parts, so that each order counts once. Days with many
 * orders in the tables have stored sums (`storeDaySums`).
 * @throws Refusal when the report has too many groups, or takes too long
 */
export async function report(sql: Sql, objects: ObjectStore, request: ReportRequest): Promise<Report> {
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
  const { hot, days, summed } = await inCancellableTransaction(sql, request, (tx) => readTables(tx, request)).catch(
    (error: unknown) => {
      // Not as an error of the server: the report would be read once more, from the primary.
      throw isCanceled(error) || signal.aborted ? tooLong() : error;
    },
  );
  for (const group of hot) groups.add(group);
  check();
  for (const { day, sums } of summed) groups.addSums(day, sums);
  for (const day of days.filter(({ partIds }) => partIds.length > 0)) {
    const sums = day.isArchiveSummed ? await storedSums(sql, 'archive', day) : null;
    groups.addSums(day.day, sums ?? (await sumsOfParts(objects, day, check)));
    check();
  }
  const times = summed.map(({ at }) => at.getTime());
  return { groups: groups.all(), asOf: times.length === 0 ? null : new Date(Math.min(...times)) };
}

type ArchivedDay = Omit<SummedDay, 'tablesSummedAt'>;

/** Stored sums of a day’s orders in the tables. */
interface TableSums {
  readonly day: string;
  readonly at: Date;
  readonly sums: SummedLine[];
}

/** Reads the stored sums of days, adds up the orders in the tables of all other days, and reads the list of parts. */
async function readTables(tx: Transaction, request: ReportRequest) {
  const period = tx`day BETWEEN ${request.from}::date AND ${request.to}::date`;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const named = await tx<SummedDay[]>`
      SELECT day::text, part_ids, tables_summed_at FROM (${summedDays(tx, period)}) AS days WHERE tables_summed_at IS NOT NULL`;
    const summed: TableSums[] = [];
    for (const day of named) {
      const sums = await storedSums(tx, 'tables', day);
      if (sums !== null) summed.push({ day: day.day, at: day.tablesSummedAt!, sums });
    }
    const [row] = await tx<{ hot: ReportGroup[]; days: ArchivedDay[] }[]>`
      WITH groups AS (${hotGroups(tx, request, new Set(summed.map(({ day }) => day)))}), days AS (${summedDays(tx, period)})
      SELECT (SELECT coalesce(jsonb_agg(to_jsonb(g)), '[]') FROM groups g) AS hot,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('day', day, 'partIds', part_ids,
          'isArchiveSummed', is_archive_summed) ORDER BY day), '[]') FROM days) AS days`;
    // Orders that were archived meanwhile are in the sums and in a part.
    const partsOf = (days: readonly ArchivedDay[], of: string) =>
      days.find(({ day }) => day === of)?.partIds.join() ?? '';
    if (summed.every(({ day }) => partsOf(named, day) === partsOf(row!.days, day))) return { ...row!, summed };
  }
  throw tooLong();
}

/** Returns the spans of a period, from a day to another one, without some days. */
function spansWithout(from: string, to: string, without: ReadonlySet<string>): [from: string, to: string][] {
  const spans: [from: string, to: string][] = [];
  let open: [from: string, to: string] | undefined;
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    if (without.has(day)) open = undefined;
    else if (open !== undefined) open[1] = day;
    else {
      open = [day, day];
      spans.push(open);
    }
  }
  return spans;
}

/** Adds up the orders in the tables. @param without days that are left out */
function hotGroups(tx: Transaction, { from, to, by, filters }: ReportRequest, without: ReadonlySet<string>): Fragment {
  const nothing = tx`NULL::text`;
  const grouped = (name: keyof ReportFilters) =>
    by.includes(name) ? tx`${tx(DIMENSION_COLUMNS[name])}::text` : nothing;
  const filter = (name: keyof ReportFilters) =>
    filters[name] === undefined ? tx`` : tx`AND ${tx(DIMENSION_COLUMNS[name])}::text = ${filters[name]}`;
  const spans = spansWithout(from, to, without).map((span) => submittedFrom(tx, ...span));
  const inSpans = spans.reduce((some, span) => tx`${some} OR ${span}`, tx`false`);
  const lines = reportLines(
    tx,
    byTheirIds(tx, tx`SELECT o.id FROM orders o WHERE o.order_type = 'order' AND (${inSpans})`),
  );
  // The first 48 bits of the id are the time in milliseconds.
  const day = tx`(to_timestamp(('x' || left(replace(order_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) AT TIME ZONE 'UTC')::date::text`;
  return tx`
    SELECT ${by.includes('day') ? day : nothing} AS day, ${grouped('client')} AS client, ${grouped('country')} AS country, ${grouped('partner')} AS partner,
      ${grouped('carrier')} AS carrier, ${grouped('product')} AS product, currency,
      count(DISTINCT order_id) FILTER (WHERE kind = 'item')::float8 AS orders,
      count(DISTINCT order_id) FILTER (WHERE kind = 'item' AND is_reprint)::float8 AS reprints,
      sum(units)::float8 AS units, sum(revenue_minor)::float8 AS "revenueMinor", sum(cost_minor)::float8 AS "costMinor",
      count(*) FILTER (WHERE kind = 'parcel')::float8 AS parcels, count(*) FILTER (WHERE is_delivered)::float8 AS delivered,
      count(*) FILTER (WHERE is_late)::float8 AS late, count(*) FILTER (WHERE kind = 'error')::float8 AS errors,
      count(*) FILTER (WHERE kind = 'claim')::float8 AS claims
    FROM ${lines} AS lines
    WHERE true ${filter('client')} ${filter('country')} ${filter('partner')} ${filter('carrier')} ${filter('product')}
    GROUP BY 1, 2, 3, 4, 5, 6, 7 LIMIT ${MOST_GROUPS + 1}`;
}
