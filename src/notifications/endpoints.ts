import { MOST_OF_QUOTA } from '../platform/domain/quotas';
import { quotaExceeded } from '../platform/errors';
import { newSigningSecret } from '../platform/http/webhook-signature';
import { isUuid, uuidv7 } from '../platform/ids';
import type { Fragment, Queryable, Transaction } from '../platform/postgres';
import type { SecretBox } from '../platform/sealing/secret-box';
import { type SealedTable, secretOwner } from '../platform/sealing/secret-box';
import type { Endpoint, EndpointEvent, OwnedEndpoint } from './webhook-schemas';

export type EndpointFields = Pick<Endpoint, 'url' | 'description' | 'enabled'> & {
  readonly events: readonly EndpointEvent[];
};

/** The key with which an endpoint gets its address. Absent: a session. */
interface SetBy {
  readonly keyId?: string | null;
}

/** Time during which a replaced secret still signs, by default and at most. */
export const ROTATION_OVERLAP_SECONDS = { default: 24 * 60 * 60, most: 7 * 24 * 60 * 60 };

export const endpointColumns = (sql: Queryable) =>
  sql`id, url, description, events, enabled, disabled_reason, created_at, updated_at`;

/** Returns the condition of an account `a` that may have endpoints for the events of operators: it is checked at each delivery. */
export const mayHaveEndpoints = (sql: Queryable): Fragment =>
  sql`(a.role = 'operator' AND a.operator_role = 'admin' AND a.revoked_at IS NULL)`;

export const ENDPOINT_SECRETS: SealedTable = {
  table: 'webhook_endpoints',
  key: 'id',
  columns: ['secret', 'previous_secret'],
};

/**
 * Creates an endpoint and returns it with its secret.
 * @param most endpoints of the owner. Each event is stored once for each endpoint
 * @throws Refusal `QUOTA_EXCEEDED` when the owner has as many
 */
export async function createEndpoint(
  tx: Transaction,
  secretBox: SecretBox,
  ownerId: string,
  { keyId = null, ...fields }: EndpointFields & SetBy,
  most: number,
): Promise<Endpoint & { secret: string }> {
  const id = uuidv7();
  const secret = newSigningSecret();
  // The lock is a separate statement, so that the count sees endpoints that a concurrent request has committed.
  await tx`SELECT FROM accounts WHERE id = ${ownerId} FOR NO KEY UPDATE`;
  const [row] = await tx<Endpoint[]>`
    INSERT INTO webhook_endpoints (id, client_id, url, description, events, enabled, set_by_key, secret)
    SELECT ${id}, ${ownerId}, ${fields.url}, ${fields.description}, ${[...fields.events]}, ${fields.enabled}, ${keyId},
      ${secretBox.seal(secret, secretOwner(ENDPOINT_SECRETS, id))}
    WHERE (SELECT count(*) FROM webhook_endpoints WHERE client_id = ${ownerId}) < ${Math.min(most, MOST_OF_QUOTA)}::bigint
    RETURNING ${endpointColumns(tx)}`;
  if (row === undefined) throw quotaExceeded('endpoints', most);
  return { ...row, secret };
}

export async function listEndpoints(sql: Queryable, ownerId: string): Promise<Endpoint[]> {
  return await sql<Endpoint[]>`
    SELECT ${endpointColumns(sql)} FROM webhook_endpoints WHERE client_id = ${ownerId} ORDER BY created_at, id`;
}

export async function listEndpointsOfOperators(sql: Queryable): Promise<OwnedEndpoint[]> {
  return await sql<OwnedEndpoint[]>`
    SELECT ${endpointColumns(sql)}, operator FROM (
      SELECT e.*, jsonb_build_object('id', a.id, 'name', a.name) AS operator
      FROM webhook_endpoints e JOIN accounts a ON a.id = e.client_id WHERE a.role = 'operator') owned
    ORDER BY created_at, id`;
}

export async function operatorOfEndpoint(sql: Queryable, id: string): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql<{ id: string }[]>`
    SELECT a.id FROM webhook_endpoints e JOIN accounts a ON a.id = e.client_id
    WHERE e.id = ${id} AND a.role = 'operator'`;
  return row?.id;
}

export async function endpointOf(sql: Queryable, ownerId: string, id: string): Promise<Endpoint | undefined> {
  const [row] = await sql<Endpoint[]>`
    SELECT ${endpointColumns(sql)} FROM webhook_endpoints WHERE id = ${id} AND client_id = ${ownerId}`;
  return row;
}

/** Changes the given fields. A change of `enabled` clears `disabledReason`. */
export async function changeEndpoint(
  sql: Queryable,
  ownerId: string,
  id: string,
  change: { readonly [Field in keyof EndpointFields]?: EndpointFields[Field] | undefined } & SetBy,
): Promise<Endpoint | undefined> {
  const [row] = await sql<Endpoint[]>`
    UPDATE webhook_endpoints SET
      url = coalesce(${change.url ?? null}, url),
      description = coalesce(${change.description ?? null}, description),
      events = coalesce(${change.events === undefined ? null : [...change.events]}::text[], events),
      enabled = coalesce(${change.enabled ?? null}, enabled),
      set_by_key = CASE WHEN ${change.url ?? null}::text <> url THEN ${change.keyId ?? null}::uuid ELSE set_by_key END,
      disabled_reason = CASE WHEN ${change.enabled ?? null}::boolean IS NULL THEN disabled_reason END,
      updated_at = now()
    WHERE id = ${id} AND client_id = ${ownerId}
    RETURNING ${endpointColumns(sql)}`;
  return row;
}

/**
 * Deletes an endpoint, its log and its pending deliveries. Call it in a transaction.
 * @returns false when the owner has no such endpoint
 */
export async function deleteEndpoint(tx: Queryable, ownerId: string, id: string): Promise<boolean> {
  const deleted = await tx`DELETE FROM webhook_endpoints WHERE id = ${id} AND client_id = ${ownerId}`;
  if (deleted.count === 0) return false;
  // Two statements, because live and dead rows have separate indexes.
  await tx`DELETE FROM outbox WHERE kind = 'notification' AND target = ${id} AND dead_at IS NULL`;
  await tx`DELETE FROM outbox WHERE kind = 'notification' AND target = ${id} AND dead_at IS NOT NULL`;
  return true;
}

/** Replaces the secret of an endpoint. Until the overlap ends, messages carry a signature by each of the two secrets. */
export async function rotateSecret(
  { sql, secretBox }: { readonly sql: Queryable; readonly secretBox: SecretBox },
  ownerId: string,
  id: string,
  overlapSeconds: number,
): Promise<{ secret: string; previousSecretValidUntil: Date } | undefined> {
  const secret = newSigningSecret();
  const [row] = await sql<{ previousSecretUntil: Date }[]>`
    UPDATE webhook_endpoints SET previous_secret = secret, updated_at = now(),
      secret = ${secretBox.seal(secret, secretOwner(ENDPOINT_SECRETS, id))},
      previous_secret_until = now() + make_interval(secs => ${overlapSeconds})
    WHERE id = ${id} AND client_id = ${ownerId}
    RETURNING previous_secret_until`;
  return row === undefined ? undefined : { secret, previousSecretValidUntil: row.previousSecretUntil };
}

interface FailingEndpoint extends Pick<Endpoint, 'id' | 'url'> {
  readonly clientId: string;
  readonly clientName: string;
  /** False: the latest attempt failed, and deliveries wait. */
  readonly isGone: boolean;
  readonly count: number;
}

/** Returns the first endpoints of clients that are gone or failing, and the number of all. */
export async function failingEndpoints(
  sql: Queryable,
  limit: number,
): Promise<{ count: number; rows: readonly FailingEndpoint[] }> {
  const rows = await sql<FailingEndpoint[]>`
    SELECT e.id, e.url, a.id AS client_id, a.name AS client_name, NOT e.enabled AS is_gone, count(*) OVER ()::int AS count
    FROM webhook_endpoints e JOIN accounts a ON a.id = e.client_id
    WHERE a.role = 'client' AND a.revoked_at IS NULL AND (e.enabled AND e.is_failing OR NOT e.enabled AND e.disabled_reason = 'gone')
    ORDER BY e.enabled, a.name, e.created_at, e.id LIMIT ${limit}`;
  return { count: rows[0]?.count ?? 0, rows };
}

/** Returns the endpoints that a key has created or given their address. */
export async function endpointsOfKey(sql: Queryable, keyId: string): Promise<Endpoint[]> {
  return await sql<Endpoint[]>`
    SELECT ${endpointColumns(sql)} FROM webhook_endpoints WHERE set_by_key = ${keyId} ORDER BY created_at, id`;
}

/** Disables the endpoints that a key has created or given their address. @returns the ids of those that were enabled */
export async function disableEndpointsOfKey(tx: Queryable, keyId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    UPDATE webhook_endpoints SET enabled = false, disabled_reason = 'key_revoked', updated_at = now()
    WHERE set_by_key = ${keyId} AND enabled RETURNING id`;
  return rows.map(({ id }) => id).sort();
}
