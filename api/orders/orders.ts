import { z } from 'zod';
import { CANCELLATIONS } from '../../src/orders/domain/lifecycle/facts/cancellations';
import type { ItemUnits } from '../../src/orders/domain/lifecycle/requests';
import { whyStatusForbids } from '../../src/orders/domain/lifecycle/rules/guards';
import type { CancelRequest, CancelResult } from '../../src/orders/domain/run/run-messages';
import { type Conflict, createIntake } from '../../src/orders/intake/submit';
import {
  type CancelOrder,
  cancelOrderSchema,
  submitOrderSchema,
  submittedOrderSchema,
  updateShipmentSchema,
} from '../../src/orders/planning/order-schemas';
import { type OrderRecord, readOrders } from '../../src/orders/reading/order-reader';
import { orderView, retrievedOrderSchema, updatedShipmentSchema } from '../../src/orders/reading/retrieved-order';
import { refuseWith } from '../../src/orders/run/gateway';
import type { QuotaName } from '../../src/platform/domain/quotas';
import { SIZES } from '../../src/platform/domain/sizes';
import { type FieldError, invalidField, Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import { keyedIdOf } from '../http/idempotency';
import { withoutRedaction } from '../http/request-log';
import { type CallContext, type Route, route, type Sent } from '../http/route';
import { productsOfOrder } from './order-products';
import { updateShipment } from './update-shipment';
import { CLIENTS, changedOrderId, orderAddress, READERS, requesterOf, visibleOrder } from './visible-order';

/** The quotas that a submission uses. An order has at least a byte of files. */
export const QUOTAS_OF = {
  order: ['ordersPerMinute', 'ordersUnderWay', 'fileBytes'],
  draft: ['ordersPerMinute', 'drafts'],
} as const satisfies Record<string, readonly QuotaName[]>;

/** Returns the refusal of a submission that conflicts with another order. */
export function refusalOf(conflict: Conflict): Refusal {
  if (conflict.conflict === 'unknown') {
    return invalidField('replaces', 'You have no order with this id and this orderReferenceId.');
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

export function orderRoutes(deps: ApiDeps): Route[] {
  const { sql, links, wake, metrics, runSettings } = deps;
  const submit = createIntake(sql, runSettings);
  const log = withoutRedaction(deps.log);

  return [
    route('POST /v1/orders', {
      operationId: 'submitOrder',
      refuses: ['CONFLICT', 'DUPLICATE_ORDER_REFERENCE', 'QUOTA_EXCEEDED', 'TOO_MANY_PARCELS'],
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
        const products = await productsOfOrder(sql, customer, body);
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

    route('GET /v1/orders/{orderId}', {
      operationId: 'getOrder',
      summary: 'Retrieve an order',
      ...READERS,
      params: orderAddress,
      response: retrievedOrderSchema,
      handler: async ({ account, params }) => orderView(await visibleOrder(deps, account, params.orderId), links),
    }),

    route('PUT /v1/orders/{orderId}/shipment', {
      operationId: 'updateShipment',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT', 'TOO_MANY_PARCELS'],
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

    route('POST /v1/orders/{orderId}/cancel', {
      operationId: 'cancelOrder',
      refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
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
      handler: async ({ account, params, body, requestId, headers, audit, intend }) => {
        const id = await changedOrderId(sql, account, params.orderId);
        const [order] = await readOrders(sql, [id]);
        return await cancelOrder(deps, order!, body, {
          cancelId: keyedIdOf(account, headers),
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

type Chosen = Pick<CancelRequest, 'itemIds' | 'units'>;

const canceledOrderSchema = retrievedOrderSchema
  .pick({ id: true, orderReferenceId: true, fulfillmentStatus: true })
  .extend({
    cancellation: z
      .enum(CANCELLATIONS)
      .describe(
        'What became of the request. `done`: everything that it names is cancelled. `requested`: a print partner was asked and ' +
          'has not responded. `refused`: a print partner goes on.',
      ),
  })
  .meta({ id: 'CanceledOrder' });

/**
 * Cancels an order, or items of it (operation `cancelOrder`). Of what is cancelled already, it returns the state.
 * @throws Refusal `CONFLICT` when an item has shipped, `VALIDATION_ERROR` for items that the order does not have,
 *   `UNAVAILABLE` when no worker is available
 */
export async function cancelOrder(
  { sql, runs }: Pick<ApiDeps, 'sql' | 'runs'>,
  order: OrderRecord,
  { items, reason = 'cancelled by the client' }: CancelOrder,
  {
    by,
    force,
    cancelId,
    requestId,
    audit,
    intend,
  }: Pick<CallContext, 'requestId' | 'audit' | 'intend'> & {
    readonly by: string;
    readonly force: boolean;
    readonly cancelId: string | undefined;
  },
): Promise<Sent<typeof canceledOrderSchema>> {
  const { id, orderReferenceId, orderType, fulfillmentStatus: status } = order;
  if (orderType === 'draft') {
    throw new Refusal('CONFLICT', { message: 'A draft cannot be cancelled. Delete it instead.' });
  }
  refuseWith(whyStatusForbids(status, 'cancelled'));
  const chosen = items === undefined ? {} : chosenItems(order, items);
  if ('units' in chosen && by === 'client') await checkUnitCancels(sql, id);
  await intend({ action: 'order.cancel', objectId: id });
  const request = { by, reason, requestId, force, ...chosen, ...(await updatesOf(sql, id, chosen)) };
  // Rows that say `canceled` do not suffice while the workflow runs: it may lose the task that wrote them, and decide otherwise.
  const result = await runs.cancel(id, request, cancelId).catch(async (error: unknown) => {
    if (error instanceof Refusal && error.code === 'CONFLICT' && (await isCanceled(sql, order))) return DONE;
    throw error;
  });
  const { fulfillmentStatus } = result;
  await audit(sql, {
    action: 'order.cancel',
    objectId: id,
    before: { fulfillmentStatus: status },
    after: { fulfillmentStatus, ...chosen },
  });
  return { id, orderReferenceId, ...result };
}

/** @throws Refusal `CONFLICT` for an order of which units were cancelled as often as its client may */
async function checkUnitCancels(sql: ApiDeps['sql'], orderId: string): Promise<void> {
  const { most } = SIZES.unitCancels;
  const { count } = await sql`
    SELECT FROM order_events WHERE order_id = ${orderId} AND type = 'cancel_units' AND data ->> 'by' = 'client' LIMIT ${most}`;
  if (count >= most)
    throw new Refusal('CONFLICT', {
      message: `Units of the order were cancelled ${most} times. Cancel whole items instead.`,
    });
}

/** The result for a cancelled order whose workflow has ended. */
const DONE: CancelResult = { fulfillmentStatus: 'canceled', cancellation: 'done' };

async function isCanceled(sql: ApiDeps['sql'], { id, fulfillmentStatus }: OrderRecord): Promise<boolean> {
  const [row] = await sql<{ status: string }[]>`SELECT fulfillment_status AS status FROM orders WHERE id = ${id}`;
  // An archived order has no row.
  return (row?.status ?? fulfillmentStatus) === 'canceled';
}

/** Returns which print orders of an order have partners that take no order updates. Only single units need to know it. */
async function updatesOf(
  sql: ApiDeps['sql'],
  orderId: string,
  { units }: Chosen,
): Promise<Pick<CancelRequest, 'withoutUpdates'>> {
  if (units === undefined) return {};
  const rows = await sql<{ id: string }[]>`
    SELECT p.id::text FROM print_orders p JOIN partners a ON a.account_id = p.partner_id
    WHERE p.order_id = ${orderId} AND a.order_update_url IS NULL`;
  return { withoutUpdates: rows.map((row) => row.id) };
}

/**
 * Returns the named items by id: those that are cancelled as a whole, and units of the others.
 * @throws Refusal `VALIDATION_ERROR` with every wrong name and quantity
 */
function chosenItems(order: OrderRecord, named: NonNullable<CancelOrder['items']>): Chosen {
  const errors: FieldError[] = [];
  const report = (reference: string, message: string) => errors.push({ code: 'VALIDATION_ERROR', message, reference });
  const seen = new Set<string>();
  const itemIds: string[] = [];
  const units: ItemUnits[] = [];
  for (const [index, { itemReferenceId, quantity }] of named.entries()) {
    const item = order.items.find((each) => each.itemReferenceId === itemReferenceId);
    if (item === undefined) report(`items[${index}].itemReferenceId`, 'No item of the order has this itemReferenceId.');
    else if (seen.has(itemReferenceId)) report(`items[${index}].itemReferenceId`, 'Name each item once.');
    else if ((quantity ?? 0) > item.quantity)
      report(`items[${index}].quantity`, `The item has ${item.quantity} units.`);
    else if (quantity === undefined) itemIds.push(item.id);
    else units.push({ itemId: item.id, quantity });
    seen.add(itemReferenceId);
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return { itemIds, ...(units.length === 0 ? {} : { units }) };
}
