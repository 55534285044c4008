import { isCrossBorder } from '../../consignments/domain/cross-border';
import { enqueueOrderNotifications } from '../../notifications/enqueue';
import { listPartners } from '../../partners/store';
import { uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Queryable, type Sql } from '../../platform/postgres';
import type { ShippingAddress, UpdateShipment } from '../intake/schemas';
import {
  planShipment,
  type Quoter,
  type ShipmentPlan,
  storeShipmentPlans,
} from '../preparation/shipment-plan';
import { storeShippingReceipts } from '../receipts/shipping-receipts';
import { type RunOrder, runOrder } from '../run/run-order';

/** Stores a requested change and returns its id. The order workflow receives only the id, so that Temporal stores no address. */
export async function storeShippingChange(
  sql: Queryable,
  orderId: string,
  change: UpdateShipment,
): Promise<string> {
  const id = uuidv7();
  const address =
    change.shippingAddress === undefined ? null : json(sql, { id: uuidv7(), ...change.shippingAddress });
  await sql`
    INSERT INTO shipping_changes (id, order_id, shipping_address, shipment_method_uid)
    VALUES (${id}, ${orderId}, ${address}, ${change.shipmentMethodUid ?? null})`;
  return id;
}

/** Deletes a change that the order workflow refused. An applied change stays. */
export async function dropShippingChange(sql: Queryable, changeId: string): Promise<void> {
  await sql`DELETE FROM shipping_changes WHERE id = ${changeId} AND revision IS NULL`;
}

export type AppliedChange =
  | { readonly outcome: 'applied'; readonly revision: number }
  | { readonly outcome: 'refused'; readonly message: string; readonly reference: string };

/** The order changed after it was read. The change is planned again. */
class OutdatedPlan extends Error {}

/**
 * Applies a change of address or method. Every print order that has not shipped gets a new plan, and the order gets
 * the next shipping revision. A change is refused when no method carries the order, or when it crosses a customs border
 * without retail prices. A change is applied once, however often the call is repeated.
 */
export async function applyShippingChange(
  deps: { readonly sql: Sql; readonly quote: Quoter; readonly now: () => Date },
  { orderId, changeId }: { readonly orderId: string; readonly changeId: string },
): Promise<AppliedChange> {
  for (;;) {
    const [change] = await deps.sql<
      {
        revision: number | null;
        shippingAddress: (ShippingAddress & { id: string }) | null;
        shipmentMethodUid: string | null;
      }[]
    >`SELECT revision, shipping_address, shipment_method_uid FROM shipping_changes WHERE id = ${changeId} AND order_id = ${orderId}`;
    if (change === undefined) throw new Error(`shipping change ${changeId} does not exist`);
    if (change.revision !== null) return { outcome: 'applied', revision: change.revision };
    const before = await runOrder(deps.sql, orderId);
    const order: RunOrder = {
      ...before,
      shippingAddress: change.shippingAddress ?? before.shippingAddress,
      shipmentMethodUid: change.shipmentMethodUid ?? before.shipmentMethodUid,
    };
    const plans = await replan(deps, order);
    if ('refused' in plans) {
      const isMethod = plans.atFault === 'method' && change.shipmentMethodUid !== null;
      const reference = isMethod ? 'shipmentMethodUid' : 'shippingAddress.country';
      return { outcome: 'refused', message: plans.refused, reference };
    }
    try {
      return await inTransaction(deps.sql, async (tx) => {
        const revision = before.shippingRevision + 1;
        const updated = await tx`
          UPDATE orders SET shipping_address = ${json(tx, order.shippingAddress)}, shipping_revision = ${revision},
            shipment_method_uid = ${order.shipmentMethodUid}, updated_at = now()
          WHERE id = ${orderId} AND shipping_revision = ${before.shippingRevision}`;
        if (updated.count === 0) throw new OutdatedPlan();
        const countries = { before: before.shippingAddress.country, after: order.shippingAddress.country };
        await storeShippingReceipts(tx, { orderId, step: `shipping:${changeId}`, countries, plans });
        await storeShipmentPlans(tx, orderId, plans);
        await tx`UPDATE shipping_changes SET revision = ${revision} WHERE id = ${changeId}`;
        await enqueueOrderNotifications(tx, { orderId });
        return { outcome: 'applied', revision } as const;
      });
    } catch (error) {
      if (!(error instanceof OutdatedPlan)) throw error;
    }
  }
}

type Replanned =
  | { printOrderId: string; plan: ShipmentPlan }[]
  | { refused: string; atFault: 'method' | 'country' };

async function replan(
  deps: { sql: Sql; quote: Quoter; now: () => Date },
  order: RunOrder,
): Promise<Replanned> {
  const rows = await deps.sql<
    { id: string; partnerId: string; dispatchDate: string; jobs: { itemId: string; quantity: number }[] }[]
  >`
    SELECT p.id, p.partner_id, p.dispatch_date::text,
      (SELECT jsonb_agg(jsonb_build_object('itemId', j.order_item_id::text, 'quantity', j.quantity))
        FROM print_jobs j WHERE j.print_order_id = p.id AND j.status NOT IN ('cancelled', 'superseded')) AS jobs
    FROM print_orders p WHERE p.order_id = ${order.id} AND p.status <> 'cancelled'`;
  if (rows.length === 0) return [];
  const partners = new Map((await listPartners(deps.sql)).map((partner) => [partner.partnerId, partner]));
  const { country } = order.shippingAddress;
  const plans: { printOrderId: string; plan: ShipmentPlan }[] = [];
  for (const { id, partnerId, dispatchDate, jobs } of rows) {
    const partner = partners.get(partnerId)!;
    const priced =
      order.retailCurrency !== null && order.items.every(({ retailPrice }) => retailPrice !== null);
    if (isCrossBorder(partner.country, country) && !priced) {
      const refused = `The order has no retail prices, which an address in ${country} requires.`;
      return { refused, atFault: 'country' };
    }
    const planned = await planShipment(deps.quote, { order, partner, jobs, dispatchDate, now: deps.now() });
    if (!planned.ok) {
      const refused = `None of the requested shipment methods carries the order to ${country}.`;
      return { refused, atFault: 'method' };
    }
    plans.push({ printOrderId: id, plan: planned.plan });
  }
  return plans;
}
