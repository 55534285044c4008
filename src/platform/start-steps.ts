import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config';
import type { Logger } from './logging/logging';
import { isUnavailable } from './unavailable';

/** Runs a step of the start of a process, and repeats it while a server that it needs is unavailable. */
type StartStep = <T>(step: string, work: () => Promise<T>) => Promise<T>;

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
/** A step that still fails is logged again after this time. */
const LOG_EVERY_MS = 30_000;

/** A server stayed unavailable for START_TIMEOUT. The message names the step and the last error. */
export class StartTimedOut extends Error {
  override readonly name = 'StartTimedOut';
}

/**
 * Returns a function that runs the steps of the start. A step can begin several times, so it must not add to what an
 * earlier attempt has done. An error that waiting cannot change, such as a wrong password, is thrown at once.
 */
export function startSteps({ START_TIMEOUT }: Pick<Config, 'START_TIMEOUT'>, log: Logger): StartStep {
  return async (step, work) => {
    const end = performance.now() + START_TIMEOUT;
    let loggedAt = Number.NEGATIVE_INFINITY;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        const { message } = error as Error;
        if (performance.now() + pauseMs > end)
          throw new StartTimedOut(`${step}: gave up after ${START_TIMEOUT / 1_000} s: ${message}`, {
            cause: error,
          });
        if (performance.now() - loggedAt > LOG_EVERY_MS) {
          loggedAt = performance.now();
          log.warn({ step, reason: message }, 'a server is unavailable; the start waits for it');
        }
      }
      await sleep(pauseMs * (0.5 + Math.random() / 2));
    }
  };
}

/** Names of this machine, and addresses of its own. */
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/** Warns of servers on other machines that are reached without TLS. Their connections carry addresses of recipients and passwords. */
export function warnOfPlainText(
  { databaseUrl, temporal }: { databaseUrl: string; temporal: { readonly address: string; readonly tls?: unknown } },
  log: Logger,
): void {
  const { hostname, searchParams } = new URL(databaseUrl);
  const mode = searchParams.get('sslmode');
  if (
    hostname !== '' &&
    !LOCAL.test(hostname) &&
    (mode === null || mode === 'disable' || mode === 'prefer' || mode === 'allow')
  )
    log.warn(
      { host: hostname },
      'Postgres is on another machine and is reached without TLS: set sslmode=verify-full in DATABASE_URL',
    );
  const temporalHost = temporal.address.replace(/:\d+$/, '');
  if (!LOCAL.test(temporalHost) && !temporal.tls)
    log.warn({ host: temporalHost }, 'Temporal is on another machine and is reached without TLS: set TEMPORAL_TLS');
}
