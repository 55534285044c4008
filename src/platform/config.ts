import type { z } from 'zod';
import type { Variable } from './configuration/fields';
import { PROCESS_VARIABLES, SERVER_VARIABLES } from './configuration/process-variables';
import { SERVICE_VARIABLES } from './configuration/service-variables';
import { isPooled } from './postgres';

/** Every environment variable that Pressline reads. `npm run env-example` writes the table to .env.example. */
export const VARIABLES = {
  ...SERVER_VARIABLES,
  ...PROCESS_VARIABLES,
  ...SERVICE_VARIABLES,
} as const satisfies Record<string, Variable>;

type Parsed = { [K in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[K]['schema']> };

/** The parsed configuration: one key per environment variable, durations in milliseconds. */
export type Config = Readonly<Parsed>;

const TOGETHER = [['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES']] as const;

/** An invalid environment variable. The message is one line for the user and names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses the environment. An empty variable counts as not set. @throws ConfigError that names every invalid one */
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
      problems.push(...missing.map((name) => `${name}: needed with ${names.filter((one) => env[one]).join(', ')}`));
  }
  const config = parsed as Config;
  if (config.OIDC_ISSUER?.startsWith('http:') && !allowsPrivateAddresses(config))
    problems.push('OIDC_ISSUER: expected an https URL');
  if (config.DATABASE_URL !== undefined && isPooled(config.DATABASE_URL) && config.DATABASE_DIRECT_URL === undefined)
    problems.push('DATABASE_DIRECT_URL: needed with pooler=transaction in DATABASE_URL');
  if (problems.length > 0) throw new ConfigError(`Wrong configuration: ${problems.join(' | ')}`);
  return config;
}

/** Returns true when outbound requests may go to private addresses: by default only when all servers are embedded. */
export function allowsPrivateAddresses(config: Config): boolean {
  return config.OUTBOUND_ALLOW_PRIVATE ?? (config.DATABASE_URL === undefined && config.TEMPORAL_ADDRESS === undefined);
}

interface ShownVariable {
  readonly name: string;
  /** The value in use. Secrets: `(set)`. Null when the variable has no value. */
  readonly value: string | null;
  readonly fallback: string;
  readonly doc: string;
}

/** Words in the names of variables that hold secrets. */
const SECRET = /SECRET|KEY|PASSWORD|TOKEN|CREDENTIAL/;
/** The part of a URL that names a user, and its query, which can hold a password. */
const USER_OR_QUERY = /(?<=^[a-z][a-z\d+.-]*:\/\/)[^/?#]*@|[?#].*$/gi;

/** Returns the configuration without secrets: names that contain a word of SECRET show no value, and URLs neither user nor query. */
export function shownConfiguration(config: Config): ShownVariable[] {
  return Object.entries(VARIABLES).map(([name, { fallback, doc }]) => ({
    name,
    value: shownValue(name, config[name as keyof Config]),
    fallback,
    doc,
  }));
}

function shownValue(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (SECRET.test(name)) return '(set)';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(USER_OR_QUERY, '');
}
