import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ATTENTION_REASONS } from '../../src/orders/domain/lifecycle/run-state';
import { hasShipped, isFinal } from '../../src/orders/domain/lifecycle/statuses';
import type { RepairRequest } from '../../src/orders/domain/run/run-messages';
import {
  attentionReasons,
  dismissAttention,
  type OperatorOrder,
  type OperatorPrintOrder,
  operatorOrder,
  ordersNeedingAttention,
} from '../../src/orders/reading/operator-orders';
import type { RunGateway } from '../../src/orders/run/gateway';
import { routingDecisions } from '../../src/partners/routing-decisions';
import { partnerByAccount } from '../../src/partners/store';
import { orderWorkflowId } from '../../src/platform/domain/workflows';
import { type FieldError, Refusal } from '../../src/platform/errors';
import { sha256 } from '../../src/platform/ids';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';
import { decodeCursor, encodeCursor } from '../orders/cursor';
import { visibleOrderId } from '../orders/visible-order';
import { attentionPageSchema, operatorOrderSchema, type RepairBody, repairSchema } from './order-schemas';
import type { RoutingDecisionView } from './routing-decision';

const TAG = 'Operator: orders';
const access = { credentials: 'key', roles: ['operator'] } as const;
const params = z.object({
  orderId: z
    .string()
    .min(1)
    .max(100)
    .describe('The order’s id, or its reference (the newest order that has it).'),
});

function printOrderView({ shipments, postbacks, ...printOrder }: OperatorPrintOrder) {
  return {
    ...printOrder,
    shipments: (shipments ?? []).map((shipment) => ({
      ...shipment,
      trackingNumbers: [...(shipment.trackingNumbers ?? [])],
    })),
    postbacks: (postbacks ?? []).map((postback) => ({
      ...postback,
      items: postback.items === null ? null : [...postback.items],
    })),
    jobs: [...printOrder.jobs],
  };
}

function orderView(order: OperatorOrder) {
  const { refusalReasonCode: code, refusalReason, refusalReasonDetails: details } = order;
  return {
    id: order.id,
    orderReferenceId: order.orderReferenceId,
    clientId: order.clientId,
    clientName: order.clientName,
    fulfillmentStatus: order.fulfillmentStatus,
    financialStatus: order.financialStatus,
    country: order.country,
    attention: attentionReasons(order.attention),
    shippingRevision: order.shippingRevision,
    requestId: order.requestId,
    workflowId: orderWorkflowId(order.id),
    refusal: code === null ? null : { code, reason: refusalReason ?? '', details },
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    items: [...(order.items ?? [])],
    printOrders: (order.printOrders ?? []).map(printOrderView),
    events: [...(order.events ?? [])],
  };
}

/** The run's state when a worker answers for it. */
async function runStateOf(runs: RunGateway, orderId: string) {
  try {
    const { seen: _seen, ...state } = await runs.state(orderId);
    return state;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** What a run does; the other acts are about an order that has none any more. */
type RunRepair = Exclude<RepairBody, { action: 'dismiss' }>;

/** @throws Refusal `CONFLICT` for an order that goes on, or wants nothing */
async function dismiss(sql: ApiDeps['sql'], orderId: string, by: string, reason: string): Promise<void> {
  const outcome = await dismissAttention(sql, orderId, { by, reason });
  if (outcome === 'nothing') throw new Refusal('CONFLICT', { message: 'Nothing wants attention.' });
  if (outcome === 'going-on') {
    throw new Refusal('CONFLICT', {
      message: 'The order goes on: what it wants attention for is put away by mending it.',
    });
  }
}

/** @throws Refusal `VALIDATION_ERROR` for items, quantities and partners that the order cannot mean */
async function checkedRequest(
  sql: ApiDeps['sql'],
  order: OperatorOrder,
  body: RunRepair,
  by: string,
): Promise<RepairRequest> {
  const errors: FieldError[] = [];
  const report = (reference: string, message: string) =>
    errors.push({ code: 'VALIDATION_ERROR', message, reference });
  const items = order.items ?? [];
  const itemOf = (id: string) => items.find((item) => item.id === id);
  const { reason } = body;
  let request: RepairRequest;
  switch (body.action) {
    case 'hold':
    case 'release':
      return { action: body.action, by, reason };
    case 'retry':
    case 'cancel': {
      for (const [index, id] of (body.itemIds ?? []).entries()) {
        if (itemOf(id) === undefined) report(`itemIds[${index}]`, `The order has no item ${id}.`);
      }
      const all = items
        .filter(({ fulfillmentStatus: status }) => !hasShipped(status) && !isFinal(status))
        .map(({ id }) => id);
      request = { action: body.action, by, reason, itemIds: body.itemIds ?? all };
      break;
    }
    case 'reroute':
    case 'reproduce': {
      const item = itemOf(body.itemId);
      if (item === undefined) report('itemId', `The order has no item ${body.itemId}.`);
      else if ((body.quantity ?? 0) > item.quantity)
        report('quantity', `The item has ${item.quantity} units.`);
      if (body.partnerId != null && (await partnerByAccount(sql, body.partnerId)) === undefined) {
        report('partnerId', 'There is no partner of this id.');
      }
      const { action, itemId, quantity = null, partnerId = null } = body;
      request = { action, by, reason, itemId, quantity, partnerId };
    }
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  if ('itemIds' in request && request.itemIds.length === 0) {
    throw new Refusal('CONFLICT', { message: 'Every item has shipped or ended.' });
  }
  return request;
}

/** Operators look into orders, list those that want them, and repair runs. */
export function operatorOrderRoutes({ sql, runs }: ApiDeps): Route[] {
  const found = async (orderId: string): Promise<OperatorOrder> => {
    const order = await operatorOrder(sql, orderId);
    if (order === null) throw new Refusal('NOT_FOUND');
    return order;
  };

  return [
    route({
      method: 'get',
      path: '/v1/operator/orders/{orderId}',
      operationId: 'getOperatorOrder',
      summary: 'Look into an order',
      description:
        'Print orders with their deliveries, postbacks and labels, how partners were chosen, what wants attention, ' +
        'and the log of everything that happened, operators’ acts included.',
      tag: TAG,
      access,
      errors: 'coded',
      params,
      response: operatorOrderSchema,
      handler: async ({ params: { orderId }, account }) => {
        const id = await visibleOrderId(sql, account, orderId);
        const [order, decisions, run] = await Promise.all([
          found(id),
          routingDecisions(sql, id),
          runStateOf(runs, id),
        ]);
        return {
          ...(orderView(order) as Omit<z.input<typeof operatorOrderSchema>, 'routing' | 'run'>),
          routing: (decisions ?? []).map(({ step, createdAt, decision }) => ({
            step,
            createdAt: createdAt.toISOString(),
            decision: decision as RoutingDecisionView,
          })),
          run: run as z.input<typeof operatorOrderSchema>['run'],
        };
      },
    }),
    route({
      method: 'get',
      path: '/v1/operator/attention',
      operationId: 'listOrdersNeedingAttention',
      summary: 'List orders that an operator should look at, newest first',
      tag: TAG,
      access,
      errors: 'coded',
      query: z.object({
        reason: z.enum(ATTENTION_REASONS).optional(),
        limit: z.coerce.number().int().min(1).max(250).default(50),
        cursor: z
          .string()
          .max(200)
          .optional()
          .describe('nextCursor of the page before, with the same reason.'),
      }),
      response: attentionPageSchema,
      handler: async ({ query: { reason, limit, cursor } }) => {
        const after = cursor === undefined ? null : decodeCursor(cursor);
        // One more than is shown tells whether there is a next page.
        const rows = await ordersNeedingAttention(sql, reason, { limit: limit + 1, after });
        const last = rows.length > limit ? rows[limit - 1] : undefined;
        return {
          orders: rows.slice(0, limit).map(({ position: _position, ...order }) => ({
            ...order,
            attention: attentionReasons(order.attention),
            createdAt: order.createdAt.toISOString(),
            updatedAt: order.updatedAt.toISOString(),
          })),
          nextCursor: last === undefined ? null : encodeCursor({ createdAt: last.position, id: last.id }),
        };
      },
    }),
    route({
      method: 'post',
      path: '/v1/operator/orders/{orderId}/repairs',
      operationId: 'repairOrder',
      summary: 'Repair an order’s run',
      description:
        'Answers when the act is done and in the order’s log. 409 when the order is not in a state that the act fits, ' +
        'or no partner can make what is asked for; 503 when no worker is there to do it.',
      tag: TAG,
      access,
      errors: 'coded',
      idempotent: true,
      params,
      body: repairSchema,
      response: z
        .object({
          id: z.string(),
          orderReferenceId: z.string(),
          fulfillmentStatus: operatorOrderSchema.shape.fulfillmentStatus,
          attention: operatorOrderSchema.shape.attention,
        })
        .meta({ id: 'RepairedOrder' }),
      handler: async ({ params: { orderId }, body, account, headers, log }) => {
        const id = await visibleOrderId(sql, account, orderId);
        if (body.action === 'dismiss') {
          await dismiss(sql, id, account.name, body.reason);
        } else {
          const request = await checkedRequest(sql, await found(id), body, account.name);
          const key = headers['idempotency-key'];
          const actId =
            key === undefined ? randomUUID() : sha256(`${account.id}:${key}`).toString('base64url');
          await runs.repair(id, request, actId);
        }
        log.info({ orderId: id, action: body.action, by: account.name }, 'order repaired');
        const after = await found(id);
        return {
          id,
          orderReferenceId: after.orderReferenceId,
          fulfillmentStatus: after.fulfillmentStatus,
          attention: attentionReasons(after.attention),
        };
      },
    }),
  ];
}
