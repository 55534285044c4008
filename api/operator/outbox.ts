import { z } from 'zod';
import { deadRows, replayDead } from '../../src/platform/outbox/dead-letters';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { decodeCursor, encodeCursor, pageOf } from '../http/cursor';
import { operatorsOnly, type Route, route } from '../http/route';

const TAG = 'Operator: outbox';
const KINDS = ['start_workflow', 'signal_workflow', 'notification'] as const;
const ROW_ID = /^\d{1,18}$/;
const rowId = z.string().regex(ROW_ID, 'must be a string that holds an integer');

/** Operator routes for dead letters: messages to Temporal or to clients that could not be delivered. */
export function outboxRoutes({ sql }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/operator/outbox/dead',
      operationId: 'listDeadMessages',
      summary: 'List dead letters, newest first',
      tag: TAG,
      access: operatorsOnly('viewer'),
      errors: 'coded',
      query: z.object({
        limit: z.coerce.number().int().min(1).max(250).default(50),
        cursor: z.string().max(200).optional().describe('`nextCursor` of the previous page.'),
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
        const rows = await deadRows(sql, {
          limit: limit + 1,
          after: after === null ? null : { deadAt: after.time, id: after.id },
        });
        const { page, nextCursor } = pageOf(rows, limit, ({ position, id }) =>
          encodeCursor({ time: position, id }),
        );
        return {
          messages: page.map(({ position: _position, ...row }) => ({
            ...row,
            createdAt: row.createdAt.toISOString(),
            deadAt: row.deadAt.toISOString(),
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
        'Replays all dead letters, the named ones, or those of one kind. Receivers recognise a message that they have already received.',
      tag: TAG,
      access: operatorsOnly('operator'),
      errors: 'coded',
      audits: ['outbox.replay'],
      body: z.object({
        ids: z.array(rowId).min(1).max(1_000).nullish(),
        kind: z.enum(KINDS).nullish(),
      }),
      response: z.object({ replayed: z.int().describe('Number of messages queued for delivery again.') }),
      handler: async ({ body: { ids, kind }, account, log, audit }) => {
        const filter = { ...(ids == null ? {} : { ids }), ...(kind == null ? {} : { kind }) };
        const replayed = await inTransaction(sql, async (tx) => {
          const replayed = await replayDead(tx, filter);
          const after = { ...filter, replayed };
          await audit(tx, { action: 'outbox.replay', objectId: kind ?? 'all', before: null, after });
          return replayed;
        });
        log.info({ by: account.name, replayed }, 'dead messages replayed');
        return { replayed };
      },
    }),
  ];
}
