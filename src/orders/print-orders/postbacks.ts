import { z } from 'zod';
import { type AddressedPrintOrder, printOrderOfPartner } from '../../partners/print-orders';
import { crossField, property } from '../../platform/domain/cross-field';
import { hasOffset, httpUrl, moment, text } from '../../platform/domain/fields';
import { ORDER_SIGNALS, orderWorkflowId } from '../../platform/domain/workflows';
import { type FieldError, Refusal } from '../../platform/errors';
import { sha256 } from '../../platform/ids';
import type { WorkflowSignal } from '../../platform/outbox/temporal-delivery';
import { json, type Sql } from '../../platform/postgres';
import { POSTBACK_STATUSES, type PostbackEvent } from '../domain/lifecycle/run-events';

const decimalId = z.string().regex(/^\d{1,18}$/, 'must be a string that holds an integer');

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

/** A status postback (interface "POST /v2/order/status"). The optional `orderItemId` limits it to one item. */
export const postbackSchema = crossField(
  z.object({
    timestamp: moment({ local: true }).transform((time) =>
      new Date(hasOffset(time) ? time : `${time}Z`).toISOString(),
    ),
    orderId: text(64),
    orderItemId: decimalId.nullish(),
    status: z.enum(POSTBACK_STATUSES),
    message: z.string().max(2_000).nullish(),
    trackingCode: z.string().max(100).nullish(),
    trackingLink: trackingLink.nullish(),
    items: z
      .array(z.object({ orderItemId: decimalId, quantity: z.number().int().min(1).nullish() }))
      .min(1)
      .max(500)
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

/**
 * Checks the item ids of a postback.
 * @throws Refusal `VALIDATION_ERROR` for items that are not in the print order or that contradict each other
 */
function checkItems({ jobIds }: AddressedPrintOrder, postback: Postback): void {
  const errors: FieldError[] = [];
  const report = (message: string, reference: string) =>
    errors.push({ code: 'VALIDATION_ERROR', message, reference });
  const check = (id: string, reference: string) => {
    if (!jobIds.includes(id)) report(`The print order has no item ${id}.`, reference);
  };
  const { orderItemId } = postback;
  if (orderItemId != null) check(orderItemId, 'orderItemId');
  const listed = (postback.items ?? []).map((item) => item.orderItemId);
  for (const [index, id] of listed.entries()) {
    const reference = `items[${index}].orderItemId`;
    check(id, reference);
    if (listed.indexOf(id) < index) report(`Item ${id} is listed twice.`, reference);
    if (orderItemId != null && orderItemId !== id) {
      report(`The postback is about item ${orderItemId}, not ${id}.`, reference);
    }
  }
  if (errors.length > 0)
    throw new Refusal('VALIDATION_ERROR', {
      message: errors.map((error) => error.message).join(' '),
      errors,
    });
}

/**
 * Stores a postback in the inbox and, in the same statement, the signal to the order run in the outbox. It works while
 * Temporal is unavailable. A repeated postback changes nothing. The caller wakes the outbox relay when `isNew` is true.
 * @throws Refusal `NOT_FOUND` for a print order of another partner, `VALIDATION_ERROR` for items of another print order
 */
export async function storePostback(
  sql: Sql,
  partnerId: string,
  postback: Postback,
): Promise<{ isNew: boolean; orderId: string }> {
  const printOrder = await printOrderOfPartner(sql, partnerId, postback.orderId);
  if (printOrder === null)
    throw new Refusal('NOT_FOUND', { message: `There is no print order ${postback.orderId}.` });
  checkItems(printOrder, postback);
  const content = {
    status: postback.status,
    at: postback.timestamp,
    message: postback.message ?? null,
    jobId: postback.orderItemId ?? null,
    items:
      postback.items?.map(({ orderItemId, quantity }) => ({
        jobId: orderItemId,
        quantity: quantity ?? null,
      })) ?? null,
    trackingCode: postback.trackingCode ?? null,
    trackingLink: postback.trackingLink ?? null,
  };
  // The statement sets `eventId` to the id of the inserted row.
  const event: PostbackEvent = { type: 'postback', eventId: '', printOrderId: printOrder.id, ...content };
  const signal: WorkflowSignal = { signal: ORDER_SIGNALS.postback, args: [event] };
  const stored = await sql`
    WITH stored AS (
      INSERT INTO postbacks (partner_id, print_order_id, fingerprint, body)
      VALUES (${partnerId}, ${printOrder.id}, ${sha256(JSON.stringify(content))}, ${json(sql, content)})
      ON CONFLICT (print_order_id, fingerprint) DO NOTHING RETURNING id
    ), signalled AS (
      INSERT INTO outbox (kind, target, payload)
      SELECT 'signal_workflow', ${orderWorkflowId(printOrder.orderId)},
        jsonb_set(${json(sql, signal)}, '{args,0,eventId}', to_jsonb(id::text))
      FROM stored
    )
    SELECT id FROM stored`;
  return { isNew: stored.length > 0, orderId: printOrder.orderId };
}
