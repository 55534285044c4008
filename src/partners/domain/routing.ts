import { daysBetween } from './calendar';
import {
  type Alternative,
  type Assignment,
  type CandidatePartner,
  type Cost,
  type ItemExplanation,
  type PlannedPrintOrder,
  REJECTIONS,
  type RoutedPlan,
  type RoutingDecision,
  type RoutingRequest,
  UNROUTABLE_TEXTS,
  type UnroutableCode,
} from './routing-decision';
import { whyChosen } from './routing-reason';
import {
  compareText,
  costOf,
  latest,
  type Option,
  REFUSED,
  rejection,
  type WeighedItem,
  weighItems,
} from './routing-weights';

/** A way to make all items of an order. */
export interface Plan {
  readonly options: ReadonlyMap<string, Option>;
  readonly printOrders: readonly PlannedPrintOrder[];
}

/** The plans that are possible, cheapest first. */
export interface Ranking {
  readonly ok: true;
  readonly plans: readonly Plan[];
  readonly weighed: readonly WeighedItem[];
  /** The cheapest plan with which the order would be refused. */
  readonly refused: Plan | undefined;
}

/** Plans that a decision lists. */
const PLANS_SHOWN = 3;

/**
 * Returns the plans of an order, cheapest first, or why there is none. A plan gives every item to one partner that can
 * make it and ships to the destination. Its cost is production, the postage of each print order's parcels, and what an
 * operator adds for days, parcels and borders. A plan with which the order is refused comes last. The result does not
 * depend on the order of items or partners.
 *
 * With few partners every subset is tried; with many partners or items the search is greedy. Each partner alone is
 * always tried. When items of one order compete for stock, the item with the fewest alternatives is served first. Yields
 * between steps.
 */
export function* rankPlans(
  request: RoutingRequest,
): Generator<void, Ranking | Extract<RoutingDecision, { ok: false }>> {
  const weighed = yield* weighItems(request);
  const impossible = weighed.filter(({ options }) => options.length === 0);
  if (impossible.length > 0) return unroutable(impossible, weighed);
  const plans = yield* plansOf(weighed, request);
  const refused = plans.find(({ rank }) => rank >= REFUSED);
  if (plans.length > 0) return { ok: true, plans, weighed, refused };
  // Each item alone has an option, but the stock is not enough for all of them.
  return unroutable(
    weighed.filter(({ needs }) => needs.size > 0),
    weighed,
  );
}

/**
 * Chooses the cheapest of ranked plans by the passages that carriers have returned for them. Its explanation lists every
 * partner for every item, with the reason why it was not chosen.
 */
export function choosePlan(
  { weighed, refused }: Ranking,
  plans: readonly Plan[],
  request: RoutingRequest,
): { readonly chosen: Plan; readonly isRefused: boolean; readonly decision: Extract<RoutingDecision, { ok: true }> } {
  const priced = plans
    .map((plan) => ({ plan, ...pricePlan(plan, request) }))
    .sort((a, b) => a.rank - b.rank || a.plan.printOrders.length - b.plan.printOrders.length);
  const [{ plan, refusals, view }] = priced as [(typeof priced)[number]];
  const possible = refusals.length > 0 ? priced : priced.filter((other) => other.refusals.length === 0);
  const shown = [view, ...possible.slice(1, PLANS_SHOWN).map((one) => one.view)] as const;
  const avoided = refused && pricePlan(refused, request);
  const isAvoidedCheaper = avoided !== undefined && avoided.view.cost.total < view.cost.total;
  const decision = {
    ok: true as const,
    assignments: weighed.map(({ item }) => assignment(item, plan.options.get(item.itemId)!)),
    plans: [...shown],
    why: whyChosen(shown, refusals, isAvoidedCheaper ? avoided.refusals : []),
    explanation: weighed.map((entry) => explain(entry, plan.options.get(entry.item.itemId)!)),
  };
  return { chosen: plan, isRefused: refusals.length > 0, decision };
}

/** Routes an order by what is known without a request to a carrier. */
export function routeOrder(request: RoutingRequest): RoutingDecision {
  const steps = rankPlans(request);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const ranking = step.value;
  return ranking.ok ? choosePlan(ranking, ranking.plans.slice(0, PLANS_SHOWN), request).decision : ranking;
}

/** Returns the cost of a plan, the number by which plans are compared, and the print orders with which it is refused. */
function pricePlan(
  { options, printOrders }: Plan,
  { passageOf, weights, at }: RoutingRequest,
): { readonly view: RoutedPlan; readonly rank: number; readonly refusals: readonly string[] } {
  const passages = printOrders.map(passageOf);
  const deliveryDate = passages.map((passage) => passage.deliveryDate).reduce((a, b) => (a > b ? a : b));
  const sum = (of: keyof Cost) => [...options.values()].reduce((minor, { cost }) => minor + cost[of], 0);
  const days = Math.max(0, daysBetween(at.toISOString().slice(0, 10), deliveryDate));
  const cost = costOf({ production: sum('production'), stock: sum('stock'), passages, days, weights });
  const refusals = printOrders.flatMap(({ partnerUid }, index) => {
    const { refusal } = passages[index]!;
    return refusal === null ? [] : [`${partnerUid} ${REJECTIONS[refusal].text}`];
  });
  const view = {
    printOrders: printOrders.map(({ partnerId, partnerUid, kind }, index) => {
      const { parcels } = passages[index]!;
      return { partnerId, partnerUid, kind, parcels };
    }),
    deliveryDate,
    cost,
  };
  return { view, rank: cost.total + refusals.length * REFUSED, refusals: [...new Set(refusals)] };
}

function assignment(item: WeighedItem['item'], option: Option): Assignment {
  return {
    itemId: item.itemId,
    quantity: item.quantity,
    kind: item.product.kind,
    partnerId: option.partner.partnerId,
    partnerUid: option.partner.uid,
    production: option.production,
    dispatchDate: option.dispatchDate,
    backordered: option.backordered,
    productionCost: { minor: option.productionMinor, currency: option.partner.currency },
  };
}

function explain({ item, options, rejected }: WeighedItem, chosen?: Option): ItemExplanation {
  // A partner can have two options, with and without a backorder. Show one: the chosen or else the cheapest.
  const shown = options.filter(
    (option) =>
      option.refusal === null &&
      (option === chosen ||
        option === options.find(({ partner }) => partner === option.partner && partner !== chosen?.partner)),
  );
  const refusing = new Map(options.flatMap(({ partner, refusal }) => (refusal === null ? [] : [[partner, refusal]])));
  const weighed = shown.map(
    (option): Alternative => ({
      partnerId: option.partner.partnerId,
      partnerUid: option.partner.uid,
      // `dearer_overall`: cheaper for this item alone, but it adds a parcel, or its stock went to another item.
      verdict:
        option === chosen ? 'chosen' : chosen && option.cost.total < chosen.cost.total ? 'dearer_overall' : 'dearer',
      cost: option.cost,
      dispatchDate: option.dispatchDate,
      deliveryDate: option.deliveryDate,
      backordered: option.backordered,
    }),
  );
  weighed.sort((a, b) => Number(b.verdict === 'chosen') - Number(a.verdict === 'chosen'));
  const refused = [...refusing].map(([partner, reason]) => rejection(partner, reason));
  return { itemId: item.itemId, alternatives: [...weighed, ...refused, ...rejected] };
}

function unroutable(
  impossible: readonly WeighedItem[],
  all: readonly WeighedItem[],
): Extract<RoutingDecision, { ok: false }> {
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
      ...latest(group),
    }));
}

/**
 * Largest product of items and subsets of partners for which every subset is tried: 8 partners and 16 items, or 4 partners and
 * 256 items (about 30 ms).
 */
const EXHAUSTIVE = 4_096;
/** A greedy search starts from this number of cheapest options of each item. */
const CHEAPEST_KEPT = 3;

function* plansOf(
  weighed: readonly WeighedItem[],
  request: RoutingRequest,
): Generator<void, (Plan & { readonly rank: number })[]> {
  const useful = [...new Set(weighed.flatMap(({ options }) => options.map(({ partner }) => partner)))].sort((a, b) =>
    compareText(a.uid, b.uid),
  );
  const choice = ({ options }: WeighedItem) => options.filter(({ backordered }) => !backordered).length;
  const scarcestFirst = [...weighed].sort((a, b) => choice(a) - choice(b) || compareText(a.item.itemId, b.item.itemId));
  const found = new Map<string, Plan & { readonly rank: number }>();
  const consider = (chosen: ReadonlySet<CandidatePartner>): number => {
    const options = assignWithin(scarcestFirst, chosen);
    if (options === null) return Number.POSITIVE_INFINITY;
    const assignments = weighed.map(({ item }) => assignment(item, options.get(item.itemId)!));
    const printOrders = groupIntoPrintOrders(assignments);
    const key = printOrders.map(keyOf).join(' ');
    const known = found.get(key);
    if (known !== undefined) return known.rank;
    const plan = { options, printOrders };
    const { rank } = pricePlan(plan, request);
    found.set(key, { ...plan, rank });
    return rank;
  };

  if (2 ** useful.length * weighed.length <= EXHAUSTIVE) {
    for (let bits = 1; bits < 2 ** useful.length; bits++) {
      const chosen = useful.filter((_, index) => (bits >> index) & 1);
      if (chosen.length <= weighed.length) consider(new Set(chosen));
      yield;
    }
  } else {
    yield* shrinkSet(weighed, useful, consider);
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank || a.printOrders.length - b.printOrders.length);
}

/** Returns a text that is equal for print orders with the same items and dispatch date at the same partner. */
export const keyOf = ({ partnerUid, kind, items, dispatchDate }: PlannedPrintOrder): string =>
  `${partnerUid}/${kind}/${dispatchDate}/${items.map(({ itemId }) => itemId).join()}`;

/**
 * Tries every partner alone. Then starts from the partners that are among the cheapest of some item (from all partners
 * when those have too little stock) and removes, one by one, the partner whose removal lowers the total most.
 */
function* shrinkSet(
  weighed: readonly WeighedItem[],
  useful: readonly CandidatePartner[],
  consider: (chosen: ReadonlySet<CandidatePartner>) => number,
): Generator<void> {
  for (const partner of useful) {
    consider(new Set([partner]));
    yield;
  }
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
      yield;
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
function assignWithin(
  items: readonly WeighedItem[],
  chosen: ReadonlySet<CandidatePartner>,
): ReadonlyMap<string, Option> | null {
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
