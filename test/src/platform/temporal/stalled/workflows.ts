import { condition, defineUpdate, setHandler } from '@temporalio/workflow';

/** Stops the thread of workflows for some seconds, then ends the run. */
export const stall = defineUpdate<void, [seconds: number]>('stall');

export async function stalled(): Promise<string> {
  let hasStalled = false;
  setHandler(stall, (seconds) => {
    // As a stopped process: no CPU time passes.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1_000);
    hasStalled = true;
  });
  await condition(() => hasStalled);
  return 'went on';
}
