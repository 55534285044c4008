const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay before each attempt, in milliseconds (docs/notifications.md). */
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

/** Spreads the attempts to receivers that failed at the same time. */
const JITTER = 0.2;

/**
 * Returns the milliseconds from a failed attempt to the next, or null after the last attempt.
 * @param attempt number of the failed attempt, from 1
 * @param random from 0 to 1
 * @param retryAfterMs the receiver's Retry-After, used when it is longer than the schedule
 */
export function delayAfter(attempt: number, random: number, retryAfterMs = 0): number | null {
  const delay = ATTEMPT_DELAYS_MS[attempt];
  if (delay === undefined) return null;
  return Math.max(Math.round(delay * (1 - JITTER + 2 * JITTER * random)), retryAfterMs);
}
