import { AsyncLocalStorage } from 'node:async_hooks';

const observers = new AsyncLocalStorage<() => void>();

/** Runs work and calls a function each time that it reports progress. */
export const observeProgress = <T>(observe: () => void, work: () => Promise<T>): Promise<T> =>
  observers.run(observe, work);

/** Reports that long work has completed a part: a call, a package, a batch. Work that nobody observes may report too. */
export const progressed = (): void => observers.getStore()?.();
