import type { RunningServer } from './running-server';

/** Ends so close to each other are one lasting trouble, which starting again does not mend. */
const MOST_RESTARTS = 3;
const WITHIN_MS = 60_000;

/** A server that is started again when it ends unasked, at the same address. */
export interface SupervisedServer<T extends RunningServer> {
  /** The server as it first came up. */
  readonly server: T;
  /** Settles only when it ended and did not come back. */
  readonly failure: Promise<Error>;
  stop(): Promise<void>;
}

/**
 * Starts a server and keeps it running. Its clients reconnect by themselves, so that a server killed by hand or by the
 * system's memory guard costs seconds, not the stack.
 * @param start started on the same data each time; gives the address it came up at in `addressOf`
 * @param cameBack told the last words of a server that had to be started again
 * @throws what the first start throws
 */
export async function supervise<T extends RunningServer>(
  start: () => Promise<T>,
  addressOf: (server: T) => string,
  cameBack: (end: Error) => void,
): Promise<SupervisedServer<T>> {
  const first = await start();
  let current = first;
  let stopping = false;
  let restarting: Promise<unknown> = Promise.resolve();
  const restarts: number[] = [];

  const restart = async (end: Error): Promise<Error | undefined> => {
    while (restarts.length > 0 && Date.now() - restarts[0]! > WITHIN_MS) restarts.shift();
    if (restarts.length >= MOST_RESTARTS) return end;
    restarts.push(Date.now());
    current = await start();
    if (addressOf(current) !== addressOf(first)) {
      return new Error(`${end.message}\nIt came back at ${addressOf(current)}, where nobody looks for it.`);
    }
    cameBack(end);
    return undefined;
  };
  const failure = new Promise<Error>((resolve) => {
    const watch = async (): Promise<void> => {
      const end = await current.died;
      if (end === undefined || stopping) return;
      const restarted = restart(end).catch((error: Error) => error);
      restarting = restarted;
      const problem = await restarted;
      if (problem === undefined) return watch();
      resolve(problem);
    };
    void watch();
  });
  return {
    server: first,
    failure,
    async stop() {
      stopping = true;
      await restarting;
      await current.stop();
    },
  };
}
