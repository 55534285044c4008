import { Refusal } from '../platform/errors';
import { json, type Queryable, type Sql } from '../platform/postgres';

/** Largest length of an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_LENGTH = 255;
/** Retention of stored answers in days. */
export const IDEMPOTENCY_KEY_DAYS = 7;
/**
 * Lease of an attempt on its key. When a process dies, its attempts release their keys after this time. An attempt that
 * is still running then loses its key, and `completeAttempt` refuses it. Statements time out after 60 s
 * (`statement_timeout`), so a live attempt is hardly ever this slow.
 */
const LEASE_SECONDS = 90;

export interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The lease on an idempotency key, held until the attempt is completed or released. */
export interface Attempt {
  readonly accountId: string;
  readonly operationId: string;
  readonly key: string;
  /** Distinguishes this attempt from one that took over the key. Whole milliseconds, which a Date represents exactly. */
  readonly lockedUntil: Date;
}

export type AttemptOutcome =
  | { readonly outcome: 'begun'; readonly attempt: Attempt }
  | { readonly outcome: 'replay'; readonly answer: StoredAnswer }
  | { readonly outcome: 'other-content' }
  | { readonly outcome: 'in-flight' };

/**
 * Takes the lease on an Idempotency-Key for one attempt, or returns why not.
 * One statement decides between concurrent attempts: the primary key lets one of them insert. The others update the row
 * only when its lease or its retention has expired.
 * @param request `fingerprint` is the hash of the request; another request with the same key is refused
 */
export async function beginAttempt(
  sql: Sql,
  request: { accountId: string; operationId: string; key: string; fingerprint: Buffer },
): Promise<AttemptOutcome> {
  const { accountId, operationId, key, fingerprint } = request;
  const [taken] = await sql<{ lockedUntil: Date }[]>`
    INSERT INTO idempotency_keys AS stored (account_id, operation_id, key, fingerprint, locked_until)
    VALUES (${accountId}, ${operationId}, ${key}, ${fingerprint},
            date_trunc('milliseconds', now() + make_interval(secs => ${LEASE_SECONDS})))
    ON CONFLICT (account_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, locked_until = excluded.locked_until,
          status = NULL, body = NULL, created_at = now()
      WHERE stored.created_at < now() - make_interval(days => ${IDEMPOTENCY_KEY_DAYS})
         OR (stored.status IS NULL AND stored.locked_until < now() AND stored.fingerprint = excluded.fingerprint)
    RETURNING locked_until`;
  if (taken !== undefined) {
    return { outcome: 'begun', attempt: { accountId, operationId, key, lockedUntil: taken.lockedUntil } };
  }
  const [stored] = await sql<{ sameContent: boolean; status: number | null; body: unknown }[]>`
    SELECT fingerprint = ${fingerprint} AS same_content, status, body FROM idempotency_keys
    WHERE account_id = ${accountId} AND operation_id = ${operationId} AND key = ${key}`;
  // Another attempt released the key between the two statements. The caller's next attempt finds it free.
  if (stored === undefined) return { outcome: 'in-flight' };
  if (!stored.sameContent) return { outcome: 'other-content' };
  if (stored.status === null) return { outcome: 'in-flight' };
  return { outcome: 'replay', answer: { status: stored.status, body: stored.body } };
}

/**
 * Stores the answer. Call it in the transaction that creates the resource, so that both are committed or neither is.
 * @throws Refusal `IDEMPOTENCY_IN_FLIGHT` when a later attempt has taken the key over
 */
export async function completeAttempt(sql: Queryable, attempt: Attempt, answer: StoredAnswer): Promise<void> {
  const rows = await sql`
    UPDATE idempotency_keys SET status = ${answer.status}, body = ${json(sql, answer.body)}, locked_until = NULL
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
 * Deletes expired answers, in batches so that no statement holds many locks.
 * @returns the number of deleted answers
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
    pruned += rows.length;
    if (rows.length < batch) return pruned;
  }
}
