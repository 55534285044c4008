import { WORKFLOW_TYPES } from './workflows';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A periodic job: a workflow that a Temporal Schedule starts, one run at a time, for all orders. */
export interface PeriodicJob {
  /** Schedule id without the task queue. */
  readonly name: string;
  readonly workflowType: string;
  readonly everyMs: number;
  /** Offset of the start within each interval, in milliseconds. */
  readonly offsetMs: number;
}

const job = (name: string, workflowType: string, everyMs: number, offsetMs = 0): PeriodicJob => ({
  name,
  workflowType,
  everyMs,
  offsetMs,
});

export const STOCK_POLL = job('partner-stock-poll', WORKFLOW_TYPES.partnerStockPoll, 10 * MINUTE_MS);
/** Reconciles Postgres with Temporal. */
export const RECONCILIATION = job('reconcile', WORKFLOW_TYPES.reconcile, 5 * MINUTE_MS);

export const PERIODIC_JOBS: readonly PeriodicJob[] = [
  STOCK_POLL,
  // Reads the tracking of packages whose check is due from their carriers.
  job('tracking-sweep', WORKFLOW_TYPES.trackingSweep, 5 * MINUTE_MS),
  RECONCILIATION,
  // Deletes expired data and files once a day, at 03:00 UTC.
  job('maintenance', WORKFLOW_TYPES.maintenance, 24 * HOUR_MS, 3 * HOUR_MS),
  // Erases personal data whose retention time is over, or whose orders have ended after a request.
  job('erase-personal-data', WORKFLOW_TYPES.erasePersonalData, 15 * MINUTE_MS, 5 * MINUTE_MS),
  // Adds up the orders of each day for reports.
  job('report-sums', WORKFLOW_TYPES.sumReports, 10 * MINUTE_MS, 2 * MINUTE_MS),
  // Takes files from the SFTP servers of channels, and tells them what is new.
  job('channel-poll', WORKFLOW_TYPES.channelPoll, 2 * MINUTE_MS),
];

export function isJobWorkflow(workflowType: string): boolean {
  return PERIODIC_JOBS.some((job) => job.workflowType === workflowType);
}
