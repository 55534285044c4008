import { z } from 'zod';
import { ATTENTION_REASONS } from '../../../src/orders/domain/lifecycle/attention-reasons';
import { ORDER_STATUSES } from '../../../src/orders/domain/lifecycle/statuses';
import {
  type AttentionPosition,
  operatorOrders,
  ordersByAttention,
  ordersNamed,
} from '../../../src/orders/reading/operator-order-list';
import { listedOrderSchema } from '../../../src/orders/reading/operator-order-schemas';
import { countryCode, instant } from '../../../src/platform/domain/fields';
import { COMPARED_ROWS } from '../../../src/platform/list-position';
import type { ApiDeps } from '../../deps';
import { exportedList, formatQuery, PAGES } from '../../http/exported-list';
import {
  anyOfList,
  cursorField,
  decodeCursor,
  encodeCursor,
  invalidCursor,
  limitField,
  pageOf,
  pageOfSearch,
} from '../../http/list-query';
import { forOperators, type Route } from '../../http/route';

const text = z.string().min(1).max(100);

/** The filters of operators' lists of orders, as query parameters. Several values are separated by commas. */
const operatorOrderFilters = {
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'The id of an order or of its workflow, or the first 6 digits of it; the id of a print order or print job; a tracking number; the ' +
        'number of a receipt; the recipient’s e-mail address; or the beginning of a reference or of the recipient’s name, in any case. ' +
        'Archived orders are found by id and its beginning, whole reference, tracking number and e-mail address only.',
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

const query = z.strictObject({
  ...operatorOrderFilters,
  sort: z
    .enum(['newest', 'age', 'reason'])
    .default('newest')
    .describe('`age`, `reason`: only orders that need attention, the oldest first.'),
  limit: limitField,
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

export function operatorOrderSearchRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return exportedList('GET /v1/operator/orders', {
    csv: { name: 'orders', rows: 'orders', pages: PAGES.byCursor },
    ...forOperators('Operator: orders', 'viewer'),
    operationId: 'listOperatorOrders',
    onStandby: true,
    summary: 'Search orders as operators see them',
    description:
      'Returns the orders that match every filter, newest first or sorted by attention. A page with filters by attention reason, ' +
      `partner, country or method compares ${COMPARED_ROWS} orders at most: it can have fewer orders than \`limit\`, or none, and ` +
      'still a `nextCursor`. Archived orders are listed without names, unless a filter by partner, method or attention, or one by ' +
      'status or country without `q`, is given.',
    query,
    response: z
      .object({
        orders: z.array(listedOrderSchema),
        nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page. Null on the last page.'),
      })
      .meta({ id: 'OperatorOrderPage' }),
    handler: async ({ query: { limit, cursor, sort, ...filters } }) => {
      const search = {
        ids: filters.q === undefined ? undefined : await ordersNamed(sql, filters.q),
        fulfillmentStatuses: filters.status,
        clientIds: filters.clientId,
        partnerIds: filters.partnerId,
        countries: filters.country,
        methodUids: filters.method,
        createdFrom: filters.createdFrom,
        createdTo: filters.createdTo,
      };
      // A list with `any` matches every reason, whatever else it names.
      const named = filters.attention?.filter((reason) => reason !== 'any');
      const reasons = filters.attention?.includes('any') ? [] : named;
      if (sort === 'newest') {
        const { page, nextCursor } = await pageOfSearch({ limit, cursor }, (wanted) =>
          operatorOrders(sql, { ...search, attention: reasons }, wanted),
        );
        return { orders: page.map(({ position: _, ...order }) => order), nextCursor };
      }
      const after = cursor === undefined ? null : decodeAttention(cursor);
      if (after !== null && (after.reason === '') !== (sort === 'age'))
        throw invalidCursor('Not a cursor of this sort.');
      const rows = await ordersByAttention(sql, search, sort, reasons ?? [], { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(rows, limit, ({ reason, position, id }) =>
        encodeAttention({ reason, time: position, id }),
      );
      return { orders: page.map(({ reason: _, position: __, ...order }) => order), nextCursor };
    },
  });
}
