import {
  cancelOrderSchema,
  submitOrderSchema,
  submittedOrderSchema,
  updateShipmentSchema,
} from '../../src/orders/intake/order-schemas';
import { type Conflict, createIntake } from '../../src/orders/intake/submit';
import { readOrders } from '../../src/orders/reading/order-reader';
import { orderView, retrievedOrderSchema, updatedShipmentSchema } from '../../src/orders/reading/retrieved-order';
import type { QuotaName } from '../../src/platform/domain/quotas';
import { Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { withoutRedaction } from '../http/request-log';
import { type Route, route } from '../http/route';
import { canceledOrderSchema, cancelOrder } from './cancel-order';
import { productsOfOrder } from './order-products';
import { updateShipment } from './update-shipment';
import { CLIENTS, changedOrderId, orderAddress, READERS, requesterOf, visibleOrder } from './visible-order';

/** The quotas that a submission uses. An order has at least a byte of files. */
const QUOTAS_OF = {
  order: ['ordersPerMinute', 'ordersUnderWay', 'fileBytes'],
  draft: ['ordersPerMinute', 'drafts'],
} as const satisfies Record<string, readonly QuotaName[]>;

/** Returns the refusal of a submission that conflicts with another order. */
function refusalOf(conflict: Conflict): Refusal {
  if (conflict.conflict === 'unknown') {
    const message = 'You have no order with this id and this orderReferenceId.';
    const code = 'VALIDATION_ERROR';
    return new Refusal(code, { errors: [{ code, message, reference: 'replaces' }] });
  }
  const { id, status } = conflict.order;
  if (conflict.conflict === 'duplicate') {
    const message = `Order ${id} has this orderReferenceId. Its status is ${status}.`;
    return new Refusal('DUPLICATE_ORDER_REFERENCE', { message });
  }
  return new Refusal('CONFLICT', {
    message:
      conflict.conflict === 'open'
        ? `Order ${id} has the status ${status}. Only a failed or canceled order can be replaced.`
        : `Order ${id} replaces this order already. Its status is ${status}.`,
  });
}

/** Routes for clients' orders (docs/orders.md). */
export function orderRoutes(deps: ApiDeps): Route[] {
  const { sql, links, wake, metrics, runSettings } = deps;
  const submit = createIntake(sql, runSettings);
  const log = withoutRedaction(deps.log);

  return [
    route({
      method: 'post',
      path: '/v1/orders',
      operationId: 'submitOrder',
      summary: 'Submit an order',
      description:
        'Submits an order, or a draft, in one request. The response is sent when the order is stored. Print files are ' +
        'fetched afterwards. 429 `QUOTA_EXCEEDED` when a quota of the client is used up.',
      ...CLIENTS,
      idempotent: 'claimed-by-handler',
      body: submitOrderSchema,
      response: submittedOrderSchema,
      handler: async ({ account, body, requestId, idempotency, quotas }) => {
        const customer = { clientId: account.id, customerReferenceId: body.customerReferenceId };
        const products = await productsOfOrder(sql, customer, body.items);
        const submitted = await quotas.using(account.id, QUOTAS_OF[body.orderType], async () => {
          const stored = await submit({
            clientId: account.id,
            clientName: account.name,
            requestId,
            order: body,
            products,
            claim: idempotency.claim,
          });
          if (stored === 'key-taken') throw new Refusal('IDEMPOTENCY_IN_FLIGHT', { retryAfter: 1 });
          if ('conflict' in stored) throw refusalOf(stored);
          return stored;
        });
        if (body.orderType === 'order') {
          metrics.count('pressline_orders_accepted_total', {});
          wake('start_workflow');
        }
        log.info({ requestId, orderId: submitted.id, orderType: body.orderType }, 'order accepted');
        return submitted;
      },
    }),

    route({
      method: 'get',
      path: '/v1/orders/{orderId}',
      operationId: 'getOrder',
      summary: 'Retrieve an order',
      ...READERS,
      params: orderAddress,
      response: retrievedOrderSchema,
      handler: async ({ account, params }) => orderView(await visibleOrder(deps, account, params.orderId), links),
    }),

    route({
      method: 'put',
      path: '/v1/orders/{orderId}/shipment',
      operationId: 'updateShipment',
      summary: 'Change shipping method or address',
      description:
        'Allowed until the order has shipped. Items that have left keep their address, method and tracking code. ' +
        'Existing labels of the other items are voided, and the next dispatch creates new ones. Before the order is ' +
        'planned, and of a draft, `shipment` is the expected one. `price` has the new price and its difference. `dryRun` ' +
        'returns both, and changes nothing. Operators change the order of any client, and name a `reason`.',
      tag: 'Orders',
      access: { ...READERS.access, operatorRole: 'operator' },
      audits: ['order.change_shipping'],
      params: orderAddress,
      body: updateShipmentSchema,
      response: updatedShipmentSchema,
      handler: async (call) => {
        const { account, params, body } = call;
        const orderId = await changedOrderId(sql, account, params.orderId);
        return await updateShipment(deps, await visibleOrder(deps, account, orderId), body, call);
      },
    }),

    route({
      method: 'post',
      path: '/v1/orders/{orderId}/cancel',
      operationId: 'cancelOrder',
      idempotent: true,
      summary: 'Cancel an order',
      description:
        'Cancels the named items, or all that have not shipped. Pressline asks a partner that already has them. They keep ' +
        'their status until the partner confirms, and then become `cancelled`; an order without other items becomes ' +
        '`canceled`. A repeated request changes nothing, but a repeated `quantity` cancels more units: send an ' +
        '`Idempotency-Key`. Single units end, and are refunded, when their partner accepts an order update. 409: an item has ' +
        'shipped or has fewer units, the partner of the units takes no order updates or has not responded to an earlier ' +
        'request, or the order was refused.',
      tag: 'Orders',
      access: { ...READERS.access, operatorRole: 'operator' },
      audits: ['order.cancel'],
      params: orderAddress,
      body: cancelOrderSchema,
      response: canceledOrderSchema,
      handler: async ({ account, params, body, requestId, audit, intend }) => {
        const id = await changedOrderId(sql, account, params.orderId);
        const [order] = await readOrders(sql, [id]);
        return await cancelOrder(deps, order!, body, {
          by: requesterOf(account),
          force: account.role === 'operator',
          requestId,
          audit,
          intend,
        });
      },
    }),
  ];
}
