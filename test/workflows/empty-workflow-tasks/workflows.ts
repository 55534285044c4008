import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineUpdate,
  proxyActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';

export const endUpdate = defineUpdate('end');

/**
 * Waits for two timers, one after the other. Neither is followed by a command. The commands of the update that ends the workflow
 * depend on what came first, the timers or the update.
 */
export async function waiter(): Promise<void> {
  const seen: string[] = [];
  let [isFirstOver, isEnded] = [false, false];
  setHandler(endUpdate, async () => {
    seen.push('update');
    await Promise.all(seen[0] === 'timers' ? [sleep(1)] : [sleep(1), sleep(1)]);
    isEnded = true;
  });
  void sleep(1).then(() => (isFirstOver = true));
  await sleep(1_500);
  await condition(() => isFirstOver);
  // More microtasks than an update takes from its arrival to its handler.
  for (let steps = 0; steps < 50; steps += 1) await Promise.resolve();
  seen.push('timers');
  await condition(() => isEnded);
}

const { wait } = proxyActivities<{ wait(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

export const refuseUpdate = defineUpdate('refuse');
export const cancelUpdate = defineUpdate('cancel');

/** Its tasks look empty and are not: an accepted update fails, and an activity is cancelled. Ends after both. */
export async function refuser(): Promise<void> {
  const scope = new CancellationScope();
  let ended = 0;
  setHandler(refuseUpdate, async () => {
    await sleep(1);
    ended += 1;
    throw ApplicationFailure.nonRetryable('refused');
  });
  setHandler(cancelUpdate, async () => {
    await sleep(1);
    scope.cancel();
    ended += 1;
  });
  void scope.run(wait).catch(() => undefined);
  await condition(() => ended === 2);
}
