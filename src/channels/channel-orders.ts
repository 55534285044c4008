import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { Refusal } from '../platform/errors';
import { foundById, uuidv7 } from '../platform/ids';
import { type IdPage, newestFirst } from '../platform/list-position';
import type { GaugePoint } from '../platform/metrics/metrics';
import { type Fragment, json, type Queryable } from '../platform/postgres';
import type { ArrivedOrder } from './adapter';
import type { ChannelViewer } from './channels';
import { type Correction, correctionSchema, readOrderSchema } from './domain/order-content';
import { REASON_CODES, type Reason, type ReasonCode, reasonSchema } from './domain/reasons';

export const CHANNEL_ORDER_STATES = ['waiting', 'submitted', 'ignored'] as const;
type State = (typeof CHANNEL_ORDER_STATES)[number];

export const channelOrderSchema = z
  .object({
    id: z.string(),
    channelId: z.string(),
    clientId: z.string(),
    fileId: z.string().nullable(),
    externalId: z.string(),
    revision: z.int().describe('0: the channel has no revisions.'),
    state: z.enum(CHANNEL_ORDER_STATES),
    reasons: z.array(reasonSchema),
    orderId: z.string().nullable().describe('The order that it became, or changed.'),
    receivedAt: timestamp,
    judgedAt: timestamp.nullable().describe('When it was submitted, or was not. Null: it will be.'),
  })
  .meta({ id: 'ChannelOrder' });
type ChannelOrder = z.output<typeof channelOrderSchema>;

export const channelOrderDetailSchema = channelOrderSchema
  .extend({
    raw: z.unknown().describe('The order as it arrived.'),
    corrections: correctionSchema.nullable(),
    content: readOrderSchema.describe('What the order says, with its corrections.'),
  })
  .meta({ id: 'ChannelOrderDetail' });

const COLUMNS =
  'id, channel_id, client_id, file_id, external_id, revision::float8 AS revision, state, reasons, order_id, received_at, judged_at';

/** Stores orders as they arrived. What arrived before with the same content is stored once. Returns the number of new ones. */
export async function storeArrived(
  sql: Queryable,
  channelId: string,
  orders: readonly ArrivedOrder[],
): Promise<number> {
  if (orders.length === 0) return 0;
  const rows = orders.map(({ contentSha256, externalId, fileId, ...order }) => ({
    ...order,
    id: uuidv7(),
    external_id: externalId,
    file_id: fileId,
    sha256: contentSha256.toString('hex'),
  }));
  const { count } = await sql`
    INSERT INTO channel_orders (id, channel_id, client_id, file_id, external_id, revision, content_sha256, raw)
    SELECT id, ${channelId}, (SELECT client_id FROM channels WHERE id = ${channelId}), file_id, external_id, revision, decode(sha256, 'hex'), raw
    FROM jsonb_to_recordset(${json(sql, rows)}) AS o (id uuid, file_id uuid, external_id text, revision bigint, sha256 text, raw jsonb)
    ON CONFLICT DO NOTHING`;
  return count;
}

/** Returns true when an order has arrived before with the same content. */
export async function hasArrived(
  sql: Queryable,
  channelId: string,
  { externalId, revision, contentSha256 }: ArrivedOrder,
): Promise<boolean> {
  const found = await sql`
    SELECT FROM channel_orders WHERE channel_id = ${channelId} AND external_id = ${externalId} AND revision = ${revision}
      AND content_sha256 = ${contentSha256}`;
  return found.length > 0;
}

/** An order that is to be mapped and submitted. */
export interface UnjudgedOrder {
  readonly id: string;
  readonly externalId: string;
  readonly revision: number;
  readonly raw: unknown;
  readonly corrections: Correction | null;
}

/** Returns the oldest orders that are not judged. Of one external id only the first, so that revisions are judged in order. */
export async function unjudgedOrders(sql: Queryable, channelId: string, limit: number): Promise<UnjudgedOrder[]> {
  return await sql<UnjudgedOrder[]>`
    SELECT o.id, o.external_id, o.revision::float8 AS revision, o.raw, o.corrections FROM channel_orders o
    WHERE o.channel_id = ${channelId} AND o.state = 'waiting' AND o.judged_at IS NULL AND NOT EXISTS (
      SELECT FROM channel_orders e WHERE e.channel_id = o.channel_id AND e.external_id = o.external_id
        AND e.state = 'waiting' AND e.judged_at IS NULL AND (e.revision, e.id) < (o.revision, o.id))
    ORDER BY o.id LIMIT ${limit}`;
}

/** Another order with the same external id. */
export interface OtherRevision {
  readonly id: string;
  readonly revision: number;
  readonly state: State;
  readonly orderId: string | null;
  readonly isJudged: boolean;
  /** Code of its first reason. */
  readonly reason: Reason['code'] | null;
}

export async function otherRevisions(
  sql: Queryable,
  channelId: string,
  { id, externalId }: UnjudgedOrder,
): Promise<OtherRevision[]> {
  return await sql<OtherRevision[]>`
    SELECT id, revision::float8 AS revision, state, order_id, judged_at IS NOT NULL AS is_judged,
      reasons -> 0 ->> 'code' AS reason FROM channel_orders
    WHERE channel_id = ${channelId} AND external_id = ${externalId} AND id <> ${id} ORDER BY revision DESC, id`;
}

/** What became of an order. */
export interface Judgement {
  readonly state: State;
  readonly reasons: readonly Reason[];
  readonly orderId?: string;
  readonly waitsFor?: readonly string[];
  readonly email?: string | null;
}

/**
 * Records what became of an order that is not judged. An order that waits for a mapping, which was stored meanwhile, stays to be judged.
 * Earlier revisions that wait are superseded.
 * @returns false when it was judged already
 */
export async function settle(tx: Queryable, id: string, judged: Judgement): Promise<boolean> {
  const { state, reasons, orderId = null, waitsFor = [], email = null } = judged;
  // A mapping is stored under the lock of its channel: it is in place now, or finds this order.
  if (waitsFor.length > 0)
    await tx`SELECT FROM channels WHERE id = (SELECT channel_id FROM channel_orders WHERE id = ${id}) FOR SHARE`;
  const [settled] = await tx<{ channelId: string }[]>`
    UPDATE channel_orders o SET state = ${state}, reasons = ${json(tx, reasons)}, order_id = ${orderId}, email = ${email}, is_reported = false,
      waits_for = ${waitsFor.length === 0 ? null : [...waitsFor]}::text[],
      judged_at = CASE WHEN NOT EXISTS (SELECT FROM channel_mappings m
        WHERE m.channel_id = o.channel_id AND m.external_key = ANY(${[...waitsFor]}::text[])) THEN now() END
    WHERE id = ${id} AND state = 'waiting' AND judged_at IS NULL RETURNING channel_id`;
  if (settled === undefined) return false;
  await tx`
    UPDATE channel_orders e SET state = 'ignored', judged_at = now(), reasons = ${json(tx, [SUPERSEDED])}, waits_for = NULL
    FROM channel_orders o WHERE o.id = ${id} AND e.channel_id = o.channel_id AND e.external_id = o.external_id
      AND e.revision < o.revision AND e.state = 'waiting'`;
  return true;
}

export const SUPERSEDED: Reason = {
  code: 'superseded',
  field: null,
  message: 'A later revision of the order has arrived.',
  line: null,
};

/** Makes the orders that wait for one of these mappings be judged again. Returns their number. */
export async function release(tx: Queryable, channelId: string, keys: readonly string[]): Promise<number> {
  const { count } = await tx`
    UPDATE channel_orders SET judged_at = NULL
    WHERE channel_id = ${channelId} AND state = 'waiting' AND judged_at IS NOT NULL AND waits_for && ${[...keys]}::text[]`;
  return count;
}

const IGNORED_BY_HAND: Reason = { code: 'invalid', field: null, message: 'It was ignored by hand.', line: null };

export type Act = 'ignore' | 'retry' | Correction;

/** Makes orders be judged again, with corrections where given, or ignores them. Returns the channel of each. */
async function act(tx: Queryable, how: Act, chosen: Fragment): Promise<string[]> {
  const changes =
    how === 'ignore'
      ? tx`state = 'ignored', judged_at = now(), waits_for = NULL, reasons = ${json(tx, [IGNORED_BY_HAND])}`
      : tx`state = 'waiting', judged_at = NULL ${how === 'retry' ? tx`` : tx`, corrections = ${json(tx, how)}`}`;
  const rows = await tx<{ channelId: string }[]>`
    UPDATE channel_orders SET ${changes} WHERE id IN (SELECT id FROM channel_orders WHERE ${chosen})
      AND state IN ('waiting', 'ignored') AND content_sha256 IS NOT NULL RETURNING channel_id`;
  return rows.map(({ channelId }) => channelId);
}

/** @throws Refusal `CONFLICT` for an order that was submitted */
export async function actOn(tx: Queryable, id: string, how: Act): Promise<void> {
  const acted = await act(tx, how, tx`id = ${id}`);
  if (acted.length === 0)
    throw new Refusal('CONFLICT', { message: 'The order was submitted, or its data was erased.' });
}

/** Orders that the counts of the inbox look at, and one act on all of them, so that these take as long for any inbox. */
const COUNTED = 10_000;

/** Acts on the orders of the inbox that match, of the newest ones. Returns the channel of each. */
export async function actOnInbox(
  tx: Queryable,
  viewer: ChannelViewer,
  filter: Omit<InboxFilter, 'state'>,
  how: 'ignore' | 'retry',
): Promise<string[]> {
  const matching = tx`${matches(tx, viewer, { ...filter, state: 'waiting' })} AND judged_at IS NOT NULL`;
  return await act(tx, how, tx`${matching} ORDER BY id DESC LIMIT ${COUNTED}`);
}

export const inboxCountsSchema = z
  .object({
    waiting: z.int().describe(`Orders in the inbox, up to ${COUNTED}.`),
    reasons: z.array(z.object({ code: z.enum(REASON_CODES), orders: z.int() })).describe('Most frequent first.'),
  })
  .meta({ id: 'ChannelInboxCounts' });

const ofViewer = (sql: Queryable, { clientId }: ChannelViewer, channelId: string | undefined) => sql`
  ${clientId === null ? sql`` : sql`AND client_id = ${clientId}`}
  ${channelId === undefined ? sql`` : sql`AND channel_id = ${channelId}`}`;

/** Returns how many orders wait in the inbox, and why: of the newest ones. */
export async function inboxCounts(
  sql: Queryable,
  viewer: ChannelViewer,
  channelId: string | undefined,
): Promise<z.output<typeof inboxCountsSchema>> {
  const rows = await sql<{ code: ReasonCode | null; orders: number }[]>`
    WITH waiting AS (
      SELECT id, reasons FROM channel_orders WHERE state = 'waiting' AND judged_at IS NOT NULL ${ofViewer(sql, viewer, channelId)}
      ORDER BY id DESC LIMIT ${COUNTED})
    SELECT r.value ->> 'code' AS code, count(DISTINCT id)::int AS orders
    FROM waiting LEFT JOIN LATERAL jsonb_array_elements(reasons) AS r ON true
    GROUP BY GROUPING SETS ((r.value ->> 'code'), ()) ORDER BY 2 DESC, 1`;
  return {
    waiting: rows.find(({ code }) => code === null)?.orders ?? 0,
    reasons: rows.flatMap(({ code, orders }) => (code === null ? [] : [{ code, orders }])),
  };
}

export interface InboxFilter {
  readonly channelId?: string | undefined;
  readonly state: State;
  readonly reason?: ReasonCode | undefined;
}

const matches = (sql: Queryable, viewer: ChannelViewer, { channelId, state, reason }: InboxFilter) => sql`
  state = ${state} ${ofViewer(sql, viewer, channelId)}
  ${reason === undefined ? sql`` : sql`AND reasons <> '[]' AND reasons @> ${json(sql, [{ code: reason }])}`}`;

/** Returns a page of orders, newest first. */
export async function listChannelOrders(
  sql: Queryable,
  viewer: ChannelViewer,
  filter: InboxFilter,
  page: IdPage,
): Promise<ChannelOrder[]> {
  return await sql<ChannelOrder[]>`
    SELECT ${sql.unsafe(COLUMNS)} FROM channel_orders WHERE ${matches(sql, viewer, filter)} ${newestFirst(sql, page)}`;
}

type ArrivedDetail = ChannelOrder & Pick<UnjudgedOrder, 'raw' | 'corrections'>;

/** @throws Refusal `NOT_FOUND` when the channel has no such order */
export async function requireChannelOrder(sql: Queryable, channelId: string, id: string): Promise<ArrivedDetail> {
  const read = async () => {
    const [found] = await sql<ArrivedDetail[]>`
      SELECT ${sql.unsafe(COLUMNS)}, raw, corrections FROM channel_orders WHERE id = ${id} AND channel_id = ${channelId}`;
    return found;
  };
  return await foundById(id, read, 'There is no such order in the channel.');
}

/** Reads how long the oldest order of an inbox waits. */
export async function channelGauges(sql: Queryable): Promise<GaugePoint[]> {
  const [oldest] = await sql<{ age: number }[]>`
    SELECT extract(epoch FROM clock_timestamp() - received_at)::float8 AS age FROM channel_orders
    WHERE state = 'waiting' ORDER BY id LIMIT 1`;
  return [
    { name: 'pressline_channel_orders_waiting_oldest_age_seconds', labels: {}, value: Math.max(0, oldest?.age ?? 0) },
  ];
}
