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

/** Stretches of 500 in one round: the open orders of a busy month have been looked through within a few hours. */
const BATCHES = 4;

/** What a round found, and where the next one goes on. */
export interface Reconciliation {
  /** How many rounds there have been; Postgres keeps the same number. */
  readonly mark: number;
  /** Which of the two was set back since the last round; `temporal` also for a round that was begun by hand. */
  readonly lost: 'postgres' | 'temporal' | null;
  readonly found: Readonly<Record<string, number>>;
  readonly ordersAfter: string;
  readonly runsAfter: string;
}

/**
 * Holds Postgres and Temporal against each other, repairs what differs and flags what cannot be repaired; started by a
 * schedule. What is young is left alone, and a long comparison is spread over many rounds, unless one side turns out to
 * be older than the other knows: Postgres restored from a backup, or a new Temporal. Then everything is compared at once.
 */
export async function reconcile(): Promise<Reconciliation> {
  const last = workflowInfo().lastResult as Reconciliation | undefined;
  const mark = await work.readReconciliationMark();
  const lost = whoLost(mark, last?.mark ?? 0);
  if (lost !== null)
    log.warn(`${lost} is older than the last reconciliation: everything is compared`, { mark });
  const batches = lost === null ? BATCHES : null;
  // Rows that are behind their run first: what is told again afterwards finds them in line.
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
