import { condition } from '@temporalio/workflow';

function loop(): never {
  for (;;);
}

/** @param where the code that does not end: the function itself, what follows a promise, or a condition */
export async function endless(where: 'function' | 'promise' | 'condition'): Promise<void> {
  if (where === 'function') loop();
  await Promise.resolve();
  if (where === 'promise') loop();
  let isAsked = false;
  await condition(() => {
    // The first call is a part of the function.
    if (isAsked) loop();
    isAsked = true;
    return false;
  });
}

export async function ends(): Promise<string> {
  await Promise.resolve();
  return 'ended';
}
