import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type OperatorOrder, operatorOrder } from '../../../src/orders/reading/operator-orders';
import { Refusal } from '../../../src/platform/errors';
import { sha256 } from '../../../src/platform/ids';
import type { ApiDeps } from '../../deps';
import { operatorsOnly, type Route, route } from '../../http/route';
import { changedOrderId } from '../../orders/visible-order';
import { bulkRepairRoutes } from './bulk-repairs';
import { documentListRoutes } from './documents';
import { noteRoutes } from './notes';
import { orderDetailRoute } from './order-detail';
import { orderPaymentRoute } from './order-payment';
import { checkedRepair, dismissEnded } from './order-repair';
import { OPERATOR_ORDER_ROUTE, operatorOrderSchema } from './order-schemas';
import { operatorOrderSearchRoute } from './order-search';
import { orderTimelineRoute } from './order-timeline';
import { sentPrintOrderRoute } from './print-orders';
import { REPAIRS, repairSchema } from './repair-schemas';

/** Returns what the audit log shows of an order before and after a repair. */
function auditedState({ fulfillmentStatus, attention }: OperatorOrder) {
  return { fulfillmentStatus, attention: attention ?? [] };
}

/** Routes with which operators read and repair orders. */
export function operatorOrderRoutes(deps: ApiDeps): Route[] {
  const { sql, runs } = deps;
  const found = async (orderId: string): Promise<OperatorOrder> => {
    const order = await operatorOrder(sql, orderId);
    if (order === null) throw new Refusal('NOT_FOUND');
    return order;
  };

  return [
    operatorOrderSearchRoute(deps),
    orderDetailRoute(deps),
    orderTimelineRoute(deps),
    route({
      ...OPERATOR_ORDER_ROUTE,
      method: 'post',
      access: operatorsOnly('operator'),
      path: '/v1/operator/orders/{orderId}/repairs',
      operationId: 'repairOrder',
      summary: 'Repair an order',
      description:
        'Returns when the repair is done, or waits for a partner, and is recorded in the event log. 409: the repair does not fit the state of the ' +
        'order, or no partner can make the items. 503: no worker is available.',
      audits: REPAIRS.map((action) => `order.${action}` as const),
      idempotent: true,
      body: repairSchema,
      response: z
        .object({
          id: z.string(),
          orderReferenceId: z.string(),
          fulfillmentStatus: operatorOrderSchema.shape.fulfillmentStatus,
          attention: operatorOrderSchema.shape.attention,
          waitsForPartner: z
            .boolean()
            .describe('True while a reroute or reproduce waits until the current partner agrees to stop.'),
        })
        .meta({ id: 'RepairedOrder' }),
      handler: async ({ params: { orderId }, body, account, headers, log, audit }) => {
        const id = await changedOrderId(sql, account, orderId);
        const before = await found(id);
        const isDone = body.action === 'dismiss' && (await dismissEnded(sql, id, account.name, body.reason));
        if (!isDone) {
          const request = await checkedRepair(sql, before, body, account.name);
          const key = headers['idempotency-key'];
          const repairId = key === undefined ? randomUUID() : sha256(`${account.id}:${key}`).toString('base64url');
          await runs.repair(id, request, repairId);
        }
        log.info({ orderId: id, action: body.action, by: account.name }, 'order repaired');
        const after = await found(id);
        // The reason is a free text, which may name a person. It is in the order's event log, which can be erased.
        const { action, reason: _reason, ...parameters } = body;
        await audit(sql, {
          action: `order.${action}`,
          objectId: id,
          before: auditedState(before),
          after: { ...auditedState(after), ...parameters },
        });
        return {
          id,
          orderReferenceId: after.orderReferenceId,
          fulfillmentStatus: after.fulfillmentStatus,
          attention: [...(after.attention ?? [])],
          waitsForPartner: (after.printOrders ?? []).some(({ status }) => status === 'waiting'),
        };
      },
    }),
    orderPaymentRoute(deps),
    sentPrintOrderRoute(deps),
    ...documentListRoutes(deps),
    ...noteRoutes(deps),
    ...bulkRepairRoutes(deps),
  ];
}
