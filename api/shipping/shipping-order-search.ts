import { z } from 'zod';
import { COMPARED_ROWS } from '../../src/platform/list-position';
import { searchShippingOrders, shippingOrderSummary } from '../../src/shipping/shipping-orders/shipping-order-reader';
import {
  SHIPPING_ORDER_STATUSES,
  shippingOrderSummarySchema,
} from '../../src/shipping/shipping-orders/shipping-order-schemas';
import type { ApiDeps } from '../deps';
import { cursorField, decodeCursor, encodeCursor, pageOf } from '../http/lists/cursor';
import { anyOf, instant } from '../http/lists/search-filters';
import { type Route, route } from '../http/route';

const MAX_PAGE = 250;

const searchSchema = z
  .object({
    orderReferenceIds: anyOf(z.string().min(1).max(100)),
    statuses: anyOf(z.enum(SHIPPING_ORDER_STATUSES)),
    createdFrom: instant.describe('Shipping orders created at or after this time.'),
    createdTo: instant.describe('Shipping orders created before this time.'),
    limit: z.int().min(1).max(MAX_PAGE).default(50),
    cursor: cursorField.nullish(),
  })
  .meta({ id: 'ShippingOrderSearch', examples: [{ orderReferenceIds: ['PARCEL-1001'] }] });

const pageSchema = z
  .object({
    shippingOrders: z.array(shippingOrderSummarySchema),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page. Null on the last page.'),
  })
  .meta({ id: 'ShippingOrderPage' });

/** `POST /v1/shipping-orders/search`: searches shipping orders by reference, status and date. */
export function searchShippingOrdersRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route({
    method: 'post',
    path: '/v1/shipping-orders/search',
    operationId: 'searchShippingOrders',
    onStandby: true,
    isRead: true,
    summary: 'Search shipping orders, newest first',
    description:
      'Returns the shipping orders of the account that match every filter given. A list matches any of its values. Operators see all accounts. ' +
      `A page with filters compares ${COMPARED_ROWS} shipping orders at most: it can have fewer than \`limit\`, or none, and ` +
      'still a `nextCursor`.',
    tag: 'Shipping',
    access: { credentials: 'key', roles: ['client', 'partner', 'operator'], operatorRole: 'viewer' },
    body: searchSchema,
    response: pageSchema,
    handler: async ({ account, body }) => {
      const { limit, cursor, ...search } = body;
      const after = cursor == null ? null : decodeCursor(cursor);
      const found = await searchShippingOrders(sql, account, search, { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(found.orders, limit, ({ position, id }) =>
        encodeCursor({ time: position, id }),
      );
      return {
        shippingOrders: page.map(shippingOrderSummary),
        nextCursor: nextCursor ?? (found.comparedTo && encodeCursor(found.comparedTo)),
      };
    },
  });
}
