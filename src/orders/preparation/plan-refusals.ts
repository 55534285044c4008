import { isCrossBorder, missingRetailPrices } from '../../consignments/domain/cross-border';
import { type RoutingDecision, UNROUTABLE_TEXTS } from '../../partners/domain/routing-decision';
import type { Partner } from '../../partners/partner-rows';
import type { AttentionReason } from '../domain/lifecycle/attention';
import type { PlannedPrintOrder } from '../domain/lifecycle/run-events';
import { priceOrder } from '../domain/pricing';
import type { PlanRefusalCode } from '../domain/refusal-reasons';
import type { RunOrder } from '../run/run-order';

/** Result of the preparation: print orders to send, a refusal, or a wait for an operator. */
export type PreparationPlan =
  | {
      readonly outcome: 'planned';
      readonly printOrders: readonly PlannedPrintOrder[];
      /** The order's shipping revision. Set when an earlier call stored the plan. */
      readonly shippingRevision?: number;
    }
  | {
      readonly outcome: 'refused';
      readonly code: PlanRefusalCode;
      readonly reason: string;
      readonly details: object | null;
    }
  | { readonly outcome: 'parked'; readonly reason: AttentionReason; readonly message: string };

export type PlanRefusal = Extract<PreparationPlan, { outcome: 'refused' }>;

/**
 * Returns `parked` when every unroutable item may become routable later, otherwise a refusal. Operators read the reason of each
 * partner, clients a text of `UNROUTABLE_TEXTS`.
 */
export function unroutable(order: RunOrder, decision: Extract<RoutingDecision, { ok: false }>): PreparationPlan {
  const items = decision.unroutable.map(({ itemId, code, reason }) => {
    const itemReferenceId = order.items.find((item) => item.id === itemId)?.itemReferenceId ?? itemId;
    return {
      internal: `${itemReferenceId}: ${reason}`,
      item: { itemReferenceId, code, reason: UNROUTABLE_TEXTS[code] },
    };
  });
  if (decision.unroutable.every(({ passing }) => passing)) {
    return { outcome: 'parked', reason: 'no_partner', message: items.map(({ internal }) => internal).join('; ') };
  }
  const reasons = items.map(({ item }) => `${item.itemReferenceId}: ${item.reason}`);
  return {
    outcome: 'refused',
    code: 'no_production_partner',
    reason: `The order cannot be produced: ${reasons.join('; ')}.`,
    details: { items: items.map(({ item }) => item) },
  };
}

/** Returns the refusal of an order that crosses a customs border without retail prices, or null. */
export function crossBorderRefusal(order: RunOrder, partners: readonly Partner[]): PlanRefusal | null {
  const { country } = order.shippingAddress;
  if (!partners.some((partner) => isCrossBorder(partner.country, country))) return null;
  const missing = missingRetailPrices({
    retailCurrency: order.retailCurrency,
    retailShippingPriceInclVat: order.retailShippingPrice,
    items: order.items.map(({ itemReferenceId, retailPrice }) => ({
      itemReferenceId,
      retailPriceInclVat: retailPrice,
    })),
  });
  if (missing === null) return null;
  const { refusalReasonCode: code, refusalReason: reason, refusalReasonDetails: details } = missing;
  return { outcome: 'refused', code, reason, details };
}

/** Returns the refusal of an order with an item that has no price, or null. */
export function priceRefusal(order: RunOrder): PlanRefusal | null {
  const price = priceOrder(order);
  if (price.ok) return null;
  const { itemReferenceId } = order.items[price.itemIndex]!;
  return {
    outcome: 'refused',
    code: 'no_price',
    reason: `${itemReferenceId} has no price in ${price.currency}.`,
    details: { itemReferenceId, currency: price.currency },
  };
}

/** Returns the refusal of an order that no shipment method carries. */
export function methodRefusal(order: RunOrder, reason: 'no_method_carries_it' | 'choice_matches_none'): PlanRefusal {
  const wanted = order.shipmentMethodUid;
  return {
    outcome: 'refused',
    code: 'no_shipment_method',
    reason:
      reason === 'choice_matches_none'
        ? `None of the requested shipment methods (${wanted}) carries this order to ${order.shippingAddress.country}.`
        : `No shipment method carries this order to ${order.shippingAddress.country}.`,
    details: { shipmentMethodUid: wanted, country: order.shippingAddress.country },
  };
}
