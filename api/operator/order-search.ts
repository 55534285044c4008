import { z } from 'zod';
import { ATTENTION_REASONS } from '../../src/orders/domain/lifecycle/run-state';
import { ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import {
  type AttentionPosition,
  type OperatorListedOrder,
  operatorOrders,
  ordersByAttention,
  ordersNamed,
} from '../../src/orders/reading/operator-search';
import { countryCode } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { COMPARED_ROWS } from '../../src/platform/search';
import type { ApiDeps } from '../deps';
import { decodeCursor, encodeCursor, pageOf } from '../http/cursor';
import { operatorsOnly, type Route, route } from '../http/route';
import { anyOfList, instant } from '../http/search-filters';
import { attention, OPERATOR_ROUTE } from './order-schemas';

const LARGEST_PAGE = 250;
const text = z.string().min(1).max(100);

/** The filters of operators' lists of orders, as query parameters. Several values are separated by commas. */
export const operatorOrderFilters = {
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Exact text: the order’s id or reference, the id of a print order or print job, a tracking number, or the recipient’s e-mail address.',
    ),
  status: anyOfList(z.enum(ORDER_STATUSES)),
  attention: anyOfList(z.enum([...ATTENTION_REASONS, 'any'])).describe(
    'Attention reasons. `any`: every reason.',
  ),
  clientId: anyOfList(z.uuid()),
  partnerId: anyOfList(z.uuid()),
  country: anyOfList(countryCode),
  method: anyOfList(text).describe('Methods of planned shipments.'),
  createdFrom: instant.describe('Orders created at or after this time.'),
  createdTo: instant.describe('Orders created before this time.'),
};

const query = z.object({
  ...operatorOrderFilters,
  sort: z
    .enum(['newest', 'age', 'reason'])
    .default('newest')
    .describe('`age`, `reason`: only orders that need attention, the oldest first.'),
  limit: z.coerce.number().int().min(1).max(LARGEST_PAGE).default(50),
  cursor: z
    .string()
    .max(300)
    .optional()
    .describe('`nextCursor` of the previous page. Keep the other parameters.'),
});

const page = z
  .object({
    orders: z.array(
      z.object({
        id: z.string(),
        orderReferenceId: z.string(),
        clientId: z.string(),
        clientName: z.string(),
        fulfillmentStatus: z.enum(ORDER_STATUSES),
        country: z.string(),
        methodUids: z.array(z.string()),
        partners: z.array(z.object({ id: z.string(), uid: z.string() })),
        attention,
        attentionSince: z.iso.datetime().nullable().describe('When the order got the oldest of its reasons.'),
        createdAt: z.iso.datetime(),
        updatedAt: z.iso.datetime(),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'OperatorOrderPage' });

function orderView({
  position: _position,
  ...order
}: OperatorListedOrder): z.input<typeof page>['orders'][number] {
  return {
    ...order,
    methodUids: [...(order.methodUids ?? [])],
    partners: [...(order.partners ?? [])],
    attention: [...(order.attention ?? [])],
    attentionSince: order.attentionSince?.toISOString() ?? null,
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
  };
}

/** Separates the reason from the rest of a cursor. Base64url does not have it. */
const SEPARATOR = '.';

/** Returns the cursor of a list sorted by attention: the reason, then the time and the id. */
const encodeAttention = ({ reason, ...position }: AttentionPosition) =>
  `${reason}${SEPARATOR}${encodeCursor(position)}`;

/** @throws Refusal `VALIDATION_ERROR` at `cursor` */
function decodeAttention(cursor: string): AttentionPosition {
  const [reason = '', position = ''] = cursor.split(SEPARATOR, 2);
  return { reason, ...decodeCursor(position) };
}

/** Returns the filters of the search in src/ for the query parameters. */
async function searchOf({ sql }: Pick<ApiDeps, 'sql'>, filters: z.output<typeof query>) {
  const { q, status, clientId, partnerId, country, method, createdFrom, createdTo } = filters;
  const reasons = filters.attention?.filter((reason) => reason !== 'any');
  return {
    // A list with `any` matches every reason, whatever else it names.
    reasons: filters.attention?.includes('any') ? [] : reasons,
    search: {
      ids: q === undefined ? undefined : await ordersNamed(sql, q),
      fulfillmentStatuses: status,
      clientIds: clientId,
      partnerIds: partnerId,
      countries: country,
      methodUids: method,
      createdFrom,
      createdTo,
    },
  };
}

/** The route with which operators search orders. */
export function operatorOrderSearchRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route({
    ...OPERATOR_ROUTE,
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/operator/orders',
    operationId: 'listOperatorOrders',
    summary: 'Search orders as operators see them',
    description:
      'Returns the orders that match every filter, newest first or sorted by attention. A page with filters by attention reason, ' +
      `partner, country or method compares ${COMPARED_ROWS} orders at most: it can have fewer orders than \`limit\`, or none, and ` +
      'still a `nextCursor`.',
    query,
    response: page,
    handler: async ({ query: filters }) => {
      const { limit, cursor, sort } = filters;
      const { search, reasons } = await searchOf({ sql }, filters);
      if (sort === 'newest') {
        const after = cursor === undefined ? null : decodeCursor(cursor);
        const found = await operatorOrders(
          sql,
          { ...search, attention: reasons },
          { limit: limit + 1, after },
        );
        const { page, nextCursor } = pageOf(found.orders, limit, ({ position, id }) =>
          encodeCursor({ time: position, id }),
        );
        return {
          orders: page.map(orderView),
          nextCursor: nextCursor ?? (found.comparedTo && encodeCursor(found.comparedTo)),
        };
      }
      const after = cursor === undefined ? null : decodeAttention(cursor);
      if (after !== null && (after.reason === '') !== (sort === 'age')) {
        throw new Refusal('VALIDATION_ERROR', {
          errors: [{ code: 'VALIDATION_ERROR', message: 'Not a cursor of this sort.', reference: 'cursor' }],
        });
      }
      const rows = await ordersByAttention(sql, search, sort, reasons ?? [], { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(rows, limit, ({ reason, position, id }) =>
        encodeAttention({ reason, time: position, id }),
      );
      return { orders: page.map(({ reason: _reason, ...order }) => orderView(order)), nextCursor };
    },
  });
}
