import type { ObjectStore } from '../../platform/objects/object-store';
import { parquetOf, readParquet } from '../../platform/parquet';
import type { Fragment, Queryable, Sql } from '../../platform/postgres';
import { progressed } from '../../platform/progress';
import { type ArchiveDeps, ArchiveFileUnreadable, readArchiveFile } from './archived-order';
import { byTheirIds, reportLines } from './report-lines';
import { type ReportLine, ReportSums, SUM_COLUMNS, type SummedLine } from './report-sums';

/** Orders of a day in the tables that a report adds up itself: it shows each of their changes at once. Some 14 ms of Postgres. */
export const MOST_LIVE_ORDERS = 250;
const READ_ORDERS = 1_000;
/** How long sums of orders in the tables are used. Those of an older day are used for a twentieth of its age: it changes less. */
const FRESH_MINUTES = 10;
const FRESH_SHARE = 20;

export type Place = 'archive' | 'tables';

/** A day with archived orders, or with stored sums. */
export interface SummedDay {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly partIds: readonly string[];
  /** True when the stored sums of archived orders are those of these parts. */
  readonly isArchiveSummed: boolean;
  /** When the orders in the tables were read for their stored sums. Null: a report adds these orders up itself. */
  readonly tablesSummedAt: Date | null;
}

/**
 * Returns the query of the days that have parts of the archive or stored sums. Sums are valid while the day has the same parts:
 * an order leaves the tables in the transaction that completes its part.
 * @param condition on `day`
 */
export const summedDays = (sql: Queryable, condition = sql`true`): Fragment => sql`
  SELECT day, d.part_ids, a.part_ids IS NOT DISTINCT FROM d.part_ids AS is_archive_summed,
    CASE WHEN t.part_ids = d.part_ids THEN t.summed_at END AS tables_summed_at
  FROM (
    SELECT day, coalesce(p.part_ids, '{}') AS part_ids FROM (
      SELECT day, array_agg(id ORDER BY id) AS part_ids FROM archive_parts WHERE state = 'complete' AND ${condition}
      GROUP BY day) AS p
    FULL JOIN (SELECT day FROM report_days WHERE place = 'tables' AND ${condition}) AS s USING (day)) AS d
  LEFT JOIN (SELECT day, part_ids FROM report_days WHERE place = 'archive') AS a USING (day)
  LEFT JOIN (SELECT day, part_ids, summed_at FROM report_days WHERE place = 'tables') AS t USING (day)`;

/** Reads the lines of the parts of a day. Returns their sums. @param check is called after each part */
export async function sumsOfParts(
  objects: ObjectStore,
  { day, partIds }: Pick<SummedDay, 'day' | 'partIds'>,
  check: () => void,
): Promise<SummedLine[]> {
  const sums = new ReportSums();
  for (const id of partIds) {
    sums.add(await readArchiveFile<ReportLine>(objects, { id, day }, 'report'));
    check();
  }
  return sums.all();
}

/** Returns the condition on orders `o` that were submitted on a day, or from a day to another one. Days can be columns. */
export const submittedFrom = (sql: Queryable, from: string | Fragment, to = from): Fragment => {
  const start = (day: string | Fragment) => sql`(${day}::date::timestamp AT TIME ZONE 'UTC')`;
  return sql`o.id >= least_uuid_at(${start(from)}) AND o.id < least_uuid_at(${start(to)} + interval '1 day')`;
};

/** Reads the lines of the orders of a day that are in the tables. Returns their sums. */
async function sumsOfTables(sql: Sql, day: string): Promise<SummedLine[]> {
  const sums = new ReportSums();
  for (let after: string | null = null; ; ) {
    const orders: Fragment = sql`${submittedFrom(sql, day)} ${after === null ? sql`` : sql`AND o.id > ${after}`}`;
    const ids: { id: string }[] = await sql`
      SELECT id FROM orders o WHERE order_type = 'order' AND ${orders} ORDER BY id LIMIT ${READ_ORDERS}`;
    if (ids.length === 0) return sums.all();
    const page = ids.map(({ id }) => id);
    const [row] = await sql<{ lines: ReportLine[] }[]>`
      SELECT coalesce(jsonb_agg(to_jsonb(line) ORDER BY order_id), '[]') AS lines
      FROM ${reportLines(sql, byTheirIds(sql, sql`SELECT unnest(${page}::uuid[])`))} AS line`;
    sums.add(row!.lines);
    progressed();
    after = page.at(-1)!;
  }
}

/** Reads the stored sums of a day. Returns null when they were made of other parts since they were named. */
export async function storedSums(
  sql: Queryable,
  place: Place,
  { day, partIds }: Pick<SummedDay, 'day' | 'partIds'>,
): Promise<SummedLine[] | null> {
  const [row] = await sql<{ sums: Uint8Array }[]>`
    SELECT sums FROM report_days WHERE day = ${day} AND place = ${place} AND part_ids = ${[...partIds]}::uuid[]`;
  return row === undefined ? null : await readParquet<SummedLine>(new Uint8Array(row.sums).buffer);
}

async function store(sql: Sql, place: Place, day: Pick<SummedDay, 'day' | 'partIds'>, sums: SummedLine[], at: Date) {
  const bytes = Buffer.from(await parquetOf(SUM_COLUMNS, sums));
  await sql`
    INSERT INTO report_days (day, place, part_ids, sums, summed_at)
    VALUES (${day.day}, ${place}, ${[...day.partIds]}::uuid[], ${bytes}, ${at})
    ON CONFLICT (day, place) DO UPDATE
    SET part_ids = excluded.part_ids, sums = excluded.sums, summed_at = excluded.summed_at`;
}

/**
 * Stores the sums of the days whose archived orders have changed: a thousand orders of files take 11 ms of CPU time.
 * @throws ArchiveFileUnreadable after the other days
 */
async function sumArchive({ sql, objects }: ArchiveDeps): Promise<number> {
  const days = await sql<SummedDay[]>`
    SELECT day::text, part_ids FROM (${summedDays(sql)}) AS days WHERE part_ids <> '{}' AND NOT is_archive_summed ORDER BY day`;
  let unreadable: ArchiveFileUnreadable | undefined;
  for (const day of days) {
    try {
      await store(sql, 'archive', day, await sumsOfParts(objects, day, progressed), new Date());
    } catch (error) {
      if (!(error instanceof ArchiveFileUnreadable)) throw error;
      unreadable ??= error;
    }
  }
  await sql`
    DELETE FROM report_days d WHERE place = 'archive' AND NOT EXISTS (
      SELECT FROM archive_parts p WHERE p.day = d.day AND p.state = 'complete')`;
  if (unreadable !== undefined) throw unreadable;
  return days.length;
}

/**
 * Stores the sums of days with many orders in the tables: a thousand of them take 54 ms of CPU time. Newest first. An order that
 * is archived meanwhile changes the parts of its day, for which the sums are then not valid.
 */
async function sumTables(sql: Sql): Promise<number> {
  const days = await sql<{ day: string; partIds: string[]; isMany: boolean; now: Date }[]>`
    SELECT day::date::text, coalesce(d.part_ids, '{}') AS part_ids, now() AS now, ${MOST_LIVE_ORDERS} < (
      SELECT count(*) FROM (
        SELECT FROM orders o WHERE order_type = 'order' AND ${submittedFrom(sql, sql`day`)}
        LIMIT ${MOST_LIVE_ORDERS} + 1) AS first) AS is_many
    FROM generate_series(
      (SELECT (created_at AT TIME ZONE 'UTC')::date::timestamp FROM orders ORDER BY id LIMIT 1),
      now() AT TIME ZONE 'UTC', interval '1 day') AS day
    LEFT JOIN (${summedDays(sql)}) AS d USING (day)
    WHERE d.tables_summed_at IS NULL OR d.tables_summed_at < now() - greatest(
      make_interval(mins => ${FRESH_MINUTES}), (now() AT TIME ZONE 'UTC' - day) / ${FRESH_SHARE})
    ORDER BY day DESC`;
  const many = days.filter(({ isMany }) => isMany);
  const few = days.filter(({ isMany }) => !isMany).map(({ day }) => day);
  await sql`
    DELETE FROM report_days WHERE place = 'tables' AND (day = ANY(${few}::date[])
      OR NOT EXISTS (SELECT FROM orders WHERE id < least_uuid_at((day + 1)::timestamp AT TIME ZONE 'UTC')))`;
  for (const day of many) await store(sql, 'tables', day, await sumsOfTables(sql, day.day), day.now);
  return many.length;
}

/**
 * Adds up the orders of each day for reports: those of the archive once its parts have changed, and those of the tables again
 * and again, where they are too many for a report to add up. Can be killed and repeated.
 * @returns the number of days
 * @throws ArchiveFileUnreadable after all other days have their sums
 */
export async function storeDaySums(deps: ArchiveDeps): Promise<number> {
  const days = await sumTables(deps.sql);
  return days + (await sumArchive(deps));
}
