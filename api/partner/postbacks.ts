import { z } from 'zod';
import { postbackSchema, takePostback } from '../../src/orders/print-orders/postbacks';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** `POST /v2/order/status`: what a partner says of a print order (interface "Events"). */
export function postbackRoutes({ sql, wake }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/v2/order/status',
      operationId: 'postOrderStatus',
      summary: 'Report the status of a print order or of one item',
      description:
        'Stored before it is answered; the same postback again changes nothing, and late ones do no harm. ' +
        '`orderItemId` names one item of the print order; without it the postback is about all of them.',
      tag: 'Partner interaction',
      access: { credentials: 'key', roles: ['partner'] },
      errors: 'plain',
      body: postbackSchema,
      response: z.object({ message: z.string() }),
      handler: async ({ account, body, log }) => {
        const { isNew, orderId } = await takePostback(sql, account.id, body);
        if (isNew) wake('signal_workflow');
        log.info({ orderId, printOrderId: body.orderId, status: body.status, isNew }, 'postback taken');
        return { message: isNew ? 'Status accepted.' : 'Status known already.' };
      },
    }),
  ];
}
