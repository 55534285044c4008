/** Slots that clients take in turn. */
export interface Turns {
  /**
   * Waits for a slot.
   * @returns the function that gives it back; call it once
   * @throws the reason of the signal when the caller aborts while it waits
   */
  take(client: string, signal?: AbortSignal): Promise<() => void>;
}

/**
 * Creates turns for a number of slots. Each client that waits gets one slot after the other clients, in the order of its own
 * requests, while it holds fewer slots than are free (docs/decisions/005-shares.md). So a client whose files hold their
 * slots for long leaves some to others.
 */
export function createTurns(slots: number): Turns {
  const held = new Map<string, number>();
  /** The requests that wait. The client whose turn is next comes first. */
  const waiting = new Map<string, Set<() => void>>();
  let free = slots;

  const heldBy = (client: string) => held.get(client) ?? 0;
  const change = (client: string, by: 1 | -1) => {
    free -= by;
    if (heldBy(client) + by === 0) held.delete(client);
    else held.set(client, heldBy(client) + by);
  };
  const leave = (client: string, request: () => void) => {
    const requests = waiting.get(client);
    requests?.delete(request);
    if (requests?.size === 0) waiting.delete(client);
  };
  const admit = () => {
    for (const [client, requests] of waiting) {
      if (heldBy(client) >= free) continue;
      const [next] = requests;
      waiting.delete(client);
      requests.delete(next!);
      if (requests.size > 0) waiting.set(client, requests);
      change(client, 1);
      next!();
    }
  };

  return {
    take(client, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const abort = () => {
          leave(client, request);
          reject(signal!.reason as Error);
        };
        const request = () => {
          signal?.removeEventListener('abort', abort);
          resolve(() => {
            change(client, -1);
            admit();
          });
        };
        signal?.addEventListener('abort', abort);
        waiting.set(client, (waiting.get(client) ?? new Set()).add(request));
        admit();
      });
    },
  };
}
