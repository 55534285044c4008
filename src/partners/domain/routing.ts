import type { ProductKind } from '../../catalog/domain/product';
import type {
  Alternative,
  Assignment,
  ItemExplanation,
  RoutingDecision,
  RoutingItem,
  RoutingRequest,
} from './routing-decision';
import { REJECTIONS } from './routing-decision';
import { cheapestPlan } from './routing-plan';
import { compareText, distance, type Option, type WeighedItem, weighItem } from './routing-weights';

export type { RoutingDecision } from './routing-decision';
export { stockNeeds } from './routing-weights';

/**
 * Chooses who makes what: every item goes whole to one partner that can make it and ships to the destination,
 * at the least cost over the order, where each further partner costs a parcel. Equal inputs in any sequence
 * give the same decision, and every item tells which partners were looked at and why they lost.
 *
 * With few partners every set of them is tried, so the choice is the best one; with many the search is a descent.
 * Stock that items of one order compete for is given to the item with the fewest alternatives first.
 */
export function routeOrder(request: RoutingRequest): RoutingDecision {
  const partners = [...request.partners].sort((a, b) => compareText(a.uid, b.uid));
  const weighed = [...request.items]
    .sort((a, b) => compareText(a.itemId, b.itemId))
    .map((item) => weighItem(item, partners, request));

  const stranded = weighed.filter(({ options }) => options.length === 0);
  if (stranded.length > 0) return unroutable(stranded, weighed);

  const plan = cheapestPlan(weighed, partners, request.destinationCountry);
  if (plan === null) {
    // Every item alone could be made, but not all of them from the stock there is.
    return unroutable(
      weighed.filter(({ needs }) => needs.size > 0),
      weighed,
    );
  }
  const used = new Map<string, number>();
  for (const { partner } of plan.values())
    used.set(partner.uid, distance(partner, request.destinationCountry).parcel);
  return {
    ok: true,
    assignments: weighed.map(({ item }) => assignment(item, plan.get(item.itemId)!)),
    parcels: Object.fromEntries([...used].sort(([a], [b]) => compareText(a, b))),
    explanation: weighed.map((entry) => explain(entry, plan.get(entry.item.itemId)!)),
  };
}

function assignment(item: RoutingItem, option: Option): Assignment {
  return {
    itemId: item.itemId,
    quantity: item.quantity,
    kind: item.product.kind,
    partnerId: option.partner.partnerId,
    partnerUid: option.partner.uid,
    dispatchDate: option.dispatchDate,
    backordered: option.backordered,
    productionCost: { minor: option.productionMinor, currency: option.partner.currency },
  };
}

function explain({ item, options, rejected }: WeighedItem, chosen?: Option): ItemExplanation {
  // A partner may also take a backorder: it is shown once, as chosen or at its best.
  const shown = options.filter(
    (option) =>
      option === chosen ||
      option === options.find(({ partner }) => partner === option.partner && partner !== chosen?.partner),
  );
  const weighed = shown.map(
    (option): Alternative => ({
      partnerId: option.partner.partnerId,
      partnerUid: option.partner.uid,
      // Cheaper for this item alone, but one more parcel, or its stock went to an item with less choice.
      verdict:
        option === chosen
          ? 'chosen'
          : chosen && option.cost.total < chosen.cost.total
            ? 'dearer_overall'
            : 'dearer',
      cost: option.cost,
      dispatchDate: option.dispatchDate,
      backordered: option.backordered,
    }),
  );
  weighed.sort((a, b) => Number(b.verdict === 'chosen') - Number(a.verdict === 'chosen'));
  return { itemId: item.itemId, alternatives: [...weighed, ...rejected] };
}

function unroutable(stranded: readonly WeighedItem[], all: readonly WeighedItem[]): RoutingDecision {
  return {
    ok: false,
    unroutable: stranded.map(({ item, options, rejected }) => ({
      itemId: item.itemId,
      passing: options.length > 0 || rejected.some(({ reason }) => REJECTIONS[reason].passing),
      reason:
        options.length > 0
          ? 'the stock left is not enough for all items of the order'
          : rejected.length === 0
            ? 'there are no partners'
            : rejected.map(({ partnerUid, detail }) => `${partnerUid} ${detail}`).join('; '),
    })),
    explanation: all.map((entry) => explain(entry)),
  };
}

/** Items that travel to a partner in one print order: the same partner and the same variant of the message. */
export interface PlannedPrintOrder {
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly kind: ProductKind;
  readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
  /** YYYY-MM-DD: the day the last of its items is ready. */
  readonly dispatchDate: string;
}

/**
 * One print order for each partner and product kind, because the three kinds are different messages and apparel
 * has an address of its own; in a fixed sequence, by partner uid and kind.
 */
export function groupIntoPrintOrders(assignments: readonly Assignment[]): PlannedPrintOrder[] {
  const groups = new Map<string, Assignment[]>();
  for (const assigned of assignments) {
    const key = `${assigned.partnerUid}/${assigned.kind}`;
    const group = groups.get(key);
    if (group) group.push(assigned);
    else groups.set(key, [assigned]);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, group]) => ({
      partnerId: group[0]!.partnerId,
      partnerUid: group[0]!.partnerUid,
      kind: group[0]!.kind,
      items: group
        .map(({ itemId, quantity }) => ({ itemId, quantity }))
        .sort((a, b) => compareText(a.itemId, b.itemId)),
      dispatchDate: group.map((assigned) => assigned.dispatchDate).reduce((a, b) => (a > b ? a : b)),
    }));
}
