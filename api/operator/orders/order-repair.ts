import { hasShipped, isFinal } from '../../../src/orders/domain/lifecycle/statuses';
import type { RepairRequest } from '../../../src/orders/domain/run/run-messages';
import { dismissAttention, type OperatorOrder } from '../../../src/orders/reading/operator-orders';
import { partnerByAccount } from '../../../src/partners/partner-rows';
import { type FieldError, Refusal } from '../../../src/platform/errors';
import type { Sql } from '../../../src/platform/postgres';
import type { RepairBody } from './repair-schemas';

/**
 * Dismisses the attention reasons of an order that has ended.
 * @returns false for an open order, whose workflow has to dismiss them
 * @throws Refusal `CONFLICT` for an order that needs no attention
 */
export async function dismissEnded(sql: Sql, orderId: string, by: string, reason: string): Promise<boolean> {
  const outcome = await dismissAttention(sql, orderId, { by, reason });
  if (outcome === 'nothing') throw new Refusal('CONFLICT', { message: 'The order needs no attention.' });
  return outcome === 'dismissed';
}

/**
 * Returns the request for the order workflow that a repair stands for.
 * @throws Refusal `VALIDATION_ERROR` for items, quantities and partners that do not exist; `CONFLICT` when no item is left
 */
export async function checkedRepair(
  sql: Sql,
  order: OperatorOrder,
  body: RepairBody,
  by: string,
): Promise<RepairRequest> {
  const errors: FieldError[] = [];
  const report = (reference: string, message: string) => errors.push({ code: 'VALIDATION_ERROR', message, reference });
  const items = order.items ?? [];
  const itemOf = (id: string) => items.find((item) => item.id === id);
  const { reason } = body;
  let request: RepairRequest;
  switch (body.action) {
    case 'hold':
    case 'release':
    case 'dismiss':
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
      else if ((body.quantity ?? 0) > item.quantity) {
        report('quantity', `The item has ${item.quantity} units.`);
      }
      if (body.partnerId != null && (await partnerByAccount(sql, body.partnerId)) === undefined) {
        report('partnerId', 'There is no partner with this id.');
      }
      const { action, itemId, quantity = null, partnerId = null, force } = body;
      request = { action, by, reason, itemId, quantity, partnerId, ...(force === true ? { force } : {}) };
    }
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  if ('itemIds' in request && request.itemIds.length === 0) {
    throw new Refusal('CONFLICT', { message: 'Every item has shipped or ended.' });
  }
  return request;
}
