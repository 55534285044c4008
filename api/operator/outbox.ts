import { z } from 'zod';
import { subjectsOfNotifications } from '../../src/notifications/delivery-log';
import { timestamp } from '../../src/platform/domain/fields';
import { objectOfWorkflow } from '../../src/platform/domain/workflows';
import { listMessages, OUTBOX_STATES, type OutboxListItem, replayDead } from '../../src/platform/outbox/messages';
import { OUTBOX_KINDS as KINDS } from '../../src/platform/outbox/outbox';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { cursorField, limitField, pageByTime } from '../http/list-query';
import { forOperators, type Route, route, type Sent } from '../http/route';

const TAG = 'Operator: outbox';
const ROW_ID = /^\d{1,18}$/;
const target = z.string().min(1).max(300).describe('Workflow id, or id of the webhook endpoint.');

const messageSchema = z
  .object({
    id: z.string(),
    kind: z.enum(KINDS),
    state: z.enum(OUTBOX_STATES),
    target: z.string().describe('Workflow id, or id of the webhook endpoint.'),
    orderId: z.string().nullable().describe('The order of a workflow or of a notification.'),
    shippingOrderId: z.string().nullable().describe('The shipping order of a workflow.'),
    procurementOrderId: z.string().nullable().describe('The procurement order of a workflow.'),
    clientId: z.string().nullable().describe('The client that has the endpoint of a notification.'),
    deliveryId: z.string().nullable().describe('Of a notification: its id in the delivery log.'),
    attempts: z.int(),
    createdAt: timestamp,
    nextAttemptAt: timestamp
      .nullable()
      .describe('While an attempt runs: the end of its lease. Null for a dead letter.'),
    deadAt: timestamp.nullable(),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'OutboxMessage' });

type Subjects = Awaited<ReturnType<typeof subjectsOfNotifications>>;

function messageView(
  { position: _, availableAt, deadAt, ...row }: OutboxListItem,
  notifications: Subjects,
): Sent<typeof messageSchema> {
  const object = objectOfWorkflow(row.target);
  const idOf = (kind: NonNullable<typeof object>['kind']) => (object?.kind === kind ? object.id : null);
  const { orderId = idOf('order'), clientId = null } = notifications.get(row.id) ?? {};
  return {
    ...row,
    deadAt,
    state: deadAt === null ? 'pending' : 'dead',
    orderId,
    shippingOrderId: idOf('shipping-order'),
    procurementOrderId: idOf('procurement-order'),
    clientId,
    nextAttemptAt: deadAt === null ? availableAt : null,
  };
}

const pageQuery = z.object({ limit: limitField, cursor: cursorField.optional() });

export function outboxRoutes({ sql }: ApiDeps): Route[] {
  const pageOfMessages = (filter: Parameters<typeof listMessages>[1], query: z.output<typeof pageQuery>) =>
    pageByTime(
      query,
      (page) => listMessages(sql, filter, page),
      (id) => ROW_ID.test(id),
    );
  return [
    exportedList('GET /v1/operator/outbox', {
      csv: { name: 'outbox', rows: 'messages', pages: PAGES.byCursor },
      ...forOperators(TAG, 'viewer'),
      operationId: 'listOutboxMessages',
      onStandby: true,
      summary: 'List the messages of the outbox by state',
      description: 'Pending messages by their next attempt, dead letters newest first.',
      query: pageQuery.extend({
        state: z.enum(OUTBOX_STATES).default('pending'),
        kind: z.enum(KINDS).optional(),
        target: target.optional(),
        format: formatQuery,
      }),
      response: z
        .object({ messages: z.array(messageSchema), nextCursor: z.string().nullable() })
        .meta({ id: 'OutboxPage' }),
      handler: async ({ query }) => {
        const { page, nextCursor } = await pageOfMessages(query, query);
        const notifications = await subjectsOfNotifications(sql, page);
        return { messages: page.map((message) => messageView(message, notifications)), nextCursor };
      },
    }),
    route('GET /v1/operator/outbox/dead', {
      ...forOperators(TAG, 'viewer'),
      operationId: 'listDeadMessages',
      summary: 'List dead letters, newest first',
      query: pageQuery,
      response: z
        .object({
          messages: z.array(
            messageSchema
              .pick({ id: true, kind: true, target: true, attempts: true, createdAt: true, lastError: true })
              .extend({ deadAt: timestamp }),
          ),
          nextCursor: z.string().nullable(),
        })
        .meta({ id: 'DeadMessagePage' }),
      handler: async ({ query }) => {
        const { page, nextCursor } = await pageOfMessages({ state: 'dead' }, query);
        return {
          messages: page.map(({ id, kind, target, attempts, createdAt, deadAt, lastError }) => ({
            ...{ id, kind, target, attempts, createdAt, lastError },
            deadAt: deadAt!,
          })),
          nextCursor,
        };
      },
    }),
    route('POST /v1/operator/outbox/dead/replay', {
      ...forOperators(TAG, 'operator'),
      operationId: 'replayDeadMessages',
      summary: 'Replay dead letters',
      description:
        'Replays all dead letters, the named ones, or those of one kind and target. Receivers recognise a message that they have already received.',
      audits: ['outbox.replay'],
      body: z.object({
        ids: z.array(z.string().regex(ROW_ID, 'must be a string that holds an integer')).min(1).max(1_000).nullish(),
        kind: z.enum(KINDS).nullish(),
        target: target.nullish(),
        reason: z.string().trim().min(1).max(500).nullish().describe('Kept in the audit log, without personal data.'),
      }),
      response: z.object({ replayed: z.int().describe('Number of messages queued for delivery again.') }),
      handler: async ({ body: { ids, kind, target, reason }, account, log, audit }) => {
        const given = Object.entries({ ids, kind, target }).filter(([, value]) => value != null);
        const filter: Parameters<typeof replayDead>[1] = Object.fromEntries(given);
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
