import { z } from 'zod';
import { PRINT_ORDER_STAGES } from '../../../src/orders/domain/lifecycle/statuses';
import { sentMessages } from '../../../src/orders/reading/sent-messages';
import { partnerRequestSchema, requestsOfPrintOrders } from '../../../src/partners/requests';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { visibleOrderId } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE } from './order-schemas';

/** Requests that are listed for each print order. A print order that no partner accepts has about 150 in a day. */
const LISTED_REQUESTS = 250;

const sentPrintOrder = z
  .object({
    id: z.string(),
    partnerId: z.string(),
    partnerUid: z.string(),
    status: z.enum(PRINT_ORDER_STAGES),
    messages: z
      .array(
        z.object({
          revision: z.int().describe('1 is the first delivery. Order updates count from 2.'),
          messageId: z.string().describe('`webhook-id` of every attempt.'),
          body: z.record(z.string(), z.unknown()).describe('The message as sent.'),
          acceptedAt: z.iso.datetime({ offset: true }).nullable(),
        }),
      )
      .describe('Empty before the first delivery.'),
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
        printOrders: printOrders.map(({ messages, ...printOrder }) => ({
          ...printOrder,
          messages: messages ?? [],
          requests: requests.filter(({ printOrderId }) => printOrderId === printOrder.id),
        })),
      };
    },
  });
}
