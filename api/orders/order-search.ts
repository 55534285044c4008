import { z } from 'zod';
import { FINANCIAL_STATUSES, ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { type OrderSummary, searchOrders } from '../../src/orders/reading/order-list';
import { retrievedAddressSchema, retrievedOrderSchema } from '../../src/orders/reading/retrieved-order';
import { countryCode, instant, timestamp } from '../../src/platform/domain/fields';
import { fromMinor } from '../../src/platform/domain/money';
import { invalidField } from '../../src/platform/errors';
import { COMPARED_ROWS } from '../../src/platform/list-position';
import type { ApiDeps } from '../deps';
import { anyOf, cursorField, pageOfSearch } from '../http/list-query';
import { type Route, route } from '../http/route';
import { READERS, viewerOf } from './visible-order';

const text = z.string().min(1).max(100);

const orderSearchSchema = z
  .strictObject({
    ids: anyOf(text),
    orderReferenceIds: anyOf(text),
    emails: anyOf(z.string().min(1).max(254).toLowerCase()).describe('E-mail addresses of recipients.'),
    trackingNumbers: anyOf(text),
    clientIds: anyOf(text, 50).describe('For operators. Clients see only their own orders.'),
    fulfillmentStatuses: anyOf(z.enum(ORDER_STATUSES)),
    financialStatuses: anyOf(z.enum(FINANCIAL_STATUSES)),
    orderTypes: anyOf(z.enum(['order', 'draft'])),
    countries: anyOf(countryCode).describe('Countries of the shipping address.'),
    channels: anyOf(text),
    createdFrom: instant.describe('Orders created at or after this time.'),
    createdTo: instant.describe('Orders created before this time.'),
    updatedFrom: instant.describe(
      'Orders changed at or after this time, last changed first. Operators also send `clientIds`.',
    ),
    updatedTo: instant.describe('Orders not changed at or after this time, last changed first.'),
    limit: z.int().min(1).max(250).default(50),
    cursor: cursorField.nullish(),
  })
  .meta({
    id: 'OrderSearch',
    examples: [{ fulfillmentStatuses: ['on_hold', 'failed'], createdFrom: '2026-03-01T00:00:00Z' }],
  });

const summarySchema = retrievedOrderSchema
  .pick({
    id: true,
    clientId: true,
    orderReferenceId: true,
    customerReferenceId: true,
    orderType: true,
    channel: true,
    fulfillmentStatus: true,
    financialStatus: true,
    refusalReasonCode: true,
    currency: true,
    archived: true,
  })
  .extend({
    ...retrievedAddressSchema.pick({ country: true, firstName: true, lastName: true }).shape,
    itemCount: z.int(),
    totalInclVat: z.number().nullable().describe('Total of invoices and refunds. Null until the order is priced.'),
    createdAt: timestamp,
    orderedAt: timestamp.nullable(),
    updatedAt: timestamp,
    parcels: z
      .array(z.object({ trackingCode: z.string(), trackingUrl: z.string().nullable(), shipmentMethodUid: z.string() }))
      .readonly()
      .describe('The parcels that have a tracking code. Empty for an archived order: read the order.'),
  })
  .meta({ id: 'OrderSummary' });

const orderPageSchema = z
  .object({
    orders: z.array(summarySchema),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page. Null on the last page.'),
  })
  .meta({ id: 'OrderPage' });

function summaryView({ position: _, totalInclVat: total, ...order }: OrderSummary) {
  return { ...order, totalInclVat: total === null ? null : fromMinor(Number(total), order.currency) };
}

export function orderSearchRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  return [
    route('POST /v1/orders/search', {
      operationId: 'searchOrders',
      onStandby: true,
      isRead: true,
      summary: 'Search orders, newest or last changed first',
      description:
        'Returns the orders that match every filter given. A list matches any of its values. A cursor continues after ' +
        'the last order of a page, so new orders neither repeat rows nor hide them. A page with filters by country, ' +
        `channel, order type or financial status compares ${COMPARED_ROWS} orders at most: it can have fewer orders than ` +
        '`limit`, or none, and still a `nextCursor`. With `updatedFrom` or `updatedTo`, orders are sorted by `updatedAt`: to ' +
        'keep a copy of all orders, repeat the search with a time one minute before the last one began. An order that ' +
        'changes meanwhile is in the next search. Archived orders are listed without names, unless a filter by change, or one ' +
        'by status, country, channel or order type without `ids` and `orderReferenceIds`, is given.',
      ...READERS,
      body: orderSearchSchema,
      response: orderPageSchema,
      handler: async ({ account, body }) => {
        if ((body.updatedFrom ?? body.updatedTo) && account.role === 'operator' && body.clientIds === undefined) {
          throw invalidField('clientIds', 'Name the clients whose changes to list.', 'MISSING_FIELD_ERROR');
        }
        const { limit, cursor, ...search } = body;
        const { page, nextCursor } = await pageOfSearch({ limit, cursor }, (wanted) =>
          searchOrders(sql, viewerOf(account), search, wanted),
        );
        return { orders: page.map(summaryView), nextCursor };
      },
    }),
  ];
}
