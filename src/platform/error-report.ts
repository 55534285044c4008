import { createHash } from 'node:crypto';
import type { Logger } from './logging';
import type { Metrics } from './metrics/metrics';

/** The parts of a process that report unexpected exceptions: label `where` of `pressline_errors_total`. */
export const ERROR_SOURCES = ['api', 'activity', 'relay'] as const;
export type ErrorSource = (typeof ERROR_SOURCES)[number];

/** Frames of the stack in a fingerprint. */
const FRAMES = 3;

/**
 * Returns a short hash of where an exception comes from: its class and the innermost frames of its stack, without line numbers and
 * without its message, which can contain ids. Equal faults have equal fingerprints, also after a release.
 */
export function fingerprintOf(error: unknown): string {
  const { name = 'unknown', stack = '' } = error instanceof Error ? error : {};
  const frames = stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, FRAMES)
    .map((line) => line.trim().replace(/\(?(?:.*[\\/])?([^\\/]+?):\d+:\d+\)?$/, '$1'));
  return createHash('sha256')
    .update([name, ...frames].join('\n'))
    .digest('hex')
    .slice(0, 12);
}

export type ErrorReporter = (error: unknown, log: Logger, message: string) => void;

/** Returns a function that logs an unexpected exception with its fingerprint and counts it. Call it once for each exception. */
export function createErrorReporter(metrics: Metrics, where: ErrorSource): ErrorReporter {
  metrics.count('pressline_errors_total', { where }, 0);
  return (error, log, message) => {
    metrics.count('pressline_errors_total', { where });
    log.error({ err: error, fingerprint: fingerprintOf(error) }, message);
  };
}
