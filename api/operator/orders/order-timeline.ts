import { z } from 'zod';
import { orderTimeline, TIMELINE_KINDS } from '../../../src/orders/reading/timeline';
import { timestamp } from '../../../src/platform/domain/fields';
import type { ApiDeps } from '../../deps';
import { cursorField, decodeCursor, encodeCursor, pageOf } from '../../http/lists/cursor';
import { anyOfList } from '../../http/lists/search-filters';
import { operatorsOnly, type Route, route } from '../../http/route';
import { visibleRows } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE } from './order-schemas';

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

/** The route with everything that happened to an order. */
export function orderTimelineRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  return route({
    ...OPERATOR_ORDER_ROUTE,
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/operator/orders/{orderId}/timeline',
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
    handler: async ({ params: { orderId }, query: { kind, limit, cursor }, account }) => {
      const after = cursor === undefined ? null : decodeCursor(cursor, (id) => ENTRY_ID.test(id));
      const { id, archived } = await visibleRows({ sql, objects }, account, orderId);
      const rows = await orderTimeline(sql, id, kind ?? TIMELINE_KINDS, { limit: limit + 1, after }, archived);
      const { page, nextCursor } = pageOf(rows, limit, ({ position, id }) => encodeCursor({ time: position, id }));
      return {
        entries: page.map(({ position: _position, ...entry }) => entry),
        nextCursor,
      };
    },
  });
}
