import { z } from 'zod';
import { postbackSchema, storePostback } from '../../src/orders/print-orders/postbacks';
import type { PostbackOutcome } from '../../src/partners/health';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

/** `POST /v2/order/status`: accepts status postbacks (docs/partners.md). */
export function postbackRoute({ sql, wake, metrics }: ApiDeps): Route {
  return route({
    method: 'post',
    path: '/v2/order/status',
    operationId: 'postOrderStatus',
    summary: 'Report the status of a print order or of one item',
    description:
      'The postback is stored before the response is sent. A repeated or late postback changes nothing. ' +
      '`orderItemId` limits the postback to one item of the print order; without it, it covers all items.',
    isRepeatable: true,
    tag: 'Partner interaction',
    access: { credentials: 'key', roles: ['partner'] },
    errors: 'plain',
    body: postbackSchema,
    response: z.object({ message: z.string() }),
    handler: async ({ account, body, log }) => {
      const labels = { partner: account.name, status: body.status };
      const { isNew, orderId } = await storePostback(sql, account.id, body).catch((error: unknown) => {
        const outcome: PostbackOutcome = error instanceof Refusal ? 'refused' : 'failed';
        metrics.count('pressline_postbacks_total', { ...labels, outcome });
        throw error;
      });
      const outcome: PostbackOutcome = isNew ? 'accepted' : 'duplicate';
      metrics.count('pressline_postbacks_total', { ...labels, outcome });
      if (isNew) wake('signal_workflow');
      log.info({ orderId, printOrderId: body.orderId, status: body.status, isNew }, 'postback stored');
      return { message: isNew ? 'Status accepted.' : 'Status known already.' };
    },
  });
}
