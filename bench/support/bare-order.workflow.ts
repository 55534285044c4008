import {
  CancellationScope,
  condition,
  defineSignal,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../src/platform/domain/search-attributes';

/**
 * What an order run asks of Temporal and nothing else: the same commands in the same sequence as a one-item order
 * from start to shipped with dispatch, every body empty.
 */

interface Bare {
  nothing(): Promise<void>;
}

const database = proxyLocalActivities<Bare>({ startToCloseTimeout: '10 seconds' });
const outside = proxyActivities<Bare>({ startToCloseTimeout: '10 seconds' });

export const told = defineSignal<[string]>('told');
export const asked = defineUpdate<void>('asked');

export async function bareOrder(): Promise<void> {
  const inbox: string[] = [];
  let wanted = false;
  let made = false;
  setHandler(told, (word) => void inbox.push(word));
  setHandler(asked, async () => {
    wanted = true;
    await condition(() => made);
  });
  const timer = async () => {
    const scope = new CancellationScope();
    scope.run(() => sleep('10 minutes')).catch(() => undefined);
    return scope;
  };
  const heard = async (word: string) => {
    await condition(() => inbox.includes(word));
    await database.nothing();
  };

  await database.nothing();
  await outside.nothing();
  await database.nothing();
  await database.nothing();
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.orderStatus, value: 'in_production' }]);
  await outside.nothing();
  await database.nothing();
  let deadline = await timer();
  await heard('received');
  deadline.cancel();
  deadline = await timer();
  await heard('printed');
  await condition(() => wanted);
  await outside.nothing();
  await database.nothing();
  deadline.cancel();
  made = true;
  await heard('shipped');
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.orderStatus, value: 'shipped' }]);
}
