import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from './running-server';

/** After this many restarts within the interval, a restart does not solve the problem. */
const MAX_RESTARTS = 3;
const RESTART_INTERVAL_MS = 60_000;

/** A server that is restarted at the same address when it ends unexpectedly. */
export interface SupervisedServer<T extends RunningServer> {
  /** The server of the first start. */
  readonly server: T;
  /** Resolves only when the server ended and could not be restarted. */
  readonly failure: Promise<Error>;
  stop(): Promise<void>;
}

/**
 * Starts a server and restarts it when it ends unexpectedly, up to three times per minute. Clients reconnect on their
 * own, so a server that is killed by hand or by the system's out-of-memory killer is back within seconds.
 * @param start starts the server, each time on the same data
 * @param addressOf returns the address of a server; it must be the same after a restart
 * @param onRestart called after a restart, with an error that has the end of the log of the server that ended
 * @throws the error of the first start
 */
export async function supervise<T extends RunningServer>(
  start: () => Promise<T>,
  addressOf: (server: T) => string,
  onRestart: (end: Error) => void,
): Promise<SupervisedServer<T>> {
  const first = await start();
  let current = first;
  let stopping = false;
  let restarting: Promise<unknown> = Promise.resolve();
  const restarts: number[] = [];

  const restart = async (end: Error): Promise<Error | undefined> => {
    while (restarts.length > 0 && Date.now() - restarts[0]! > RESTART_INTERVAL_MS) restarts.shift();
    if (restarts.length >= MAX_RESTARTS) return end;
    restarts.push(Date.now());
    current = await start();
    if (addressOf(current) !== addressOf(first)) {
      return new Error(`${end.message}\nIt restarted at another address, ${addressOf(current)}.`);
    }
    onRestart(end);
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

/** A working server on a busy machine responds to at least one of three health checks in this interval. */
const INTERVAL_MS = 10_000;
const MAX_MISSES = 3;

/**
 * Kills a server that runs but fails its health check three times in a row, so that its supervisor restarts it.
 *
 * Temporal's development server needs this: when a deadline passes within a SQL statement, its SQLite connection fails
 * every further statement with "interrupted". This was seen once in several hours of overload.
 * @param url health check URL that responds with 2xx while the server works
 */
export function startWatchdog<T extends RunningServer>(server: T, url: string, intervalMs = INTERVAL_MS): T {
  let ended = false;
  void server.died.then(() => {
    ended = true;
  });
  const watch = async () => {
    for (let misses = 0; misses < MAX_MISSES; ) {
      await sleep(intervalMs, undefined, { ref: false });
      if (ended) return;
      misses = (await isHealthy(url)) ? 0 : misses + 1;
    }
    if (!ended) process.kill(server.pid, 'SIGKILL');
  };
  void watch();
  return server;
}

const TIMEOUT_MS = 5_000;

/** Returns true when a URL responds with status 2xx within five seconds. Never throws. */
export async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}
