import { WORKFLOW_TYPES } from './workflows';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A periodic job: a workflow that a Temporal Schedule starts, one run at a time, for all orders. */
export interface PeriodicJob {
  /** Schedule id without the task queue. */
  readonly name: string;
  readonly workflowType: string;
  readonly everyMs: number;
  /** Offset of the start within each interval, in milliseconds. Default 0. */
  readonly offsetMs?: number;
}

/** Polls partners for their stock. */
export const STOCK_POLL: PeriodicJob = {
  name: 'partner-stock-poll',
  workflowType: WORKFLOW_TYPES.partnerStockPoll,
  everyMs: 10 * MINUTE_MS,
};

/** Reads the tracking of packages whose check is due from their carriers. */
const TRACKING_SWEEP: PeriodicJob = {
  name: 'tracking-sweep',
  workflowType: WORKFLOW_TYPES.trackingSweep,
  everyMs: 5 * MINUTE_MS,
};

/** Reconciles Postgres with Temporal. */
export const RECONCILIATION: PeriodicJob = {
  name: 'reconcile',
  workflowType: WORKFLOW_TYPES.reconcile,
  everyMs: 5 * MINUTE_MS,
};

/** Deletes expired data and files once a day, at 03:00 UTC. */
const MAINTENANCE: PeriodicJob = {
  name: 'maintenance',
  workflowType: WORKFLOW_TYPES.maintenance,
  everyMs: 24 * HOUR_MS,
  offsetMs: 3 * HOUR_MS,
};

/** Erases personal data whose retention time is over, or whose orders have ended after a request. */
const ERASURE: PeriodicJob = {
  name: 'erase-personal-data',
  workflowType: WORKFLOW_TYPES.erasePersonalData,
  everyMs: 15 * MINUTE_MS,
  offsetMs: 5 * MINUTE_MS,
};

export const PERIODIC_JOBS = [STOCK_POLL, TRACKING_SWEEP, RECONCILIATION, MAINTENANCE, ERASURE] as const;

/** Returns true for the workflow type of a periodic job. */
export function isJobWorkflow(workflowType: string): boolean {
  return PERIODIC_JOBS.some((job) => job.workflowType === workflowType);
}
