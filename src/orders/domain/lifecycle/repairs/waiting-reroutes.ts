import type { RunEffect } from '../run-events';
import type { JobState, RunState, WaitingReroute } from '../run-state';

/** Reroutes that wait until a partner has agreed to stop. Two partners must not make the same units. */

/** Returns the reroute of an item that waits for a partner. Undefined when none waits. */
export function waitingRerouteOf(state: RunState, itemId: string): WaitingReroute | undefined {
  return state.waitingReroutes?.find(({ printOrder }) => printOrder.jobs.some((job) => job.itemId === itemId));
}

/**
 * Withdraws waiting reroutes: their print orders end without a delivery, and the units stay where they are.
 * @param why `refused` and `unanswered` name the partner's response; `ended`: the units have shipped or ended
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

/** Returns the state without these waiting reroutes. */
export function withoutWaiting(state: RunState, ended: readonly WaitingReroute[]): RunState {
  const { waitingReroutes = [], ...rest } = state;
  const left = waitingReroutes.filter((waiting) => !ended.includes(waiting));
  return left.length === 0 ? rest : { ...rest, waitingReroutes: left };
}
