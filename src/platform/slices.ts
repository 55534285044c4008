import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time after which work in slices lets others have a turn of the event loop. */
const SLICE_MS = 20;

/** Returns the result of work that yields between its steps. The event loop serves others while it runs. */
export async function inSlices<T>(steps: Iterator<void, T>): Promise<T> {
  for (let from = performance.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - from < SLICE_MS) continue;
    await nextTurn();
    from = performance.now();
  }
}
