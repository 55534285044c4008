import type { CandidatePartner } from './routing-decision';
import { compareText, distance, type Option, type WeighedItem } from './routing-weights';

/** Largest number of partners for which every subset is tried (255 sets, some milliseconds for 30 items). */
const EXHAUSTIVE_PARTNERS = 8;
/** With more partners, the search starts from this number of cheapest options of each item. */
const CHEAPEST_KEPT = 3;

/** Chosen option of each item, by item id. */
export type Plan = ReadonlyMap<string, Option>;

/** Returns the cheapest assignment of all items, or null when the stock is not enough for all of them. */
export function cheapestPlan(
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
