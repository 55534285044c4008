import type { z } from 'zod';
import { expectedShipment } from '../../src/orders/dispatch/expected-shipment';
import { dropShippingChange, storeShippingChange } from '../../src/orders/dispatch/shipping-changes';
import { whyStatusForbids } from '../../src/orders/domain/lifecycle/guards';
import type { UpdateShipment } from '../../src/orders/intake/order-schemas';
import { type OrderRecord, readOrders } from '../../src/orders/reading/order-reader';
import { addressView } from '../../src/orders/reading/order-view';
import { expectedShipmentView, shipmentView } from '../../src/orders/reading/shipment-view';
import { refuseWith } from '../../src/orders/run/gateway';
import { Refusal } from '../../src/platform/errors';
import { json } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import type { CallContext } from '../http/route';
import { updatedShipmentSchema } from './order-schemas';
import { withCarriers } from './quote';

/**
 * Changes the address or the method of an order and returns both as they are afterwards (operation
 * `updateShipment`). Before the order is planned, the shipment is the expected one.
 * @throws Refusal `CONFLICT` when the order can no longer be changed, `VALIDATION_ERROR` when it cannot be shipped with
 *   the change, or an operator gives no reason, `UNAVAILABLE` when a worker or every carrier is unavailable
 */
export async function updateShipment(
  deps: ApiDeps,
  before: OrderRecord,
  { reason, ...change }: UpdateShipment & { readonly reason?: string | undefined },
  { audit, operator }: Pick<CallContext, 'audit'> & { readonly operator: string | null },
): Promise<z.input<typeof updatedShipmentSchema>> {
  if (operator !== null && reason === undefined) {
    const message = 'Operators give a reason.';
    throw new Refusal('VALIDATION_ERROR', {
      errors: [{ code: 'MISSING_FIELD_ERROR', message, reference: 'reason' }],
    });
  }
  if (before.orderType === 'draft') {
    throw new Refusal('CONFLICT', { message: 'A draft has no shipment. Change it with PATCH.' });
  }
  refuseWith(whyStatusForbids(before.fulfillmentStatus, 'changed'));
  const expected = shipmentView(before) === null ? await expectedView(deps, before.id, change) : null;
  await apply(deps, before.id, change);
  if (operator !== null) {
    await deps.sql`
      INSERT INTO order_events (order_id, type, data)
      VALUES (${before.id}, 'change_shipping', ${json(deps.sql, { by: operator, reason })})`;
  }
  const [order] = await readOrders(deps.sql, [before.id]);
  await audit(deps.sql, {
    action: 'order.change_shipping',
    objectId: before.id,
    before: shippingSummary(before),
    after: { ...shippingSummary(order!), addressChanged: change.shippingAddress !== undefined },
  });
  // Parsing drops the fields that a retrieved order's shipment has in addition.
  return updatedShipmentSchema.parse({
    shippingAddress: addressView(order!),
    shipment: shipmentView(order!) ?? expected,
  });
}

/** Returns what the audit log shows of an order's shipping. The address is left out: the log is never erased. */
function shippingSummary({ shipmentMethodUid, shippingAddress }: OrderRecord) {
  return { shipmentMethodUid, country: shippingAddress.country };
}

async function expectedView({ sql, candidates, carriers }: ApiDeps, orderId: string, change: UpdateShipment) {
  const deps = { sql, candidates, quote: carriers.quote, now: () => new Date() };
  const expected = await withCarriers(() => expectedShipment(deps, orderId, change));
  if (!expected.ok) throw new Refusal('VALIDATION_ERROR', { errors: expected.errors });
  return expectedShipmentView(expected.plans);
}

async function apply({ sql, runs }: ApiDeps, orderId: string, change: UpdateShipment): Promise<void> {
  // Nothing is written for an order that cannot be changed, nor while Temporal is unavailable.
  await runs.checkRunning(orderId);
  const changeId = await storeShippingChange(sql, orderId, change);
  try {
    await runs.changeShipping(orderId, changeId);
  } catch (error) {
    // After UNAVAILABLE the change may still be applied. A refused address is not kept.
    if (error instanceof Refusal && error.code !== 'UNAVAILABLE') await dropShippingChange(sql, changeId);
    throw error;
  }
}
