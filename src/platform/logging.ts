import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config';

export type { Logger } from 'pino';

/** Keys whose values never reach a log line, wherever they stand. */
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
/** Personal data of receivers: kept out of every line too. */
const PERSONAL_KEYS = [
  'shippingAddress',
  'email',
  'phone',
  'firstName',
  'lastName',
  'addressLine1',
  'address',
];

const redactedPaths = [...SECRET_KEYS, ...PERSONAL_KEYS].flatMap((key) => {
  const step = /[^\w]/.test(key) ? `["${key}"]` : key;
  const after = step.startsWith('[') ? step : `.${step}`;
  return [step, `*${after}`, `*.*${after}`];
});

/**
 * The process's logger: JSON lines, or readable ones on a terminal.
 * @param role names the process in every line: `api`, `worker`, `start`, ...
 */
export function createLogger(
  config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>,
  role: string,
  destination?: DestinationStream,
): Logger {
  const format = config.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json');
  const options = {
    level: config.LOG_LEVEL,
    base: { role },
    redact: { paths: redactedPaths, censor: '[redacted]' },
  };
  if (destination !== undefined) return pino(options, destination);
  // Written at once, so that lines stand in order with what else the terminal is told.
  return format === 'pretty' ? pino(options, pretty(PRETTY)) : pino(options);
}

const PRETTY = {
  ignore: 'pid,hostname,role',
  translateTime: 'HH:MM:ss.l',
  singleLine: true,
  sync: true,
} as const;
