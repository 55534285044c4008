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
 * The baseline of the order benchmark: the commands of a one-item order from start to shipped with dispatch, in the same
 * sequence, with empty bodies.
 */

interface Bare {
  nothing(): Promise<void>;
  /** Notifies the driver, as a print order reaches its partner. */
  handOver(): Promise<void>;
}

const database = proxyLocalActivities<Bare>({ startToCloseTimeout: '10 seconds' });
const remote = proxyActivities<Bare>({ startToCloseTimeout: '10 seconds' });

export const postback = defineSignal<[string]>('postback');
export const dispatch = defineUpdate<void>('dispatch');

export async function bareOrder(): Promise<void> {
  const inbox: string[] = [];
  let dispatchRequested = false;
  let labelsBought = false;
  setHandler(postback, (status) => void inbox.push(status));
  setHandler(dispatch, async () => {
    dispatchRequested = true;
    await condition(() => labelsBought);
  });
  const timer = (duration: '10 minutes' | '3 days' | '90 days') => {
    const scope = new CancellationScope();
    scope.run(() => sleep(duration)).catch(() => undefined);
    return scope;
  };
  const processPostback = async (status: string) => {
    await condition(() => inbox.includes(status));
    await database.nothing();
  };

  // File download, plan and its record, delivery of the print order; search attributes; record of the delivery.
  await remote.handOver();
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.orderStatus, value: 'in_production' }]);
  await database.nothing();
  const received = timer('10 minutes');
  await processPostback('received');
  received.cancel();
  const dispatched = timer('3 days');
  await processPostback('printed');
  await condition(() => dispatchRequested);
  // Labels and their record.
  await remote.nothing();
  dispatched.cancel();
  labelsBought = true;
  await processPostback('shipped');
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.orderStatus, value: 'shipped' }]);
  timer('90 days');
}
