import type { GaugePoint, Metrics } from '../metrics/metrics';
import type { Queryable, Sql } from '../postgres';
import type { PeriodicJob } from './periodic-jobs';

/** One run of a periodic job that ended. Times are milliseconds since the epoch. */
export interface JobRun {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null for a successful run. */
  readonly error: string | null;
}

/**
 * Returns the function that the worker calls at the end of each run of a periodic job (workflows/job-runs.ts). It stores the last
 * run of the job and measures its duration. A failure is logged: the next run repeats the work.
 */
export function createJobRunRecorder(
  { sql, metrics }: { readonly sql: Sql; readonly metrics: Metrics },
  jobs: readonly PeriodicJob[],
): (workflowType: string, run: JobRun) => Promise<void> {
  for (const { name } of jobs) metrics.expectObservations('pressline_job_duration_seconds', { job: name });
  return async (workflowType, run) => {
    const job = jobs.find((each) => each.workflowType === workflowType)?.name;
    if (job === undefined) return;
    const { startedAt, endedAt, error } = run;
    const seconds = (endedAt - startedAt) / 1_000;
    metrics.observe('pressline_job_duration_seconds', { job }, seconds);
    const end = new Date(endedAt);
    await sql`
      INSERT INTO job_runs AS j (job, last_ended_at, last_seconds, last_error, last_success_at)
      VALUES (${job}, ${end}, ${seconds}, ${error}, ${error === null ? end : null})
      ON CONFLICT (job) DO UPDATE SET last_ended_at = excluded.last_ended_at, last_seconds = excluded.last_seconds,
        last_error = excluded.last_error, last_success_at = coalesce(excluded.last_success_at, j.last_success_at)
      WHERE j.last_ended_at <= excluded.last_ended_at`;
  };
}

/** Returns the query of the gauges that show when each periodic job last succeeded. */
export function jobGauges(jobs: readonly PeriodicJob[], reconciliation: PeriodicJob) {
  return async (tx: Queryable): Promise<GaugePoint[]> => {
    const rows = await tx<{ job: string; at: number }[]>`
      SELECT job, extract(epoch FROM last_success_at)::float8 AS at FROM job_runs WHERE last_success_at IS NOT NULL`;
    const lastSuccess = ({ name }: PeriodicJob) => rows.find(({ job }) => job === name)?.at ?? 0;
    return [
      ...jobs.map(
        (job): GaugePoint => ({
          name: 'pressline_job_last_success_timestamp_seconds',
          labels: { job: job.name },
          value: lastSuccess(job),
        }),
      ),
      {
        name: 'pressline_reconcile_last_success_timestamp_seconds',
        labels: {},
        value: lastSuccess(reconciliation),
      },
    ];
  };
}
