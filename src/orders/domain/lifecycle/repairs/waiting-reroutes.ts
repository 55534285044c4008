import type { RunEffect } from '../run-events';
import {
  JOB_PROGRESS,
  type JobState,
  type PrintOrderState,
  type RunState,
  type WaitingReroute,
} from '../run-state';
import type { ReroutedUnits } from './reroute-units';

/** Replacements that wait until a partner has agreed to stop. Two partners must not make the same units. */

/** A job of which units move to another print order. */
export interface ReroutedJob {
  readonly printOrder: PrintOrderState;
  readonly job: JobState;
  readonly quantity: number;
}

/** Returns the jobs of these units. */
export function reroutedJobs(state: RunState, units: readonly ReroutedUnits[]): ReroutedJob[] {
  const quantities = new Map(units.map(({ jobId, quantity }) => [jobId, quantity]));
  return state.printOrders.flatMap((printOrder) =>
    printOrder.jobs.flatMap((job) => {
      const quantity = quantities.get(job.id);
      return quantity === undefined ? [] : [{ printOrder, job, quantity }];
    }),
  );
}

/** Returns true when the partner may still make the units: it has them, and has not cancelled them itself. */
export function isWithPartner({ printOrder, job, quantity }: ReroutedJob): boolean {
  const isOpen = job.ended === null && job.progress !== JOB_PROGRESS.shipped;
  return isOpen && printOrder.delivery !== 'refused' && job.cancelledQuantity < quantity;
}

/** Returns true when the partner's last word is that it makes the job, or when it has requested its label. */
export function isInProduction(job: JobState, { shipment }: Pick<PrintOrderState, 'shipment'>): boolean {
  const isStopped = job.error !== null && job.error.at >= job.progressAt;
  return shipment !== null || (job.progress >= JOB_PROGRESS.received && !isStopped);
}

/** Returns the replacement of an item that waits for a partner. Undefined when none waits. */
export function waitingRerouteOf(state: RunState, itemId: string): WaitingReroute | undefined {
  return state.waitingReroutes?.find(({ printOrder }) =>
    printOrder.jobs.some((job) => job.itemId === itemId),
  );
}

/**
 * Withdraws waiting replacements: their print orders end without a delivery, and the units stay where they are.
 * @param why `refused` and `unanswered` name the partner's answer; `ended`: the units have shipped or ended
 */
export function withdrawReroutes(
  state: RunState,
  isWithdrawn: (waiting: WaitingReroute) => boolean,
  why: 'refused' | 'unanswered' | 'ended' | 'cancelled',
  effects: RunEffect[],
): RunState {
  const withdrawn = state.waitingReroutes?.filter(isWithdrawn) ?? [];
  if (withdrawn.length === 0) return state;
  for (const { action, printOrder } of withdrawn) {
    const { id: printOrderId, jobs } = printOrder;
    effects.push(
      { type: 'log', event: `${action}_withdrawn`, printOrderId, data: { why } },
      { type: 'release_stock', jobIds: jobs.map(({ id }) => id) },
    );
  }
  const ended = withdrawn.map(({ printOrder }) => ({
    ...printOrder,
    jobs: printOrder.jobs.map((job) => ({ ...job, ended: 'superseded' as const })),
  }));
  const rerouted = new Set(withdrawn.flatMap(({ units }) => units.map(({ jobId }) => jobId)));
  // The partner's refusal stays visible.
  const released = state.printOrders.map((printOrder) => ({
    ...printOrder,
    jobs: printOrder.jobs.map((job) =>
      rerouted.has(job.id) && (job.stopRequest === 'waiting' || job.stopRequest === 'agreed')
        ? withoutStopRequest(job)
        : job,
    ),
  }));
  return {
    ...withoutWaiting(state, withdrawn),
    printOrders: [...released, ...ended],
  };
}

function withoutStopRequest({ stopRequest: _stopRequest, ...job }: JobState): JobState {
  return job;
}

/** Removes replacements from the list of those that wait. */
export function withoutWaiting(state: RunState, ended: readonly WaitingReroute[]): RunState {
  const { waitingReroutes = [], ...rest } = state;
  const left = waitingReroutes.filter((waiting) => !ended.includes(waiting));
  return left.length === 0 ? rest : { ...rest, waitingReroutes: left };
}
