import { jobStatus } from './derive';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState } from './run-state';

/** Units of a print job that another print order takes over. */
export interface ReplacedUnits {
  readonly jobId: string;
  readonly quantity: number;
}

interface Act {
  readonly action: 'reroute' | 'reproduce';
  readonly itemId: string;
  readonly quantity: number | null;
  readonly partnerId: string | null;
}

/** How many units of a job an act takes by itself, and how many when an operator asks for more. */
function takeable(
  job: JobState,
  printOrder: PrintOrderState,
  { action, partnerId }: Act,
): { usual: number; most: number } {
  const none = { usual: 0, most: 0 };
  if (job.ended !== null) return none;
  // Of a job that has shipped only what the partner left out can be made elsewhere.
  if (job.progress === JOB_PROGRESS.shipped) {
    return { usual: job.cancelledQuantity, most: job.cancelledQuantity };
  }
  if (jobStatus(job, printOrder) === 'manual_handling') {
    return { usual: job.cancelledQuantity || job.quantity, most: job.quantity };
  }
  // A partner that is at work keeps it, unless it is to be made elsewhere; `reproduce` then makes more.
  const elsewhere = action === 'reroute' && printOrder.partnerId !== partnerId;
  return elsewhere ? { usual: 0, most: job.quantity } : none;
}

/**
 * Which units a new print order takes over from the jobs of an item: first those that wait for an operator, then,
 * as far as the quantity asks for it, the rest of their jobs and (reroute) those still being made.
 * Units of a `reproduce` beyond these are made in addition.
 * @param quantity null: all that wait; with nothing waiting, a reroute moves everything that has not shipped
 */
export function replacedUnits(state: RunState, act: Act): ReplacedUnits[] {
  const { itemId, quantity } = act;
  const jobs = state.printOrders.flatMap((printOrder) =>
    printOrder.jobs
      .filter((job) => job.itemId === itemId)
      .map((job) => ({ jobId: job.id, ...takeable(job, printOrder, act) })),
  );
  const waiting = jobs.reduce((sum, { usual }) => sum + usual, 0);
  let left = quantity ?? (waiting || Number.POSITIVE_INFINITY);
  const taken = new Map<string, number>();
  for (const limit of ['usual', 'most'] as const) {
    for (const job of jobs) {
      const before = taken.get(job.jobId) ?? 0;
      const more = Math.max(0, Math.min(job[limit] - before, left));
      left -= more;
      taken.set(job.jobId, before + more);
    }
  }
  return [...taken].flatMap(([jobId, units]) => (units > 0 ? [{ jobId, quantity: units }] : []));
}
