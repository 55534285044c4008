import { z } from 'zod';
import { ATTENTION_REASONS } from '../../../src/orders/domain/lifecycle/attention';
import { ORDER_STATUSES } from '../../../src/orders/domain/lifecycle/statuses';
import {
  type AttentionPosition,
  everyOperatorOrder,
  type OperatorOrderSummary,
  operatorOrders,
  ordersByAttention,
  ordersNamed,
} from '../../../src/orders/reading/operator-order-list';
import { countryCode } from '../../../src/platform/domain/fields';
import { COMPARED_ROWS } from '../../../src/platform/list-position';
import type { ApiDeps } from '../../deps';
import { csvResponse, formatQuery } from '../../http/lists/csv';
import { cursorField, decodeCursor, encodeCursor, invalidCursor, pageOf } from '../../http/lists/cursor';
import { anyOfList, instant } from '../../http/lists/search-filters';
import { operatorsOnly, type Route, route } from '../../http/route';
import { ORDER_LIST_COLUMNS, orderListItemView, orderPageSchema } from './order-list';
import { OPERATOR_ROUTE } from './order-schemas';

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
  attention: anyOfList(z.enum([...ATTENTION_REASONS, 'any'])).describe('Attention reasons. `any`: every reason.'),
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
  cursor: cursorField.optional(),
  format: formatQuery,
});

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

/** Returns every order of a search as CSV. */
function exported(
  sql: ApiDeps['sql'],
  { search, reasons }: Awaited<ReturnType<typeof searchOf>>,
  sort: z.output<typeof query>['sort'],
) {
  const columns = ORDER_LIST_COLUMNS;
  if (sort === 'newest') {
    return csvResponse<OperatorOrderSummary>({
      name: 'orders',
      columns,
      read: ({ limit, after }) =>
        everyOperatorOrder(
          sql,
          { ...search, attention: reasons },
          { limit, after: after && { time: after.position, id: after.id } },
        ),
    });
  }
  return csvResponse<OperatorOrderSummary & { readonly reason: string }>({
    name: 'attention',
    columns,
    read: ({ limit, after }) =>
      ordersByAttention(sql, search, sort, reasons ?? [], {
        limit,
        after: after && { reason: after.reason, time: after.position, id: after.id },
      }),
  });
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
    response: orderPageSchema,
    handler: async ({ query: filters }) => {
      const { limit, cursor, sort, format } = filters;
      const found = await searchOf({ sql }, filters);
      if (format === 'csv') return exported(sql, found, sort);
      const { search, reasons } = found;
      if (sort === 'newest') {
        const after = cursor === undefined ? null : decodeCursor(cursor);
        const { orders, comparedTo } = await operatorOrders(
          sql,
          { ...search, attention: reasons },
          { limit: limit + 1, after },
        );
        const { page, nextCursor } = pageOf(orders, limit, ({ position, id }) => encodeCursor({ time: position, id }));
        return {
          orders: page.map(orderListItemView),
          nextCursor: nextCursor ?? (comparedTo && encodeCursor(comparedTo)),
        };
      }
      const after = cursor === undefined ? null : decodeAttention(cursor);
      if (after !== null && (after.reason === '') !== (sort === 'age'))
        throw invalidCursor('Not a cursor of this sort.');
      const rows = await ordersByAttention(sql, search, sort, reasons ?? [], { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(rows, limit, ({ reason, position, id }) =>
        encodeAttention({ reason, time: position, id }),
      );
      return { orders: page.map(orderListItemView), nextCursor };
    },
  });
}
