import { z } from 'zod';
import { orderIdOfWorkflow } from '../../src/platform/domain/workflows';
import { replayDead } from '../../src/platform/outbox/dead-letters';
import { listMessages, OUTBOX_STATES, type OutboxListItem } from '../../src/platform/outbox/message-list';
import { OUTBOX_KINDS as KINDS } from '../../src/platform/outbox/outbox';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { csvResponse, formatQuery } from '../http/lists/csv';
import { cursorField, decodeCursor, encodeCursor, limitField, pageOf } from '../http/lists/cursor';
import { operatorsOnly, type Route, route } from '../http/route';

const TAG = 'Operator: outbox';
const ROW_ID = /^\d{1,18}$/;
const rowId = z.string().regex(ROW_ID, 'must be a string that holds an integer');

const messageSchema = z
  .object({
    id: z.string(),
    kind: z.enum(KINDS),
    state: z.enum(OUTBOX_STATES),
    target: z.string().describe('Workflow id, or id of the webhook endpoint.'),
    orderId: z.string().nullable().describe('Set when the target is the workflow of an order.'),
    deliveryId: z.string().nullable().describe('Of a notification: its id in the delivery log.'),
    attempts: z.int(),
    createdAt: z.iso.datetime(),
    nextAttemptAt: z.iso
      .datetime()
      .nullable()
      .describe('While an attempt runs: the end of its lease. Null for a dead letter.'),
    deadAt: z.iso.datetime().nullable(),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'OutboxMessage' });

function messageView(row: OutboxListItem): z.input<typeof messageSchema> {
  const { id, kind, target, attempts, createdAt, availableAt, deadAt, lastError, deliveryId } = row;
  return {
    id,
    kind,
    state: deadAt === null ? 'pending' : 'dead',
    target,
    orderId: orderIdOfWorkflow(target),
    deliveryId,
    attempts,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: deadAt === null ? availableAt.toISOString() : null,
    deadAt: deadAt?.toISOString() ?? null,
    lastError,
  };
}

function listRoute(sql: ApiDeps['sql']): Route {
  return route({
    method: 'get',
    path: '/v1/operator/outbox',
    operationId: 'listOutboxMessages',
    summary: 'List the messages of the outbox by state',
    description: 'Pending messages by their next attempt, dead letters newest first.',
    tag: TAG,
    access: operatorsOnly('viewer'),
    errors: 'coded',
    query: z.object({
      state: z.enum(OUTBOX_STATES).default('pending'),
      kind: z.enum(KINDS).optional(),
      target: z.string().min(1).max(300).optional().describe('Workflow id, or id of the webhook endpoint.'),
      limit: limitField,
      cursor: cursorField.optional(),
      format: formatQuery,
    }),
    response: z
      .object({ messages: z.array(messageSchema), nextCursor: z.string().nullable() })
      .meta({ id: 'OutboxPage' }),
    handler: async ({ query: { limit, cursor, format, ...filter } }) => {
      const positionOf = ({ position, id }: OutboxListItem) => ({ time: position, id });
      if (format === 'csv') {
        return csvResponse<OutboxListItem>({
          name: `outbox-${filter.state}`,
          columns: {
            id: ({ id }) => id,
            kind: ({ kind }) => kind,
            target: ({ target }) => target,
            attempts: ({ attempts }) => attempts,
            createdAt: ({ createdAt }) => createdAt.toISOString(),
            nextAttemptAt: (row) => messageView(row).nextAttemptAt,
            deadAt: ({ deadAt }) => deadAt?.toISOString(),
            lastError: ({ lastError }) => lastError,
          },
          read: ({ limit, after }) =>
            listMessages(sql, filter, { limit, after: after === null ? null : positionOf(after) }),
        });
      }
      const after = cursor === undefined ? null : decodeCursor(cursor, (id) => ROW_ID.test(id));
      const rows = await listMessages(sql, filter, { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(rows, limit, (row) => encodeCursor(positionOf(row)));
      return { messages: page.map(messageView), nextCursor };
    },
  });
}

/** Operator routes for the outbox: messages to Temporal and to clients, and those that could not be delivered. */
export function outboxRoutes({ sql }: ApiDeps): Route[] {
  return [
    listRoute(sql),
    route({
      method: 'get',
      path: '/v1/operator/outbox/dead',
      operationId: 'listDeadMessages',
      summary: 'List dead letters, newest first',
      tag: TAG,
      access: operatorsOnly('viewer'),
      errors: 'coded',
      query: z.object({
        limit: limitField,
        cursor: cursorField.optional(),
      }),
      response: z
        .object({
          messages: z.array(
            z.object({
              id: z.string(),
              kind: z.enum(KINDS),
              target: z.string().describe('Workflow id, or id of the webhook endpoint.'),
              attempts: z.int(),
              createdAt: z.iso.datetime(),
              deadAt: z.iso.datetime(),
              lastError: z.string().nullable(),
            }),
          ),
          nextCursor: z.string().nullable(),
        })
        .meta({ id: 'DeadMessagePage' }),
      handler: async ({ query: { limit, cursor } }) => {
        const after = cursor === undefined ? null : decodeCursor(cursor, (id) => ROW_ID.test(id));
        const rows = await listMessages(sql, { state: 'dead' }, { limit: limit + 1, after });
        const { page, nextCursor } = pageOf(rows, limit, ({ position, id }) => encodeCursor({ time: position, id }));
        return {
          messages: page.map(({ id, kind, target, attempts, createdAt, deadAt, lastError }) => ({
            ...{ id, kind, target, attempts, lastError },
            createdAt: createdAt.toISOString(),
            deadAt: deadAt!.toISOString(),
          })),
          nextCursor,
        };
      },
    }),
    route({
      method: 'post',
      path: '/v1/operator/outbox/dead/replay',
      operationId: 'replayDeadMessages',
      summary: 'Replay dead letters',
      description:
        'Replays all dead letters, the named ones, or those of one kind and target. Receivers recognise a message that they have already received.',
      tag: TAG,
      access: operatorsOnly('operator'),
      errors: 'coded',
      audits: ['outbox.replay'],
      body: z.object({
        ids: z.array(rowId).min(1).max(1_000).nullish(),
        kind: z.enum(KINDS).nullish(),
        target: z.string().min(1).max(300).nullish().describe('Workflow id, or id of the webhook endpoint.'),
        reason: z
          .string()
          .trim()
          .min(1)
          .max(500)
          .nullish()
          .describe('Kept in the audit log, without personal data of recipients.'),
      }),
      response: z.object({ replayed: z.int().describe('Number of messages queued for delivery again.') }),
      handler: async ({ body: { ids, kind, target, reason }, account, log, audit }) => {
        const filter = {
          ...(ids == null ? {} : { ids }),
          ...(kind == null ? {} : { kind }),
          ...(target == null ? {} : { target }),
        };
        const replayed = await inTransaction(sql, async (tx) => {
          const replayed = await replayDead(tx, filter);
          const after = { ...filter, replayed, ...(reason == null ? {} : { reason }) };
          await audit(tx, { action: 'outbox.replay', objectId: kind ?? 'all', before: null, after });
          return replayed;
        });
        log.info({ by: account.name, replayed }, 'dead messages replayed');
        return { replayed };
      },
    }),
  ];
}
