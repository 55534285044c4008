/**
 * Calls `look` until it returns something other than undefined. The time-out is long because tests run beside other load.
 * @throws Error after the time-out
 */
export async function eventually<T>(look: () => Promise<T | undefined>, timeoutMs = 60_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > end) throw new Error(`the condition was not met within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
