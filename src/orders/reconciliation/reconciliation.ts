import type { Client } from '@temporalio/client';
import type { Config } from '../../platform/config';
import type { Logger } from '../../platform/logging/logging';
import { json, type Sql } from '../../platform/postgres';
import { type RunSettings, runSettingsOf } from '../run/settings';
import type { Counts } from './differences';

export interface ReconcileDeps {
  readonly sql: Sql;
  readonly temporal: Client;
  readonly log: Logger;
  readonly taskQueue: string;
  readonly settings: RunSettings;
  /** Milliseconds without progress after which an order is flagged. */
  readonly stallAfterMs: number;
}

/** The configuration that reconciliation needs. */
export type ReconcileConfig = Pick<Config, 'TEMPORAL_TASK_QUEUE' | 'STALL_AFTER'> & Parameters<typeof runSettingsOf>[0];

/** Returns the dependencies of reconciliation in a process with this configuration. */
export function reconcileDeps(
  connections: Pick<ReconcileDeps, 'sql' | 'temporal' | 'log'>,
  config: ReconcileConfig,
): ReconcileDeps {
  const { TEMPORAL_TASK_QUEUE: taskQueue, STALL_AFTER: stallAfterMs } = config;
  return { ...connections, taskQueue, stallAfterMs, settings: runSettingsOf(config) };
}

/** Returns the number of reconciliations that Postgres has recorded. It is 0 at first, and after a restore from an older backup. */
export async function readMark(sql: Sql): Promise<number> {
  const [row] = await sql<{ mark: string }[]>`SELECT mark FROM reconciliation`;
  return Number(row?.mark ?? 0);
}

/** The last completed reconciliation. */
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
