/** Random numbers from a seed (mulberry32). The same seed produces the same sequence on every machine. */
export interface SeededRandom {
  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number;
  /** Returns a number from `from` up to but not including `to`. */
  between(from: number, to: number): number;
  pick<T>(from: readonly T[]): T;
  /** Picks an entry by its `weight`. */
  weighted<T extends { readonly weight: number }>(from: readonly T[]): T;
  /** Returns an independent generator, so that one consumer does not change the sequence of another. */
  fork(): SeededRandom;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (from, to) => from + next() * (to - from),
    pick: (from) => from[below(from.length)]!,
    weighted(from) {
      let left = next() * from.reduce((sum, { weight }) => sum + weight, 0);
      for (const entry of from) {
        left -= entry.weight;
        if (left < 0) return entry;
      }
      return from.at(-1)!;
    },
    fork: () => seededRandom(below(2 ** 32)),
  };
}
