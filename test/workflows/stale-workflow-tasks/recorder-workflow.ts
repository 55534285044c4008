import {
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  proxyLocalActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { wordSignal } from './writer-workflow';

const { plan, write } = proxyLocalActivities<{
  plan(): Promise<void>;
  write(words: readonly string[]): Promise<void>;
}>({ startToCloseTimeout: '20 seconds' });

export const planSignal = defineSignal('plan');
/** Answers after as many milliseconds as its argument says. */
export const slowQuery = defineQuery<string, [number]>('slow');

/**
 * Records signals and the ends of slow local activities, one local activity at a time. Returns the recorded batches. They
 * depend on whether a signal and the result of the local activity arrive together or one after the other.
 * @param deadlineMs of a timer that is cancelled when a plan ends that was asked for by a signal. Absent: no timer
 */
export async function recorder(deadlineMs?: number): Promise<string[][]> {
  const inbox: string[] = [];
  const recorded: string[][] = [];
  let busy = false;
  async function alone(work: () => Promise<void>): Promise<void> {
    while (busy) await condition(() => !busy);
    busy = true;
    await work();
    busy = false;
  }
  setHandler(wordSignal, async (word) => {
    // As many microtasks as a step of an order run takes from its result to its event.
    for (let steps = 0; steps < 20; steps += 1) await Promise.resolve();
    inbox.push(word);
  });
  const deadline = new CancellationScope();
  if (deadlineMs !== undefined) deadline.run(() => sleep(deadlineMs)).catch(() => undefined);
  const planAlone = () => alone(plan).then(() => inbox.push('planned'));
  setHandler(planSignal, () => void planAlone().then(() => deadline.cancel()));
  setHandler(slowQuery, (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));
  void planAlone();
  while (!recorded.flat().includes('end')) {
    await condition(() => inbox.length > 0);
    const words = inbox.splice(0);
    await alone(() => write(words));
    recorded.push(words);
  }
  return recorded;
}
