import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from '../config';
import { loggedError } from './logged-error';

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
