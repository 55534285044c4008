/** More than the 51,200 events that a history can have. */
const LONGEST_HISTORY = 2 ** 16;
/** Counted from 2025 in hundredths of a second, positions stay exact integers for 43 years. */
const EPOCH = Date.UTC(2025, 0, 1);
const RESOLUTION_MS = 10;

/**
 * Returns the position of an order run in its history as one number. It grows with attempts of a workflow task, with
 * workflow tasks, and with runs that continue or replace a run: these start at least a hundredth of a second later.
 * @param startedAt start of this run, not of the chain that it continues; epoch milliseconds
 * @param historyLength number of events up to the current workflow task
 */
export function runPosition(startedAt: number, historyLength: number): number {
  return Math.floor((startedAt - EPOCH) / RESOLUTION_MS) * LONGEST_HISTORY + historyLength;
}
