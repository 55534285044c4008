import { z } from 'zod';
import { POSTBACK_STATUSES } from '../../partners/domain/partner-protocol';
import {
  type AddressedPrintOrder,
  isPrintOrderId,
  jobOfItem,
  printOrderOfPartner,
  unitsOfItem,
} from '../../partners/print-orders';
import { crossField, hasOffset, httpUrl, moment, property, text } from '../../platform/domain/fields';
import { cutText } from '../../platform/domain/foreign-text';
import { SIZES, shownSize } from '../../platform/domain/sizes';
import { ORDER_SIGNALS, ORDER_WORKFLOW_PREFIX } from '../../platform/domain/workflows';
import { type FieldError, Refusal } from '../../platform/errors';
import { sha256 } from '../../platform/ids';
import type { WorkflowSignal } from '../../platform/outbox/temporal-delivery';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import { activeSpan, currentTraceparent, linkTo } from '../../platform/tracing/spans';
import type { PostbackEvent } from '../domain/lifecycle/run-events';

/** Id of a print order or one of its items. */
export const decimalId = z.string().regex(/^\d{1,18}$/, 'must be a string that holds an integer');

const MESSAGE_LENGTH = SIZES.postbackLetters.most;

/** An http or https URL. Empty text counts as absent. */
const trackingLink = z
  .string()
  .superRefine((value, context) => {
    if (value === '') return;
    for (const { message } of httpUrl.safeParse(value).error?.issues ?? []) {
      context.addIssue({ code: 'custom', message });
    }
  })
  .transform((value) => (value === '' ? null : value));

/** A status postback (operation `postOrderStatus`). The optional `orderItemId` limits it to one item. */
export const postbackSchema = crossField(
  z.object({
    timestamp: moment({ local: true })
      .transform((time) => new Date(hasOffset(time) ? time : `${time}Z`).toISOString())
      .describe('The time of sending. A repetition may have a later one.'),
    eventId: text(100)
      .nullish()
      .describe(
        'The partner’s own id of what it reports, the same in each repetition. Without it, equal postbacks are repetitions, and so ' +
          'is a cancellation of the same units of an item to which nothing else has happened in between.',
      ),
    orderId: text(64),
    orderItemId: decimalId.nullish(),
    status: z.enum(POSTBACK_STATUSES),
    message: z
      .string()
      .transform((message) => cutText(message, MESSAGE_LENGTH, '[…]'))
      .nullish()
      .describe(`Longer messages are cut at ${MESSAGE_LENGTH} characters.`),
    trackingCode: z
      .string()
      .max(100)
      .transform((code) => (code.trim() === '' ? null : code))
      .nullish(),
    trackingLink: trackingLink.nullish(),
    items: z
      .array(
        z.object({ orderItemId: decimalId, quantity: z.number().int().min(1).max(SIZES.itemUnits.most).nullish() }),
      )
      .min(1)
      .max(SIZES.orderItems.most)
      .nullish(),
  }),
  (postback, report) => {
    const status = property(postback, 'status');
    const message = property(postback, 'message');
    if (status === 'error' && (typeof message !== 'string' || message.trim() === '')) {
      report(
        ['message'],
        'This field is required with the status error.',
        message == null ? 'MISSING_FIELD_ERROR' : 'IS_BLANK_ERROR',
      );
    }
    if (property(postback, 'items') != null && status !== 'cancelled') {
      report(['items'], 'This field is valid only with the status cancelled.');
    }
  },
).meta({ id: 'StatusPostback' });
export type Postback = z.output<typeof postbackSchema>;

/** Cancelled units of a print job; a null quantity cancels the whole job. */
interface CancelledJob {
  readonly jobId: string;
  readonly quantity: number | null;
}

/**
 * Returns the print jobs that a postback is about. An item id is the id of a job or of one of its parts; every part
 * stands for the whole job.
 * @throws Refusal `VALIDATION_ERROR` for items that are not in the print order or that contradict each other
 */
function jobsOf(
  printOrder: AddressedPrintOrder,
  { orderItemId, items }: Postback,
): { jobId: string | null; items: CancelledJob[] | null } {
  const errors: FieldError[] = [];
  const report = (message: string, reference: string) => errors.push({ code: 'VALIDATION_ERROR', message, reference });
  const find = (id: string, reference: string) => {
    const jobId = jobOfItem(printOrder, id);
    if (jobId === undefined) report(`The print order has no item ${id}.`, reference);
    return jobId;
  };
  const jobId = orderItemId == null ? undefined : find(orderItemId, 'orderItemId');
  const cancelled = new Map<string, CancelledJob>();
  for (const [index, { orderItemId: id, quantity }] of (items ?? []).entries()) {
    const reference = `items[${index}].orderItemId`;
    const itemJob = find(id, reference);
    if (items!.findIndex((item) => item.orderItemId === id) < index) {
      report(`Item ${id} is listed twice.`, reference);
    }
    if (orderItemId != null && itemJob !== jobId) {
      report(`The postback is about item ${orderItemId}, not ${id}.`, reference);
    }
    if (itemJob === undefined) continue;
    const units = unitsOfItem(printOrder, id);
    if (units !== undefined && quantity != null && quantity > units)
      report(`The print order has ${units} of item ${id}.`, `items[${index}].quantity`);
    // Several parts of one job: the widest cancellation counts.
    const before = cancelled.get(itemJob);
    const isWhole = quantity == null || before?.quantity === null;
    cancelled.set(itemJob, {
      jobId: itemJob,
      quantity: isWhole ? null : Math.max(quantity, before?.quantity ?? 0),
    });
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return { jobId: jobId ?? null, items: items == null ? null : [...cancelled.values()] };
}

const WHOLE_PRINT_ORDER = { jobId: null, items: null };

/**
 * Stores a postback in the inbox and, in the same statement, the signal to the order run in the outbox. It works while
 * Temporal is unavailable. A repeated postback is only counted. The caller wakes the outbox relay when `isNew` is true.
 * @throws Refusal `NOT_FOUND` for a print order of another partner, `VALIDATION_ERROR` for items of another print order,
 *   `CONFLICT` when the print order has as many postbacks as it may have
 */
export async function storePostback(
  sql: Sql,
  partnerId: string,
  postback: Postback,
): Promise<{ isNew: boolean; orderId: string }> {
  const notFound = () => new Refusal('NOT_FOUND', { message: `There is no print order ${postback.orderId}.` });
  if (!isPrintOrderId(postback.orderId)) throw notFound();
  // Most postbacks are about the whole print order: the statement that stores them also finds it.
  const isWhole = postback.orderItemId == null && postback.items == null && activeSpan() === undefined;
  const printOrder = isWhole ? undefined : await printOrderOfPartner(sql, partnerId, postback.orderId);
  if (printOrder === null) throw notFound();
  if (printOrder !== undefined && activeSpan() !== undefined) {
    // The trace of the request that submitted the order.
    const [order] = await sql<{ traceparent: string | null }[]>`
      SELECT traceparent FROM orders WHERE id = ${printOrder.orderId}`;
    linkTo(order?.traceparent);
  }
  const { jobId, items } = printOrder === undefined ? WHOLE_PRINT_ORDER : jobsOf(printOrder, postback);
  const content: PostbackContent = {
    status: postback.status,
    at: postback.timestamp,
    message: postback.message ?? null,
    jobId,
    items,
    trackingCode: postback.trackingCode ?? null,
    trackingLink: postback.trackingLink ?? null,
  };
  const of = { partnerId, printOrderId: postback.orderId, eventId: postback.eventId ?? null };
  const ofUnits = of.eventId === null && items?.some(({ quantity }) => quantity !== null);
  const stored =
    printOrder !== undefined && ofUnits
      ? await inTransaction(sql, (tx) => storeCancelledUnits(tx, printOrder.orderId, of, content))
      : await insertPostback(sql, of, content);
  if (stored === undefined) throw notFound();
  return stored;
}

type PostbackContent = Omit<PostbackEvent, 'type' | 'eventId' | 'printOrderId'>;

interface PostbackAddress {
  readonly partnerId: string;
  readonly printOrderId: string;
  /** The partner's id of the event. It stands for the content. Null: without one. */
  readonly eventId: string | null;
}

/**
 * @returns undefined when the partner has no such print order
 * @throws Refusal `CONFLICT` when the print order has as many postbacks as it may have
 */
async function insertPostback(
  sql: Queryable,
  { partnerId, printOrderId, eventId }: PostbackAddress,
  content: PostbackContent,
): Promise<{ orderId: string; isNew: boolean } | undefined> {
  // The statement sets `printOrderId`, and `eventId` to the id of the inserted row.
  const event: PostbackEvent = { type: 'postback', eventId: '', printOrderId: '', ...content };
  const signal: WorkflowSignal = { signal: ORDER_SIGNALS.postback, args: [event] };
  const fingerprint = sha256(JSON.stringify(eventId === null ? content : { eventId }));
  const { most } = SIZES.postbacks;
  const [stored] = await sql<{ orderId: string; isNew: boolean; isRefused: boolean }[]>`
    WITH found AS (
      SELECT p.id, p.order_id, ${most} <= (SELECT count(*) FROM (
        SELECT FROM postbacks b WHERE b.print_order_id = p.id AND b.order_id = p.order_id LIMIT ${most}) held) AS is_full
      FROM print_orders p WHERE p.id = ${printOrderId} AND p.partner_id = ${partnerId}
    ), stored AS (
      INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body)
      SELECT ${partnerId}, order_id, id, ${fingerprint}, ${json(sql, content)} FROM found
      WHERE NOT is_full OR EXISTS (
        SELECT FROM postbacks b WHERE b.print_order_id = found.id AND b.order_id = found.order_id AND b.fingerprint = ${fingerprint})
      ON CONFLICT (print_order_id, fingerprint, order_id) DO UPDATE SET repetitions = postbacks.repetitions + 1
      RETURNING id, repetitions = 0 AS is_new
    ), signalled AS (
      INSERT INTO outbox (kind, target, payload, traceparent)
      SELECT 'signal_workflow', ${ORDER_WORKFLOW_PREFIX}::text || order_id,
        jsonb_set(jsonb_set(${json(sql, signal)}, '{args,0,eventId}', to_jsonb(stored.id::text)),
          '{args,0,printOrderId}', to_jsonb(found.id::text)), ${currentTraceparent()}
      FROM stored, found WHERE is_new
    )
    SELECT order_id, coalesce(is_new, false) AS is_new, stored.id IS NULL AS is_refused FROM found LEFT JOIN stored ON true`;
  if (stored?.isRefused === true)
    throw new Refusal('CONFLICT', {
      message: `The print order has ${shownSize(most)} postbacks, and takes no more. Its operator decides what is next.`,
    });
  return stored;
}

/**
 * Stores a cancellation of units. A partner that got no response repeats it with a new timestamp: units of a job that the latest
 * postback about it has cancelled already are left out, and noted in the log, unless something else has happened to the job since.
 */
async function storeCancelledUnits(tx: Transaction, orderId: string, of: PostbackAddress, content: PostbackContent) {
  const { printOrderId } = of;
  // Of two equal postbacks at the same time, the second one sees the first.
  await tx`SELECT FROM orders WHERE id = ${orderId} FOR KEY SHARE`;
  await tx`SELECT FROM print_orders WHERE id = ${printOrderId} FOR NO KEY UPDATE`;
  const listed = content.items!.filter(({ quantity }) => quantity !== null);
  const repeated = await tx<{ jobId: string }[]>`
    WITH repeated AS (
      SELECT j.id, j.order_item_id, c.quantity
      FROM jsonb_to_recordset(${json(tx, listed)}) AS c ("jobId" bigint, quantity int) JOIN print_jobs j ON j.id = c."jobId",
      LATERAL (
        SELECT b.body, b.run_position, b.run_version FROM postbacks b
        WHERE b.print_order_id = ${printOrderId} AND b.order_id = ${orderId} AND (
          coalesce(b.body ->> 'jobId', j.id::text) = j.id::text AND jsonb_typeof(b.body -> 'items') = 'null'
          OR b.body -> 'items' @> jsonb_build_array(jsonb_build_object('jobId', j.id::text)))
        ORDER BY b.id DESC LIMIT 1
      ) b
      WHERE b.body -> 'items' @> jsonb_build_array(jsonb_build_object('jobId', j.id::text, 'quantity', c.quantity))
        AND NOT EXISTS (
          SELECT FROM order_events e
          WHERE e.order_id = ${orderId} AND (e.run_position, e.run_version) > (b.run_position, b.run_version) AND (
            e.type IN ('cancel_requested', 'mark_shipped') OR e.order_item_id = j.order_item_id AND coalesce(e.print_order_id, ${printOrderId}) = ${printOrderId}
            OR jsonb_path_exists(e.data, '$.** ? (@ == $item)', jsonb_build_object('item', j.order_item_id::text))))
    ), noted AS (
      INSERT INTO order_events (order_id, order_item_id, print_order_id, type, data)
      SELECT ${orderId}, order_item_id, ${printOrderId}, 'cancel_repeated',
        jsonb_build_object('at', ${content.at}::text, 'quantity', quantity) FROM repeated
    )
    SELECT id::text AS job_id FROM repeated`;
  const items = content.items!.filter(({ jobId }) => !repeated.some((each) => each.jobId === jobId));
  return items.length === 0 ? { orderId, isNew: false } : await insertPostback(tx, of, { ...content, items });
}
