import type { ProductKind } from '../../catalog/domain/product';
import {
  type Alternative,
  type Assignment,
  type CandidatePartner,
  type ItemExplanation,
  REJECTIONS,
  type RoutingDecision,
  type RoutingItem,
  type RoutingRequest,
  UNROUTABLE_TEXTS,
  type UnroutableCode,
} from './routing-decision';
import { compareText, distance, type Option, type WeighedItem, weighItem } from './routing-weights';

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
  const groups = Map.groupBy(assignments, ({ partnerUid, kind }) => `${partnerUid}/${kind}`);
  return [...groups]
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

/** Largest number of partners for which every subset is tried (255 sets, some milliseconds for 30 items). */
const EXHAUSTIVE_PARTNERS = 8;
/** With more partners, the search starts from this number of cheapest options of each item. */
const CHEAPEST_KEPT = 3;

type Plan = ReadonlyMap<string, Option>;

/** Returns the cheapest assignment of all items, or null when the stock is not enough for all of them. */
function cheapestPlan(
  weighed: readonly WeighedItem[],
  partners: readonly CandidatePartner[],
  destinationCountry: string,
): Plan | null {
  const useful = partners.filter((partner) =>
    weighed.some(({ options }) => options.some((o) => o.partner === partner)),
  );
  const choice = ({ options }: WeighedItem) => options.filter(({ backordered }) => !backordered).length;
  const scarcestFirst = [...weighed].sort((a, b) => choice(a) - choice(b) || compareText(a.item.itemId, b.item.itemId));
  let best: { plan: Plan; total: number; parcels: number } | null = null;
  const consider = (chosen: ReadonlySet<CandidatePartner>): number => {
    const plan = assignWithin(scarcestFirst, chosen);
    if (plan === null) return Number.POSITIVE_INFINITY;
    const used = new Set([...plan.values()].map(({ partner }) => partner));
    let total = 0;
    for (const { cost } of plan.values()) total += cost.total;
    for (const partner of used) total += distance(partner, destinationCountry).parcel;
    // Sets come in a fixed order, and only a strictly better one replaces the best so far: the result is deterministic.
    if (best === null || total < best.total || (total === best.total && used.size < best.parcels)) {
      best = { plan, total, parcels: used.size };
    }
    return total;
  };

  if (useful.length <= EXHAUSTIVE_PARTNERS) {
    for (let bits = 1; bits < 2 ** useful.length; bits++) {
      consider(new Set(useful.filter((_, index) => (bits >> index) & 1)));
    }
  } else {
    shrinkSet(weighed, useful, consider);
  }
  return (best as { plan: Plan } | null)?.plan ?? null;
}

/**
 * Tries every partner alone. Then starts from the partners that are among the cheapest of some item (from all partners
 * when those have too little stock) and removes, one by one, the partner whose removal lowers the total most.
 */
function shrinkSet(
  weighed: readonly WeighedItem[],
  useful: readonly CandidatePartner[],
  consider: (chosen: ReadonlySet<CandidatePartner>) => number,
): void {
  for (const partner of useful) consider(new Set([partner]));
  const cheapest = weighed.flatMap(({ options }) => options.slice(0, CHEAPEST_KEPT));
  let chosen = new Set(cheapest.map(({ partner }) => partner));
  let total = consider(chosen);
  if (total === Number.POSITIVE_INFINITY) {
    chosen = new Set(useful);
    total = consider(chosen);
  }
  while (chosen.size > 1) {
    let best: { without: CandidatePartner; total: number } | null = null;
    for (const partner of chosen) {
      const rest = new Set([...chosen].filter((other) => other !== partner));
      const restTotal = consider(rest);
      if (restTotal <= total && (best === null || restTotal < best.total)) {
        best = { without: partner, total: restTotal };
      }
    }
    if (best === null) return;
    total = best.total;
    chosen.delete(best.without);
  }
}

/** Assigns each item to the cheapest chosen partner with enough stock left; null when an item remains unassigned. */
function assignWithin(items: readonly WeighedItem[], chosen: ReadonlySet<CandidatePartner>): Plan | null {
  const plan = new Map<string, Option>();
  const taken = new Map<string, number>();
  for (const { item, needs, options } of items) {
    const option = options.find((candidate) => chosen.has(candidate.partner) && hasLeft(candidate, needs, taken));
    if (!option) return null;
    for (const [sku, units] of needs) {
      const key = `${option.partner.uid}/${sku}`;
      taken.set(key, (taken.get(key) ?? 0) + units);
    }
    plan.set(item.itemId, option);
  }
  return plan;
}

function hasLeft(option: Option, needs: ReadonlyMap<string, number>, taken: ReadonlyMap<string, number>): boolean {
  if (option.backordered) return true;
  for (const [sku, units] of needs) {
    const available = option.partner.stock[sku]?.available ?? null;
    if (available !== null && available < units + (taken.get(`${option.partner.uid}/${sku}`) ?? 0)) return false;
  }
  return true;
}
