import type { FieldError } from '../../platform/errors';
import type { Receipt } from '../domain/receipt';
import type { UpdateShipment } from '../planning/order-schemas';
import { fieldAtFault } from '../planning/plan-refusals';
import { draftPlan, type PreparationDeps } from '../planning/prepare-order';
import { invoiceOf } from '../planning/receipts';
import { withoutObstacles } from '../planning/routing';
import { type RunOrder, runOrder } from '../planning/run-order';
import type { ShipmentPlan } from '../planning/shipment-plan';

/** `before`: the receipts without the change. Null when the order could not be planned without it. */
export type ExpectedShipment =
  | {
      readonly ok: true;
      readonly plans: readonly ShipmentPlan[];
      readonly before: readonly Receipt[] | null;
      readonly after: readonly Receipt[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Returns the shipment plans and receipts that an unplanned order would have after a change of address or method. When
 * no partner can currently make the items, the plans assume that every partner is enabled and has stock.
 * @returns `ok: false` when the order could not be planned with the change
 * @throws CarrierUnavailable when no carrier returns prices
 */
export async function expectedShipment(
  deps: PreparationDeps,
  orderId: string,
  change: UpdateShipment,
): Promise<ExpectedShipment> {
  const before = await runOrder(deps.sql, orderId);
  const order: RunOrder = {
    ...before,
    shippingAddress:
      change.shippingAddress === undefined
        ? before.shippingAddress
        : { id: before.shippingAddress.id, ...change.shippingAddress },
    shipmentMethodUid: change.shipmentMethodUid ?? before.shipmentMethodUid,
  };
  const [draft, unchanged] = await Promise.all([expectedPlan(deps, order), expectedPlan(deps, before)]);
  if (draft.outcome === 'drafted') {
    const unchangedReceipts = unchanged.outcome === 'drafted' ? receiptsOf(unchanged) : null;
    return { ok: true, plans: draft.shipments, before: unchangedReceipts, after: receiptsOf(draft) };
  }
  const { plan } = draft;
  if (plan.outcome === 'parked') throw new Error(`order ${orderId} has no partner although each has stock`);
  return {
    ok: false,
    errors: [{ code: 'VALIDATION_ERROR', message: plan.reason, reference: fieldAtFault(plan, change) }],
  };
}

const receiptsOf = ({ order, drafts, shipments }: Extract<Draft, { outcome: 'drafted' }>) =>
  drafts.map(({ jobs }, index) => invoiceOf(order, jobs, shipments[index]!));

type Draft = Awaited<ReturnType<typeof draftPlan>>;

/** Plans an order, as if every partner were enabled and had stock when none can currently make the items. */
async function expectedPlan(deps: PreparationDeps, order: RunOrder): Promise<Draft> {
  const now = await draftPlan(deps, order);
  return now.outcome === 'undrafted' && now.plan.outcome === 'parked'
    ? await draftPlan({ ...deps, candidates: withoutObstacles(deps.candidates) }, order)
    : now;
}
