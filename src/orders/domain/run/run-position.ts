/** More than the 51,200 events that a history can have. */
export const LONGEST_HISTORY = 2 ** 16;
/** Counted from 2025 in hundredths of a second, positions stay exact integers for 43 years. */
const EPOCH = Date.UTC(2025, 0, 1);
const RESOLUTION_MS = 10;

/**
 * Returns the position of a record as one number: the time of its workflow task, then the length of its history.
 *
 * The time makes records of a reset or restored workflow greater than the records before: their workflow tasks are later,
 * but their histories are shorter. The start of a run does not: a reset copies the first events with their times, so that
 * `runStartTime` is that of the original run. (Only a reset to the first workflow task changes it.)
 * @param taskTime time of the workflow task, epoch milliseconds
 * @param historyLength number of events up to the current workflow task
 */
export function runPosition(taskTime: number, historyLength: number): number {
  return Math.floor((taskTime - EPOCH) / RESOLUTION_MS) * LONGEST_HISTORY + historyLength;
}

/** Returns the length of the history at a position. */
export function historyLengthOf(position: number): number {
  return position % LONGEST_HISTORY;
}

/** Returns the difference of positions that are this much time apart. */
export function positionsIn(ms: number): number {
  return Math.floor(ms / RESOLUTION_MS) * LONGEST_HISTORY;
}
