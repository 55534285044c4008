import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RepairRequest, RequestedBy } from '../../../src/orders/domain/lifecycle/requests';
import { type RepairBody, repairSchema, SINGLE_REPAIRS } from '../../../src/orders/domain/lifecycle/rules/repairs';
import { hasShipped, isFinal } from '../../../src/orders/domain/lifecycle/statuses';
import { refundEndedOrder, refundUnitsOfEnded } from '../../../src/orders/planning/ended-refunds';
import type { OperatorOrder } from '../../../src/orders/reading/operator-order-schemas';
import { operatorOrderSchema } from '../../../src/orders/reading/operator-order-view';
import { dismissAttention, operatorOrder } from '../../../src/orders/reading/operator-orders';
import { reviveRun } from '../../../src/orders/upkeep/revive-run';
import { partnerByAccount } from '../../../src/partners/partner-rows';
import { text } from '../../../src/platform/domain/fields';
import { type FieldError, Refusal } from '../../../src/platform/errors';
import type { Sql } from '../../../src/platform/postgres';
import type { ApiDeps } from '../../deps';
import { keyedIdOf } from '../../http/idempotency';
import { type Route, route } from '../../http/route';
import { changedOrderId, forOrder } from '../../orders/visible-order';

export function orderRepairRoute({ sql, runs }: Pick<ApiDeps, 'sql' | 'runs'>): Route {
  const found = async (orderId: string): Promise<OperatorOrder> => {
    const order = await operatorOrder(sql, orderId);
    if (order === null) throw new Refusal('NOT_FOUND');
    return order;
  };
  return route('POST /v1/operator/orders/{orderId}/repairs', {
    ...forOrder('operator'),
    operationId: 'repairOrder',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
    summary: 'Repair an order',
    description:
      'Returns when the repair is done, or waits for a partner, and is recorded in the event log. 409: the repair does not fit the state of the ' +
      'order, or no partner can make the items. 503: no worker is available.',
    audits: SINGLE_REPAIRS.map((action) => `order.${action}` as const),
    idempotent: true,
    body: repairSchema,
    response: operatorOrderSchema
      .pick({ id: true, orderReferenceId: true, fulfillmentStatus: true, attention: true })
      .extend({
        waitsForPartner: z
          .boolean()
          .describe('True while a reroute or reproduce waits until the current partner agrees to stop.'),
      })
      .meta({ id: 'RepairedOrder' }),
    handler: async ({ params: { orderId }, body, account, requestId, headers, log, audit, intend }) => {
      const by = account.name;
      const id = await changedOrderId(sql, account, orderId);
      const before = await found(id);
      // The reason is a free text, which may name a person. It is in the order's event log, which can be erased.
      const { action, reason, ...parameters } = body;
      const request = await checkedRepair(sql, before, body, { by, reason, requestId });
      await intend({ action: `order.${action}`, objectId: id });
      // The workflow of an open order dismisses its reasons, and refunds units.
      const units = body.action === 'refund' ? body.units : null;
      const repairId = keyedIdOf(account, headers) ?? randomUUID();
      if (units != null) await refundUnits(sql, id, request, units, repairId);
      else if ((await repairEnded(sql, id, request)) === 'open') await runs.repair(id, request, repairId);
      log.info({ orderId: id, action, by }, 'order repaired');
      const after = await found(id);
      await audit(sql, {
        action: `order.${action}`,
        objectId: id,
        before: auditedState(before),
        after: { ...auditedState(after), ...parameters },
      });
      return {
        id,
        orderReferenceId: after.orderReferenceId,
        ...auditedState(after),
        waitsForPartner: after.printOrders.some(({ status }) => status === 'waiting'),
      };
    },
  });
}

export function orderReviveRoute({
  sql,
  runs,
  runSettings,
  wake,
}: Pick<ApiDeps, 'sql' | 'runs' | 'runSettings' | 'wake'>): Route {
  return route('POST /v1/operator/orders/{orderId}/revive', {
    ...forOrder('admin'),
    operationId: 'reviveOrder',
    refuses: ['AMBIGUOUS_REFERENCE', 'CONFLICT'],
    summary: 'Start the workflow of an order again that is gone',
    description:
      'The workflow of an open order was terminated, has failed, or was lost. It continues in the state that its last step stored. ' +
      '409: the workflow runs, is about to start, or the order has ended.',
    audits: ['order.revive'],
    body: z
      .object({ reason: text(500).describe('Recorded with the operator’s name in the event log.') })
      .meta({ id: 'Revival' }),
    response: operatorOrderSchema
      .pick({ id: true, orderReferenceId: true, fulfillmentStatus: true })
      .meta({ id: 'RevivedOrder' }),
    handler: async ({ params: { orderId }, body: { reason }, account, requestId, log, audit }) => {
      const id = await changedOrderId(sql, account, orderId);
      const how = await runs.goneRun(id);
      const request = { by: account.name, reason, requestId };
      const isRevived =
        how !== null &&
        (await reviveRun(sql, runSettings, id, request, (tx) =>
          audit(tx, {
            action: 'order.revive',
            objectId: id,
            before: { workflow: how },
            after: { workflow: 'started' },
          }),
        ));
      if (!isRevived) throw new Refusal('CONFLICT', { message: 'The order has a workflow, or has ended.' });
      wake('start_workflow');
      log.warn({ orderId: id, by: account.name, how }, 'order workflow started again');
      const { orderReferenceId, fulfillmentStatus } = (await operatorOrder(sql, id))!;
      return { id, orderReferenceId, fulfillmentStatus };
    },
  });
}

/**
 * Repairs an order that has ended. It has no workflow.
 * @returns `open` when its workflow has to repair it
 * @throws Refusal `CONFLICT` when there is nothing to repair
 */
async function repairEnded(sql: Sql, id: string, request: RepairRequest): Promise<'done' | 'open'> {
  if (request.action === 'dismiss') {
    const dismissed = await dismissAttention(sql, id, request);
    if (dismissed === 'nothing') throw new Refusal('CONFLICT', { message: 'The order needs no attention.' });
    return dismissed === 'open' ? 'open' : 'done';
  }
  if (request.action !== 'refund') return 'open';
  const refunded = await refundEndedOrder(sql, id, request);
  if (refunded === 'nothing') {
    throw new Refusal('CONFLICT', { message: 'Partners have cancelled no units of these items.' });
  }
  return refunded === 'open' ? 'open' : 'done';
}

/** @throws Refusal `CONFLICT` when the order was neither delivered nor returned, or has fewer units left to refund */
async function refundUnits(...refund: Parameters<typeof refundUnitsOfEnded>) {
  const refunded = await refundUnitsOfEnded(...refund);
  if (refunded === 'not-ended') {
    throw new Refusal('CONFLICT', { message: 'Units are refunded when the order was delivered or returned.' });
  }
  if (refunded === 'too-many') {
    throw new Refusal('CONFLICT', { message: 'Fewer units of the items are left to refund.' });
  }
}

function auditedState({ fulfillmentStatus, attention }: OperatorOrder) {
  return { fulfillmentStatus, attention };
}

/**
 * Returns the request for the order workflow that a repair stands for.
 * @throws Refusal `VALIDATION_ERROR` for items, quantities and partners that do not exist; `CONFLICT` when no item is left
 */
async function checkedRepair(
  sql: Sql,
  order: OperatorOrder,
  body: RepairBody,
  requested: RequestedBy,
): Promise<RepairRequest> {
  const errors: FieldError[] = [];
  const report = (reference: string, message: string) => errors.push({ code: 'VALIDATION_ERROR', message, reference });
  const { items } = order;
  const itemOf = (id: string) => items.find((item) => item.id === id);
  let request: RepairRequest;
  switch (body.action) {
    case 'hold':
    case 'release':
    case 'accept_files':
    case 'accept_address':
    case 'dismiss':
      return { action: body.action, ...requested };
    case 'mark_shipped': {
      const { action, printOrderId, trackingCode = null, trackingLink = null } = body;
      if (!order.printOrders?.some(({ id }) => id === printOrderId)) {
        report('printOrderId', `The order has no print order ${printOrderId}.`);
      }
      request = { action, ...requested, printOrderId, trackingCode, trackingLink };
      break;
    }
    case 'refund':
    case 'retry':
    case 'cancel': {
      for (const [index, id] of (body.itemIds ?? []).entries()) {
        if (itemOf(id) === undefined) report(`itemIds[${index}]`, `The order has no item ${id}.`);
      }
      const units = body.action === 'refund' ? (body.units ?? []) : [];
      if (units.length > 0 && body.itemIds != null) report('itemIds', 'Give itemIds or units, not both.');
      for (const [index, { itemId: id }] of units.entries()) {
        if (itemOf(id) === undefined) report(`units[${index}].itemId`, `The order has no item ${id}.`);
      }
      // Units of a shipped item can be refunded.
      const all = items
        .filter(({ fulfillmentStatus: status }) => body.action === 'refund' || !(hasShipped(status) || isFinal(status)))
        .map(({ id }) => id);
      request = { action: body.action, ...requested, itemIds: body.itemIds ?? all };
      break;
    }
    case 'reroute':
    case 'reproduce': {
      const item = itemOf(body.itemId);
      if (item === undefined) report('itemId', `The order has no item ${body.itemId}.`);
      else if ((body.quantity ?? 0) > item.quantity) {
        report('quantity', `The item has ${item.quantity} units.`);
      }
      if (body.partnerId != null && (await partnerByAccount(sql, body.partnerId)) === undefined) {
        report('partnerId', 'There is no partner with this id.');
      }
      const { action, itemId, quantity = null, partnerId = null, force } = body;
      request = { action, ...requested, itemId, quantity, partnerId, ...(force === true ? { force } : {}) };
    }
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  if ('itemIds' in request && request.itemIds.length === 0) {
    throw new Refusal('CONFLICT', { message: 'Every item has shipped or ended.' });
  }
  return request;
}
