import { z } from 'zod';
import { MOST_OF_QUOTA, QUOTA_NAMES, type QuotaLimits, type QuotaName } from '../domain/quotas';
import { parseSeller } from '../domain/seller';
import { parseSecretsBySender } from '../http/webhook-signature';
import { parseLinkKeys } from '../objects/signed-links';
import { parseNamedList } from '../sealing/named-keys';
import {
  amount,
  duration,
  flag,
  httpUrl,
  integer,
  optionalDuration,
  optionalFlag,
  optionalText,
  parsed,
  type Variable,
  variable,
} from './fields';

/** Parses `drafts:500,exports:4`. Returns undefined for any other text and for a quota that is named twice. */
function parseClientQuotas(text: string): Partial<QuotaLimits> | undefined {
  const entries = parseNamedList(text, /^(\w+):(\d{1,16})$/);
  const isGood = entries?.every(
    ([name, limit]) => QUOTA_NAMES.includes(name as QuotaName) && Number(limit) <= MOST_OF_QUOTA,
  );
  const limits = Object.fromEntries((entries ?? []).map(([name, limit]) => [name, Number(limit)]));
  return isGood && Object.keys(limits).length === entries?.length ? limits : undefined;
}

type Role = 'viewer' | 'operator' | 'admin';

export type GroupRoles = ReadonlyMap<string, Role>;

/**
 * Parses `group:role,group2:role`. The text after the last colon is the role, so that groups can contain colons.
 * @returns undefined for any other text, and when a group has two roles
 */
function parseGroupRoles(text: string): GroupRoles | undefined {
  const entries = parseNamedList(text, /^(.{1,200}):(viewer|operator|admin)$/) as [string, Role][] | undefined;
  const roles = new Map(entries);
  return roles.size === entries?.length ? roles : undefined;
}

/** Variables of limits, carriers, sign-in, files, deadlines and the life of a process. */
export const SERVICE_VARIABLES = {
  SANDBOX: variable(
    z.enum(['auto', 'manual', 'off']).default('auto'),
    'Sandbox with print partners and print files. auto: partners produce every print order. manual: partners accept print orders and then wait for commands. off: no sandbox.',
  ),
  SANDBOX_PORT: variable(
    integer(0, 0, 65535),
    'Port of the sandbox. With 0, the first start takes 3100, or a free port when 3100 is in use, and stores it in DATA_DIR.',
  ),
  RATE_LIMIT: variable(
    integer(100, 0, 1_000_000),
    'Maximum number of requests per second and API key. Set it to 0 to turn the limit off.',
  ),
  RATE_LIMIT_STORE: variable(
    z.enum(['memory', 'postgres']).default('memory'),
    'Where requests are counted for RATE_LIMIT. memory: in each process, so with n API processes a key can send n times as much. postgres: once for all processes, with one statement per request (docs/operation/rate-limits.md).',
  ),
  CONCURRENT_REQUESTS: variable(
    integer(50, 0, 100_000),
    'Maximum number of requests of one API key that an API process handles at once. Set it to 0 to turn the limit off.',
  ),
  PARTNER_CALLS: variable(
    integer(20, 1, 10_000),
    'Maximum number of calls to one print partner that a process has under way at once. Further calls fail at once and are made later.',
  ),
  CLIENT_QUOTAS: variable(
    parsed(parseClientQuotas, `expected name:limit,name2:limit2 with the names ${QUOTA_NAMES.join(', ')}`),
    'Quotas of clients without a value of their own, as `drafts:500,exports:4`. 0 is no limit. Quotas that are not named keep the limits of docs/limits.md.',
    'the limits of docs/limits.md',
  ),
  LINK_SECRET: variable(
    parsed(parseLinkKeys, 'expected id:secret,id2:secret2, or one secret, each of at least 32 characters'),
    'Secrets that sign document and file links, as `id:secret,id2:secret2`, or one secret. The first one signs; all verify. Set the same value for every process of a deployment.',
    'random, stored in DATA_DIR',
  ),
  SELLER: variable(
    parsed(parseSeller, 'expected JSON with the members of docs/money.md'),
    'Who issues statements to clients, as JSON (docs/money.md).',
    'no statements are issued',
  ),
  CARRIER_WEBHOOK_SECRETS: variable(
    parsed(
      parseSecretsBySender,
      'expected carrierUid:whsec_…,carrierUid2:whsec_…, each with the base64 of 24 to 64 bytes',
    ),
    'Secrets with which carriers sign tracking events (Standard Webhooks), as `carrierUid:whsec_…,carrierUid2:whsec_…`. Several secrets of one carrier overlap during a rotation. Set the same value for every API process.',
    'random, stored in DATA_DIR',
  ),
  OIDC_ISSUER: variable(
    httpUrl.optional(),
    'Issuer URL of the OpenID Connect provider with which operators sign in (docs/how-to/sign-in-with-openid-connect.md). Needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_ROLES. Plain http only where OUTBOUND_ALLOW_PRIVATE allows it.',
    'operators sign in with API keys only',
  ),
  OIDC_CLIENT_ID: variable(optionalText, 'Client id of Pressline at the provider.'),
  OIDC_CLIENT_SECRET: variable(optionalText, 'Client secret of Pressline at the provider.'),
  OIDC_SCOPES: variable(
    z
      .string()
      .regex(/^openid( [!-~]{1,100}){0,20}$/, 'expected scopes separated by spaces, openid first')
      .default('openid profile'),
    'Scopes that a sign-in requests, separated by spaces. Some providers need one more for the groups.',
  ),
  OIDC_GROUPS_CLAIM: variable(
    z.string().min(1).default('groups'),
    'Claim with the groups of the user, in the ID token or in the response of the userinfo endpoint.',
  ),
  OIDC_ROLES: variable(
    parsed(parseGroupRoles, 'expected group:role,group2:role2 with the roles viewer, operator and admin'),
    'Roles of operators by group, as `print-admins:admin,print-ops:operator`. A user in several groups has the highest role. A user in none of them cannot sign in.',
  ),
  EASYPOST_API_KEY: variable(
    optionalText,
    'API key of EasyPost. When it is set, quotes and purchases include its carriers beside the built-in ones.',
    'built-in carriers only',
  ),
  EASYPOST_API_URL: variable(
    httpUrl.regex(/\/$/, 'must end with a slash').optional(),
    'Base URL of the EasyPost API. Set it to use a proxy or a test server.',
    'https://api.easypost.com/v2/',
  ),
  VIES_URL: variable(
    httpUrl.regex(/[^/]$/, 'must not end with a slash').optional(),
    'Base URL of the VAT number check of the European Commission, https://ec.europa.eu/taxation_customs/vies/rest-api. Orders of businesses are checked there before they are planned, once and for 5 seconds at most.',
    'numbers are checked by their digits only',
  ),
  OUTBOUND_ALLOW_PRIVATE: variable(
    optionalFlag,
    'Allows outbound requests to plain http URLs and to private addresses. Do not set it to true on a server that is reachable from the internet.',
    'true with embedded servers, false otherwise',
  ),
  FILE_SIZE_LIMIT_MB: variable(integer(200, 1, 5_000), 'Maximum size of a print file or packing slip, in megabytes.'),
  FILE_DISK_BUDGET_MB: variable(
    integer(3_000, 1, 1_000_000),
    'Space on its disk that a worker uses for the print files and packing slips that it fetches at a time, in megabytes. Clients share it: the newest file of a client that has its share is fetched again later. The temporary folder needs somewhat more.',
  ),
  FILE_RETRY_WINDOW: variable(
    duration('1h'),
    'How long the download of a print file is retried after transient errors before the order is refused.',
  ),
  ROUTING_DAY_COST: variable(
    amount('0.80'),
    'Euros that routing counts for each calendar day until an order is delivered, when it compares partners.',
  ),
  ROUTING_PARCEL_COST: variable(
    amount('2'),
    'Euros that routing counts for each parcel of an order, beside its postage.',
  ),
  ROUTING_BORDER_COST: variable(
    amount('5'),
    'Euros that routing counts for each print order that crosses a customs border.',
  ),
  RECEIVED_DEADLINE: variable(
    duration('15m'),
    'Time that a partner has to send the received postback after it accepts a print order. After it, the order gets an attention flag and the print order is delivered once more. Without a postback, it is delivered again after twice the time each, at most daily.',
  ),
  STOP_DEADLINE: variable(
    duration('15m'),
    'Time that a reroute waits for the current partner to agree to stop. After it, units that the partner has not acknowledged go to the other partner, and units in production stay.',
  ),
  STALL_AFTER: variable(
    duration('15m'),
    'Time for which a step of an order can be repeated, or go on, before the order gets the attention flag `stalled`. The flag clears when the step ends.',
  ),
  UNTRACKED_ORDER_END: variable(
    duration('14d'),
    'Time after shipping at which an order ends as shipped when no carrier follows its parcels.',
  ),
  PARCEL_SILENT_AFTER: variable(
    integer(10, 1, 60),
    'Working days, Monday to Friday, without a scan of a parcel, before its order gets the attention flag `parcel_silent`.',
  ),
  PERSONAL_DATA_RETENTION: variable(
    duration('365d'),
    'Time after the end of an order at which its names, addresses, e-mail addresses, phone numbers, tax ids, files and documents are erased (docs/personal-data.md).',
  ),
  AUDIT_LOG_RETENTION: variable(
    duration('730d').refine((ms) => ms >= 365 * 86_400_000, 'expected at least 365d'),
    'Time for which entries of the audit log are kept, at least 365 days. They are dropped four weeks at a time.',
  ),
  ARCHIVE_AFTER: variable(
    // Files and documents are deleted before, and no partner reports on the order any more.
    optionalDuration(91),
    'Time after which ended orders move from the tables to Parquet files of the object store, at least 91d (docs/operation/archive.md). Their age and the time since their last change count.',
    'never',
  ),
  S3_ENDPOINT: variable(z.url().optional(), 'Endpoint URL of an S3-compatible object store.', 'AWS'),
  S3_BUCKET: variable(
    optionalText,
    'Bucket for objects. When it is not set, objects are stored in a local folder.',
    'folder under DATA_DIR',
  ),
  S3_REGION: variable(z.string().min(1).default('us-east-1'), 'Region of the bucket.'),
  S3_FORCE_PATH_STYLE: variable(
    flag(true),
    'Puts the bucket name into the path of URLs, which most S3-compatible stores require.',
  ),
  START_TIMEOUT: variable(
    duration('5m'),
    'How long a starting process repeats a step while Postgres or Temporal is unavailable.',
  ),
  SHUTDOWN_DELAY: variable(
    duration('0s').optional(),
    'How long a stopping API accepts requests while /readyz responds with 503, so that load balancers stop sending them.',
    '5s in a container, else 0s',
  ),
  SHUTDOWN_GRACE: variable(
    duration('10s'),
    'How long a stopping process waits for requests and activities in progress.',
  ),
} as const satisfies Record<string, Variable>;
