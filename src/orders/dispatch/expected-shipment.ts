import type { CandidateReader } from '../../partners/candidates';
import type { FieldError } from '../../platform/errors';
import type { UpdateShipment } from '../intake/order-schemas';
import { fieldAtFault } from '../preparation/plan-refusals';
import { draftPlan, type PreparationDeps } from '../preparation/prepare-order';
import type { ShipmentPlan } from '../preparation/shipment-plan';
import { type RunOrder, runOrder } from '../run/run-order';

export type ExpectedShipment =
  | { readonly ok: true; readonly plans: readonly ShipmentPlan[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Returns the shipment plans that an order which is not planned yet would have after a change of address or method. When
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
  const now = await draftPlan(deps, order);
  const draft =
    now.outcome === 'undrafted' && now.plan.outcome === 'parked'
      ? await draftPlan({ ...deps, candidates: withoutObstacles(deps.candidates) }, order)
      : now;
  if (draft.outcome === 'drafted') return { ok: true, plans: draft.shipments };
  const { plan } = draft;
  if (plan.outcome === 'parked') throw new Error(`order ${orderId} has no partner although each has stock`);
  return {
    ok: false,
    errors: [{ code: 'VALIDATION_ERROR', message: plan.reason, reference: fieldAtFault(plan, change) }],
  };
}

/** Returns the partners as if each were enabled and subscribed and had unlimited stock. */
function withoutObstacles(candidates: CandidateReader): CandidateReader {
  return async (partnerSkus) =>
    (await candidates(partnerSkus)).map((partner) => ({
      ...partner,
      enabled: true,
      subscribed: true,
      stock: {},
    }));
}
