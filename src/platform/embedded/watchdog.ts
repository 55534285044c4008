import { setTimeout as sleep } from 'node:timers/promises';
import { isHealthy } from './health-check';
import type { RunningServer } from './running-server';

/** Longer than a busy machine leaves a server without an answer. */
const EVERY_MS = 10_000;
const MOST_MISSES = 3;

/**
 * Kills a server that runs and does its work no more, so that whoever keeps it running starts it again. (A deadline
 * that passes inside a statement leaves Temporal's development server with a SQLite connection that answers
 * "interrupted" to everything from then on; seen once in some hours of overload.)
 * @param url answers 2xx while the server works
 */
export function startWatchdog<T extends RunningServer>(server: T, url: string, everyMs = EVERY_MS): T {
  let over = false;
  void server.died.then(() => {
    over = true;
  });
  const watch = async () => {
    for (let misses = 0; misses < MOST_MISSES; ) {
      await sleep(everyMs, undefined, { ref: false });
      if (over) return;
      misses = (await isHealthy(url)) ? 0 : misses + 1;
    }
    if (!over) process.kill(server.pid, 'SIGKILL');
  };
  void watch();
  return server;
}
