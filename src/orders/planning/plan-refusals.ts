import { missingRetailPrices } from '../../consignments/domain/customs';
import { servesCountry } from '../../partners/domain/capabilities';
import { type RoutingDecision, UNROUTABLE_TEXTS, type UnroutableCode } from '../../partners/domain/routing-decision';
import type { Partner } from '../../partners/partner-rows';
import { isCrossBorder } from '../../platform/domain/territories';
import type { ParkingReason } from '../domain/lifecycle/attention-reasons';
import type { PlannedPrintOrder } from '../domain/lifecycle/run-state';
import { priceOrder } from '../domain/pricing';
import type { RunOrder } from './run-order';

/** Values of `refusalReasonCode` for orders that cannot be planned. Print files have further codes. */
export const PLAN_REFUSALS = [
  'missing_retail_prices',
  'no_production_partner',
  'no_price',
  'no_shipment_method',
  'file_check',
  'address_check',
] as const;

export type PreparationPlan =
  | {
      readonly outcome: 'planned';
      readonly printOrders: readonly PlannedPrintOrder[];
      /** The order's shipping revision. Set when an earlier call stored the plan. */
      readonly shippingRevision?: number;
    }
  | {
      readonly outcome: 'refused';
      readonly code: (typeof PLAN_REFUSALS)[number];
      readonly reason: string;
      readonly details: object | null;
    }
  | { readonly outcome: 'parked'; readonly reason: ParkingReason; readonly message: string }
  /** A file was replaced, and is to be fetched first. */
  | { readonly outcome: 'unfetched' }
  /** The order has been cancelled. Nothing is stored. */
  | { readonly outcome: 'ended' };

export type PlanRefusal = Extract<PreparationPlan, { outcome: 'refused' }>;

export type NoPlan = Exclude<PreparationPlan, { outcome: 'planned' | 'unfetched' | 'ended' }>;

/**
 * Returns `parked` when every unroutable item may become routable later, otherwise a refusal. Operators read the reason of each
 * partner, clients a text of `UNROUTABLE_TEXTS`.
 */
export function unroutable(order: RunOrder, decision: Extract<RoutingDecision, { ok: false }>): NoPlan {
  if (decision.unroutable.some(({ passing }) => !passing)) return noPartner(order, decision.unroutable);
  const reasons = decision.unroutable.map(({ itemId, reason }) => `${referenceOf(order, itemId)}: ${reason}`);
  return { outcome: 'parked', reason: 'no_partner', message: reasons.join('; ') };
}

function noPartner(
  order: RunOrder,
  unroutable: readonly { readonly itemId: string; readonly code: UnroutableCode }[],
): PlanRefusal {
  const items = unroutable.map(({ itemId, code }) => ({
    itemReferenceId: referenceOf(order, itemId),
    code,
    reason: UNROUTABLE_TEXTS[code],
  }));
  const reasons = items.map(({ itemReferenceId, reason }) => `${itemReferenceId}: ${reason}`);
  return {
    outcome: 'refused',
    code: 'no_production_partner',
    reason: `The order cannot be produced: ${reasons.join('; ')}.`,
    details: { items },
  };
}

const referenceOf = (order: RunOrder, itemId: string) =>
  order.items.find(({ id }) => id === itemId)?.itemReferenceId ?? itemId;

/**
 * Returns the refusal of an address for print orders that are planned, or null: a partner does not ship to its
 * country, or the order crosses a customs border without retail prices.
 */
export function addressRefusal(
  order: RunOrder,
  printOrders: readonly { readonly partner: Partner; readonly jobs: readonly { readonly itemId: string }[] }[],
): PlanRefusal | null {
  const { country } = order.shippingAddress;
  const unserved = printOrders.filter(({ partner }) => !servesCountry(partner.capabilities, country));
  if (unserved.length > 0) {
    const itemIds = new Set(unserved.flatMap(({ jobs }) => jobs.map(({ itemId }) => itemId)));
    return noPartner(
      order,
      [...itemIds].map((itemId) => ({ itemId, code: 'destination_not_served' })),
    );
  }
  return crossBorderRefusal(
    order,
    printOrders.map(({ partner }) => partner),
  );
}

/** Returns the field of a change of address or method that a refusal is about. */
export function fieldAtFault(
  { code }: PlanRefusal,
  change: { readonly shipmentMethodUid?: string | null | undefined },
): string {
  return code === 'no_shipment_method' && change.shipmentMethodUid != null
    ? 'shipmentMethodUid'
    : 'shippingAddress.country';
}

/** Returns the refusal of an order that crosses a customs border without retail prices, or null. */
export function crossBorderRefusal(order: RunOrder, partners: readonly Partner[]): PlanRefusal | null {
  if (!partners.some(({ senderAddress }) => isCrossBorder(senderAddress, order.shippingAddress))) return null;
  const missing = missingRetailPrices({
    retailCurrency: order.retailCurrency,
    retailShippingPriceInclVat: order.retailShippingPrice,
    items: order.items.map(({ position, retailPrice }) => ({ position, retailPriceInclVat: retailPrice })),
  });
  if (missing === null) return null;
  const { refusalReasonCode: code, refusalReason: reason, refusalReasonDetails: details } = missing;
  return { outcome: 'refused', code, reason, details };
}

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
