import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { property, timestamp } from '../platform/domain/fields';
import { isUuid, uuidv7 } from '../platform/ids';
import { isoMicroseconds } from '../platform/list-position';
import { inTransaction, json, type Queryable, type Sql } from '../platform/postgres';
import { type Account, OPERATOR_ROLES } from './account';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, type AuditAction, isObjectType } from './audit-actions';
import { pruneKeyUses } from './key-uses';

const actor = z.object({
  id: z.string().nullable().describe('Null for actions on the command line.'),
  name: z.string(),
  role: z.enum([...OPERATOR_ROLES, 'client', 'partner', 'system', 'unknown']),
});

/**
 * Who makes a change. The role is an operator's, or that of the account. `system`: the command line. `unknown`: nobody whom
 * Pressline knows, in a sign-in that failed.
 */
export type Actor = z.output<typeof actor>;

const state = z.record(z.string(), z.unknown()).nullable();

export const auditEntrySchema = z.object({
  id: z.string(),
  at: timestamp,
  actor,
  action: z.enum(AUDIT_ACTION_NAMES),
  object: z.object({ type: z.string(), id: z.string() }),
  before: state.describe('The changed fields before the action. Null: the object did not exist.'),
  after: state.describe('The changed fields after the action. Null: the object does not exist any more.'),
  requestId: z.string().nullable(),
  keyId: z.string().nullable().describe('The API key of the call. Null: a session, or the command line.'),
  address: z.string().nullable().describe('IP address of the caller. Null after 90 days.'),
});

/** A row of the audit log. `position`: `at` with microseconds, for cursors. */
export type AuditEntry = z.output<typeof auditEntrySchema> & { readonly position: string };

export function actorOf({ id, name, role, operatorRole }: Account): Actor {
  return { id, name, role: operatorRole ?? (role as Exclude<Account['role'], 'operator'>) };
}

/** The actor of a sign-in that names no account. */
export const UNKNOWN: Actor = { id: null, name: 'unknown', role: 'unknown' };

/** A change of an object for the audit log. */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly objectId: string;
  /** The changed fields, before and after. Null: the object did not exist. */
  readonly before: object | null;
  readonly after: object | null;
}

/** The account that makes a change, and its request. */
export interface AuditContext {
  readonly actor: Actor;
  readonly requestId: string | null;
  /** The API key of the call. Absent without one. */
  readonly keyId?: string | null;
  /** IP address of the caller. */
  readonly address: string | null;
}

/** The context of changes on the command line, where Pressline knows no account. */
export const COMMAND_LINE: AuditContext = {
  actor: { id: null, name: 'command line', role: 'system' },
  requestId: null,
  address: null,
};

/** A field larger than this is stored as its size and SHA-256. */
const MAX_FIELD_BYTES = 16 * 1_024;
/** Keys, secrets, tokens of sessions and one-time links, and signing secrets, in any text. */
const SECRETS = /p(?:l[ks]|s[ot])_[\w-]{20,}|whsec_[\w+/=-]{20,}/g;

/** Returns a value as it is stored: without secrets, with large fields replaced. */
function stored(value: object | null): object | null {
  if (value === null) return null;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const text = (JSON.stringify(field) ?? 'null').replace(SECRETS, '[secret]');
      const bytes = Buffer.byteLength(text);
      if (bytes <= MAX_FIELD_BYTES) return [name, JSON.parse(text)];
      return [name, { bytes, sha256: createHash('sha256').update(text).digest('hex') }];
    }),
  );
}

/** Returns the fields that differ between two states of an object. All fields when one of the states is null. */
function difference(before: object | null, after: object | null): [object | null, object | null] {
  if (before === null || after === null) return [before, after];
  const [old, fresh] = [before, after] as Record<string, unknown>[];
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(property(old, name), property(fresh, name)),
  );
  const only = (state: Record<string, unknown>) =>
    Object.fromEntries(changed.filter((name) => Object.hasOwn(state, name)).map((name) => [name, state[name]]));
  return [only(old!), only(fresh!)];
}

/**
 * Rows that an account of a client or partner writes each day for each action. Further changes are counted, and the day gets
 * one row with their number, so that a caller cannot fill a log from which nobody can delete.
 */
export const AUDITED_A_DAY = 250;
/** Retention of addresses in the audit log, in days. */
export const AUDIT_ADDRESS_DAYS = 90;

/** Writes a change to the audit log. Call it in the transaction of the change. Only the changed fields are stored. */
export async function writeAuditEntry(
  tx: Queryable,
  { actor, requestId, keyId = null, address }: AuditContext,
  { action, objectId, before, after }: AuditedChange,
): Promise<void> {
  const [old, fresh] = difference(before, after).map(stored);
  const values = tx`
    ${actor.id}::uuid, ${actor.name}::text, ${actor.role}::text, ${action}::text, ${AUDIT_ACTIONS[action]}::text,
    ${objectId}::text, ${old == null ? null : json(tx, old)}::jsonb, ${fresh == null ? null : json(tx, fresh)}::jsonb,
    ${requestId}::text, ${keyId}::uuid`;
  const isCounted = actor.role === 'client' || actor.role === 'partner';
  await tx`
    WITH today AS (
      SELECT ${isCounted} AND ${AUDITED_A_DAY} <= (SELECT count(*) FROM (
        SELECT FROM audit_log WHERE actor_id = ${actor.id}::uuid AND action = ${action}::text
          AND at >= date_trunc('day', now()) LIMIT ${AUDITED_A_DAY}) AS written) AS is_full
    ), entry AS (
      INSERT INTO audit_log
        (actor_id, actor_name, actor_role, action, object_type, object_id, before, after, request_id, key_id)
      SELECT ${values} FROM today WHERE NOT is_full RETURNING id, at
    ), counted AS (
      INSERT INTO audit_summaries AS s (actor_id, actor_name, actor_role, action, day, changes)
      SELECT ${actor.id}::uuid, ${actor.name}, ${actor.role}, ${action}, current_date, 1 FROM today WHERE is_full
      ON CONFLICT (actor_id, action, day) DO UPDATE SET changes = s.changes + 1
    )
    INSERT INTO audit_addresses (entry_id, at, address)
    SELECT id, at, ${address}::inet FROM entry WHERE ${address}::inet IS NOT NULL`;
}

/** An act that is about to begin. */
export type AuditIntent = Pick<AuditedChange, 'action' | 'objectId'>;

/** Stores an act before it begins, so that an error cannot leave it out of the audit log. @returns the id of the intent */
export async function storeIntent(sql: Queryable, context: AuditContext, intent: AuditIntent): Promise<string> {
  const id = uuidv7();
  await sql`INSERT INTO audit_intents (id, entry) VALUES (${id}, ${json(sql, { ...context, ...intent })})`;
  return id;
}

/** Deletes an intent: its act has an entry in the audit log, or was refused. */
export async function dropIntent(sql: Queryable, id: string): Promise<void> {
  await sql`DELETE FROM audit_intents WHERE id = ${id}`;
}

/** Writes an entry for an act whose request has failed. Nobody knows what it has changed. */
export async function writeUnknownOutcome(sql: Sql, id: string): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [found] = await tx<{ entry: AuditContext & AuditIntent }[]>`
      DELETE FROM audit_intents WHERE id = ${id} RETURNING entry`;
    if (found === undefined) return;
    const { action, objectId, ...context } = found.entry;
    await writeAuditEntry(tx, context, { action, objectId, before: null, after: { outcome: 'unknown' } });
  });
}

/**
 * Writes a row for each account and action of earlier days that had more changes than rows (`after.changes`), and for
 * acts whose process has died. Deletes the addresses, and the counts of calls with keys, whose retention has ended.
 * @returns the number of deleted addresses
 */
export async function tidyAuditLog(sql: Sql): Promise<number> {
  await pruneKeyUses(sql, AUDIT_ADDRESS_DAYS);
  await sql`
    WITH ended AS (DELETE FROM audit_summaries WHERE day < current_date RETURNING *)
    INSERT INTO audit_log (actor_id, actor_name, actor_role, action, object_type, object_id, after)
    SELECT actor_id, actor_name, actor_role, action, t.type, 'further changes',
      jsonb_build_object('day', day, 'changes', changes)
    FROM ended JOIN unnest(${AUDIT_ACTION_NAMES as string[]}::text[], ${Object.values(AUDIT_ACTIONS)}::text[])
      AS t (name, type) ON t.name = ended.action`;
  // Their processes have died.
  const left = await sql<{ id: string }[]>`SELECT id FROM audit_intents WHERE at < now() - interval '1 hour'`;
  for (const { id } of left) await writeUnknownOutcome(sql, id);
  const { count } = await sql`
    DELETE FROM audit_addresses WHERE at < now() - make_interval(days => ${AUDIT_ADDRESS_DAYS})`;
  return count;
}

/** An entry must match every given filter. */
export interface AuditFilter {
  /** Id or name of the actor. */
  readonly actor?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** A type, an id, or `type:id`. */
  readonly object?: string | undefined;
  /** Id of the key of the call. */
  readonly key?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly to?: string | undefined;
}

function objectFilter(object: string): { type?: string; id?: string } {
  const [type, ...rest] = object.split(':');
  if (!isObjectType(type!)) return { id: object };
  return rest.length === 0 ? { type } : { type, id: rest.join(':') };
}

/**
 * Returns one page of the audit log, newest first.
 * @param page `after` is the position of the previous page's last row
 */
export async function listAuditEntries(
  sql: Queryable,
  { actor, action, object, key, from, to }: AuditFilter,
  page: { readonly limit: number; readonly after: { readonly time: string; readonly id: string } | null },
): Promise<readonly AuditEntry[]> {
  const none = sql``;
  const { limit, after } = page;
  const { type, id } = object === undefined ? {} : objectFilter(object);
  const byActor =
    actor !== undefined && isUuid(actor) ? sql`AND actor_id = ${actor}` : sql`AND actor_name = ${actor ?? ''}`;
  return await sql<AuditEntry[]>`
    SELECT id, at, ${isoMicroseconds(sql, sql`at`)} AS position,
      jsonb_build_object('id', actor_id, 'name', actor_name, 'role', actor_role) AS actor, action,
      jsonb_build_object('type', object_type, 'id', object_id) AS object, before, after, request_id, key_id,
      (SELECT host(a.address) FROM audit_addresses a WHERE a.entry_id = audit_log.id) AS address
    FROM audit_log
    WHERE true
      ${actor === undefined ? none : byActor}
      ${action === undefined ? none : sql`AND action = ${action}`}
      ${type === undefined ? none : sql`AND object_type = ${type}`}
      ${id === undefined ? none : sql`AND object_id = ${id}`}
      ${key === undefined ? none : sql`AND key_id = ${key}`}
      ${from === undefined ? none : sql`AND at >= ${from}::text::timestamptz`}
      ${to === undefined ? none : sql`AND at < ${to}::text::timestamptz`}
      ${after === null ? none : sql`AND (at, id) < (${after.time}::text::timestamptz, ${after.id}::bigint)`}
    ORDER BY at DESC, id DESC LIMIT ${limit}`;
}
