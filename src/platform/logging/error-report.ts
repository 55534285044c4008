import { createHash } from 'node:crypto';
import type { Metrics } from '../metrics/metrics';
import type { Logger } from './logging';

/** The parts of a process that report unexpected exceptions: label `where` of `pressline_errors_total`. */
export type ErrorSource = 'api' | 'activity' | 'relay';

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
    .filter((line) => line.trimStart().startsWith('at '))
    .slice(0, FRAMES)
    .map(placeOf);
  return createHash('sha256')
    .update([name, ...frames].join('\n'))
    .digest('hex')
    .slice(0, 12);
}

/** Returns the function and the file of a stack frame, as in `at record (/app/src/run.ts:12:5)`. */
function placeOf(frame: string): string {
  const [name = ''] = frame.split('(', 1);
  const [file = ''] = frame.slice(Math.max(frame.lastIndexOf('/'), frame.lastIndexOf('\\')) + 1).split(':', 1);
  return `${name.includes('/') ? '' : name.trim()} ${file}`;
}

const reported = new WeakSet<object>();

/** Returns true for an exception that this process has reported. */
export function wasReported(error: unknown): boolean {
  return typeof error === 'object' && error !== null && reported.has(error);
}

export type ErrorReporter = (error: unknown, log: Logger, message: string) => void;

/** Returns a function that logs an unexpected exception with its fingerprint and counts it. Call it once for each exception. */
export function createErrorReporter(metrics: Metrics, where: ErrorSource): ErrorReporter {
  metrics.count('pressline_errors_total', { where }, 0);
  return (error, log, message) => {
    metrics.count('pressline_errors_total', { where });
    if (typeof error === 'object' && error !== null) reported.add(error);
    log.error({ err: error, fingerprint: fingerprintOf(error) }, message);
  };
}
