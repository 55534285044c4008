import { z } from 'zod';
import { postbackSchema, storePostback } from '../../src/orders/production/postbacks';
import type { PostbackOutcome } from '../../src/partners/health';
import {
  apparelPrintOrderSchema,
  mountedPrintOrderSchema,
  paperPrintOrderSchema,
} from '../../src/partners/message-schemas';
import { listSentPrintOrders, PRINT_ORDER_STATUSES, type SentPrintOrder } from '../../src/partners/print-orders';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { pageById } from '../http/list-query';
import { createFailureLimiter, FAILURE_LIMITS } from '../http/request-limits';
import { type Route, route } from '../http/route';

const sentFields = {
  status: z
    .enum(PRINT_ORDER_STATUSES)
    .describe('Status of the item that is least far along; sent until the received postback.'),
  revision: z.int().min(1).describe('1 is the first delivery. Order updates count from 2.'),
};

const sentPrintOrderSchema = z.union([
  paperPrintOrderSchema.extend(sentFields).meta({ id: 'SentPaperPrintOrder' }),
  mountedPrintOrderSchema.extend(sentFields).meta({ id: 'SentMountedPrintOrder' }),
  apparelPrintOrderSchema.extend(sentFields).meta({ id: 'SentApparelPrintOrder' }),
]);

const common = {
  tag: 'Partner interaction',
  access: { credentials: 'key', roles: ['partner'] },
  errors: 'plain',
} as const;

const printOrderView = ({ body, status, revision }: SentPrintOrder) => ({ ...body, status, revision });

/** `GET /v2/orders`: a partner reads the print orders that were sent to it, for example after it lost a message. */
export function printOrderRoutes({ sql }: Pick<ApiDeps, 'sql'>): Route[] {
  return [
    route('GET /v2/orders', {
      ...common,
      operationId: 'listPrintOrders',
      onStandby: true,
      summary: 'List the print orders sent to this partner, newest first',
      description: 'Each print order has the body that was sent last. Links in it keep their expiry time.',
      query: z.object({
        status: z.enum(PRINT_ORDER_STATUSES).optional(),
        cursor: z
          .string()
          .regex(/^\d{1,18}$/, 'Not a cursor of this list.')
          .optional()
          .describe('`nextCursor` of the previous page.'),
        limit: z.coerce.number().int().min(1).max(100).default(50),
      }),
      response: z.object({
        orders: z.array(sentPrintOrderSchema),
        nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page.'),
      }),
      handler: async ({ account, query }) => {
        const { status } = query;
        const { page, nextCursor } = await pageById(query, (wanted) =>
          listSentPrintOrders(sql, account.id, { status, ...wanted }),
        );
        return { orders: page.map(printOrderView), nextCursor };
      },
    }),
    route('GET /v2/orders/{printOrderId}', {
      ...common,
      operationId: 'getPrintOrder',
      summary: 'Get a print order sent to this partner',
      params: z.object({ printOrderId: z.string().max(100) }),
      response: sentPrintOrderSchema,
      handler: async ({ account, params: { printOrderId } }) => {
        const [found] = await listSentPrintOrders(sql, account.id, { id: printOrderId, limit: 1 });
        if (found === undefined) {
          throw new Refusal('NOT_FOUND', { message: `There is no print order ${printOrderId}.` });
        }
        return printOrderView(found);
      },
    }),
  ];
}

export function postbackRoute({ sql, wake, metrics }: ApiDeps): Route {
  const ofPrintOrder = createFailureLimiter('postback');
  return route('POST /v2/order/status', {
    operationId: 'postOrderStatus',
    refuses: ['CONFLICT', 'NOT_FOUND'],
    summary: 'Report the status of a print order or of one item',
    description:
      'The postback is stored before the response is sent. A repeated or late postback changes nothing. ' +
      `429 after ${FAILURE_LIMITS.postback.limit} postbacks about one print order within a minute. ` +
      '`orderItemId` limits the postback to one item of the print order; without it, it covers all items.',
    isRepeatable: true,
    ...common,
    body: postbackSchema,
    response: z.object({ message: z.string() }),
    handler: async ({ account, body, log }) => {
      const labels = { partner: account.name, status: body.status };
      const name = `${account.id}/${body.orderId}`;
      const store = async () => {
        ofPrintOrder.check(name);
        ofPrintOrder.failed(name);
        return await storePostback(sql, account.id, body);
      };
      const { isNew, orderId } = await store().catch((error: unknown) => {
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
