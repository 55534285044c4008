import { useSyncExternalStore } from 'react';

/** Whether the API answers, as the console shows it. */
let reachable = true;
const listeners = new Set<() => void>();

/** Records whether the API answered. */
export function setReachable(now: boolean): void {
  if (now === reachable) return;
  reachable = now;
  for (const listener of listeners) listener();
}

export function useReachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => reachable,
  );
}
