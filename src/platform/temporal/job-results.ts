import type { Queryable } from '../postgres';
import type { PeriodicJob } from './periodic-jobs';

/** A periodic job with its last run. */
export interface JobResult {
  readonly name: string;
  readonly everySeconds: number;
  /** Null before its first run. */
  readonly lastRun: {
    readonly endedAt: Date;
    readonly seconds: number;
    /** Null for a successful run. */
    readonly error: string | null;
  } | null;
  readonly lastSuccessAt: Date | null;
}

/** Returns the jobs with the results that the worker has recorded (job-runs.ts). */
export async function readJobResults(sql: Queryable, jobs: readonly PeriodicJob[]): Promise<JobResult[]> {
  const rows = await sql<
    {
      job: string;
      lastEndedAt: Date;
      lastSeconds: number;
      lastError: string | null;
      lastSuccessAt: Date | null;
    }[]
  >`SELECT job, last_ended_at, last_seconds, last_error, last_success_at FROM job_runs`;
  return jobs.map(({ name, everyMs }) => {
    const row = rows.find(({ job }) => job === name);
    return {
      name,
      everySeconds: everyMs / 1_000,
      lastRun:
        row === undefined
          ? null
          : { endedAt: row.lastEndedAt, seconds: row.lastSeconds, error: row.lastError },
      lastSuccessAt: row?.lastSuccessAt ?? null,
    };
  });
}
