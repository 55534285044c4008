import { z } from 'zod';
import { text, timestamp } from '../platform/domain/fields';
import { SIZES } from '../platform/domain/sizes';
import { channelWorkflowId, WORKFLOW_TYPES } from '../platform/domain/workflows';
import { Refusal } from '../platform/errors';
import { foundById, uuidv7 } from '../platform/ids';
import { type IdPage, newestFirst } from '../platform/list-position';
import { enqueue } from '../platform/outbox/outbox';
import type { WorkflowStart } from '../platform/outbox/temporal-delivery';
import { json, type Queryable, violatesUnique } from '../platform/postgres';
import { csvSettings } from './domain/csv-order';
import { newSftpServer, sftpServer } from './sftp';

export const CHANNEL_KINDS = ['csv', 'sftp'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
const STATES = ['active', 'paused'] as const;

const name = text(100);
const state = z.enum(STATES).describe('A paused channel takes no files, and its orders wait.');
const settings = csvSettings.describe('How the files of the channel are read.');

export const newChannel = z
  .object({
    kind: z.enum(CHANNEL_KINDS),
    name,
    clientId: z.uuid().nullish().describe('Required of operators. Clients make channels of their own.'),
    settings: settings.prefault({}),
    sftp: newSftpServer.nullish().describe('Required of the kind `sftp`.'),
  })
  .refine(({ kind, sftp }) => (kind === 'sftp') === (sftp != null), {
    path: ['sftp'],
    message: 'Channels of the kind sftp have a server, and no others.',
  })
  .meta({ id: 'NewChannel', examples: [{ kind: 'csv', name: 'Shop export', settings: { preset: 'shopify' } }] });

export const channelChange = z
  .object({
    name: name.optional(),
    state: state.optional(),
    settings: settings.optional(),
    sftp: newSftpServer.optional(),
  })
  .meta({
    id: 'ChannelChange',
    examples: [{ settings: { preset: 'etsy', defaults: { 'shippingAddress.phone': '+49 30 901820' } } }],
  });

export const channelSchema = z
  .object({
    id: z.string(),
    clientId: z.string(),
    kind: z.enum(CHANNEL_KINDS),
    name: z.string(),
    state,
    settings,
    sftp: sftpServer.nullable().describe('The server of a channel of the kind `sftp`.'),
    lastRunAt: timestamp.nullable().describe('The latest time that orders were fetched from the channel.'),
    lastError: z.string().nullable().describe('Why the latest time failed. Null: it did not.'),
    failures: z.int().describe('Failures in a row.'),
    waiting: z.int().describe('Orders in the inbox.'),
    createdAt: timestamp,
  })
  .meta({ id: 'Channel' });

export interface Channel extends Omit<z.output<typeof channelSchema>, 'waiting'> {}
type Change = Omit<z.output<typeof channelChange>, 'sftp'>;

const COLUMNS = 'id, client_id, kind, name, state, settings, sftp, last_run_at, last_error, failures, created_at';

/** The channels that may be seen: those of one client, or all (null, for operators). */
export interface ChannelViewer {
  readonly clientId: string | null;
}

const visibleTo = (sql: Queryable, { clientId }: ChannelViewer) =>
  sql`(${clientId}::uuid IS NULL OR client_id = ${clientId})`;

/** @throws Refusal `CONFLICT` for a name that the client has used, and for too many channels */
export async function createChannel(
  tx: Queryable,
  clientId: string,
  given: Pick<Channel, 'kind' | 'name' | 'settings'>,
): Promise<Channel> {
  const [created] = await tx<Channel[]>`
    INSERT INTO channels (id, client_id, kind, name, settings)
    SELECT ${uuidv7()}, ${clientId}, ${given.kind}, ${given.name}, ${json(tx, given.settings)}
    WHERE (SELECT count(*) FROM channels WHERE client_id = ${clientId}) < ${SIZES.channels.most}
    RETURNING ${tx.unsafe(COLUMNS)}`.catch(refuseName);
  if (created === undefined)
    throw new Refusal('CONFLICT', { message: `A client has at most ${SIZES.channels.most} channels.` });
  return created;
}

function refuseName(error: unknown): never {
  if (violatesUnique(error)) throw new Refusal('CONFLICT', { message: 'The client has a channel with this name.' });
  throw error;
}

/** @throws Refusal `NOT_FOUND`, `CONFLICT` for a name that the client has used */
export async function changeChannel(tx: Queryable, id: string, { name, state, settings }: Change): Promise<Channel> {
  const [changed] = await tx<Channel[]>`
    UPDATE channels SET name = coalesce(${name ?? null}, name), state = coalesce(${state ?? null}, state),
      settings = coalesce(${settings === undefined ? null : json(tx, settings)}, settings)
    WHERE id = ${id} RETURNING ${tx.unsafe(COLUMNS)}`.catch(refuseName);
  return changed!;
}

/** @throws Refusal `NOT_FOUND` when there is no such channel that the viewer may see */
export async function requireChannel(sql: Queryable, id: string, viewer: ChannelViewer): Promise<Channel> {
  const read = async () => {
    const [found] = await sql<Channel[]>`
      SELECT ${sql.unsafe(COLUMNS)} FROM channels WHERE id = ${id} AND ${visibleTo(sql, viewer)}`;
    return found;
  };
  return await foundById(id, read, 'There is no such channel.');
}

export async function listChannels(sql: Queryable, viewer: ChannelViewer, page: IdPage): Promise<Channel[]> {
  return await sql<Channel[]>`
    SELECT ${sql.unsafe(COLUMNS)} FROM channels WHERE ${visibleTo(sql, viewer)} ${newestFirst(sql, page)}`;
}

/** Returns channels with the number of orders in their inboxes. */
export async function channelViews(sql: Queryable, channels: readonly Channel[]) {
  const counts = await sql<{ channelId: string; waiting: number }[]>`
    SELECT channel_id, count(*)::int AS waiting FROM channel_orders
    WHERE channel_id = ANY(${channels.map(({ id }) => id)}::uuid[]) AND state = 'waiting' AND judged_at IS NOT NULL
    GROUP BY 1`;
  const waiting = new Map(counts.map((count) => [count.channelId, count.waiting]));
  return channels.map((channel) => ({ ...channel, waiting: waiting.get(channel.id) ?? 0 }));
}

/** Starts a workflow that fetches the orders of a channel and submits those that are not judged. */
export async function runChannel(
  tx: Queryable,
  { id, clientId, name }: Pick<Channel, 'id' | 'clientId' | 'name'>,
): Promise<void> {
  const payload: WorkflowStart = {
    workflowType: WORKFLOW_TYPES.channelOrders,
    args: [{ channelId: id, clientId }],
    summary: `orders of the channel ${name}`,
    fairnessKey: clientId,
  };
  await enqueue(tx, { kind: 'start_workflow', target: channelWorkflowId(id, uuidv7()), payload });
}

/** Records that orders were fetched, or why not. */
export async function recordRun(sql: Queryable, channelId: string, error: string | null): Promise<void> {
  await sql`
    UPDATE channels SET last_run_at = now(), last_error = ${error}, failures = CASE WHEN ${error}::text IS NULL THEN 0 ELSE failures + 1 END
    WHERE id = ${channelId}`;
}

/** Returns the channels whose servers are polled, those first that were polled longest ago. */
export async function channelsToPoll(sql: Queryable): Promise<{ channelId: string; clientId: string }[]> {
  return await sql<{ channelId: string; clientId: string }[]>`
    SELECT id AS channel_id, client_id FROM channels WHERE kind = 'sftp' AND state = 'active' AND sftp ->> 'hostKey' IS NOT NULL
    ORDER BY last_run_at NULLS FIRST LIMIT ${MOST_POLLED}`;
}

/** Each is a workflow of its own, and three events in the history of the poll. */
const MOST_POLLED = 1_000;

interface FailingChannel {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly lastError: string;
  readonly lastRunAt: Date | null;
  readonly count: number;
}

/** Returns the first active channels whose latest run failed, and the number of all. */
export async function failingChannels(
  sql: Queryable,
  limit: number,
): Promise<{ count: number; rows: readonly FailingChannel[] }> {
  const rows = await sql<FailingChannel[]>`
    SELECT c.id, c.name, a.id AS client_id, a.name AS client_name, c.last_error, c.last_run_at, count(*) OVER ()::int AS count
    FROM channels c JOIN accounts a ON a.id = c.client_id
    WHERE c.state = 'active' AND c.last_error IS NOT NULL AND a.revoked_at IS NULL
    ORDER BY c.failures DESC, c.id LIMIT ${limit}`;
  return { count: rows[0]?.count ?? 0, rows };
}
