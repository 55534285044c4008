import pLimit from 'p-limit';
import type { FieldError } from '../platform/errors';
import type { Logger } from '../platform/logging/logging';
import { inTransaction, type Queryable } from '../platform/postgres';
import { progressed } from '../platform/progress';
import type { AdapterDeps, ArrivedOrder, ChannelAdapter } from './adapter';
import { adapterOf } from './adapters';
import { endFile, type Finding, receivedFiles } from './channel-files';
import {
  hasArrived,
  type Judgement,
  type OtherRevision,
  otherRevisions,
  requireChannelOrder,
  SUPERSEDED,
  settle,
  storeArrived,
  type UnjudgedOrder,
  unjudgedOrders,
} from './channel-orders';
import { type Channel, recordRun, requireChannel } from './channels';
import { csvAdapter, ordersIn } from './csv-adapter';
import { corrected, type MappedOrder, mappedOrder, mappingKeysOf } from './domain/order-content';
import { type Reason, reasonOfError } from './domain/reasons';
import { mappingsOf } from './mappings';
import { reportOrders } from './reports';

/** Whole items, and units of items, that a new revision of an order no longer has. */
export type LeftOut = readonly { readonly itemReferenceId: string; readonly quantity: number | undefined }[];

export type Submitted =
  | { readonly outcome: 'submitted' }
  | { readonly outcome: 'refused'; readonly errors: readonly FieldError[] }
  | { readonly outcome: 'duplicate'; readonly message: string }
  /** A quota of the client is used up. */
  | { readonly outcome: 'later'; readonly retryAfterSeconds: number };

/** The intake of orders that the API has, and its changes. Bodies are what `POST /v1/orders` takes. */
export interface OrderIntake {
  /** Returns what is wrong with an order, and stores nothing. */
  check(clientId: string, body: MappedOrder['body']): Promise<readonly FieldError[]>;
  /**
   * Submits an order once.
   * @param key of the channel's order
   * @param record is called in the transaction that stores the order, and throws to undo it
   */
  submit(
    clientId: string,
    body: MappedOrder['body'],
    key: string,
    record: (tx: Queryable, orderId: string) => Promise<void>,
  ): Promise<Submitted>;
  /**
   * Changes an order to what a new revision says. Can be repeated with the same key.
   * @returns what is wrong with the revision, or what could not be changed any more, in words. `failed`: the order was refused
   * as a whole, and can be replaced
   */
  change(
    clientId: string,
    orderId: string,
    change: { readonly body: MappedOrder['body']; readonly leftOut: LeftOut | 'all'; readonly key: string },
  ): Promise<{ readonly errors: readonly FieldError[] } | { readonly missed: readonly string[] } | 'failed'>;
  /** Flags an order: the channel has changed it, and it could not be changed any more. */
  flagMissed(orderId: string, message: string): Promise<void>;
}

export interface SubmissionDeps extends AdapterDeps {
  readonly channelIntake: OrderIntake;
  readonly log: Logger;
}

const BATCH = 50;
/** Orders that are submitted at the same time: few, so that the other work of the worker goes on. */
const CONCURRENCY = 2;
const ANY_CLIENT = { clientId: null };

/**
 * Stores the orders that a channel has, before anything judges them, and checks its dry runs.
 * @param isPoll also asks the server of the channel, and tells it what is new. Its failure is recorded: the next poll repeats it
 */
export async function fetchOrders(
  deps: SubmissionDeps,
  channelId: string,
  isPoll: boolean,
  signal: AbortSignal,
): Promise<void> {
  const channel = await requireChannel(deps.sql, channelId, ANY_CLIENT);
  if (channel.state === 'paused') return;
  const adapter = isPoll ? adapterOf(deps, channel) : csvAdapter(deps, channel);
  const failures: Error[] = [];
  const attempt = async (step: () => Promise<void>) =>
    await step().catch((error: Error) => {
      if (!isPoll || signal.aborted) throw error;
      failures.push(error);
      deps.log.warn({ err: error, channelId }, 'a channel could not be read or told');
    });
  await attempt(async () => {
    for await (const batch of adapter.fetchNew()) {
      signal.throwIfAborted();
      await storeArrived(deps.sql, channelId, batch);
      progressed();
    }
    await adapter.acknowledge();
  });
  if (isPoll) await attempt(() => reportOrders(deps.sql, channel, adapter));
  if (isPoll || channel.kind === 'csv') await recordRun(deps.sql, channelId, failures[0]?.message ?? null);
  await checkDryRuns(deps, channel, adapter, signal);
}

/** `done`: no order is left. */
type Progress = { readonly done: true } | { readonly done: false; readonly pauseSeconds: number };

/**
 * Maps and submits the next orders of a channel that are not judged.
 * @throws for a transient failure. The orders that are judged stay so
 */
export async function submitNextOrders(
  deps: SubmissionDeps,
  channelId: string,
  signal: AbortSignal,
): Promise<Progress> {
  const { sql } = deps;
  const channel = await requireChannel(sql, channelId, ANY_CLIENT);
  if (channel.state === 'paused') return { done: true };
  const adapter = adapterOf(deps, channel);
  const orders = await unjudgedOrders(sql, channelId, BATCH);
  const limit = pLimit(CONCURRENCY);
  let pauseSeconds = 0;
  const judged = await Promise.allSettled(
    orders.map((order) =>
      limit(async () => {
        if (pauseSeconds > 0 || signal.aborted) return;
        const result = await judge(deps, channel, adapter, order);
        progressed();
        if (result !== null) pauseSeconds = result.later;
      }),
    ),
  );
  signal.throwIfAborted();
  const failed = judged.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return orders.length === 0 ? { done: true } : { done: false, pauseSeconds };
}

/** The seconds after which an order can be judged. Null: it is. */
type Judged = { readonly later: number } | null;

class JudgedMeanwhile extends Error {}

/** Maps an order, and submits it or changes the order that an earlier revision became. Records what became of it. */
async function judge(
  deps: SubmissionDeps,
  channel: Channel,
  adapter: ChannelAdapter,
  order: UnjudgedOrder,
): Promise<Judged> {
  const { sql, channelIntake: intake } = deps;
  const { clientId } = channel;
  const others = await otherRevisions(sql, channel.id, order);
  const mapped = await mappedOrderOf(deps, channel, adapter, order);
  const previous = others.find(({ revision, state }) => revision < order.revision && state === 'submitted');
  const { email } = mapped.body.shippingAddress as { readonly email?: unknown };
  const ended = async (judgement: Judgement): Promise<Judged> => {
    const { waitsFor } = mapped;
    const isWaiting = judgement.state === 'waiting';
    const personal = typeof email === 'string' ? { email: email.toLowerCase() } : {};
    const reasons = adapter.locate(order.raw, judgement.reasons);
    const settled = { ...judgement, reasons, ...(isWaiting ? { waitsFor, ...personal } : {}) };
    await inTransaction(sql, (tx) => settle(tx, order.id, settled));
    return null;
  };
  const refused = (errors: readonly FieldError[]) =>
    ended({ state: 'waiting', reasons: errors.map((error) => reasonOfError(error, mapped.lines)) });

  const precluded = withoutSubmission(order, others, previous !== undefined, mapped);
  if (precluded?.reasons === mapped.reasons)
    return await ended({ ...precluded, reasons: allReasons(mapped, await intake.check(clientId, mapped.body)) });
  if (precluded !== null) return await ended(precluded);
  const key = `${channel.id} ${order.externalId} ${order.revision}`;
  let replaced = {};
  if (previous !== undefined) {
    const before = await mappedOrderOf(deps, channel, adapter, await requireChannelOrder(sql, channel.id, previous.id));
    const leftOut = mapped.canceled ? ('all' as const) : leftOutOf(before, mapped);
    const orderId = previous.orderId!;
    const changed = await intake.change(clientId, orderId, { body: mapped.body, leftOut, key });
    if (changed === 'failed' && mapped.canceled) return await ended({ state: 'submitted', orderId, reasons: [] });
    if (changed !== 'failed') {
      if ('errors' in changed) return await refused(changed.errors);
      const missed = [...changed.missed, ...(mapped.canceled ? [] : unchangeable(before, mapped))];
      if (missed.length > 0) await intake.flagMissed(orderId, missed.join(' '));
      return await ended({
        state: 'submitted',
        orderId,
        reasons: missed.map((text) => whole(mapped, 'change_missed', text)),
      });
    }
    replaced = { replaces: orderId };
  }
  const submitted = await intake
    .submit(clientId, { ...mapped.body, ...replaced }, key, async (tx, orderId) => {
      if (!(await settle(tx, order.id, { state: 'submitted', reasons: [], orderId }))) throw new JudgedMeanwhile();
    })
    .catch((error: unknown): Submitted => {
      if (error instanceof JudgedMeanwhile) return { outcome: 'submitted' };
      throw error;
    });
  if (submitted.outcome === 'later') return { later: submitted.retryAfterSeconds };
  if (submitted.outcome === 'refused') return await refused(submitted.errors);
  if (submitted.outcome === 'submitted') return null;
  return await ended({ state: 'waiting', reasons: [whole(mapped, 'duplicate', submitted.message)] });
}

/** Returns a reason about the order as a whole. */
const whole = ({ lines }: MappedOrder, code: Reason['code'], message: string): Reason => ({
  code,
  field: code === 'duplicate' ? 'orderReferenceId' : null,
  message,
  line: lines[0] ?? null,
});

/** Returns what becomes of an order that is neither submitted nor changes another one. Null: it is, or does. */
function withoutSubmission(
  { id, revision }: UnjudgedOrder,
  others: readonly OtherRevision[],
  isChange: boolean,
  mapped: MappedOrder,
): Judgement | null {
  const isLater = (other: OtherRevision) =>
    other.revision > revision && other.isJudged && (other.state !== 'ignored' || other.reason === 'canceled');
  if (others.some(isLater)) return { state: 'ignored', reasons: [SUPERSEDED] };
  const isSame = (other: OtherRevision) =>
    other.revision === revision && (other.state === 'submitted' || (other.state === 'waiting' && other.id < id));
  if (others.some(isSame)) {
    const message =
      'An order with this reference and other content has arrived before. A higher `revision` makes it a change.';
    return { state: 'waiting', reasons: [whole(mapped, 'duplicate', message)] };
  }
  if (mapped.canceled) {
    const reason = whole(mapped, 'canceled', 'The order was canceled before it was submitted.');
    return isChange ? null : { state: 'ignored', reasons: [reason] };
  }
  if (mapped.isIgnored && !isChange)
    return { state: 'ignored', reasons: [whole(mapped, 'ignored_products', 'Every product of the order is ignored.')] };
  return mapped.reasons.length > 0 ? { state: 'waiting', reasons: mapped.reasons } : null;
}

/** Returns why an order cannot be submitted: its own reasons, and the errors of the other fields, so that all are known at once. */
function allReasons({ reasons, lines }: MappedOrder, errors: readonly FieldError[]): Reason[] {
  const fieldOf = ({ field, line }: Reason) => `${line} ${field?.replace(/\[\d+\]/g, '')}`;
  const known = new Set(reasons.map(fieldOf));
  const unknown = new Set(reasons.filter(({ code }) => code === 'unknown_product').map(({ line }) => line));
  const others = errors.map((error) => reasonOfError(error, lines));
  const isOther = (one: Reason) => !known.has(fieldOf(one)) && !(one.code === 'product' && unknown.has(one.line));
  return [...reasons, ...others.filter(isOther)];
}

async function mappedOrderOf(
  deps: SubmissionDeps,
  channel: Channel,
  adapter: ChannelAdapter,
  { raw, corrections }: Pick<UnjudgedOrder, 'raw' | 'corrections'>,
): Promise<MappedOrder> {
  const content = corrected(adapter.read(raw), corrections);
  return mappedOrder(content, await mappingsOf(deps.sql, channel.id, mappingKeysOf(content)));
}

interface Item {
  readonly itemReferenceId: string;
  readonly quantity: number;
}
const itemsOf = ({ body }: MappedOrder) =>
  body.items as unknown as readonly (Item & Readonly<Record<string, unknown>>)[];

/** Returns the items and units that a revision no longer has. */
function leftOutOf(before: MappedOrder, after: MappedOrder): LeftOut {
  return itemsOf(before).flatMap(({ itemReferenceId, quantity }): LeftOut => {
    const left = itemsOf(after).find((item) => item.itemReferenceId === itemReferenceId)?.quantity ?? 0;
    if (left <= 0) return [{ itemReferenceId, quantity: undefined }];
    return left < quantity ? [{ itemReferenceId, quantity: quantity - left }] : [];
  });
}

/** Returns what a revision changes that no order can change, in words. */
function unchangeable(before: MappedOrder, after: MappedOrder): string[] {
  const product = ({ productUid, productName, productVariant, files }: Readonly<Record<string, unknown>>) =>
    JSON.stringify([productUid, productName, productVariant, files]);
  return itemsOf(after).flatMap((item) => {
    const earlier = itemsOf(before).find(({ itemReferenceId }) => itemReferenceId === item.itemReferenceId);
    if (earlier === undefined) return [`Item ${item.itemReferenceId} was added: order it separately.`];
    if (item.quantity > earlier.quantity)
      return [
        `Item ${item.itemReferenceId} has ${item.quantity - earlier.quantity} more units: order them separately.`,
      ];
    return product(item) === product(earlier) ? [] : [`Item ${item.itemReferenceId} has another product or file.`];
  });
}

/** Checks the files of a channel that are dry runs: what their orders would become. */
async function checkDryRuns(
  deps: SubmissionDeps,
  channel: Channel,
  adapter: ChannelAdapter,
  signal: AbortSignal,
): Promise<void> {
  const { sql, channelIntake: intake } = deps;
  for (const file of await receivedFiles(sql, channel.id, { dryRun: true })) {
    const findings: Finding[] = [];
    const counts = { submitted: 0, waiting: 0, ignored: 0, unchanged: 0 };
    const check = async (order: ArrivedOrder): Promise<keyof typeof counts> => {
      if (await hasArrived(sql, channel.id, order)) return 'unchanged';
      const mapped = await mappedOrderOf(deps, channel, adapter, { raw: order.raw, corrections: null });
      if (mapped.canceled || mapped.isIgnored) return 'ignored';
      const reasons = allReasons(mapped, await intake.check(channel.clientId, mapped.body));
      findings.push(
        ...adapter.locate(order.raw, reasons).map((reason) => ({ ...reason, externalId: order.externalId })),
      );
      return reasons.length > 0 ? 'waiting' : 'submitted';
    };
    for await (const order of ordersIn(deps, channel.settings, file)) {
      signal.throwIfAborted();
      counts[await check(order)] += 1;
      progressed();
    }
    await endFile(sql, file.id, { state: 'read', findings, counts });
  }
}
