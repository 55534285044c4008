import { z } from 'zod';
import { CANCELLATIONS } from '../../src/orders/domain/lifecycle/facts/cancellations';
import type { ItemUnits } from '../../src/orders/domain/lifecycle/requests';
import { whyStatusForbids } from '../../src/orders/domain/lifecycle/rules/guards';
import type { CancelRequest, CancelResult } from '../../src/orders/domain/run/run-messages';
import type { CancelOrder } from '../../src/orders/intake/order-schemas';
import type { OrderRecord } from '../../src/orders/reading/order-reader';
import { retrievedOrderSchema } from '../../src/orders/reading/retrieved-order';
import { refuseWith } from '../../src/orders/run/gateway';
import { type FieldError, Refusal } from '../../src/platform/errors';
import type { ApiDeps } from '../deps';
import type { CallContext, Sent } from '../http/route';

type Chosen = Pick<CancelRequest, 'itemIds' | 'units'>;

export const canceledOrderSchema = retrievedOrderSchema
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
    requestId,
    audit,
    intend,
  }: Pick<CallContext, 'requestId' | 'audit' | 'intend'> & { readonly by: string; readonly force: boolean },
): Promise<Sent<typeof canceledOrderSchema>> {
  const { id, orderReferenceId, orderType, fulfillmentStatus: status } = order;
  if (orderType === 'draft') {
    throw new Refusal('CONFLICT', { message: 'A draft cannot be cancelled. Delete it instead.' });
  }
  refuseWith(whyStatusForbids(status, 'cancelled'));
  const chosen = items === undefined ? {} : chosenItems(order, items);
  await intend({ action: 'order.cancel', objectId: id });
  const result =
    status === 'canceled'
      ? DONE
      : await runs
          .cancel(id, { by, reason, requestId, force, ...chosen, ...(await updatesOf(sql, id, chosen)) })
          .catch(async (error: unknown) => {
            // Another request may have cancelled the order meanwhile, which ends its workflow.
            if (error instanceof Refusal && error.code === 'CONFLICT' && (await isCanceled(sql, id))) return DONE;
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

/** The result for an order that is cancelled already. */
const DONE: CancelResult = { fulfillmentStatus: 'canceled', cancellation: 'done' };

async function isCanceled(sql: ApiDeps['sql'], orderId: string): Promise<boolean> {
  return (await sql`SELECT FROM orders WHERE id = ${orderId} AND fulfillment_status = 'canceled'`).length > 0;
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
