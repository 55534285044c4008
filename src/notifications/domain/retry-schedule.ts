const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits before each attempt, in milliseconds; the first goes at once (DESIGN "Notifications to clients"). */
export const ATTEMPT_DELAYS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Receivers that went down together are not called together. */
const JITTER = 0.2;

/**
 * Milliseconds from a failed attempt to the next, or null when it was the last.
 * @param attempt the one that failed, from 1
 * @param random from 0 to 1
 * @param retryAfterMs what the receiver asked for: waited for when it is longer
 */
export function delayAfter(attempt: number, random: number, retryAfterMs = 0): number | null {
  const delay = ATTEMPT_DELAYS_MS[attempt];
  if (delay === undefined) return null;
  return Math.max(Math.round(delay * (1 - JITTER + 2 * JITTER * random)), retryAfterMs);
}
