/** Type of the failure of an activity whose key has its share. */
export const NO_SLOT = 'ShareTaken';

/** A client or partner has its share of something that this process shares out. Nobody was called. */
export class ShareTaken extends Error {
  override readonly name = NO_SLOT;

  constructor(
    message: string,
    /** Milliseconds after which there is likely to be room. */
    readonly retryInMs: number,
  ) {
    super(message);
  }
}

/** Divides slots among keys: those of a worker among clients and partners, or the calls of a process among partners. */
export interface SlotShares {
  /** Takes a slot unless the key has its share. Returns what gives it back, or when one is likely to be free. */
  take(key: string): { release(): void } | { readonly retryInMs: number };
  /** Returns the milliseconds for which the oldest slot of a key is held. 0: it holds none. */
  heldMs(key: string): number;
}

/** Bounds of `retryInMs`. The longest is also the longest pause of retries to partners and file hosts. */
const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5 * 60_000;
/** Weight of the latest duration in the moving average. */
const LATEST = 0.2;

interface Share {
  /** Start times of what is running, oldest first. */
  readonly started: Set<{ readonly at: number }>;
  /** Moving average of the time that a slot is held, in milliseconds. */
  averageMs: number;
  /** Time for which the latest waiting activity was told to come back. */
  nextAt: number;
}

/**
 * Creates the shares of a number of slots, of which a key has at most `mostPerKey`. A key gets a slot while it holds
 * fewer than are free: one key has at most half of the slots, two a third each. Some slots are always free for another
 * key, however many keys are stuck (the dynamic thresholds of Choudhury and Hahne, 1998).
 *
 * What gets no slot is told when to try again: one after the other, at the rate at which the key's slots become free.
 * Many waiting activities therefore do not ask again and again.
 */
export function createSlotShares(
  slots: number,
  { mostPerKey = Number.POSITIVE_INFINITY, now = Date.now }: { mostPerKey?: number; now?: () => number } = {},
): SlotShares {
  const shares = new Map<string, Share>();
  let held = 0;

  const oldestMs = ({ started }: Share) => {
    const [oldest] = started;
    return oldest === undefined ? 0 : now() - oldest.at;
  };
  /** Returns the time that a slot of the key is held, also when none has been given back yet. */
  const holdMs = (share: Share) => Math.max(share.averageMs, oldestMs(share));

  return {
    heldMs(key) {
      const share = shares.get(key);
      return share === undefined ? 0 : oldestMs(share);
    },
    take(key) {
      const share = shares.get(key) ?? { started: new Set(), averageMs: 0, nextAt: 0 };
      shares.set(key, share);
      // Each key has at least one: Temporal has given this activity a slot already.
      if (share.started.size < Math.max(1, Math.min(mostPerKey, slots - held))) {
        const running = { at: now() };
        share.started.add(running);
        held += 1;
        return {
          release() {
            if (!share.started.delete(running)) return;
            held -= 1;
            share.averageMs += LATEST * (now() - running.at - share.averageMs);
            if (share.started.size === 0 && share.nextAt <= now()) shares.delete(key);
          },
        };
      }
      share.nextAt = Math.max(share.nextAt, now()) + holdMs(share) / share.started.size;
      const waitMs = share.nextAt - now();
      if (waitMs > LONGEST_WAIT_MS) share.nextAt = now() + LONGEST_WAIT_MS;
      return { retryInMs: Math.round(Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitMs))) };
    },
  };
}
