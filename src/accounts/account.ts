import { randomToken, sha256 } from '../platform/ids';

/** Role of an account: clients order, partners produce, operators run the engine. */
export type Role = 'client' | 'partner' | 'operator';

/**
 * Roles of operators, from the fewest permissions to the most. Each role has the permissions of the roles before it.
 * `viewer`: reads, searches and quotes. `operator`: changes orders, catalog, stock and procurement. `admin`: changes keys,
 * operators, partners, clients and exchange rates, and exports the audit log.
 */
export const OPERATOR_ROLES = ['viewer', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The owner of API keys and of objects. Clients and partners see their own objects, operators see all. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Null for clients and partners. */
  readonly operatorRole: OperatorRole | null;
}

/** Returns true when an account is an operator with at least the permissions of a role. */
export function hasOperatorRole({ operatorRole }: Pick<Account, 'operatorRole'>, least: OperatorRole): boolean {
  return operatorRole !== null && OPERATOR_ROLES.indexOf(operatorRole) >= OPERATOR_ROLES.indexOf(least);
}

/** A key and its secret. They are shown once; the database stores only their hashes. */
export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Content of an `X-API-KEY` header. */
interface PresentedKey {
  readonly apiKey: string;
  /** Undefined when the header has the key alone. */
  readonly apiSecret: string | undefined;
}

/** `plk_` and 192 random bits in base64url. The prefix lets secret scanners find leaked keys. */
const KEY_FORM = /^plk_[A-Za-z0-9_-]{32}$/;
/** `pls_` and 256 random bits in base64url. */
const SECRET_FORM = /^pls_[A-Za-z0-9_-]{43}$/;

export function newCredentials(): Credentials {
  return { apiKey: `plk_${randomToken(24)}`, apiSecret: `pls_${randomToken(32)}` };
}

/**
 * Parses an `X-API-KEY` header: `key` or `key:secret`.
 * @returns undefined for text without the format of a key, so that it needs no database query
 */
export function parseKeyHeader(header: string | undefined): PresentedKey | undefined {
  if (header === undefined || header.length > 100) return undefined;
  const [apiKey, apiSecret, ...rest] = header.trim().split(':');
  if (apiKey === undefined || rest.length > 0 || !KEY_FORM.test(apiKey)) return undefined;
  if (apiSecret !== undefined && !SECRET_FORM.test(apiSecret)) return undefined;
  return { apiKey, apiSecret };
}

/** Returns the SHA-256 hash. A slow hash is not needed: keys and secrets are long and random, so they cannot be guessed. */
export function credentialHash(keyOrSecret: string): Buffer {
  return sha256(keyOrSecret);
}

export function keyHint(apiKey: string): string {
  return `${apiKey.slice(0, 8)}…${apiKey.slice(-4)}`;
}
