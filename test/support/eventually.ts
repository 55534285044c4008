/**
 * Timeout of waiting for a condition, in milliseconds. It is long because tests run beside other load: with 30 busy processes on
 * two cores, four minutes were too short.
 */
export const WAIT_MS = 900_000;

/**
 * Calls `look` until it returns something other than undefined.
 * @throws Error after the timeout
 */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > end) throw new Error(`the condition was not met within ${WAIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
