import { z } from 'zod';
import { listOrderDeliveries, redeliver } from '../../src/notifications/delivery-log';
import { DELIVERY_STATES, orderDeliverySchema } from '../../src/notifications/webhook-schemas';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { idCursorField, limitField, pageOf } from '../http/lists/cursor';
import { operatorsOnly, type Route, route } from '../http/route';
import { OPERATOR_ORDER_ROUTE } from '../operator/orders/order-schemas';
import { changedOrderId, visibleOrderId } from '../orders/visible-order';
import { redelivered, refuseWhenDisabled } from './delivery-routes';

/** Routes with which operators read what a client was notified of about an order, and send it again. */
export function orderDeliveryRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  const found = async (orderId: string, deliveryId: string) => {
    const [delivery] = await listOrderDeliveries(sql, { orderId, id: deliveryId });
    if (delivery === undefined) throw new Refusal('NOT_FOUND');
    return delivery;
  };

  return [
    route({
      ...OPERATOR_ORDER_ROUTE,
      method: 'get',
      access: operatorsOnly('viewer'),
      path: '/v1/operator/orders/{orderId}/deliveries',
      operationId: 'listOrderDeliveries',
      onStandby: true,
      summary: 'List the notifications about an order, newest first',
      description: 'Contains every endpoint of the client. Pressline keeps settled deliveries for 30 days.',
      query: z.object({
        state: z.enum(DELIVERY_STATES).optional(),
        limit: limitField,
        cursor: idCursorField.optional(),
      }),
      response: z.object({ deliveries: z.array(orderDeliverySchema), nextCursor: z.string().nullable() }),
      handler: async ({ account, params, query: { cursor, state, limit } }) => {
        const orderId = await visibleOrderId(sql, account, params.orderId);
        const rows = await listOrderDeliveries(sql, { orderId, state, after: cursor, limit: limit + 1 });
        const { page: deliveries, nextCursor } = pageOf(rows, limit, (delivery) => delivery.id);
        return { deliveries, nextCursor };
      },
    }),
    route({
      ...OPERATOR_ORDER_ROUTE,
      method: 'post',
      access: operatorsOnly('operator'),
      path: '/v1/operator/orders/{orderId}/deliveries/{deliveryId}/redeliver',
      operationId: 'redeliverOrderDelivery',
      summary: 'Send a notification about an order again, now',
      description:
        'The message keeps its id and body and gets a new schedule. A waiting one is sent now; one that is being sent stays as ' +
        'it is. 409: the endpoint is disabled.',
      audits: ['endpoint.redeliver'],
      params: OPERATOR_ORDER_ROUTE.params.extend({ deliveryId: z.string() }),
      response: orderDeliverySchema,
      handler: async ({ account, params, audit }) => {
        const orderId = await changedOrderId(sql, account, params.orderId);
        const { id: deliveryId, endpoint } = await found(orderId, params.deliveryId);
        refuseWhenDisabled(endpoint);
        await inTransaction(sql, async (tx) => {
          await redeliver(tx, endpoint.id, { deliveryId });
          await audit(tx, redelivered(endpoint.id, { deliveryId, orderId }));
        });
        return await found(orderId, deliveryId);
      },
    }),
  ];
}
