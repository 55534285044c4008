import { Refusal } from '../platform/errors';
import { type Fragment, json, type Queryable, type Sql } from '../platform/postgres';
import { progressed } from '../platform/progress';

/** Largest length of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_LENGTH = 255;
/** Retention of stored responses in days. */
export const IDEMPOTENCY_KEY_DAYS = 7;
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

export type AttemptOutcome = { readonly outcome: 'begun'; readonly attempt: Attempt } | EarlierRequest;

/** Returns the condition under which a request takes over the row `stored` of an earlier one: expired, or abandoned. */
const isReplaceable = (sql: Queryable): Fragment => sql`
  stored.created_at < now() - make_interval(days => ${IDEMPOTENCY_KEY_DAYS})
  OR (stored.status IS NULL AND stored.locked_until < now() AND stored.fingerprint = excluded.fingerprint)`;

/**
 * Takes the lease on an Idempotency-Key for one attempt, or returns why not.
 * One statement decides between concurrent attempts: the primary key lets one of them insert. The others update the row
 * only when its lease or its retention has expired.
 */
export async function beginAttempt(sql: Sql, request: KeyedRequest): Promise<AttemptOutcome> {
  const { accountId, operationId, key, fingerprint } = request;
  const [taken] = await sql<{ lockedUntil: Date }[]>`
    INSERT INTO idempotency_keys AS stored (account_id, operation_id, key, fingerprint, locked_until)
    VALUES (${accountId}, ${operationId}, ${key}, ${fingerprint},
            date_trunc('milliseconds', now() + make_interval(secs => ${LEASE_SECONDS})))
    ON CONFLICT (account_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, locked_until = excluded.locked_until,
          status = NULL, body = NULL, created_at = now()
      WHERE ${isReplaceable(sql)}
    RETURNING locked_until`;
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
      AND created_at >= now() - make_interval(days => ${IDEMPOTENCY_KEY_DAYS})`;
  if (stored === undefined) return undefined;
  if (!stored.sameContent) return { outcome: 'other-content' };
  if (stored.status !== null) return { outcome: 'replay', response: stored.body };
  return stored.abandoned ? undefined : { outcome: 'in-flight' };
}

/**
 * Returns the part of a statement that claims keys and stores their responses at once, for many requests. No lease is needed,
 * because a statement is executed completely or not at all. The keys are locked in one order, so that concurrent
 * statements cannot deadlock.
 * @param requests a query with the columns account_id, operation_id, key, fingerprint (hexadecimal) and body (the
 *   response). A key occurs in it once: ON CONFLICT cannot update a row twice.
 * @returns an INSERT that returns account_id and key of each claimed key. The other keys belong to earlier requests.
 */
export function claimWithResponses(sql: Queryable, requests: Fragment): Fragment {
  return sql`
    INSERT INTO idempotency_keys AS stored (account_id, operation_id, key, fingerprint, status, body)
    SELECT account_id, operation_id, key, decode(fingerprint, 'hex'), 200, body FROM (${requests}) AS requests
    ORDER BY account_id, operation_id, key
    ON CONFLICT (account_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, locked_until = NULL, status = excluded.status, body = excluded.body,
          created_at = now()
      WHERE ${isReplaceable(sql)}
    RETURNING account_id, key`;
}

/**
 * Stores the response. Call it in the transaction that creates the resource, so that both are committed or neither is.
 * @throws Refusal `IDEMPOTENCY_IN_FLIGHT` when a later attempt has taken the key over
 */
export async function completeAttempt(sql: Queryable, attempt: Attempt, response: unknown): Promise<void> {
  const rows = await sql`
    UPDATE idempotency_keys SET status = 200, body = ${json(sql, response)}, locked_until = NULL
    WHERE account_id = ${attempt.accountId} AND operation_id = ${attempt.operationId} AND key = ${attempt.key}
      AND locked_until = ${attempt.lockedUntil} AND status IS NULL
    RETURNING 1`;
  if (rows.length === 0) throw new Refusal('IDEMPOTENCY_IN_FLIGHT');
}

/** Releases the key of a failed attempt. The key can then be used for any request. */
export async function releaseAttempt(sql: Queryable, attempt: Attempt): Promise<void> {
  await sql`
    DELETE FROM idempotency_keys
    WHERE account_id = ${attempt.accountId} AND operation_id = ${attempt.operationId} AND key = ${attempt.key}
      AND locked_until = ${attempt.lockedUntil} AND status IS NULL`;
}

/**
 * Deletes expired responses, in batches so that no statement holds many locks.
 * @returns the number of deleted responses
 */
export async function pruneIdempotencyKeys(sql: Sql, batch = 5_000): Promise<number> {
  let pruned = 0;
  for (;;) {
    const rows = await sql`
      DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM idempotency_keys
        WHERE created_at < now() - make_interval(days => ${IDEMPOTENCY_KEY_DAYS})
        ORDER BY created_at LIMIT ${batch}))
      RETURNING 1`;
    progressed();
    pruned += rows.length;
    if (rows.length < batch) return pruned;
  }
}
