import { newSigningSecret } from '../platform/http/webhook-signature';
import { uuidv7 } from '../platform/ids';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import type { NotificationEvent } from './domain/events';

/** An address at which a client wants to be told; without its secrets. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly events: NotificationEvent[];
  readonly enabled: boolean;
  /** `gone`: the receiver answered 410; null: enabled, or disabled by the client. */
  readonly disabledReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface EndpointFields {
  readonly url: string;
  readonly description: string;
  readonly events: readonly NotificationEvent[];
  readonly enabled: boolean;
}

/** Endpoints that one client may have: each event is written once for each. */
export const MOST_ENDPOINTS = 20;
/** How long a replaced secret signs beside the new one, by default and at most. */
export const ROTATION_OVERLAP_SECONDS = { default: 24 * 60 * 60, most: 7 * 24 * 60 * 60 };

const columns = (sql: Queryable) =>
  sql`id, url, description, events, enabled, disabled_reason, created_at, updated_at`;

/** @returns the endpoint and its secret, or undefined when the client has as many as it may */
export async function createEndpoint(
  tx: Transaction,
  clientId: string,
  fields: EndpointFields,
): Promise<(Endpoint & { secret: string }) | undefined> {
  const secret = newSigningSecret();
  // Locked in a statement of its own: the count must see what a creation that was waited for has committed.
  await tx`SELECT FROM accounts WHERE id = ${clientId} FOR UPDATE`;
  const [row] = await tx<Endpoint[]>`
    INSERT INTO webhook_endpoints (id, client_id, url, description, events, enabled, secret)
    SELECT ${uuidv7()}, ${clientId}, ${fields.url}, ${fields.description}, ${[...fields.events]}, ${fields.enabled}, ${secret}
    WHERE (SELECT count(*) FROM webhook_endpoints WHERE client_id = ${clientId}) < ${MOST_ENDPOINTS}
    RETURNING ${columns(tx)}`;
  return row === undefined ? undefined : { ...row, secret };
}

export async function listEndpoints(sql: Queryable, clientId: string): Promise<Endpoint[]> {
  return await sql<Endpoint[]>`
    SELECT ${columns(sql)} FROM webhook_endpoints WHERE client_id = ${clientId} ORDER BY created_at, id`;
}

export async function endpointOf(
  sql: Queryable,
  clientId: string,
  id: string,
): Promise<Endpoint | undefined> {
  const [row] = await sql<Endpoint[]>`
    SELECT ${columns(sql)} FROM webhook_endpoints WHERE id = ${id} AND client_id = ${clientId}`;
  return row;
}

/** Changes the given fields; enabling forgets why the endpoint was disabled. */
export async function changeEndpoint(
  sql: Queryable,
  clientId: string,
  id: string,
  change: Partial<EndpointFields>,
): Promise<Endpoint | undefined> {
  const [row] = await sql<Endpoint[]>`
    UPDATE webhook_endpoints SET
      url = coalesce(${change.url ?? null}, url),
      description = coalesce(${change.description ?? null}, description),
      events = coalesce(${change.events === undefined ? null : [...change.events]}::text[], events),
      enabled = coalesce(${change.enabled ?? null}, enabled),
      disabled_reason = CASE WHEN ${change.enabled ?? null}::boolean IS NULL THEN disabled_reason END,
      updated_at = now()
    WHERE id = ${id} AND client_id = ${clientId}
    RETURNING ${columns(sql)}`;
  return row;
}

/** Deletes an endpoint, its log, and what still waits to be delivered to it. @returns whether there was one */
export async function deleteEndpoint(sql: Sql, clientId: string, id: string): Promise<boolean> {
  return await inTransaction(sql, async (tx) => {
    const deleted = await tx`DELETE FROM webhook_endpoints WHERE id = ${id} AND client_id = ${clientId}`;
    if (deleted.count === 0) return false;
    // Living and dead rows have an index each.
    await tx`DELETE FROM outbox WHERE kind = 'notification' AND target = ${id} AND dead_at IS NULL`;
    await tx`DELETE FROM outbox WHERE kind = 'notification' AND target = ${id} AND dead_at IS NOT NULL`;
    return true;
  });
}

/** Gives an endpoint a new secret; messages carry a signature by the old one too until the overlap ends. */
export async function rotateSecret(
  sql: Queryable,
  clientId: string,
  id: string,
  overlapSeconds: number,
): Promise<{ secret: string; previousSecretValidUntil: Date } | undefined> {
  const secret = newSigningSecret();
  const [row] = await sql<{ previousSecretUntil: Date }[]>`
    UPDATE webhook_endpoints SET previous_secret = secret, secret = ${secret}, updated_at = now(),
      previous_secret_until = now() + make_interval(secs => ${overlapSeconds})
    WHERE id = ${id} AND client_id = ${clientId}
    RETURNING previous_secret_until`;
  return row === undefined ? undefined : { secret, previousSecretValidUntil: row.previousSecretUntil };
}
