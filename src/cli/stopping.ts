import type { Logger } from '../platform/logging';

/**
 * Waits for Ctrl-C, SIGTERM, or a part that failed, then stops; a second Ctrl-C ends at once.
 * @returns the process's exit code
 */
export async function untilStopped(
  running: { readonly failure: Promise<Error>; stop(): Promise<void> },
  log: Logger,
  say: (line: string) => void,
): Promise<number> {
  const signalled = new Promise<undefined>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(130);
        resolve(undefined);
      });
    }
  });
  let stopping = false;
  const failure = await Promise.race([signalled, running.failure]);
  stopping = true;
  if (failure !== undefined) log.error({ err: failure }, 'a part of the stack ended by itself');
  say('Stopping…');
  await running.stop();
  say('Stopped.');
  return failure === undefined ? 0 : 1;
}
