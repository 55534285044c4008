import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleOverlapPolicy,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import type { Config } from '../config';
import { PERIODIC_JOBS, type PeriodicJob, RECONCILIATION } from '../domain/periodic-jobs';
import type { GaugePoint, Metrics } from '../metrics/metrics';
import type { Queryable, Sql } from '../postgres';

type QueueConfig = Pick<Config, 'TEMPORAL_TASK_QUEUE'>;

/** Timeout of a request to run a job. */
const TRIGGER_MS = 5_000;

/** Returns a schedule id that contains the task queue: deployments that share a namespace have separate schedules. */
export function scheduleId(config: QueueConfig, { name }: Pick<PeriodicJob, 'name'>): string {
  return `${config.TEMPORAL_TASK_QUEUE}-${name}`;
}

/** Creates a schedule, or updates the schedule of an earlier version. Several processes can call it at the same time. */
export async function ensureSchedule(client: Client, config: QueueConfig, job: PeriodicJob): Promise<void> {
  const id = scheduleId(config, job);
  const wanted = definition(id, config.TEMPORAL_TASK_QUEUE, job);
  try {
    await client.schedule.create({ ...wanted, scheduleId: id });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const schedule = client.schedule.getHandle(id);
    // An update can overwrite a concurrent pause. Do not update a schedule that is already as wanted.
    if (isUpToDate(wanted, await schedule.describe())) return;
    await schedule.update(({ state }) => ({ ...wanted, state }));
  }
}

/**
 * Starts a run of a job beside its schedule. Does nothing while a run is in progress.
 * @throws ScheduleNotFoundError before a worker has created the schedule
 */
export async function triggerJob(client: Client, config: QueueConfig, job: PeriodicJob): Promise<void> {
  await client.withDeadline(Date.now() + TRIGGER_MS, () =>
    client.schedule.getHandle(scheduleId(config, job)).trigger(ScheduleOverlapPolicy.SKIP),
  );
}

function definition(id: string, taskQueue: string, { workflowType, everyMs, offsetMs }: PeriodicJob) {
  return {
    spec: { intervals: [{ every: everyMs, offset: offsetMs }] },
    action: { type: 'startWorkflow', workflowType, workflowId: id, taskQueue, args: [] },
    // A run in progress does the work of the next one. A run missed while Temporal was unavailable is caught up once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  } as const satisfies Omit<ScheduleUpdateOptions, 'state'>;
}

function isUpToDate({ spec, action, policies }: ReturnType<typeof definition>, current: ScheduleDescription): boolean {
  const { workflowType, workflowId, taskQueue } = current.action;
  const { overlap, catchupWindow } = current.policies;
  return isDeepStrictEqual(
    [current.spec.intervals, { workflowType, workflowId, taskQueue }, { overlap, catchupWindow }],
    [
      spec.intervals,
      { workflowType: action.workflowType, workflowId: action.workflowId, taskQueue: action.taskQueue },
      policies,
    ],
  );
}

/** One run of a periodic job that ended. Times are milliseconds since the epoch. */
interface JobRun {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Null for a successful run. */
  readonly error: string | null;
}

/**
 * Returns the function that the worker calls at the end of each run of a periodic job (workflows/job-runs.ts). It stores the last
 * run of the job and measures its duration. A failure is logged: the next run repeats the work.
 */
export function createJobRunRecorder({ sql, metrics }: { readonly sql: Sql; readonly metrics: Metrics }) {
  for (const { name } of PERIODIC_JOBS) metrics.expectObservations('pressline_job_duration_seconds', { job: name });
  return async (workflowType: string, run: JobRun): Promise<void> => {
    const job = PERIODIC_JOBS.find((each) => each.workflowType === workflowType)?.name;
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

interface JobResult {
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

export async function readJobResults(sql: Queryable, jobs: readonly PeriodicJob[]): Promise<JobResult[]> {
  const rows = await sql<
    { job: string; endedAt: Date; seconds: number; error: string | null; lastSuccessAt: Date | null }[]
  >`
    SELECT job, last_ended_at AS ended_at, last_seconds AS seconds, last_error AS error, last_success_at FROM job_runs`;
  return jobs.map(({ name, everyMs }) => {
    const row = rows.find(({ job }) => job === name);
    const lastRun = row && { endedAt: row.endedAt, seconds: row.seconds, error: row.error };
    const lastSuccessAt = row?.lastSuccessAt ?? null;
    return { name, everySeconds: everyMs / 1_000, lastRun: lastRun ?? null, lastSuccessAt };
  });
}

/** Returns the gauges that show when each periodic job last succeeded, and whether its last run failed. */
export async function jobGauges(tx: Queryable): Promise<GaugePoint[]> {
  const results = await readJobResults(tx, PERIODIC_JOBS);
  const secondsOf = (at: Date | null) => (at === null ? 0 : at.getTime() / 1_000);
  const points = results.flatMap(({ name, lastRun, lastSuccessAt }): GaugePoint[] => {
    const labels = { job: name };
    return [
      { name: 'pressline_job_last_success_timestamp_seconds', labels, value: secondsOf(lastSuccessAt) },
      { name: 'pressline_job_failed', labels, value: Number(lastRun?.error != null) },
    ];
  });
  const { lastSuccessAt } = results.find(({ name }) => name === RECONCILIATION.name)!;
  const value = secondsOf(lastSuccessAt);
  return [...points, { name: 'pressline_reconcile_last_success_timestamp_seconds', labels: {}, value }];
}
