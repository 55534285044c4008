import { z } from 'zod';
import { addNote, listNotes, type OrderNote } from '../../../src/orders/reading/notes';
import { sentMessages, sentPrintOrderSchema } from '../../../src/orders/reading/operator-orders';
import { orderTimeline, TIMELINE_KINDS } from '../../../src/orders/reading/timeline';
import { partnerRequestSchema, requestsOfPrintOrders } from '../../../src/partners/requests';
import { timestamp } from '../../../src/platform/domain/fields';
import { SIZES } from '../../../src/platform/domain/sizes';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { anyOfList, cursorField, idCursorField, limitField, pageById, pageByTime } from '../../http/list-query';
import { type Route, route } from '../../http/route';
import { changedOrderId, forOrder, visibleOrderId, visibleRows } from '../../orders/visible-order';

const ENTRY_ID = /^[a-z]+:[a-z0-9-]{1,50}$/;

const timeline = z
  .object({
    entries: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(TIMELINE_KINDS),
        type: z
          .string()
          .describe(
            'Type of the event or message, status of the postback or checkpoint, or name of the repair or change.',
          ),
        at: timestamp.describe('Postbacks: when they were received. Checkpoints: the carrier’s time.'),
        printOrderId: z.string().nullable(),
        by: z.string().nullable().describe('The partner, carrier, operator or client. Null: Pressline.'),
        data: z.record(z.string(), z.unknown()).describe('The stored content.'),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'OrderTimeline' });

export function orderTimelineRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  return route('GET /v1/operator/orders/{orderId}/timeline', {
    ...forOrder('viewer'),
    operationId: 'getOrderTimeline',
    onStandby: true,
    summary: 'List everything that happened to an order, newest first',
    description:
      'Merges the order’s log, repairs and changes of operators and clients with their reasons, postbacks, requests to partners, ' +
      'checkpoints of parcels, and notifications.',
    query: z.object({
      kind: anyOfList(z.enum(TIMELINE_KINDS)).describe('Only these kinds.'),
      limit: z.coerce.number().int().min(1).max(250).default(100),
      cursor: cursorField.optional(),
    }),
    response: timeline,
    handler: async ({ params: { orderId }, query, account }) => {
      const { id, archived } = await visibleRows({ sql, objects }, account, orderId);
      const { page, nextCursor } = await pageByTime(
        query,
        (page) => orderTimeline(sql, id, query.kind ?? TIMELINE_KINDS, page, archived),
        (id) => ENTRY_ID.test(id),
      );
      return { entries: page.map(({ position: _position, ...entry }) => entry), nextCursor };
    },
  });
}

const noteSchema = z
  .object({
    id: z.string(),
    author: z.object({ id: z.string(), name: z.string() }),
    text: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'OrderNote' });

function noteView({ authorId, authorName, ...note }: OrderNote) {
  return { ...note, author: { id: authorId, name: authorName } };
}

/** Routes with which operators write notes on orders. Clients and partners do not see them. */
export function noteRoutes({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route[] {
  return [
    route('GET /v1/operator/orders/{orderId}/notes', {
      ...forOrder('viewer'),
      operationId: 'listOrderNotes',
      summary: 'List the notes on an order, newest first',
      query: z.object({ limit: limitField, cursor: idCursorField.optional() }),
      response: z.object({ notes: z.array(noteSchema), nextCursor: z.string().nullable() }),
      handler: async ({ account, params: { orderId }, query }) => {
        const { id, archived } = await visibleRows({ sql, objects }, account, orderId);
        const { page, nextCursor } = await pageById(query, (wanted) => listNotes(sql, id, wanted, archived));
        return { notes: page.map(noteView), nextCursor };
      },
    }),
    route('POST /v1/operator/orders/{orderId}/notes', {
      ...forOrder('operator'),
      operationId: 'addOrderNote',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
      summary: 'Add a note to an order',
      description: 'Operators read it; clients and partners do not. It is erased with the personal data of the order.',
      audits: ['order.add_note'],
      idempotent: true,
      body: z.object({ text: z.string().trim().min(1).max(SIZES.noteLetters.most) }),
      response: noteSchema,
      handler: async ({ account, params: { orderId }, body, idempotency, audit }) => {
        const id = await changedOrderId(sql, account, orderId);
        return await inTransaction(sql, async (tx) => {
          const note = noteView(await addNote(tx, id, { author: account, text: body.text }));
          // The audit log cannot be erased, so it has no text.
          await audit(tx, { action: 'order.add_note', objectId: id, before: null, after: { noteId: note.id } });
          await idempotency.complete(tx, note);
          return note;
        });
      },
    }),
  ];
}

/** Requests that are listed for each print order. A print order that no partner accepts has about 150 in a day. */
const LISTED_REQUESTS = 250;

const sentPrintOrder = sentPrintOrderSchema
  .extend({
    requests: z
      .array(partnerRequestSchema)
      .describe(
        `The latest ${LISTED_REQUESTS} attempts to send the print order, its updates and its cancellations, oldest first. Kept for 90 days.`,
      ),
  })
  .meta({ id: 'SentPrintOrder' });

export function sentPrintOrderRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route('GET /v1/operator/orders/{orderId}/print-orders', {
    ...forOrder('viewer'),
    operationId: 'listSentPrintOrders',
    summary: 'List the print orders of an order as sent, with every attempt',
    response: z.object({ printOrders: z.array(sentPrintOrder) }),
    handler: async ({ account, params: { orderId } }) => {
      const id = await visibleOrderId(sql, account, orderId);
      const printOrders = await sentMessages(sql, id);
      const ids = printOrders.map((printOrder) => printOrder.id);
      const requests = await requestsOfPrintOrders(sql, ids, LISTED_REQUESTS);
      return {
        printOrders: printOrders.map((printOrder) => ({
          ...printOrder,
          requests: requests.filter(({ printOrderId }) => printOrderId === printOrder.id),
        })),
      };
    },
  });
}
