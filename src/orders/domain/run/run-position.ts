/** A history has at most 51,200 events. */
const LONGEST_HISTORY = 2 ** 16;
/** Counted from 2025 in hundredths of a second, positions stay exact numbers for 43 years. */
const EPOCH = Date.UTC(2025, 0, 1);
const RESOLUTION_MS = 10;

/**
 * Where a run stands in its history, as one growing number: over the tries of a workflow task, over tasks, and over
 * the runs that continue a run or replace a lost one, which begin at least a hundredth of a second after it.
 * @param startedAt of the run, not of the chain that it continues; epoch milliseconds
 * @param historyLength up to the workflow task that is under way
 */
export function runPosition(startedAt: number, historyLength: number): number {
  return Math.floor((startedAt - EPOCH) / RESOLUTION_MS) * LONGEST_HISTORY + historyLength;
}
