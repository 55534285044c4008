const TIMEOUT_MS = 5_000;

/** Returns true when a URL responds with status 2xx within five seconds. Never throws. */
export async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}
