import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { isUuid } from '../platform/ids';
import { isoMicroseconds } from '../platform/list-position';
import { json, type Queryable } from '../platform/postgres';
import { type Account, OPERATOR_ROLES } from './account';
import { AUDIT_ACTION_NAMES, type AuditAction, isObjectType, objectTypeOf } from './audit-actions';

const actor = z.object({
  id: z.string().nullable().describe('Null for actions on the command line.'),
  name: z.string(),
  role: z.enum([...OPERATOR_ROLES, 'client', 'partner', 'system']),
});

/** Who makes a change. The role is an operator's, or that of the account. `system`: the command line. */
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
  address: z.string().nullable().describe('IP address of the caller.'),
});

/** A row of the audit log. `position`: `at` with microseconds, for cursors. */
export type AuditEntry = z.output<typeof auditEntrySchema> & { readonly position: string };

export function actorOf({ id, name, role, operatorRole }: Account): Actor {
  return { id, name, role: operatorRole ?? (role as Exclude<Account['role'], 'operator'>) };
}

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
    (name) => !isDeepStrictEqual(old![name], fresh![name]),
  );
  const only = (state: Record<string, unknown>) =>
    Object.fromEntries(changed.filter((name) => name in state).map((name) => [name, state[name]]));
  return [only(old!), only(fresh!)];
}

/** Writes a change to the audit log. Call it in the transaction of the change. Only the changed fields are stored. */
export async function writeAuditEntry(
  tx: Queryable,
  { actor, requestId, address }: AuditContext,
  { action, objectId, before, after }: AuditedChange,
): Promise<void> {
  const [old, fresh] = difference(before, after).map(stored);
  await tx`
    INSERT INTO audit_log (actor_id, actor_name, actor_role, action, object_type, object_id, before, after, request_id, address)
    VALUES (${actor.id}, ${actor.name}, ${actor.role}, ${action}, ${objectTypeOf(action)}, ${objectId},
      ${old == null ? null : json(tx, old)}, ${fresh == null ? null : json(tx, fresh)}, ${requestId}, ${address})`;
}

/** An entry must match every given filter. */
export interface AuditFilter {
  /** Id or name of the actor. */
  readonly actor?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** A type, an id, or `type:id`. */
  readonly object?: string | undefined;
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
  { actor, action, object, from, to }: AuditFilter,
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
      jsonb_build_object('type', object_type, 'id', object_id) AS object, before, after, request_id, host(address) AS address
    FROM audit_log
    WHERE true
      ${actor === undefined ? none : byActor}
      ${action === undefined ? none : sql`AND action = ${action}`}
      ${type === undefined ? none : sql`AND object_type = ${type}`}
      ${id === undefined ? none : sql`AND object_id = ${id}`}
      ${from === undefined ? none : sql`AND at >= ${from}::text::timestamptz`}
      ${to === undefined ? none : sql`AND at < ${to}::text::timestamptz`}
      ${after === null ? none : sql`AND (at, id) < (${after.time}::text::timestamptz, ${after.id}::bigint)`}
    ORDER BY at DESC, id DESC LIMIT ${limit}`;
}
