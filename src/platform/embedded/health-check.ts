const WITHIN_MS = 5_000;

/** Whether a server of our own answers 2xx at this address in time; never throws. */
export async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
