import { z } from 'zod';
import {
  DELIVERY_STATES,
  listOrderDeliveries,
  type OrderDelivery,
  orderDelivery,
  redeliver,
} from '../../src/notifications/delivery-log';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { idCursorField, limitField, pageOf } from '../http/lists/cursor';
import { operatorsOnly, type Route, route } from '../http/route';
import { OPERATOR_ORDER_ROUTE } from '../operator/orders/order-schemas';
import { changedOrderId, visibleOrderId } from '../orders/visible-order';
import { deliveryView, redelivered, refuseWhenDisabled, stillPending } from './delivery-routes';
import { deliverySchema } from './webhook-schemas';

const orderDeliverySchema = deliverySchema
  .extend({
    endpoint: z.object({
      id: z.string(),
      url: z.string(),
      enabled: z.boolean().describe('A disabled endpoint gets nothing before its owner enables it.'),
    }),
  })
  .meta({ id: 'OrderDelivery' });

function orderDeliveryView(delivery: OrderDelivery): z.input<typeof orderDeliverySchema> {
  const { endpointId: id, url, enabled } = delivery;
  return { ...deliveryView(delivery), endpoint: { id, url, enabled } };
}

/** Routes with which operators read what a client was notified of about an order, and send it again. */
export function orderDeliveryRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  const found = async (orderId: string, deliveryId: string) => {
    const delivery = await orderDelivery(sql, orderId, deliveryId);
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
      summary: 'List the notifications about an order, newest first',
      description: 'Contains every endpoint of the client. Pressline keeps settled deliveries for 30 days.',
      query: z.object({
        state: z.enum(DELIVERY_STATES).optional(),
        limit: limitField,
        cursor: idCursorField.optional(),
      }),
      response: z.object({ deliveries: z.array(orderDeliverySchema), nextCursor: z.string().nullable() }),
      handler: async ({ account, params: { orderId }, query: { cursor, state, limit } }) => {
        const id = await visibleOrderId(sql, account, orderId);
        const rows = await listOrderDeliveries(sql, id, { state, after: cursor, limit: limit + 1 });
        const { page, nextCursor } = pageOf(rows, limit, (delivery) => delivery.id);
        return { deliveries: page.map(orderDeliveryView), nextCursor };
      },
    }),
    route({
      ...OPERATOR_ORDER_ROUTE,
      method: 'post',
      access: operatorsOnly('operator'),
      path: '/v1/operator/orders/{orderId}/deliveries/{deliveryId}/redeliver',
      operationId: 'redeliverOrderDelivery',
      summary: 'Send a notification about an order again',
      description: 'The message keeps its id and body. 409: it is still being delivered, or its endpoint is disabled.',
      audits: ['endpoint.redeliver'],
      params: OPERATOR_ORDER_ROUTE.params.extend({ deliveryId: z.string() }),
      response: orderDeliverySchema,
      handler: async ({ account, params, audit }) => {
        const orderId = await changedOrderId(sql, account, params.orderId);
        const { id: deliveryId, endpointId, enabled } = await found(orderId, params.deliveryId);
        refuseWhenDisabled({ enabled });
        await inTransaction(sql, async (tx) => {
          if ((await redeliver(tx, endpointId, { deliveryId })) === 0) throw stillPending();
          await audit(tx, redelivered(endpointId, { deliveryId, orderId }));
        });
        return orderDeliveryView(await found(orderId, deliveryId));
      },
    }),
  ];
}
