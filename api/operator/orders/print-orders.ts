import { z } from 'zod';
import { sentMessages, sentPrintOrderSchema } from '../../../src/orders/reading/sent-messages';
import { partnerRequestSchema, requestsOfPrintOrders } from '../../../src/partners/requests';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { visibleOrderId } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE } from './order-schemas';

/** Requests that are listed for each print order. A print order that no partner accepts has about 150 in a day. */
const LISTED_REQUESTS = 250;

const sentPrintOrder = sentPrintOrderSchema
  .extend({
    requests: z
      .array(partnerRequestSchema)
      .describe(
        `The latest ${LISTED_REQUESTS} attempts to send the print order, its updates and its cancellations, oldest first. Kept for 90 days.`,
      ),
  })
  .meta({ id: 'SentPrintOrder' });

/** The route with which operators read what partners got, and how they responded. */
export function sentPrintOrderRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route({
    ...OPERATOR_ORDER_ROUTE,
    method: 'get',
    access: operatorsOnly('viewer'),
    path: '/v1/operator/orders/{orderId}/print-orders',
    operationId: 'listSentPrintOrders',
    summary: 'List the print orders of an order as sent, with every attempt',
    response: z.object({ printOrders: z.array(sentPrintOrder) }),
    handler: async ({ account, params: { orderId } }) => {
      const id = await visibleOrderId(sql, account, orderId);
      const printOrders = await sentMessages(sql, id);
      const ids = printOrders.map((printOrder) => printOrder.id);
      const requests = await requestsOfPrintOrders(sql, ids, LISTED_REQUESTS);
      return {
        printOrders: printOrders.map((printOrder) => ({
          ...printOrder,
          requests: requests.filter(({ printOrderId }) => printOrderId === printOrder.id),
        })),
      };
    },
  });
}
