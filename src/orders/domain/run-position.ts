/** A history has at most 51,200 events. */
const LONGEST_HISTORY = 2 ** 17;

/**
 * Where a run stands in its history, as one growing number: over the tries of a workflow task, over tasks, and over
 * the runs that continue a run or replace a lost one.
 * @param startedAt of the run, not of the chain that it continues; epoch milliseconds
 * @param historyLength up to the workflow task that is under way
 */
export function runPosition(startedAt: number, historyLength: number): number {
  return Math.floor(startedAt / 1_000) * LONGEST_HISTORY + historyLength;
}
