import { resolve } from 'node:path';
import { z } from 'zod';
import { parsePayloadKeys } from './temporal/codec/payload-keys';

/**
 * Every environment variable Pressline reads: name, parser, and what it means.
 * docs/configuration.md prints this table; a test holds the two equal.
 */
interface Variable<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** Shown in the table; also what an unset variable means. */
  readonly fallback: string;
  readonly doc: string;
}

const variable = <T extends z.ZodType>(schema: T, fallback: string, doc: string): Variable<T> => ({
  schema,
  fallback,
  doc,
});

const optionalText = z.string().min(1).optional();
const integer = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
const trueOrFalse = z.enum(['true', 'false']);
const flag = (fallback: boolean) =>
  trueOrFalse.default(fallback ? 'true' : 'false').transform((value) => value === 'true');
/** Unset stays undefined: zod applies a default even below `.optional()`. */
const optionalFlag = trueOrFalse.transform((value) => value === 'true').optional();
const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** `500ms`, `30s`, `15m`, `24h`, `7d`: parsed to milliseconds. */
const duration = (fallback: string) =>
  z
    .string()
    .regex(/^\d{1,9}(ms|s|m|h|d)$/, 'expected a duration such as 30s, 15m, 24h or 7d')
    .default(fallback)
    .transform((text) => {
      const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text)!;
      return Number(amount) * durationUnits[unit as keyof typeof durationUnits];
    });

const payloadKeys = z
  .string()
  .transform((text, context) => {
    const keys = parsePayloadKeys(text);
    if (keys === undefined) context.addIssue('expected name:key,name2:key2 with keys of 32 bytes in base64');
    return keys;
  })
  .optional();

export const VARIABLES = {
  DATA_DIR: variable(
    z
      .string()
      .min(1)
      .default('.data')
      .transform((dir) => resolve(dir)),
    '.data',
    'Folder of everything embedded: Postgres, the Temporal database file, stored objects, credentials.json.',
  ),
  HOST: variable(z.string().min(1).default('127.0.0.1'), '127.0.0.1', 'Address the API listens on.'),
  PORT: variable(integer(3000, 0, 65535), '3000', 'Port of the API; 0 picks a free one.'),
  PUBLIC_URL: variable(
    z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'http://HOST:PORT',
    'Address under which clients and partners reach the API; document and file links start with it.',
  ),
  DATABASE_URL: variable(
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'embedded Postgres',
    'Postgres to use. Unset: a server of our own under DATA_DIR.',
  ),
  DATABASE_POOL_SIZE: variable(integer(10, 1, 500), '10', 'Connections a process opens to Postgres.'),
  TEMPORAL_ADDRESS: variable(
    optionalText,
    'embedded Temporal',
    'host:port of a Temporal frontend. Unset: a development server of our own. TLS and API keys come from the standard TEMPORAL_* variables and profile file of @temporalio/envconfig.',
  ),
  TEMPORAL_NAMESPACE: variable(z.string().min(1).default('default'), 'default', 'Temporal namespace.'),
  TEMPORAL_TASK_QUEUE: variable(
    z.string().min(1).default('pressline'),
    'pressline',
    'Task queue of workflows and activities; also the prefix of our schedule ids.',
  ),
  TEMPORAL_CLI_PATH: variable(
    optionalText,
    'temporal on PATH',
    'Temporal CLI binary that runs the embedded server.',
  ),
  TEMPORAL_UI_URL: variable(
    z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'the embedded server’s UI',
    'Address of the Temporal UI, for links.',
  ),
  TEMPORAL_DOWNLOAD_TIMEOUT: variable(
    duration('20s'),
    '20s',
    'How long the download of the Temporal CLI may take before the Go build is tried.',
  ),
  PAYLOAD_KEYS: variable(
    payloadKeys,
    'payloads are not encrypted',
    'Keys that encrypt what Temporal keeps (AES-256-GCM), as `name:base64,name2:base64`: the first encrypts, all decrypt. Every API and worker process needs the same (docs/encryption.md).',
  ),
  WORKER_BUILD_ID: variable(
    z
      .string()
      .regex(
        /^[A-Za-z0-9_.-]{1,100}$/,
        'expected up to 100 letters, digits, underscores, full stops and hyphens',
      )
      .optional(),
    'workers are not versioned',
    'Version of this worker: Temporal then sends runs to the version that was made current (docs/upgrades.md).',
  ),
  LOG_LEVEL: variable(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'info',
    'Lowest level that is logged.',
  ),
  LOG_FORMAT: variable(
    z.enum(['json', 'pretty']).optional(),
    'pretty on a terminal, json elsewhere',
    'Form of log lines.',
  ),
  SANDBOX: variable(
    z.enum(['auto', 'manual', 'off']).default('auto'),
    'auto',
    'Sandbox partners and print files: auto plays the partners, manual takes print orders but answers nothing by itself, off starts none.',
  ),
  SANDBOX_PORT: variable(
    integer(0, 0, 65535),
    '0',
    'Port of the sandbox; 0 picks a free one on the first start and keeps it in DATA_DIR.',
  ),
  RATE_LIMIT: variable(
    integer(100, 0, 1_000_000),
    '100',
    'Requests a second each API key may make; 0 is off.',
  ),
  CUSTOMER_PRODUCT_LIMIT: variable(
    integer(10_000, 1, 1_000_000),
    '10000',
    'Most customer products of one client.',
  ),
  LINK_SECRET: variable(
    z.string().min(32).optional(),
    'random, kept in DATA_DIR',
    'Secret that signs document and file links; every process of a deployment needs the same.',
  ),
  CARRIER_WEBHOOK_SECRET: variable(
    z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'expected whsec_ and the base64 of 24 to 64 bytes')
      .optional(),
    'random, kept in DATA_DIR',
    'Secret with which carriers sign their tracking events (Standard Webhooks); every API process needs the same.',
  ),
  EASYPOST_API_KEY: variable(
    optionalText,
    'built-in carriers only',
    'API key of EasyPost; set, its carriers are quoted and bought from besides the built-in ones.',
  ),
  EASYPOST_API_URL: variable(
    z
      .url({ protocol: /^https?$/ })
      .regex(/\/$/, 'must end with a slash')
      .optional(),
    'https://api.easypost.com/v2/',
    'Address of the EasyPost API, for a proxy or a test server.',
  ),
  OUTBOUND_ALLOW_PRIVATE: variable(
    optionalFlag,
    'true with embedded servers, false otherwise',
    'Whether outbound fetches and posts may go to plain http and private addresses. Never true on a server that strangers reach.',
  ),
  FILE_SIZE_LIMIT_MB: variable(
    integer(200, 1, 5_000),
    '200',
    'Largest print file or packing slip, in megabytes.',
  ),
  FILE_RETRY_WINDOW: variable(
    duration('1h'),
    '1h',
    'How long passing faults of a print-file host are retried before the order is refused.',
  ),
  RECEIVED_DEADLINE: variable(
    duration('15m'),
    '15m',
    'Time after handoff without a received postback that raises attention and one more delivery of the print order.',
  ),
  UNTRACKED_ORDER_END: variable(
    duration('14d'),
    '14d',
    'Time after shipping at which an order ends as shipped when no carrier follows its parcels.',
  ),
  S3_ENDPOINT: variable(z.url().optional(), 'AWS', 'S3-compatible endpoint of the object store.'),
  S3_BUCKET: variable(optionalText, 'folder under DATA_DIR', 'Bucket for objects. Unset: a local folder.'),
  S3_REGION: variable(z.string().min(1).default('us-east-1'), 'us-east-1', 'Region of the bucket.'),
  S3_FORCE_PATH_STYLE: variable(
    flag(true),
    'true',
    'Address buckets by path, as most S3-compatible stores want.',
  ),
  SHUTDOWN_GRACE: variable(
    duration('10s'),
    '10s',
    'How long a stopping process waits for requests and activities in flight.',
  ),
} as const satisfies Record<string, Variable>;

type Parsed = { [K in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[K]['schema']> };

/** The parsed configuration: one key per environment variable, durations in milliseconds. */
export type Config = Readonly<Parsed>;

/** A wrong variable; the message is the one line to show, and names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Parses the environment. An empty variable counts as unset.
 * @throws ConfigError naming every wrong variable and what it should be
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const parsed: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(VARIABLES)) {
    const result = schema.safeParse(env[name] === '' ? undefined : env[name]);
    if (result.success) parsed[name] = result.data;
    else problems.push(`${name}: ${result.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  if (problems.length > 0) throw new ConfigError(`Wrong configuration: ${problems.join(' | ')}`);
  return parsed as Config;
}

/** Whether outbound calls may go to private addresses (DESIGN: only when the embedded default allows them). */
export function allowsPrivateAddresses(config: Config): boolean {
  return (
    config.OUTBOUND_ALLOW_PRIVATE ??
    (config.DATABASE_URL === undefined && config.TEMPORAL_ADDRESS === undefined)
  );
}
