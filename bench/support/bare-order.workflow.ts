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
  /** Tells the driver, as a print order tells its partner. */
  handOver(): Promise<void>;
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
  const timer = (duration: '10 minutes' | '3 days' | '90 days') => {
    const scope = new CancellationScope();
    scope.run(() => sleep(duration)).catch(() => undefined);
    return scope;
  };
  const heard = async (word: string) => {
    await condition(() => inbox.includes(word));
    await database.nothing();
  };

  // Files fetched while their status is written; plan, its record, the list's columns; the print order delivered.
  await Promise.all([outside.nothing(), database.nothing()]);
  await database.nothing();
  await database.nothing();
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.orderStatus, value: 'in_production' }]);
  await outside.handOver();
  await database.nothing();
  const received = timer('10 minutes');
  await heard('received');
  received.cancel();
  const dispatched = timer('3 days');
  await heard('printed');
  await condition(() => wanted);
  await outside.nothing();
  await database.nothing();
  dispatched.cancel();
  made = true;
  await heard('shipped');
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.orderStatus, value: 'shipped' }]);
  timer('90 days');
}
