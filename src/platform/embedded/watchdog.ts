import { setTimeout as sleep } from 'node:timers/promises';
import { isHealthy } from './health-check';
import type { RunningServer } from './running-server';

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
