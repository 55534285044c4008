import { useSyncExternalStore } from 'react';

/** The two ways in which the console hears from the API. */
type Way = 'calls' | 'stream';

const broken = new Set<Way>();
const listeners = new Set<() => void>();

/** Records whether the API can be reached. */
export function setReachable(way: Way, now: boolean): void {
  if (now === !broken.has(way)) return;
  if (now) broken.delete(way);
  else broken.add(way);
  for (const listener of listeners) listener();
}

/** Returns true while calls are answered and the stream of changes is not broken. */
export function useReachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => broken.size === 0,
  );
}
