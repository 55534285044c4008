import { resolve } from 'node:path';
import { z } from 'zod';
import {
  duration,
  flag,
  integer,
  namedKeys,
  networks,
  optionalFlag,
  optionalInteger,
  optionalText,
  parsed,
} from './config-fields';
import { parseGroupRoles } from './group-roles';
import { parseSecretsBySender } from './http/webhook-signature';
import { parseLinkKeys } from './objects/link-keys';

/**
 * An environment variable that Pressline reads.
 * docs/configuration.md repeats this table. A test asserts that the two are equal.
 */
interface Variable<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** The default value as the documentation shows it. */
  readonly fallback: string;
  readonly doc: string;
}

const httpUrl = z.url({ protocol: /^https?$/ });

const variable = <T extends z.ZodType>(schema: T, fallback: string, doc: string): Variable<T> => ({
  schema,
  fallback,
  doc,
});

export const VARIABLES = {
  DATA_DIR: variable(
    z
      .string()
      .min(1)
      .default('.data')
      .transform((dir) => resolve(dir)),
    '.data',
    'Folder for all embedded data: the Postgres cluster, the Temporal database file, stored objects and credentials.json.',
  ),
  HOST: variable(z.string().min(1).default('127.0.0.1'), '127.0.0.1', 'Address that the API listens on.'),
  PORT: variable(
    integer(3000, 0, 65535),
    '3000',
    'Port that the API listens on. Set it to 0 to pick a free port.',
  ),
  PUBLIC_URL: variable(
    z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'http://HOST:PORT',
    'Base URL at which clients and partners reach the API. Document and file links start with it.',
  ),
  TRUSTED_PROXIES: variable(
    networks,
    'none',
    'Addresses or networks of the proxies in front of the API, separated by commas. Their X-Forwarded-For header gives the address of the caller, for the audit log and for limits per address.',
  ),
  DATABASE_URL: variable(
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'embedded Postgres',
    'Connection URL of Postgres. When it is not set, Pressline starts an embedded server with its data in DATA_DIR.',
  ),
  MIGRATION_DATABASE_URL: variable(
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'DATABASE_URL',
    'Connection URL of the role that owns the tables. Only `migrate` uses it. When its user differs from the user of DATABASE_URL, `migrate` gives the latter the rights to read and write rows, and creates it if necessary.',
  ),
  MIGRATION_WAIT: variable(
    duration('5m'),
    '5m',
    'How long `api`, `worker` and `start` wait for a database that is not migrated yet, and how long `migrate` retries while other transactions hold the locks that it needs.',
  ),
  DATABASE_POOL_SIZE: variable(
    integer(10, 1, 500),
    '10',
    'Maximum number of Postgres connections in a pool. A process has one pool. A worker has a second one for local activities, and runs as many of them at a time.',
  ),
  TEMPORAL_ADDRESS: variable(
    optionalText,
    'embedded Temporal',
    'Temporal frontend as host:port. When it is not set, Pressline starts an embedded development server. TLS and API keys come from the standard TEMPORAL_* variables and the profile file of @temporalio/envconfig.',
  ),
  TEMPORAL_NAMESPACE: variable(z.string().min(1).default('default'), 'default', 'Temporal namespace.'),
  TEMPORAL_TASK_QUEUE: variable(
    z.string().min(1).default('pressline'),
    'pressline',
    'Task queue for workflows and activities, and the prefix of schedule ids.',
  ),
  TEMPORAL_CLI_PATH: variable(
    optionalText,
    'temporal on PATH',
    'Path of the Temporal CLI binary that runs the embedded server.',
  ),
  TEMPORAL_UI_URL: variable(
    z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    'the embedded server’s UI',
    'URL of the Temporal UI, used in links.',
  ),
  TEMPORAL_DOWNLOAD_TIMEOUT: variable(
    duration('20s'),
    '20s',
    'Time limit for downloading the Temporal CLI. After it, Pressline builds the CLI with Go.',
  ),
  PAYLOAD_KEYS: variable(
    namedKeys,
    'payloads are not encrypted',
    'Keys that encrypt Temporal payloads (AES-256-GCM), as `name:base64,name2:base64`. The first key encrypts; all keys decrypt. Set the same keys for every API and worker process (docs/encryption.md).',
  ),
  SECRET_KEYS: variable(
    namedKeys,
    'random, stored in DATA_DIR',
    'Keys that encrypt the signing secrets of partners and webhook endpoints in Postgres (AES-256-GCM), as `name:base64,name2:base64`. The first key encrypts; all keys decrypt. Set the same keys for every API and worker process (docs/encryption.md).',
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
    'Build id of this worker. When it is set, Temporal routes workflows to the current version (docs/upgrades.md).',
  ),
  WORKER_HEAP_MB: variable(
    optionalInteger(64, 262_144),
    'half of the memory',
    'Heap limit of the worker’s thread that runs workflows and holds their cache, in megabytes.',
  ),
  WORKER_CACHED_WORKFLOWS: variable(
    optionalInteger(2, 1_000_000),
    '600 for each GB of the heap',
    'Maximum number of workflows that the worker keeps in memory between two tasks. A workflow outside the cache is replayed from its history.',
  ),
  WORKER_WORKFLOW_SLOTS: variable(
    optionalInteger(2, 10_000),
    '20 for each core',
    'Maximum number of concurrent workflow tasks.',
  ),
  WORKER_ACTIVITY_SLOTS: variable(
    optionalInteger(1, 10_000),
    '10 for each core, up to 50 while CPU and memory are available',
    'Number of concurrent activities. A number that is set does not follow the load of the machine.',
  ),
  WORKER_POLLERS: variable(
    optionalInteger(1, 1000),
    '10 for each core',
    'Maximum number of concurrent polls for workflow tasks, and for activities.',
  ),
  WORKER_STACK_TRACES: variable(
    z.enum(['on', 'off']).default('off'),
    'off',
    'Whether the Temporal UI can show the call stack of running workflows. Collecting it takes about half of the CPU time that a worker needs to run workflow code.',
  ),
  METRICS_PORT: variable(
    z
      .union([z.literal('off'), z.coerce.number().int().min(0).max(65535)], 'expected a port or off')
      .optional(),
    '9464',
    'Port of the metrics and health listener of each process. Set it to 0 to pick a free port, or to off to have no listener. When it is not set and 9464 is in use, a free port is taken.',
  ),
  METRICS_HOST: variable(
    z.string().min(1).default('127.0.0.1'),
    '127.0.0.1',
    'Address that the metrics and health listener listens on. The metrics are not authenticated.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    httpUrl.optional(),
    'no traces',
    'Base URL of an OpenTelemetry collector that speaks OTLP over HTTP. When it is set, every process sends traces to `/v1/traces` below it (docs/tracing.md).',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(
    httpUrl.optional(),
    'OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces',
    'Complete URL that traces are sent to.',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(
    z.enum(['http/protobuf']).default('http/protobuf'),
    'http/protobuf',
    'Protocol of the collector. Pressline has no other.',
  ),
  OTEL_TRACES_EXPORTER: variable(
    z.enum(['otlp', 'none']).default('otlp'),
    'otlp',
    'none: traces are off, whatever endpoint is set.',
  ),
  OTEL_SDK_DISABLED: variable(flag(false), 'false', 'true: traces are off, whatever endpoint is set.'),
  OTEL_SERVICE_NAME: variable(
    z.string().min(1).default('pressline'),
    'pressline',
    'Attribute `service.name` of every span. OTEL_RESOURCE_ATTRIBUTES adds further attributes.',
  ),
  OTEL_TRACES_SAMPLER: variable(
    z
      .enum([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ])
      .default('parentbased_always_on'),
    'parentbased_always_on',
    'Which traces are recorded. The parentbased samplers follow the `traceparent` of a caller; the others do not.',
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    z.coerce.number().min(0).max(1).default(1),
    '1',
    'Share of the traces that the traceidratio samplers record, from 0 to 1.',
  ),
  OTEL_BSP_SCHEDULE_DELAY: variable(
    integer(5_000, 1, 3_600_000),
    '5000',
    'Milliseconds between two exports of spans.',
  ),
  OTEL_BSP_EXPORT_TIMEOUT: variable(
    integer(30_000, 1, 3_600_000),
    '30000',
    'Time limit of one export of spans, in milliseconds.',
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: variable(
    integer(2_048, 1, 1_000_000),
    '2048',
    'Maximum number of spans that wait for their export. Further spans are dropped.',
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: variable(
    integer(512, 1, 1_000_000),
    '512',
    'Maximum number of spans in one export.',
  ),
  LOG_LEVEL: variable(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'info',
    'Minimum level of logged lines.',
  ),
  LOG_FORMAT: variable(
    z.enum(['json', 'pretty']).optional(),
    'pretty on a terminal, json elsewhere',
    'Format of log lines.',
  ),
  SANDBOX: variable(
    z.enum(['auto', 'manual', 'off']).default('auto'),
    'auto',
    'Sandbox with print partners and print files. auto: partners produce every print order. manual: partners accept print orders and then wait for commands. off: no sandbox.',
  ),
  SANDBOX_PORT: variable(
    integer(0, 0, 65535),
    '0',
    'Port of the sandbox. With 0, the first start picks a free port and stores it in DATA_DIR.',
  ),
  RATE_LIMIT: variable(
    integer(100, 0, 1_000_000),
    '100',
    'Maximum number of requests per second and API key. Set it to 0 to turn the limit off.',
  ),
  RATE_LIMIT_STORE: variable(
    z.enum(['memory', 'postgres']).default('memory'),
    'memory',
    'Where requests are counted for RATE_LIMIT. memory: in each process, so with n API processes a key can send n times as much. postgres: once for all processes, with one statement per request (docs/operations.md).',
  ),
  CONCURRENT_REQUESTS: variable(
    integer(50, 0, 100_000),
    '50',
    'Maximum number of requests of one API key that an API process handles at once. Set it to 0 to turn the limit off.',
  ),
  CUSTOMER_PRODUCT_LIMIT: variable(
    integer(10_000, 1, 1_000_000),
    '10000',
    'Maximum number of customer products per client.',
  ),
  LINK_SECRET: variable(
    parsed(parseLinkKeys, 'expected id:secret,id2:secret2, or one secret, each of at least 32 characters'),
    'random, stored in DATA_DIR',
    'Secrets that sign document and file links, as `id:secret,id2:secret2`, or one secret. The first one signs; all verify. Set the same value for every process of a deployment.',
  ),
  CARRIER_WEBHOOK_SECRETS: variable(
    parsed(
      parseSecretsBySender,
      'expected carrierUid:whsec_…,carrierUid2:whsec_…, each with the base64 of 24 to 64 bytes',
    ),
    'random, stored in DATA_DIR',
    'Secrets with which carriers sign tracking events (Standard Webhooks), as `carrierUid:whsec_…,carrierUid2:whsec_…`. Several secrets of one carrier overlap during a rotation. Set the same value for every API process.',
  ),
  OIDC_ISSUER: variable(
    z.url({ protocol: /^https?$/ }).optional(),
    'operators sign in with API keys only',
    'Issuer URL of the OpenID Connect provider with which operators sign in (docs/operations.md). Needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES. Plain http only where OUTBOUND_ALLOW_PRIVATE allows it.',
  ),
  OIDC_CLIENT_ID: variable(optionalText, 'none', 'Client id of Pressline at the provider.'),
  OIDC_CLIENT_SECRET: variable(optionalText, 'none', 'Client secret of Pressline at the provider.'),
  OIDC_SCOPES: variable(
    z
      .string()
      .regex(/^openid( [!-~]{1,100}){0,20}$/, 'expected scopes separated by spaces, openid first')
      .default('openid profile'),
    'openid profile',
    'Scopes that a sign-in asks for, separated by spaces. Some providers need one more for the groups.',
  ),
  OIDC_GROUPS_CLAIM: variable(
    z.string().min(1).default('groups'),
    'groups',
    'Claim with the groups of the user, in the ID token or in the answer of the userinfo endpoint.',
  ),
  OIDC_ROLES: variable(
    parsed(parseGroupRoles, 'expected group:role,group2:role2 with the roles viewer, operator and admin'),
    'none',
    'Roles of operators by group, as `print-admins:admin,print-ops:operator`. A user in several groups has the highest role. A user in none of them cannot sign in.',
  ),
  EASYPOST_API_KEY: variable(
    optionalText,
    'built-in carriers only',
    'API key of EasyPost. When it is set, quotes and purchases include its carriers beside the built-in ones.',
  ),
  EASYPOST_API_URL: variable(
    z
      .url({ protocol: /^https?$/ })
      .regex(/\/$/, 'must end with a slash')
      .optional(),
    'https://api.easypost.com/v2/',
    'Base URL of the EasyPost API. Set it to use a proxy or a test server.',
  ),
  OUTBOUND_ALLOW_PRIVATE: variable(
    optionalFlag,
    'true with embedded servers, false otherwise',
    'Allows outbound requests to plain http URLs and to private addresses. Do not set it to true on a server that is reachable from the internet.',
  ),
  FILE_SIZE_LIMIT_MB: variable(
    integer(200, 1, 5_000),
    '200',
    'Maximum size of a print file or packing slip, in megabytes.',
  ),
  FILE_RETRY_WINDOW: variable(
    duration('1h'),
    '1h',
    'How long the download of a print file is retried after transient errors before the order is refused.',
  ),
  RECEIVED_DEADLINE: variable(
    duration('15m'),
    '15m',
    'Time that a partner has to send the received postback after it accepts a print order. After it, the order gets an attention flag and the print order is delivered once more. Without a postback, it is delivered again after twice the time each, at most daily.',
  ),
  STOP_DEADLINE: variable(
    duration('15m'),
    '15m',
    'Time that a reroute waits for the present partner to agree to stop. After it, units that the partner has not acknowledged go to the other partner, and units in production stay.',
  ),
  UNTRACKED_ORDER_END: variable(
    duration('14d'),
    '14d',
    'Time after shipping at which an order ends as shipped when no carrier follows its parcels.',
  ),
  PERSONAL_DATA_RETENTION: variable(
    duration('365d'),
    '365d',
    'Time after the end of an order at which its names, addresses, e-mail addresses, phone numbers, tax ids, files and documents are erased (docs/personal-data.md).',
  ),
  S3_ENDPOINT: variable(z.url().optional(), 'AWS', 'Endpoint URL of an S3-compatible object store.'),
  S3_BUCKET: variable(
    optionalText,
    'folder under DATA_DIR',
    'Bucket for objects. When it is not set, objects are stored in a local folder.',
  ),
  S3_REGION: variable(z.string().min(1).default('us-east-1'), 'us-east-1', 'Region of the bucket.'),
  S3_FORCE_PATH_STYLE: variable(
    flag(true),
    'true',
    'Puts the bucket name into the path of URLs, which most S3-compatible stores require.',
  ),
  START_TIMEOUT: variable(
    duration('5m'),
    '5m',
    'How long a starting process repeats a step while Postgres or Temporal is unavailable.',
  ),
  SHUTDOWN_DELAY: variable(
    duration('0s').optional(),
    '5s in a container, else 0s',
    'How long a stopping API accepts requests while /readyz answers 503, so that load balancers stop sending them.',
  ),
  SHUTDOWN_GRACE: variable(
    duration('10s'),
    '10s',
    'How long a stopping process waits for requests and activities in progress.',
  ),
} as const satisfies Record<string, Variable>;

type Parsed = { [K in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[K]['schema']> };

/** The parsed configuration: one key per environment variable, durations in milliseconds. */
export type Config = Readonly<Parsed>;

/** Variables that are set together or not at all. */
const TOGETHER = [['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES']] as const;

/** An invalid environment variable. The message is one line for the user and names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Parses the environment. An empty variable counts as not set.
 * @throws ConfigError that names every invalid variable and the expected value
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const parsed: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(VARIABLES)) {
    const result = schema.safeParse(env[name] === '' ? undefined : env[name]);
    if (result.success) parsed[name] = result.data;
    else problems.push(`${name}: ${result.error.issues.map((issue) => issue.message).join('; ')}`);
  }
  for (const names of TOGETHER) {
    const missing = names.filter((name) => !env[name]);
    if (missing.length > 0 && missing.length < names.length)
      problems.push(
        ...missing.map((name) => `${name}: needed with ${names.filter((one) => env[one]).join(', ')}`),
      );
  }
  const config = parsed as Config;
  if (config.OIDC_ISSUER?.startsWith('http:') && !allowsPrivateAddresses(config))
    problems.push('OIDC_ISSUER: expected an https URL');
  if (problems.length > 0) throw new ConfigError(`Wrong configuration: ${problems.join(' | ')}`);
  return config;
}

/** Returns true when outbound requests may go to private addresses: by default only when all servers are embedded. */
export function allowsPrivateAddresses(config: Config): boolean {
  return (
    config.OUTBOUND_ALLOW_PRIVATE ??
    (config.DATABASE_URL === undefined && config.TEMPORAL_ADDRESS === undefined)
  );
}
