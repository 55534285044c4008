import { log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ReconcileActivities } from '../activities/reconcile';

const work = proxyActivities<ReconcileActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '2 minutes',
  retry: {
    initialInterval: '5 seconds',
    backoffCoefficient: 2,
    maximumInterval: '1 minute',
    maximumAttempts: 5,
  },
});

/** Batches of 500 in one run. The open orders of a busy month are compared within a few hours. */
const BATCHES = 4;

/** Result of a run, and the cursors where the next run continues. */
export interface Reconciliation {
  /** Number of runs so far. Postgres keeps the same number. */
  readonly mark: number;
  /** Which of the two has lost data since the last run. `temporal` also for a run that was started manually. */
  readonly lost: 'postgres' | 'temporal' | null;
  readonly found: Readonly<Record<string, number>>;
  readonly ordersAfter: string;
  readonly runsAfter: string;
}

/**
 * Compares Postgres with Temporal, repairs differences, and flags orders that cannot be repaired. A Temporal Schedule
 * starts it. Recent orders are left out, and a long comparison is spread over many runs. When one side is older than the
 * other (Postgres restored from a backup, or a new Temporal), everything is compared at once.
 */
export async function reconcile(): Promise<Reconciliation> {
  const last = workflowInfo().lastResult as Reconciliation | undefined;
  const mark = await work.readReconciliationMark();
  const lost = whoLost(mark, last?.mark ?? 0);
  if (lost !== null)
    log.warn(`${lost} is older than the last reconciliation: comparing everything`, { mark });
  const batches = lost === null ? BATCHES : null;
  // Rows that are behind their run come first: signals that are sent again afterwards find them up to date.
  const runs = await work.reconcileRuns({
    after: lost === null ? (last?.runsAfter ?? '') : '',
    batches,
    restored: lost === 'postgres',
  });
  const orders = await work.reconcileOrders({
    after: lost === null ? (last?.ordersAfter ?? '') : '',
    batches,
    afterLoss: lost !== null,
  });
  const leftovers = await work.reconcileLeftovers();
  const found: Record<string, number> = {};
  for (const counts of [runs.counts, orders.counts, leftovers]) {
    for (const [name, n] of Object.entries(counts)) found[name] = (found[name] ?? 0) + n;
  }
  const next = Math.max(mark, last?.mark ?? 0) + 1;
  await work.finishReconciliation({ mark: next, counts: found });
  return { mark: next, lost, found, ordersAfter: orders.next, runsAfter: runs.next };
}

function whoLost(inPostgres: number, inTemporal: number): Reconciliation['lost'] {
  if (inPostgres < inTemporal) return 'postgres';
  return inPostgres > 0 && inTemporal === 0 ? 'temporal' : null;
}
