import type { Client } from '@temporalio/client';
import type { Config } from '../../platform/config';
import type { Logger } from '../../platform/logging/logging';
import { json, type Sql } from '../../platform/postgres';
import { progressed } from '../../platform/progress';
import { isUnavailable } from '../../platform/unavailable';
import { type RunSettings, runSettingsOf } from '../run/settings';
import { mapConcurrently } from './runs';

export interface ReconcileDeps {
  readonly sql: Sql;
  readonly temporal: Client;
  readonly log: Logger;
  readonly taskQueue: string;
  readonly settings: RunSettings;
  /** Milliseconds without progress after which an order is flagged. */
  readonly stallAfterMs: number;
  /** Weekdays without a scan after which a parcel is silent. */
  readonly silentAfterDays: number;
}

export type ReconcileConfig = Pick<Config, 'TEMPORAL_TASK_QUEUE' | 'STALL_AFTER' | 'PARCEL_SILENT_AFTER'> &
  Parameters<typeof runSettingsOf>[0];

export function reconcileDeps(
  connections: Pick<ReconcileDeps, 'sql' | 'temporal' | 'log'>,
  config: ReconcileConfig,
): ReconcileDeps {
  const { TEMPORAL_TASK_QUEUE: taskQueue, STALL_AFTER: stallAfterMs, PARCEL_SILENT_AFTER: silentAfterDays } = config;
  return { ...connections, taskQueue, stallAfterMs, silentAfterDays, settings: runSettingsOf(config) };
}

/**
 * What a reconciliation can find, and what it does about each finding. The keys appear in the log and in
 * docs/operation/backup-and-recovery.md.
 */
export const DIFFERENCES = {
  started: 'orders without a workflow: the workflow is started',
  flagged: 'open orders whose workflow failed: flagged out_of_step',
  failing: 'orders whose workflow task keeps failing, or whose step no worker executes: flagged stalled',
  silent: 'open orders with a parcel that no carrier scans: flagged parcel_silent',
  caughtUp: 'orders whose rows were behind their workflow: updated',
  printOrdersLost: 'workflows with print orders that have no rows: flagged out_of_step',
  settled: 'shipped orders whose workflow has completed, or was deleted after its retention: no longer compared',
  unchecked: 'orders and messages that could not be checked: the log has the error',
  redelivered: 'postbacks that the workflow had not handled: signalled again',
  late: 'postbacks for a workflow that has completed: closed',
  undelivered: 'postbacks that wait for a workflow that is busy or missing',
  incompletePurchases: 'label purchases that a dispatch may still complete, or that are being voided',
  voided: 'label purchases that no order needs any more: voided',
  voidFailed: 'labels that a carrier did not void',
  withoutParcel: 'live purchases of carriers that no parcel has: voided',
  replayed: 'dead signals whose workflow exists after all: sent again',
  dead: 'dead letters that stay until an operator replays them',
  withoutOrder: 'workflows whose order has no row',
  outdated:
    'workflows whose state is older than the rows of their order: ended, and started again from the stored state when the order is open',
  lingering: 'workflows that still run days after their order has ended',
} as const;
export type Difference = keyof typeof DIFFERENCES;

/** How often each finding occurred. Findings that did not occur are absent. */
export type Counts = Readonly<Partial<Record<Difference, number>>>;

export function tally(...counts: readonly Counts[]): Counts {
  const sum: Partial<Record<Difference, number>> = {};
  for (const count of counts) {
    for (const [name, n] of Object.entries(count) as [Difference, number][]) {
      if (n > 0) sum[name] = (sum[name] ?? 0) + n;
    }
  }
  return sum;
}

const BATCH = 500;

/**
 * Processes all rows of a query in batches.
 * @param read returns up to `limit` rows after a row, or the first ones
 */
export async function inBatches<Row>(
  read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>,
  settle: (rows: readonly Row[]) => Promise<Counts>,
): Promise<Counts> {
  let counts: Counts = {};
  let rows = await read(undefined, BATCH);
  while (rows.length > 0) {
    counts = tally(counts, await settle(rows));
    rows = rows.length < BATCH ? [] : await read(rows.at(-1), BATCH);
  }
  return counts;
}

/**
 * Settles items concurrently. An error that concerns one item alone is logged and counted, and does not stop the others.
 * @param name of the ids in log lines
 * @throws when Postgres or Temporal is unavailable
 */
export async function settleEach<T extends { readonly id: string }>(
  log: Logger,
  name: 'orderId' | 'shipmentId' | 'workflowId',
  items: readonly T[],
  settle: (item: T) => Promise<Counts>,
): Promise<Counts> {
  const counts = await mapConcurrently(items, async (item): Promise<Counts> => {
    try {
      return await settle(item);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, [name]: item.id }, 'a difference between Postgres and Temporal could not be settled');
      return { unchecked: 1 };
    } finally {
      progressed();
    }
  });
  return tally(...counts);
}

/** Returns the number of reconciliations that Postgres has recorded. It is 0 at first, and after a restore from an older backup. */
export async function readMark(sql: Sql): Promise<number> {
  const [row] = await sql<{ mark: string }[]>`SELECT mark FROM reconciliation`;
  return Number(row?.mark ?? 0);
}

export interface ReconciliationResult {
  readonly endedAt: Date;
  readonly counts: Counts;
}

/** Returns the result of the last reconciliation, or null before the first one. */
export async function lastReconciliation(sql: Sql): Promise<ReconciliationResult | null> {
  const [row] = await sql<ReconciliationResult[]>`SELECT marked_at AS ended_at, counts FROM reconciliation`;
  return row ?? null;
}

/**
 * Records the number and the counts of a completed reconciliation.
 * @param expected the number that `readMark` returned when the reconciliation began
 * @returns false when Postgres has another number by now, because it was restored meanwhile. It is then left as it is, and
 *   the next reconciliation compares everything.
 */
export async function writeMark(sql: Sql, mark: number, expected: number, counts: Counts = {}): Promise<boolean> {
  const written = await sql`
    INSERT INTO reconciliation (mark, marked_at, counts)
    SELECT ${mark}, now(), ${json(sql, counts)}::jsonb WHERE ${expected} = 0 OR EXISTS (SELECT FROM reconciliation)
    ON CONFLICT (only_row) DO UPDATE SET mark = excluded.mark, marked_at = now(), counts = excluded.counts
    WHERE reconciliation.mark IN (${expected}, excluded.mark)`;
  return written.count > 0;
}
