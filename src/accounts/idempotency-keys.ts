import { hkdfSync } from 'node:crypto';
import { Refusal } from '../platform/errors';
import { type Fragment, json, type Queryable, type Sql } from '../platform/postgres';
import { keptDaysOf } from '../platform/schema/partitioned-tables';
import { decrypt, encrypt } from '../platform/sealing/named-keys';

/** Largest length of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_LENGTH = 255;
/** Retention of stored responses in days. */
const IDEMPOTENCY_KEY_DAYS = keptDaysOf('idempotency_keys');
/**
 * Lease of an attempt on its key. When a process dies, its attempts release their keys after this time. An attempt that
 * is still running then loses its key, and `completeAttempt` refuses it. Statements time out after 60 s
 * (`statement_timeout`), so a live attempt is hardly ever this slow.
 */
const LEASE_SECONDS = 90;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  readonly accountId: string;
  readonly operationId: string;
  readonly key: string;
  /** Hash of the request. Another request with the same key is refused. */
  readonly fingerprint: Buffer;
}

/** The lease on an idempotency key, held until the attempt is completed or released. */
export interface Attempt extends Omit<KeyedRequest, 'fingerprint'> {
  /** Distinguishes this attempt from one that took over the key. Whole milliseconds, which a Date represents exactly. */
  readonly lockedUntil: Date;
}

/** What an earlier request with the same key left. */
export type EarlierRequest =
  | { readonly outcome: 'replay'; readonly response: unknown }
  | { readonly outcome: 'other-content' }
  | { readonly outcome: 'in-flight' };

type AttemptOutcome = { readonly outcome: 'begun'; readonly attempt: Attempt } | EarlierRequest;

/** Rows that are older have expired. The condition also names the partitions that a statement reads. */
const kept = (sql: Queryable): Fragment => sql`make_interval(days => ${IDEMPOTENCY_KEY_DAYS})`;

/**
 * Takes the lease on an Idempotency-Key for one attempt, or returns why not. A lock on the key decides between concurrent
 * attempts (`claim_idempotency_keys`). The second one finds the row of the first, and takes it over only when its lease or
 * its retention has expired.
 */
export async function beginAttempt(sql: Sql, request: KeyedRequest): Promise<AttemptOutcome> {
  const { accountId, operationId, key, fingerprint } = request;
  const [taken] = await sql<{ lockedUntil: Date }[]>`
    WITH lease AS (SELECT date_trunc('milliseconds', now() + make_interval(secs => ${LEASE_SECONDS})) AS ends)
    SELECT lease.ends AS locked_until FROM lease, claim_idempotency_keys(jsonb_build_array(jsonb_build_object(
      'account_id', ${accountId}::text, 'operation_id', ${operationId}::text, 'key', ${key}::text,
      'fingerprint', ${fingerprint.toString('hex')}::text, 'locked_until', lease.ends)), ${kept(sql)})`;
  if (taken !== undefined) {
    return { outcome: 'begun', attempt: { accountId, operationId, key, lockedUntil: taken.lockedUntil } };
  }
  // Without an earlier request, another attempt released the key between the two statements.
  return (await earlierRequest(sql, request)) ?? { outcome: 'in-flight' };
}

/** Returns what an earlier request with the same key left, or undefined when the key is free for this request. */
export async function earlierRequest(
  sql: Sql,
  { accountId, operationId, key, fingerprint }: KeyedRequest,
): Promise<EarlierRequest | undefined> {
  const [stored] = await sql<{ sameContent: boolean; abandoned: boolean; status: number | null; body: unknown }[]>`
    SELECT fingerprint = ${fingerprint} AS same_content, locked_until < now() AS abandoned, status, body
    FROM idempotency_keys
    WHERE account_id = ${accountId} AND operation_id = ${operationId} AND key = ${key}
      AND created_at >= now() - ${kept(sql)}`;
  if (stored === undefined) return undefined;
  if (!stored.sameContent) return { outcome: 'other-content' };
  if (stored.status !== null) return { outcome: 'replay', response: stored.body };
  return stored.abandoned ? undefined : { outcome: 'in-flight' };
}

/**
 * Returns the part of a statement that claims keys and stores their responses at once, for many requests. No lease is needed,
 * because a statement is executed completely or not at all.
 * @param requests a query with the columns account_id, operation_id, key, fingerprint (hexadecimal) and body (the
 *   response). A key occurs in it once
 * @returns a query for account_id and key of each claimed key. The other keys belong to earlier requests
 */
export function claimWithResponses(sql: Queryable, requests: Fragment): Fragment {
  return sql`
    SELECT claimed.account_id, claimed.key
    FROM (SELECT jsonb_agg(to_jsonb(r) || '{"status": 200}') AS list FROM (${requests}) AS r) AS requests,
      claim_idempotency_keys(requests.list, ${kept(sql)}) AS claimed
    WHERE requests.list IS NOT NULL`;
}

/**
 * Stores the response. Call it in the transaction that creates the resource, so that both are committed or neither is.
 * @throws Refusal `IDEMPOTENCY_IN_FLIGHT` when a later attempt has taken the key over
 */
export async function completeAttempt(sql: Queryable, attempt: Attempt, response: unknown): Promise<void> {
  const rows = await sql`
    UPDATE idempotency_keys SET status = 200, body = ${json(sql, response)}, locked_until = NULL
    WHERE account_id = ${attempt.accountId} AND operation_id = ${attempt.operationId} AND key = ${attempt.key}
      AND locked_until = ${attempt.lockedUntil} AND status IS NULL AND created_at >= now() - ${kept(sql)}
    RETURNING 1`;
  if (rows.length === 0) throw new Refusal('IDEMPOTENCY_IN_FLIGHT');
}

/** Releases the key of a failed attempt. The key can then be used for any request. */
export async function releaseAttempt(sql: Queryable, attempt: Attempt): Promise<void> {
  await sql`
    DELETE FROM idempotency_keys
    WHERE account_id = ${attempt.accountId} AND operation_id = ${attempt.operationId} AND key = ${attempt.key}
      AND locked_until = ${attempt.lockedUntil} AND status IS NULL AND created_at >= now() - ${kept(sql)}`;
}

/** The stored form of a response that contains a secret. */
interface SealedResponse {
  /** base64 of the encrypted JSON text (AES-256-GCM). */
  readonly sealed: string;
}

const CONTEXT = 'pressline stored response';

export function isSealed(body: unknown): body is SealedResponse {
  return typeof (body as { sealed?: unknown } | null)?.sealed === 'string';
}

function sealingKey(apiKey: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, '', CONTEXT, 32));
}

/**
 * Encrypts a response with a key derived from the caller's API key. The database stores only a hash of that key, so the
 * table reveals no secret; a caller that repeats the request with the same API key gets the same response.
 */
export function sealResponse(apiKey: string, response: unknown): SealedResponse {
  const text = Buffer.from(JSON.stringify(response));
  return { sealed: encrypt(sealingKey(apiKey), text, CONTEXT).toString('base64') };
}

/** Decrypts a response. Returns undefined when it was sealed with another API key. */
export function openSealedResponse(apiKey: string, { sealed }: SealedResponse): unknown {
  try {
    const text = decrypt(sealingKey(apiKey), Buffer.from(sealed, 'base64'), CONTEXT);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
