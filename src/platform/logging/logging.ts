import { createHash } from 'node:crypto';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config';
import { cutText } from '../domain/foreign-text';
import type { Metrics } from '../metrics/metrics';

export type { Logger } from 'pino';

/** Keys whose values are redacted in log lines, at every depth down to three. */
const SECRET_KEYS = [
  'apiKey',
  'apiSecret',
  'secret',
  'signingSecret',
  'authorization',
  'x-api-key',
  'password',
  'token',
];
/** Keys with personal data of recipients. Their values are redacted too. */
const PERSONAL_KEYS = ['shippingAddress', 'email', 'phone', 'firstName', 'lastName', 'addressLine1', 'address'];

const redactedPaths = [...SECRET_KEYS, ...PERSONAL_KEYS].flatMap((key) => {
  const step = /[^\w]/.test(key) ? `["${key}"]` : key;
  const after = step.startsWith('[') ? step : `.${step}`;
  return [step, `*${after}`, `*.*${after}`];
});

/**
 * Creates the logger of a process. It writes JSON lines, or readable lines on a terminal.
 * @param role the process type that every line carries: `api`, `worker`, `start` and so on
 * @param mixin returns further fields of each line
 */
export function createLogger(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  role: string,
  destination?: DestinationStream,
  mixin?: () => object,
): Logger {
  const format = config.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json');
  const options = {
    level: config.LOG_LEVEL,
    base: { role },
    ...(mixin && { mixin }),
    redact: { paths: redactedPaths, censor: '[redacted]' },
    serializers: {
      err: (error: unknown) => loggedError(error),
      error: (error: unknown) => loggedError(error),
    },
  };
  if (destination !== undefined) return pino(options, destination);
  // Synchronous, so that log lines and other output appear on the terminal in order.
  return format === 'pretty' ? pino(options, pretty(PRETTY)) : pino(options);
}

const PRETTY = {
  ignore: 'pid,hostname,role',
  translateTime: 'HH:MM:ss.l',
  singleLine: true,
  sync: true,
} as const;

/** Further members of an error that a log line has. They name parts of the program, never values of rows. */
const MEMBERS = ['code', 'severity', 'table_name', 'constraint_name', 'routine'] as const;
const DEEPEST_CAUSE = 5;
/** In code points. */
const LONGEST_MESSAGE = 4_000;
const LONGEST_STACK = 10_000;

/** SQLSTATE class of errors whose message repeats the value that a column does not accept. */
const BAD_VALUE = /^22/;

/**
 * Returns what a log line has of an error: type, message, stack, code and causes. pino's own serializer copies every member.
 * Postgres puts values of rows into `detail`, `where` and `hint`, and HTTP clients put requests into their errors.
 */
function loggedError(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { name, message, stack, cause, errors } = error as Partial<Error> & { errors?: unknown };
  const members = error as Readonly<Record<string, unknown>>;
  const text = typeof message === 'string' ? message : '';
  const redacted = BAD_VALUE.test(String(members.code)) ? text.replace(/: ".*/s, ': [redacted]') : text;
  const shown = cutText(redacted, LONGEST_MESSAGE);
  return {
    type: name ?? error.constructor?.name,
    message: shown,
    ...(typeof stack === 'string'
      ? { stack: cutText(shown === text ? stack : stack.replace(text, () => shown), LONGEST_STACK) }
      : {}),
    ...Object.fromEntries(
      MEMBERS.filter((member) => ['string', 'number'].includes(typeof members[member])).map((member) => [
        member,
        members[member],
      ]),
    ),
    ...(cause === undefined || depth === DEEPEST_CAUSE ? {} : { cause: loggedError(cause, depth + 1) }),
    ...(Array.isArray(errors) && depth < DEEPEST_CAUSE
      ? { errors: errors.slice(0, 10).map((inner) => loggedError(inner, depth + 1)) }
      : {}),
  };
}

/** The parts of a process that report unexpected exceptions: label `where` of `pressline_errors_total`. */
type ErrorSource = 'api' | 'activity' | 'relay';

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
