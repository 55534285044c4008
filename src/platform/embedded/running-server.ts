import type { ChildProcess } from 'node:child_process';
import { lastLines } from './files';
import { identify, type ProcessIdentity, type StopStep, stopProcess } from './processes';

/** A server process that we started. */
export interface RunningServer {
  readonly pid: number;
  /**
   * Settles when the process has ended: undefined when we stopped it, an error with its last words otherwise.
   * Never rejects.
   */
  readonly died: Promise<Error | undefined>;
  /** Ends the process in order, by force in the end; again: waits for the same end. */
  stop(): Promise<void>;
}

/** @param logFile where the process writes its output */
export function watchServer(
  name: string,
  child: ChildProcess,
  steps: readonly StopStep[],
  logFile: string,
): RunningServer {
  let stopping: Promise<void> | undefined;
  const died = new Promise<Error | undefined>((resolve) => {
    child.once('error', (error) => resolve(new Error(`${name} cannot be run: ${error.message}`)));
    child.once('exit', async (code, signal) => {
      if (stopping !== undefined) resolve(undefined);
      else
        resolve(
          new Error(
            `${name} has ended (${signal ?? `exit code ${code}`}). The end of ${logFile}:\n${await lastLines(logFile)}`,
          ),
        );
    });
  });
  const identity: Promise<ProcessIdentity> =
    child.pid === undefined ? Promise.resolve({ pid: -1, started: '' }) : identify(child.pid);
  return {
    pid: child.pid ?? -1,
    died,
    stop: () => {
      stopping ??= (async () => {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
        await stopProcess(await identity, steps);
        await died;
      })();
      return stopping;
    },
  };
}
