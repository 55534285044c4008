import { setTimeout as sleep } from 'node:timers/promises';
import type { GaugePoint } from '../metrics/metrics';
import { isLockUnavailable, type Queryable } from '../postgres';
import { progressed } from '../progress';

interface PartitionedTable {
  readonly name: string;
  /** The column of the ranges: a time, or a version 7 UUID, which begins with its time. */
  readonly column: string;
  /** Width of a range. Wide ranges keep rows longer than needed; many ranges make plans and look-ups dearer. */
  readonly widthDays: number;
  /** A range is dropped when all of it is older. */
  readonly keptDays: number;
  /** True when rows live as long as their order: a range is dropped only when it has no rows. */
  readonly whenEmpty?: true;
  /** Storage parameters of each partition: a partitioned table has none. */
  readonly storage?: string;
}

/**
 * The tables that grow with orders and are partitioned by time. docs/decisions/007-partitions.md says how unique rules hold, and
 * why other tables have no partitions. A table is created with a default partition (migrations), which holds rows of no range.
 * A changed width needs a migration.
 */
export const PARTITIONED_TABLES = [
  // Retries, repetitions and reads of a delivery name its id.
  { name: 'webhook_deliveries', column: 'id', widthDays: 7, keptDays: 30, storage: 'fillfactor = 80' },
  // A claim looks into every range that can hold a valid key: two.
  { name: 'idempotency_keys', column: 'created_at', widthDays: 7, keptDays: 7 },
  { name: 'partner_requests', column: 'at', widthDays: 7, keptDays: 90 },
  { name: 'order_events', column: 'order_id', widthDays: 28, keptDays: 90, whenEmpty: true },
  { name: 'postbacks', column: 'order_id', widthDays: 28, keptDays: 90, whenEmpty: true },
  { name: 'tracking_checkpoints', column: 'tracked_since', widthDays: 28, keptDays: 90, whenEmpty: true },
  // AUDIT_LOG_RETENTION can be longer.
  { name: 'audit_log', column: 'at', widthDays: 28, keptDays: 365 },
] as const satisfies readonly PartitionedTable[];

export const keptDaysOf = (name: (typeof PARTITIONED_TABLES)[number]['name']): number =>
  PARTITIONED_TABLES.find((table) => table.name === name)!.keptDays;

/** Ranges that exist ahead of the current one. */
const AHEAD = 2;
const DAY_MS = 24 * 60 * 60 * 1000;

/** How often a lock is requested that other transactions hold. With pauses of up to two seconds: a minute, at least. */
const ATTEMPTS = 60;

async function whenUnlocked<T>(statement: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement();
    } catch (error) {
      if (!isLockUnavailable(error) || attempt === ATTEMPTS) throw error;
      progressed();
      await sleep(1_000 * (1 + Math.random()));
    }
  }
}

/** Stores the definitions, for the functions of the database that create and drop partitions. For the owner of the tables. */
export async function storePartitionedTables(sql: Queryable): Promise<void> {
  await sql`TRUNCATE partitioned_tables`;
  for (const table of PARTITIONED_TABLES as readonly PartitionedTable[])
    await sql`
      INSERT INTO partitioned_tables (name, key_column, width_days, kept_days, when_empty, storage)
      VALUES (${table.name}, ${table.column}, ${table.widthDays}, ${table.keptDays}, ${table.whenEmpty ?? false},
        ${table.storage ?? 'fillfactor = 100'})`;
}

/**
 * Creates the current partition of each table and those ahead of it. Rows that the default partition has caught move to them.
 * Processes can call it at the same time.
 * @returns the number of new partitions
 * @throws PostgresError when a lock is not available within a minute
 */
export async function createPartitions(sql: Queryable, now = new Date()): Promise<number> {
  let created = 0;
  for (const { name, widthDays } of PARTITIONED_TABLES) {
    for (let n = 0; n <= AHEAD; n += 1) {
      const at = new Date(now.getTime() + n * widthDays * DAY_MS);
      const [row] = await whenUnlocked(() => sql<{ new: boolean }[]>`SELECT create_partition(${name}, ${at}) AS new`);
      created += Number(row!.new);
    }
  }
  return created;
}

/**
 * Drops the partitions whose rows are older than their tables keep them, and deletes such rows of the default partitions.
 * @param auditLogMs how long the audit log is kept, in milliseconds
 * @returns the numbers of dropped partitions and of deleted rows
 * @throws PostgresError when a lock is not available within a minute
 */
export async function dropExpiredPartitions(
  sql: Queryable,
  auditLogMs: number,
): Promise<{ partitions: number; lateRows: number }> {
  const removed = { partitions: 0, lateRows: 0 };
  for (const { name } of PARTITIONED_TABLES) {
    const kept = sql`make_interval(secs => ${name === 'audit_log' ? auditLogMs / 1_000 : 0})`;
    for (;;) {
      const [dropped] = await whenUnlocked(
        () => sql<{ name: string | null }[]>`SELECT drop_oldest_partition(${name}, ${kept}) AS name`,
      );
      if (dropped!.name === null) break;
      removed.partitions += 1;
      progressed();
    }
    const [late] = await whenUnlocked(() => sql<{ rows: string }[]>`SELECT delete_late_rows(${name}, ${kept}) AS rows`);
    removed.lateRows += Number(late!.rows);
  }
  return removed;
}

/** Rows of a default partition that are counted. */
const MOST_COUNTED = 1_000;

/** Reads how long the partitions of each table last, and how many rows the default partitions hold. */
export async function partitionGauges(tx: Queryable): Promise<GaugePoint[]> {
  const points: GaugePoint[] = [];
  for (const { name } of PARTITIONED_TABLES) {
    const [row] = await tx<{ seconds: number; rows: number }[]>`
      SELECT coalesce((SELECT extract(epoch FROM max(ends) - now()) FROM partitions_of(${name})), 0)::float8 AS seconds,
        (SELECT count(*)::int FROM (SELECT FROM ${tx(`${name}_default`)} LIMIT ${MOST_COUNTED}) found) AS rows`;
    const labels = { table: name };
    points.push(
      { name: 'pressline_partitions_ahead_seconds', labels, value: row!.seconds },
      { name: 'pressline_partition_default_rows', labels, value: row!.rows },
    );
  }
  return points;
}
