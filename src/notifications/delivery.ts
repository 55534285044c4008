import { groupCommit } from '../platform/group-commit';
import { type HttpFault, retryAfterMs, type TextResponse } from '../platform/http/responses';
import type { SafeClient } from '../platform/http/safe-client';
import { signatureHeaders } from '../platform/http/webhook-signature';
import type { Logger } from '../platform/logging/logging';
import type { DeliveryOutcome, Lane } from '../platform/outbox/lane';
import { type OutboxRow, wakeRelays } from '../platform/outbox/outbox';
import { json, type Sql } from '../platform/postgres';
import { type SecretBox, secretOwner } from '../platform/sealing/secret-box';
import { ENDPOINT_SECRETS, mayHaveEndpoints } from './endpoints';
import type { Attempt, Delivery } from './webhook-schemas';

interface NotificationDeps {
  readonly sql: Sql;
  readonly client: SafeClient;
  readonly secretBox: SecretBox;
  readonly log: Logger;
}

/** Standard Webhooks recommends 15 to 30 seconds. */
const TIMEOUT_MS = 15_000;
/** Bytes of the response that are stored. */
const RESPONSE_BYTES = 500;
const KEPT_ATTEMPTS = 20;
/** Deliveries that one statement reads or settles. */
const GROUP_SIZE = 50;
const GONE = 410;
/** Deliveries that one success makes due. */
const WOKEN = 1_000;
const LONGEST_ERROR = 500;

interface PendingDelivery extends Pick<Delivery, 'id' | 'messageId' | 'state'> {
  readonly body: string;
  readonly endpointId: string;
  readonly url: string;
  readonly enabled: boolean;
  /** False when the endpoint is of an operator who is no admin any more, or revoked. */
  readonly isAllowed: boolean;
  /** True when an attempt of the endpoint has failed since its last success. */
  readonly isFailing: boolean;
  /** True when this attempt is made before its regular time. */
  readonly isEarly: boolean;
  /** One or two. */
  readonly sealedSecrets: readonly string[];
}

/**
 * Returns the outbox lane of notifications. The concurrency of each client and of each of its endpoints is limited, so that slow
 * receivers delay only their own messages. The lease is longer than an attempt.
 */
export function notificationLane(deps: NotificationDeps): Lane {
  return {
    kind: 'notification',
    concurrency: 128,
    perKey: 8,
    leaseSeconds: 60,
    deliver: createNotificationDelivery(deps),
  };
}

/**
 * Returns a function that makes one attempt to deliver a notification (Standard Webhooks 1.0). 2xx is success, 410
 * disables the endpoint, and everything else, including redirects, is retried by the schedule.
 */
export function createNotificationDelivery(deps: NotificationDeps): (row: OutboxRow) => Promise<DeliveryOutcome> {
  const { sql, client, secretBox, log } = deps;
  // Concurrent deliveries share statements.
  const pendingDelivery = groupCommit((ids: readonly string[]) => pendingDeliveries(sql, ids), GROUP_SIZE);
  const settle = groupCommit((rows: readonly Settlement[]) => settleDeliveries(sql, rows), GROUP_SIZE);
  const giveUp = async (id: string, attempt: Attempt | null, error: string): Promise<DeliveryOutcome> => {
    await settle({ id, state: 'dead', attempt });
    return { outcome: 'dead', error };
  };
  return async (row) => {
    const { deliveryId } = row.payload as { deliveryId: string };
    const delivery = await pendingDelivery(deliveryId);
    // The endpoint was deleted, or an earlier attempt succeeded and its outbox row was not deleted.
    if (delivery === undefined || delivery.state === 'delivered') return { outcome: 'done' };
    if (!delivery.isAllowed) return await giveUp(delivery.id, null, 'the owner of the endpoint is no longer an admin');
    if (!delivery.enabled) return await giveUp(delivery.id, null, 'the endpoint is disabled');

    const startedAt = new Date();
    const response = await client.exchange({
      url: delivery.url,
      method: 'POST',
      purpose: { kind: 'receiver' },
      body: delivery.body,
      headers: {
        'content-type': 'application/json',
        ...signatureHeaders({
          id: delivery.messageId,
          body: delivery.body,
          at: startedAt,
          secrets: delivery.sealedSecrets.map((sealed) =>
            secretBox.open(sealed, secretOwner(ENDPOINT_SECRETS, delivery.endpointId)),
          ),
        }),
      },
      timeoutMs: TIMEOUT_MS,
      limitBytes: RESPONSE_BYTES,
    });
    const attempt = attemptOf(response, startedAt);
    if (attempt.error === null) {
      await settle({ id: delivery.id, state: 'delivered', attempt, row });
      if (delivery.isFailing) await wakeWaiting(sql, delivery.endpointId);
      return { outcome: 'done', isSettled: true };
    }
    if (attempt.status === GONE) {
      await sql`
        UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'gone', updated_at = now()
        WHERE id = ${delivery.endpointId}`;
      log.warn({ endpointId: delivery.endpointId }, 'notification endpoint responded with 410 and was disabled');
      return await giveUp(delivery.id, attempt, 'the endpoint responded with 410');
    }
    const { error } = attempt;
    const retryAfter = response.ok ? retryAfterMs(response.headers) : undefined;
    const { isEarly } = delivery;
    // An early attempt, made because another message succeeded, does not count: a bad message keeps its schedule.
    const afterMs = isEarly ? (retryAfter ?? 0) : delayAfter(row.attempts, Math.random(), retryAfter);
    if (afterMs === null) return await giveUp(delivery.id, attempt, error);
    await settle({ id: delivery.id, state: 'pending', attempt, row, afterMs, isEarly });
    return { outcome: isEarly ? 'wait' : 'retry', afterMs, error, isSettled: true };
  };
}

/** Returns the deliveries in the order of `ids`. Undefined: the delivery does not exist. */
async function pendingDeliveries(sql: Sql, ids: readonly string[]): Promise<(PendingDelivery | undefined)[]> {
  const rows = await sql<PendingDelivery[]>`
    SELECT d.id, d.message_id, d.body, d.state, d.endpoint_id, e.url, e.enabled, e.is_failing,
      a.role <> 'operator' OR ${mayHaveEndpoints(sql)} AS is_allowed,
      coalesce(d.next_attempt_at > now(), false) AS is_early,
      array_remove(ARRAY[e.secret, CASE WHEN e.previous_secret_until > now() THEN e.previous_secret END], NULL)
        AS sealed_secrets
    FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN accounts a ON a.id = e.client_id
    WHERE d.id = ANY(${[...ids]}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

function attemptOf(response: TextResponse | HttpFault, startedAt: Date): Attempt {
  const common = { at: startedAt.toISOString(), durationMs: Date.now() - startedAt.getTime() };
  if (!response.ok) return { ...common, status: null, error: response.message, response: null };
  const succeeded = response.status >= 200 && response.status < 300;
  return {
    ...common,
    status: response.status,
    error: succeeded ? null : `the endpoint responded with ${response.status}`,
    response: response.text,
  };
}

/** A delivery's new state, with the attempt that led to it. */
type Settlement = { readonly id: string; readonly attempt: Attempt | null } & (
  | { readonly state: 'delivered'; readonly row: OutboxRow }
  | { readonly state: 'dead' }
  /** Due after this time. An early attempt: not before its regular time. */
  | { readonly state: 'pending'; readonly row: OutboxRow; readonly afterMs: number; readonly isEarly: boolean }
);

/**
 * Stores attempts and the new states of their deliveries, with their outbox rows: deletes those of delivered ones and postpones
 * those of failed ones. Marks the endpoints of failed attempts in the same statement: a success that wakes the waiting deliveries
 * sees both or none. A response that arrives after an erasure of the order's personal data can repeat them, so only its time,
 * duration and status are stored. When the erasure commits meanwhile, Postgres evaluates the row again.
 */
async function settleDeliveries(sql: Sql, settlements: readonly Settlement[]): Promise<undefined[]> {
  const rows = settlements.map(({ id, state, attempt }) => ({
    id,
    state,
    attempts: attempt === null ? [] : [attempt],
  }));
  const delivered = settlements.flatMap((each) => (each.state === 'delivered' ? [each.row.id] : []));
  const failed = settlements.flatMap((each) => {
    if (each.state !== 'pending') return [];
    const { id, attempts, target } = each.row;
    const { afterMs: after_ms, isEarly: is_early } = each;
    return [{ id, attempts, target, delivery_id: each.id, after_ms, is_early, error: each.attempt?.error }];
  });
  const postponed = sql`
    failed AS (
      SELECT f.*, greatest(now() + f.after_ms * interval '1 ms', CASE WHEN f.is_early THEN d.next_attempt_at END) AS at
      FROM jsonb_to_recordset(${json(sql, failed)}) AS f (id bigint, attempts int, target uuid, delivery_id uuid,
        after_ms float8, is_early boolean, error text)
      JOIN webhook_deliveries d ON d.id = f.delivery_id
    ), updated AS (
      UPDATE outbox o SET available_at = f.at, attempts = o.attempts - f.is_early::int, last_error = left(f.error, ${LONGEST_ERROR})
      FROM failed f WHERE o.id = f.id AND o.attempts = f.attempts AND o.dead_at IS NULL
    ), failing AS (
      UPDATE webhook_endpoints SET is_failing = true
      WHERE NOT is_failing AND id IN (SELECT target FROM failed WHERE NOT is_early)
    ), `;
  const nextAttemptAt = sql`(SELECT f.at FROM failed f WHERE f.delivery_id = d.id LIMIT 1)`;
  await sql`
    WITH ${failed.length === 0 ? sql`` : postponed}deleted AS (DELETE FROM outbox WHERE id = ANY(${delivered}::bigint[]))
    UPDATE webhook_deliveries d SET state = s.state, next_attempt_at = ${failed.length === 0 ? null : nextAttemptAt},
      settled_at = CASE WHEN s.state <> 'pending' THEN now() END,
      attempts = CASE WHEN jsonb_array_length(d.attempts) < ${KEPT_ATTEMPTS} THEN d.attempts ELSE d.attempts - 0 END
        || CASE WHEN d.is_erased THEN erased_json(s.attempts, ARRAY['at']) ELSE s.attempts END
    FROM jsonb_to_recordset(${json(sql, rows)}) AS s (id uuid, state text, attempts jsonb)
    WHERE d.id = s.id`;
  return rows.map(() => undefined);
}

/**
 * Makes the waiting deliveries of an endpoint due, because it works again. They keep their regular times and numbers of attempts.
 * With more than `WOKEN` of them, the next success wakes the next ones.
 */
async function wakeWaiting(sql: Sql, endpointId: string): Promise<void> {
  await sql`
    WITH waiting AS (
      SELECT o.id FROM outbox o JOIN webhook_deliveries d ON d.id = (o.payload ->> 'deliveryId')::uuid
      WHERE o.kind = 'notification' AND o.target = ${endpointId} AND o.dead_at IS NULL AND o.available_at > now()
        -- The others are in delivery: their rows are leased.
        AND d.next_attempt_at > now()
      ORDER BY o.available_at LIMIT ${WOKEN} FOR UPDATE OF o SKIP LOCKED
    ), woken AS (
      UPDATE outbox SET available_at = clock_timestamp() WHERE id = ANY(ARRAY(SELECT id FROM waiting)) RETURNING 1
    )
    UPDATE webhook_endpoints SET is_failing = (SELECT count(*) FROM woken) = ${WOKEN} WHERE id = ${endpointId}`;
  wakeRelays(sql, 'notification');
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay before each attempt, in milliseconds (docs/notifications.md). */
export const ATTEMPT_DELAYS_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** Spreads the attempts to receivers that failed at the same time. */
const JITTER = 0.2;

/**
 * Returns the milliseconds from a failed attempt to the next, or null after the last attempt.
 * @param attempt number of the failed attempt, from 1
 * @param random from 0 to 1
 * @param retryAfterMs the receiver's Retry-After, used when it is longer than the schedule
 */
export function delayAfter(attempt: number, random: number, retryAfterMs = 0): number | null {
  const delay = ATTEMPT_DELAYS_MS[attempt];
  if (delay === undefined) return null;
  return Math.max(Math.round(delay * (1 - JITTER + 2 * JITTER * random)), retryAfterMs);
}
