/**
 * Timeout of waiting for a condition, in milliseconds. It is long because tests run beside other load: with 30 busy processes on
 * two cores, four minutes were too short.
 */
export const WAIT_MS = 900_000;

const SHORTEST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/**
 * Calls `look` until it returns something other than undefined, more and more rarely: a sixth of the time so far passes between
 * two calls.
 * @param what says what it is that has not come about
 * @throws Error after the timeout
 */
export async function eventually<T>(
  look: () => Promise<T | undefined>,
  what: () => string | Promise<string> = () => 'the condition was not met',
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    const waitedMs = Date.now() - start;
    if (waitedMs > WAIT_MS) throw new Error(`${await what()} within ${WAIT_MS} ms`);
    const pauseMs = Math.min(Math.max(waitedMs / 6, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
