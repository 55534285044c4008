import { countOf } from '../../src/consignments/domain/consignment';
import { crossBorderRefusal } from '../../src/orders/planning/plan-refusals';
import { estimateRouting } from '../../src/orders/planning/routing';
import type { RunItem, RunOrder } from '../../src/orders/planning/run-order';
import { estimateMethods, planWith } from '../../src/orders/planning/shipment-plan';
import { daysBetween, dispatchDate, productionFrom } from '../../src/partners/domain/calendar';
import type { Candidate } from '../../src/partners/routing-rows';
import { isCrossBorder } from '../../src/platform/domain/territories';
import { AT, CARRIERS, WEIGHTS } from './simulated-orders';

export interface CheckedRouting {
  /** Cost of the chosen plan in percent of the best plan with one partner, less 100. Null when no partner makes all items. */
  readonly excessPercent: number | null;
  /** True when the order is refused although each item has a partner with which it would not be. */
  readonly isRefusedByChoice: boolean;
  readonly isSplit: boolean;
  readonly why: string;
}

/** Routes an order, and compares the plan with what each partner alone would cost, which is computed here once more. */
export function checkedRouting(order: RunOrder, partners: readonly Candidate[]): CheckedRouting {
  const deps = { carriers: CARRIERS, routingWeights: WEIGHTS };
  const decision = estimateRouting(deps, { order, items: order.items, partners, at: AT });
  if (!decision.ok) throw new Error(JSON.stringify(decision.unroutable));
  const [chosen] = decision.plans as [(typeof decision.plans)[number]];
  const uids = new Set(chosen.printOrders.map(({ partnerUid }) => partnerUid));
  const alone = partners.flatMap((partner) => costOf(order, order.items, partner) ?? []);
  const avoidable = order.items.every((item) => partners.some((partner) => costOf(order, [item], partner) !== null));
  return {
    excessPercent: alone.length === 0 ? null : 100 * (chosen.cost.total / Math.min(...alone) - 1),
    isRefusedByChoice: decision.why.startsWith('No partner is left') && avoidable,
    isSplit: uids.size > 1,
    why: decision.why,
  };
}

/** Returns what an order costs at one partner, or null when it does not make all items or the order would be refused. */
function costOf(order: RunOrder, items: readonly RunItem[], partner: Candidate): number | null {
  const { productKinds, models, calendar, capacityPerDay } = partner.capabilities;
  if (items.some(({ product }) => !productKinds.includes(product.kind))) return null;
  if (crossBorderRefusal(order, [partner]) !== null) return null;
  let total = 0;
  let last = '';
  for (const group of Map.groupBy(items, ({ product }) => product.kind).values()) {
    const jobs = group.map(({ id: itemId, quantity }) => ({ itemId, quantity }));
    const { choice, ...packed } = estimateMethods(CARRIERS, { order, partner, jobs });
    if (!choice.ok) return null;
    const ships = group
      .map(({ product, quantity }) => {
        const { leadDays } = models[product.modelUid]!;
        const busyDays = Math.floor((quantity - 1) / capacityPerDay);
        return dispatchDate(calendar, { from: productionFrom(calendar, AT), leadDays: leadDays + busyDays });
      })
      .sort()
      .at(-1)!;
    const { maxDeliveryDate } = planWith(choice.method, false, packed, { partner, dispatchDate: ships, now: AT });
    if (maxDeliveryDate > last) last = maxDeliveryDate;
    const production = group.reduce(
      (sum, item) => sum + models[item.product.modelUid]!.unitPriceMinor * item.quantity,
      0,
    );
    const borders = isCrossBorder(partner.senderAddress, order.shippingAddress) ? WEIGHTS.border : 0;
    total += production + choice.method.price.minor + countOf(packed.packages) * WEIGHTS.parcel + borders;
  }
  return total + daysBetween(AT.toISOString().slice(0, 10), last) * WEIGHTS.day;
}
