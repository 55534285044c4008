import type { Logger } from '../src/platform/logging/logging';

/**
 * Handles Ctrl-C, SIGTERM, a closed terminal and a closed pipe. While the stack starts, a signal ends the process, and the
 * servers that it started receive their first stop signal on exit. While the stack runs, the first signal requests a stop
 * and a second one ends the process. When the reader of the output ends, as `head` does, the stack stops once it runs.
 */
export class StopSignals {
  private requestStop: (() => void) | undefined;
  private hasReader = true;

  constructor() {
    // Writing to a closed terminal fails. The error must not end the process before its servers have stopped.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'EPIPE') return;
      this.hasReader = false;
      this.stopOnce();
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.requestStop === undefined) process.exit(130);
        this.stopOnce();
      });
    }
  }

  private stopOnce(): void {
    this.requestStop?.();
    this.requestStop = undefined;
  }

  /** Resolves at the next signal. From now on, only a second signal ends the process. */
  async wait(): Promise<void> {
    if (!this.hasReader) return;
    await new Promise<void>((resolve) => {
      this.requestStop = resolve;
    });
  }
}

/** Waits for a stop request or for the failure of a part, then stops everything. Returns the exit code. */
export async function untilStopped(
  stopRequest: Promise<void>,
  running: { readonly failure: Promise<Error>; stop(): Promise<void> },
  log: Logger,
  say: (line: string) => void,
): Promise<number> {
  const failure = await Promise.race([stopRequest, running.failure]);
  if (failure instanceof Error) {
    log.fatal({ err: failure }, 'a part of the stack ended unexpectedly');
    process.stderr.write(`${failure.message}\n`);
  }
  say('Stopping…');
  await running.stop();
  say('Stopped.');
  return failure instanceof Error ? 1 : 0;
}

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
