import { condition, defineUpdate, setHandler, sleep } from '@temporalio/workflow';

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
