import type { CandidateReader } from '../../partners/candidates';
import type { UpdateShipment } from '../intake/order-schemas';
import { type OrderQuote, quoteOrder } from '../intake/quote';
import { crossBorderRefusal } from '../preparation/plan-refusals';
import type { PreparationDeps } from '../preparation/prepare-order';
import type { ShipmentPlan } from '../preparation/shipment-plan';
import { type RunOrder, runOrder } from '../run/run-order';

export type ExpectedShipment =
  | { readonly ok: true; readonly plans: readonly ShipmentPlan[] }
  | Extract<OrderQuote, { ok: false }>;

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
  const now = await quoteOrder(deps, order);
  const quote =
    now.ok || now.reason === 'invalid'
      ? now
      : await quoteOrder({ ...deps, candidates: withoutObstacles(deps.candidates) }, order);
  if (!quote.ok) return quote;
  const refusal = crossBorderRefusal(
    order,
    quote.printOrders.map(({ partner }) => partner),
  );
  if (refusal !== null) {
    const message = refusal.reason;
    return {
      ok: false,
      reason: 'invalid',
      errors: [{ code: 'VALIDATION_ERROR', message, reference: 'shippingAddress.country' }],
    };
  }
  return { ok: true, plans: quote.printOrders.map(({ chosen }) => chosen) };
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
