import { z } from 'zod';
import { orderFileSchema } from '../../../src/orders/intake/order-schemas';
import { requestFile } from '../../../src/orders/intake/request-file';
import { text } from '../../../src/platform/domain/fields';
import { Refusal } from '../../../src/platform/errors';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { changedOrderId } from '../../orders/visible-order';
import { OPERATOR_ORDER_ROUTE } from './order-schemas';

/** The route with which operators ask a client for another print file. */
export function fileRequestRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  return route({
    ...OPERATOR_ORDER_ROUTE,
    method: 'post',
    access: operatorsOnly('operator'),
    path: '/v1/operator/orders/{orderId}/items/{itemReferenceId}/files/{type}/requests',
    operationId: 'requestFile',
    summary: 'Ask the client for another print file',
    description:
      'Sends the notification `order_file_requested` to the client’s endpoints for it, and adds an entry to the event log that the ' +
      'client sees. The client answers with another file for the item. 409: the order has ended.',
    audits: ['order.request_file'],
    params: OPERATOR_ORDER_ROUTE.params.extend({
      itemReferenceId: z.string().min(1).max(100),
      type: orderFileSchema.shape.type.describe('Type of the file, as ordered.'),
    }),
    body: z
      .object({ message: text(500).describe('What is wrong with the file. The client reads it.') })
      .meta({ id: 'FileRequest' }),
    response: z
      .object({ notified: z.int().describe('Number of endpoints. 0: the client has none for the event.') })
      .meta({ id: 'RequestedFile' }),
    handler: async ({ account, params, body: { message }, requestId, audit }) => {
      const { itemReferenceId, type } = params;
      const orderId = await changedOrderId(sql, account, params.orderId);
      const request = { orderId, itemReferenceId, type, message, by: account.name, requestId };
      const result = await requestFile(sql, request, (tx) =>
        audit(tx, {
          action: 'order.request_file',
          objectId: orderId,
          before: null,
          after: { itemReferenceId, type },
        }),
      );
      if (result === 'not-found') {
        throw new Refusal('NOT_FOUND', { message: `The order has no file ${type} of an item ${itemReferenceId}.` });
      }
      if (result === 'ended') throw new Refusal('CONFLICT', { message: 'The order has ended.' });
      return result;
    },
  });
}
