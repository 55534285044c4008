import type { Logger } from '../src/platform/logging';

/**
 * Ctrl-C, SIGTERM, and a terminal that is closed. Nobody waits for them while things start: then they end the process, and the servers that it
 * started get their first stop signal on the way out. A second one while things stop ends the process too.
 */
export class StopSignals {
  private asked: (() => void) | undefined;

  constructor() {
    // A closed terminal takes no more lines, which must not end the process before its servers.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.asked === undefined) process.exit(130);
        this.asked();
        this.asked = undefined;
      });
    }
  }

  /** From now on the first signal is this promise, and only the next one ends the process. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.asked = resolve;
    });
  }
}

/**
 * Waits until a stop is asked for or a part has failed, then stops what runs.
 * @param asked settles with Ctrl-C or SIGTERM
 * @returns the process's exit code
 */
export async function untilStopped(
  asked: Promise<void>,
  running: { readonly failure: Promise<Error>; stop(): Promise<void> },
  log: Logger,
  say: (line: string) => void,
): Promise<number> {
  const failure = await Promise.race([asked, running.failure]);
  if (failure instanceof Error) {
    log.fatal({ err: failure }, 'a part of the stack ended by itself');
    process.stderr.write(`${failure.message}\n`);
  }
  say('Stopping…');
  await running.stop();
  say('Stopped.');
  return failure instanceof Error ? 1 : 0;
}
