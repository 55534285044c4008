import type { ProductKind } from '../../catalog/domain/product';
import type {
  Alternative,
  Assignment,
  ItemExplanation,
  RoutingDecision,
  RoutingItem,
  RoutingRequest,
  UnroutableCode,
} from './routing-decision';
import { REJECTIONS, UNROUTABLE_TEXTS } from './routing-decision';
import { cheapestPlan } from './routing-plan';
import { compareText, distance, type Option, type WeighedItem, weighItem } from './routing-weights';

export type { RoutingDecision } from './routing-decision';
export { stockNeeds } from './routing-weights';

/**
 * Assigns every item to one partner that can make it and ships to the destination, at the lowest total cost of the
 * order. Each further partner adds the cost of a parcel. The decision does not depend on the order of items or partners.
 * Its explanation lists every partner for every item, with the reason why it was not chosen.
 *
 * With few partners every subset is tried, so the result is optimal; with many the search is greedy.
 * When items of one order compete for stock, the item with the fewest alternatives is served first.
 */
export function routeOrder(request: RoutingRequest): RoutingDecision {
  const partners = [...request.partners].sort((a, b) => compareText(a.uid, b.uid));
  const weighed = [...request.items]
    .sort((a, b) => compareText(a.itemId, b.itemId))
    .map((item) => weighItem(item, partners, request));

  const impossible = weighed.filter(({ options }) => options.length === 0);
  if (impossible.length > 0) return unroutable(impossible, weighed);

  const plan = cheapestPlan(weighed, partners, request.destinationCountry);
  if (plan === null) {
    // Each item alone has an option, but the stock is not enough for all of them.
    return unroutable(
      weighed.filter(({ needs }) => needs.size > 0),
      weighed,
    );
  }
  const used = new Map<string, number>();
  for (const { partner } of plan.values()) used.set(partner.uid, distance(partner, request.destinationCountry).parcel);
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
  // A partner can have two options, with and without a backorder. Show one: the chosen or else the cheapest.
  const shown = options.filter(
    (option) =>
      option === chosen ||
      option === options.find(({ partner }) => partner === option.partner && partner !== chosen?.partner),
  );
  const weighed = shown.map(
    (option): Alternative => ({
      partnerId: option.partner.partnerId,
      partnerUid: option.partner.uid,
      // `dearer_overall`: cheaper for this item alone, but it adds a parcel, or its stock went to another item.
      verdict:
        option === chosen ? 'chosen' : chosen && option.cost.total < chosen.cost.total ? 'dearer_overall' : 'dearer',
      cost: option.cost,
      dispatchDate: option.dispatchDate,
      backordered: option.backordered,
    }),
  );
  weighed.sort((a, b) => Number(b.verdict === 'chosen') - Number(a.verdict === 'chosen'));
  return { itemId: item.itemId, alternatives: [...weighed, ...rejected] };
}

function unroutable(impossible: readonly WeighedItem[], all: readonly WeighedItem[]): RoutingDecision {
  return {
    ok: false,
    unroutable: impossible.map(({ item, options, rejected }) => ({
      itemId: item.itemId,
      passing: options.length > 0 || rejected.some(({ reason }) => REJECTIONS[reason].passing),
      code: options.length > 0 ? 'out_of_stock' : clientCode(rejected.map(({ reason }) => REJECTIONS[reason].client)),
      reason:
        options.length > 0
          ? 'the remaining stock is not enough for all items of the order'
          : rejected.length === 0
            ? 'there are no partners'
            : rejected.map(({ partnerUid, detail }) => `${partnerUid} ${detail}`).join('; '),
    })),
    explanation: all.map((entry) => explain(entry)),
  };
}

/** Returns the most specific of the reasons. */
function clientCode(codes: readonly UnroutableCode[]): UnroutableCode {
  const bySpecificity = Object.keys(UNROUTABLE_TEXTS) as UnroutableCode[];
  return bySpecificity.find((code) => codes.includes(code)) ?? 'not_produced';
}

/** Items that form one print order: they have the same partner and product kind. */
export interface PlannedPrintOrder {
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly kind: ProductKind;
  readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
  /** YYYY-MM-DD. The latest dispatch date of its items. */
  readonly dispatchDate: string;
}

/**
 * Groups assignments into one print order for each partner and product kind, ordered by partner uid and kind. The three
 * kinds have different message formats, and apparel has a separate submit address.
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
