import { z } from 'zod';
import { addNote, listNotes, NOTE_LENGTH, type OrderNote } from '../../../src/orders/notes';
import { timestamp } from '../../../src/platform/domain/fields';
import { inTransaction } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { idCursorField, limitField, pageOf } from '../../http/lists/cursor';
import { operatorsOnly, type Route, route } from '../../http/route';
import { changedOrderId, visibleRows } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE } from './order-schemas';

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
    route({
      ...OPERATOR_ORDER_ROUTE,
      method: 'get',
      access: operatorsOnly('viewer'),
      path: '/v1/operator/orders/{orderId}/notes',
      operationId: 'listOrderNotes',
      summary: 'List the notes on an order, newest first',
      query: z.object({ limit: limitField, cursor: idCursorField.optional() }),
      response: z.object({ notes: z.array(noteSchema), nextCursor: z.string().nullable() }),
      handler: async ({ account, params: { orderId }, query: { limit, cursor } }) => {
        const { id, archived } = await visibleRows({ sql, objects }, account, orderId);
        const rows = await listNotes(sql, id, { limit: limit + 1, after: cursor }, archived);
        const { page, nextCursor } = pageOf(rows, limit, (note) => note.id);
        return { notes: page.map(noteView), nextCursor };
      },
    }),
    route({
      ...OPERATOR_ORDER_ROUTE,
      method: 'post',
      access: operatorsOnly('operator'),
      path: '/v1/operator/orders/{orderId}/notes',
      operationId: 'addOrderNote',
      summary: 'Add a note to an order',
      description: 'Operators read it; clients and partners do not. It is erased with the personal data of the order.',
      audits: ['order.add_note'],
      idempotent: true,
      body: z.object({ text: z.string().trim().min(1).max(NOTE_LENGTH) }),
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
