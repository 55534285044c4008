import { continueAsNew, log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { ReconcileActivities } from '../activities/reconcile';

type Counts = Readonly<Record<string, number>>;
type Compared = { readonly counts: Counts; readonly next: string };
type Servers = Awaited<ReturnType<ReconcileActivities['beginReconciliation']>>['servers'];

/** Retried until they succeed: Postgres and Temporal are unavailable for a while when they are restored. */
const work = proxyActivities<ReconcileActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Batches of 500 in one activity. Its progress reaches the history after five seconds. */
const BATCHES = 10;
/** Activities for each side in a scheduled run: 150,000 orders and as many workflows, in two and a half minutes. */
const ACTIVITIES = 30;
/** Activities after which the run continues as new. */
const ACTIVITIES_PER_RUN = 200;

/** Result of a run, and the cursors where the next run continues. */
export interface Reconciliation {
  /** Number of runs so far. Postgres keeps the same number. */
  readonly mark: number;
  /** Which of the two has lost data since the last run. `temporal` also after a run that was started manually. */
  readonly lost: 'postgres' | 'temporal' | null;
  readonly found: Counts;
  readonly ordersAfter: string;
  readonly runsAfter: string;
}

interface Cursor {
  readonly after: string;
  readonly atEnd: boolean;
}

/** The progress of a reconciliation. It is carried through continue-as-new. */
export interface ReconcileProgress {
  readonly markBefore: number;
  readonly servers: Servers;
  readonly mark: number;
  readonly lost: Reconciliation['lost'];
  readonly found: Counts;
  readonly runs: Cursor;
  readonly orders: Cursor;
}

/**
 * Compares Postgres with Temporal, repairs differences, and flags orders that cannot be repaired. A Temporal Schedule
 * starts it. Recent orders are left out, and a long comparison is spread over several runs. When one side is older than the
 * other (Postgres restored from a backup, or a new Temporal), everything is compared at once. A worker or server that stops
 * meanwhile delays the comparison; it continues after the last completed activity.
 */
export async function reconcile(carried?: ReconcileProgress): Promise<Reconciliation> {
  const begun = carried ?? (await begin());
  if (begun === null) return { mark: 0, lost: null, found: {}, ordersAfter: '', runsAfter: '' };
  let progress = begun;
  let activities = 0;
  const count = (counts: Counts) => {
    const found: Record<string, number> = { ...progress.found };
    for (const [name, n] of Object.entries(counts)) found[name] = (found[name] ?? 0) + n;
    progress = { ...progress, found };
  };
  /** Compares one side, up to the end or a number of activities. */
  const advance = async (side: 'runs' | 'orders', limit: number, compare: (after: string) => Promise<Compared>) => {
    for (let done = 0; done < limit && !progress[side].atEnd; done++) {
      const { counts, next } = await compare(progress[side].after);
      count(counts);
      progress = { ...progress, [side]: { after: next, atEnd: next === '' } };
      activities += 1;
      // Only a complete comparison is this long. It compares one side at a time, so no other activity is running.
      if (activities >= ACTIVITIES_PER_RUN) await continueAsNew<typeof reconcile>(progress);
    }
  };
  const { lost, markBefore, mark, servers } = begun;
  const afterLoss = lost !== null;
  const compareRuns = (limit: number) =>
    advance('runs', limit, (after) => work.reconcileRuns({ after, batches: BATCHES, lost }));
  const compareOrders = (limit: number) =>
    advance('orders', limit, (after) => work.reconcileOrders({ after, batches: BATCHES, afterLoss }));
  if (afterLoss) {
    // Differences between rows and their run come first: signals that are sent again afterwards find them up to date.
    await compareRuns(Infinity);
    await compareOrders(Infinity);
  } else await Promise.all([compareRuns(ACTIVITIES), compareOrders(ACTIVITIES)]);
  count(await work.reconcileLeftovers());
  const { found, runs, orders } = progress;
  await work.finishReconciliation({ mark, expected: markBefore, counts: found, servers });
  return { mark, lost, found, ordersAfter: orders.after, runsAfter: runs.after };
}

/** Returns null in a namespace that no operator has confirmed. */
async function begin(): Promise<ReconcileProgress | null> {
  const last = workflowInfo().lastResult as Reconciliation | undefined;
  const { mark: markBefore, servers, changed, hold } = await work.beginReconciliation();
  if (hold === 'other_namespace') {
    log.warn('another Temporal namespace than before: nothing is compared or started until an operator confirms it');
    return null;
  }
  const lost = hold === 'outdated_postgres' ? 'postgres' : (whoLost(markBefore, last?.mark ?? 0) ?? changed);
  if (lost !== null)
    log.warn(`${lost} may be older than the last reconciliation: comparing everything`, { mark: markBefore });
  const from = (after = ''): Cursor => ({ after: lost === null ? after : '', atEnd: false });
  return {
    markBefore,
    mark: Math.max(markBefore, last?.mark ?? 0) + 1,
    lost,
    servers,
    found: {},
    runs: from(last?.runsAfter),
    orders: from(last?.ordersAfter),
  };
}

function whoLost(inPostgres: number, inTemporal: number): Reconciliation['lost'] {
  if (inPostgres < inTemporal) return 'postgres';
  return inPostgres > inTemporal ? 'temporal' : null;
}
