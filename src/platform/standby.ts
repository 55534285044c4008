import { setTimeout } from 'node:timers/promises';
import type { Metrics } from './metrics/metrics';
import { connectPostgres, type Sql } from './postgres';
import { isUnavailable } from './unavailable';

/** How long a read waits for a standby that has not applied what the primary had stored when the read began. */
const LONGEST_LAG_MS = 100;
const POLL_MS = 5;
/** After a failure or a longer lag, reads go to the primary for this time. */
const PAUSE_MS = 1_000;

/** A standby of Postgres: a copy of the primary that applies its log, and that can only be read. */
export interface Standby {
  readonly sql: Sql;
  /**
   * Reads the standby when it has applied all that the primary had stored before the call, so that callers see what they and
   * others have written. Otherwise, and when the standby fails, reads the primary.
   */
  read<T>(onStandby: () => Promise<T>, onPrimary: () => Promise<T>): Promise<T>;
}

/** @param primary connections to the server that it copies */
export function connectStandby(primary: Sql, url: string, max: number, metrics: Metrics): Standby {
  const sql = connectPostgres(url, { max });
  let pausedUntil = 0;

  async function hasCaughtUp(): Promise<boolean> {
    const [stored] = await primary<{ position: string }[]>`SELECT pg_current_wal_flush_lsn() AS position`;
    for (const end = Date.now() + LONGEST_LAG_MS; Date.now() < end; await setTimeout(POLL_MS)) {
      const [row] = await sql<{ applied: boolean | null }[]>`
        SELECT pg_last_wal_replay_lsn() >= ${stored!.position}::pg_lsn AS applied`;
      if (row!.applied) return true;
    }
    return false;
  }

  async function attempt<T>(read: () => Promise<T>): Promise<{ readonly result: T } | undefined> {
    try {
      if (await hasCaughtUp()) return { result: await read() };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
    pausedUntil = Date.now() + PAUSE_MS;
    return undefined;
  }

  return {
    sql,
    async read(onStandby, onPrimary) {
      const done = Date.now() < pausedUntil ? undefined : await attempt(onStandby);
      metrics.count('pressline_standby_reads_total', { server: done ? 'standby' : 'primary' });
      return done ? done.result : await onPrimary();
    },
  };
}
