import type { ProductKind, ResolvedProduct } from '../../catalog/domain/product';
import { isCrossBorder } from '../../orders/domain/cross-border';
import { convertMinor, type RateTable } from '../../platform/domain/money';
import { daysBetween, dispatchDate } from './calendar';
import type { PartnerCapabilities } from './capabilities';

/** What a partner has of a stocked part. */
export interface StockLevel {
  /** Units that can be taken now; null when the partner says in stock and no number. */
  readonly available: number | null;
  /** YYYY-MM-DD on which more comes in, where that is known. */
  readonly replenishmentDate: string | null;
  /** Whether print jobs may wait for more. */
  readonly allowBackorder: boolean;
}

/** A partner as routing weighs it. */
export interface CandidatePartner {
  readonly partnerId: string;
  readonly uid: string;
  /** Country it ships from. */
  readonly country: string;
  /** Currency of its prices. */
  readonly currency: string;
  readonly enabled: boolean;
  /** Whether it has told where print orders go. */
  readonly subscribed: boolean;
  readonly capabilities: PartnerCapabilities;
  /** By partner SKU. One that is missing here is unknown: the partner is taken at its word that it makes the model. */
  readonly stock: Readonly<Record<string, StockLevel>>;
  /** Units it has taken on and not yet printed. */
  readonly openUnits: number;
}

export interface RoutingItem {
  readonly itemId: string;
  readonly product: ResolvedProduct;
  readonly quantity: number;
}

export interface RoutingRequest {
  readonly items: readonly RoutingItem[];
  /** ISO 3166-1 alpha-2. */
  readonly destinationCountry: string;
  readonly partners: readonly CandidatePartner[];
  /** When the print orders would be handed over. */
  readonly at: Date;
  readonly rates: RateTable;
  /** Partners that must not get these items: an operator routes away from them. */
  readonly excludedPartnerIds?: readonly string[];
}

/** Why a partner cannot have an item. */
export type RejectionReason = keyof typeof REJECTIONS;

/** `passing`: the same partner may well take the item later, so an order can wait for it. */
const REJECTIONS = {
  excluded: { passing: false, says: 'left out by an operator' },
  kind_not_made: { passing: false, says: 'does not make products of this kind' },
  model_not_made: { passing: false, says: 'does not make this product model' },
  destination_not_served: { passing: false, says: 'does not ship to this country' },
  disabled: { passing: true, says: 'is switched off' },
  not_subscribed: { passing: true, says: 'has not subscribed yet' },
  out_of_stock: { passing: true, says: 'is out of stock' },
} as const satisfies Record<string, { passing: boolean; says: string }>;

export const REJECTION_REASONS = Object.keys(REJECTIONS) as RejectionReason[];

/**
 * What one choice costs, in euro cents. Money and time are put on one scale, so that a decision
 * can be read as a sum: the partner's price, and what the rest is worth.
 */
export interface ItemCost {
  readonly production: number;
  /** Calendar days until dispatch, at `DAY_COST` each. */
  readonly waiting: number;
  /** Days on the road, by how far the destination is, at `DAY_COST` each. */
  readonly transit: number;
  /** Risk of stock that is on order or not known. */
  readonly stock: number;
  readonly total: number;
}

/** What a day sooner is worth, in euro cents. */
const DAY_COST = 80;
const BACKORDER_COST = 1_500;
const UNKNOWN_STOCK_COST = 100;
/**
 * By where the destination is from the partner. `parcel`: what each further partner costs, in euro cents: a print
 * order, a parcel, a delivery the recipient must be home for, a declaration. `days`: usual days on the road; the
 * order's own method is quoted only once it is known who ships.
 */
const DISTANCES = {
  domestic: { parcel: 500, days: 2 },
  sameTerritory: { parcel: 900, days: 4 },
  crossBorder: { parcel: 2_400, days: 8 },
} as const;
/** Start of production of backordered stock whose date the partner does not know. */
const BACKORDER_DAYS = 14;
/** Up to here every set of partners is tried (1,023 sets); beyond, partners are dropped from the full set one at a time. */
const EXHAUSTIVE_PARTNERS = 10;

export type Alternative =
  | {
      readonly partnerId: string;
      readonly partnerUid: string;
      readonly verdict: 'rejected';
      readonly reason: RejectionReason;
      /** In words, for operators. */
      readonly detail: string;
    }
  | {
      readonly partnerId: string;
      readonly partnerUid: string;
      readonly verdict: 'chosen' | 'dearer' | 'dearer_overall';
      readonly cost: ItemCost;
      readonly dispatchDate: string;
      readonly backordered: boolean;
    };

/** One item at the partner that makes it. */
export interface Assignment {
  readonly itemId: string;
  readonly quantity: number;
  readonly kind: ProductKind;
  readonly partnerId: string;
  readonly partnerUid: string;
  /** YYYY-MM-DD. */
  readonly dispatchDate: string;
  readonly backordered: boolean;
  /** What the partner asks for all units, in its currency. */
  readonly productionCost: { readonly minor: number; readonly currency: string };
}

export interface ItemExplanation {
  readonly itemId: string;
  /** Every partner looked at: the chosen one first, then by cost, then the rejected. */
  readonly alternatives: readonly Alternative[];
}

export type RoutingDecision =
  | {
      readonly ok: true;
      readonly assignments: readonly Assignment[];
      /** Parcel cost of each partner used, in euro cents, by partner uid. */
      readonly parcels: Readonly<Record<string, number>>;
      readonly explanation: readonly ItemExplanation[];
    }
  | {
      readonly ok: false;
      /** Items no partner can have. `passing`: at least one partner may take it later. */
      readonly unroutable: readonly {
        readonly itemId: string;
        readonly passing: boolean;
        readonly reason: string;
      }[];
      readonly explanation: readonly ItemExplanation[];
    };

interface Option {
  readonly partner: CandidatePartner;
  readonly cost: ItemCost;
  readonly dispatchDate: string;
  readonly backordered: boolean;
  readonly productionMinor: number;
}

interface WeighedItem {
  readonly item: RoutingItem;
  /** Units of each stocked part that the item takes. */
  readonly needs: ReadonlyMap<string, number>;
  /** Cheapest first. */
  readonly options: readonly Option[];
  readonly rejected: readonly Extract<Alternative, { verdict: 'rejected' }>[];
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Chooses who makes what: every item goes whole to one partner that can make it and ships to the destination,
 * at the least cost over the order, where each further partner costs a parcel. Equal inputs in any sequence
 * give the same decision, and every item tells which partners were looked at and why they lost.
 *
 * Partners are few and sets of them are tried in full, so the choice of partners is the best one; stock that
 * items of one order compete for is given to the item with the fewest alternatives first.
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
  const weighed = options.map(
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

/** Units of each stocked part that a quantity of a product takes. */
export function stockNeeds(product: ResolvedProduct, quantity: number): ReadonlyMap<string, number> {
  const needs = new Map<string, number>();
  for (const { partnerSku, quantity: perUnit } of product.parts) {
    if (partnerSku !== null) needs.set(partnerSku, (needs.get(partnerSku) ?? 0) + perUnit * quantity);
  }
  return needs;
}

/** Models a partner must make: the product's own, and those of the parts that are printed or done by hand. */
function modelsOf(product: ResolvedProduct): ReadonlySet<string> {
  const made = product.parts.filter(({ type }) => type !== 'stock').map(({ modelUid }) => modelUid);
  return new Set([product.modelUid, ...made]);
}

function weighItem(
  item: RoutingItem,
  partners: readonly CandidatePartner[],
  request: RoutingRequest,
): WeighedItem {
  const needs = stockNeeds(item.product, item.quantity);
  const options: Option[] = [];
  const rejected: Extract<Alternative, { verdict: 'rejected' }>[] = [];
  for (const partner of partners) {
    const weighed = weighPartner(item, needs, partner, request);
    if ('cost' in weighed) options.push(weighed);
    else {
      const { reason, about } = weighed;
      const detail = about === undefined ? REJECTIONS[reason].says : `${REJECTIONS[reason].says}: ${about}`;
      rejected.push({
        partnerId: partner.partnerId,
        partnerUid: partner.uid,
        verdict: 'rejected',
        reason,
        detail,
      });
    }
  }
  options.sort((a, b) => a.cost.total - b.cost.total || compareText(a.partner.uid, b.partner.uid));
  return { item, needs, options, rejected };
}

function weighPartner(
  { product, quantity }: RoutingItem,
  needs: ReadonlyMap<string, number>,
  partner: CandidatePartner,
  { destinationCountry, at, rates, excludedPartnerIds }: RoutingRequest,
): Option | { reason: RejectionReason; about?: string } {
  const { capabilities, stock } = partner;
  if (excludedPartnerIds?.includes(partner.partnerId)) return { reason: 'excluded' };
  if (!capabilities.productKinds.includes(product.kind))
    return { reason: 'kind_not_made', about: product.kind };
  const offers = [];
  for (const modelUid of modelsOf(product)) {
    const offer = capabilities.models[modelUid];
    if (!offer) return { reason: 'model_not_made', about: modelUid };
    offers.push(offer);
  }
  const served = capabilities.countriesServed;
  if (!served.includes('*') && !served.includes(destinationCountry)) {
    return { reason: 'destination_not_served', about: destinationCountry };
  }
  if (!partner.enabled) return { reason: 'disabled' };
  if (!partner.subscribed) return { reason: 'not_subscribed' };

  const today = at.toISOString().slice(0, 10);
  let backordered = false;
  let unknown = false;
  let notBefore: string | undefined;
  for (const [sku, units] of needs) {
    const level = stock[sku];
    if (!level) unknown = true;
    else if (level.available !== null && level.available < units) {
      if (!level.allowBackorder) return { reason: 'out_of_stock', about: sku };
      backordered = true;
      const due = new Date(at.getTime() + BACKORDER_DAYS * 86_400_000).toISOString().slice(0, 10);
      const start =
        level.replenishmentDate !== null && level.replenishmentDate >= today ? level.replenishmentDate : due;
      if (notBefore === undefined || start > notBefore) notBefore = start;
    }
  }

  const ownOffer = capabilities.models[product.modelUid]!;
  const busyDays = Math.floor((partner.openUnits + quantity - 1) / capabilities.capacityPerDay);
  const leadDays = Math.max(...offers.map((offer) => offer.leadDays)) + busyDays;
  const date = dispatchDate(capabilities.calendar, at, leadDays, notBefore);
  const productionMinor = ownOffer.unitPriceMinor * quantity;
  const production = convertMinor(productionMinor, partner.currency, 'EUR', rates);
  const waiting = Math.max(0, daysBetween(today, date)) * DAY_COST;
  const transit = distance(partner, destinationCountry).days * DAY_COST;
  const risk = backordered ? BACKORDER_COST : unknown ? UNKNOWN_STOCK_COST : 0;
  return {
    partner,
    cost: { production, waiting, transit, stock: risk, total: production + waiting + transit + risk },
    dispatchDate: date,
    backordered,
    productionMinor,
  };
}

function distance(
  partner: CandidatePartner,
  destinationCountry: string,
): (typeof DISTANCES)[keyof typeof DISTANCES] {
  if (partner.country === destinationCountry) return DISTANCES.domestic;
  return DISTANCES[isCrossBorder(partner.country, destinationCountry) ? 'crossBorder' : 'sameTerritory'];
}

type Plan = ReadonlyMap<string, Option>;

/** The cheapest way to give every item a partner, or null when the stock does not go round. */
function cheapestPlan(
  weighed: readonly WeighedItem[],
  partners: readonly CandidatePartner[],
  destinationCountry: string,
): Plan | null {
  const useful = partners.filter((partner) =>
    weighed.some(({ options }) => options.some((o) => o.partner === partner)),
  );
  const scarcestFirst = [...weighed].sort(
    (a, b) => a.options.length - b.options.length || compareText(a.item.itemId, b.item.itemId),
  );
  let best: { plan: Plan; total: number; parcels: number } | null = null;
  const consider = (chosen: ReadonlySet<CandidatePartner>): number => {
    const plan = assignWithin(scarcestFirst, chosen);
    if (plan === null) return Number.POSITIVE_INFINITY;
    const used = new Set([...plan.values()].map(({ partner }) => partner));
    let total = 0;
    for (const { cost } of plan.values()) total += cost.total;
    for (const partner of used) total += distance(partner, destinationCountry).parcel;
    // Sets come in a fixed sequence, and only a strictly better one replaces the first.
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
    shrinkSet(useful, consider);
  }
  return (best as { plan: Plan } | null)?.plan ?? null;
}

/** Starts from all partners and drops the one whose loss helps most, until none does; single partners are tried too. */
function shrinkSet(
  useful: readonly CandidatePartner[],
  consider: (chosen: ReadonlySet<CandidatePartner>) => number,
): void {
  let total = consider(new Set(useful));
  let chosen = new Set(useful);
  for (const partner of useful) consider(new Set([partner]));
  while (chosen.size > 1) {
    let best: { without: CandidatePartner; total: number } | null = null;
    for (const partner of chosen) {
      const rest = new Set([...chosen].filter((other) => other !== partner));
      const restTotal = consider(rest);
      if (restTotal <= total && (best === null || restTotal < best.total))
        best = { without: partner, total: restTotal };
    }
    if (best === null) return;
    total = best.total;
    chosen = new Set([...chosen].filter((other) => other !== best?.without));
  }
}

/** Gives each item the cheapest of these partners that has the stock left; null when one gets none. */
function assignWithin(items: readonly WeighedItem[], chosen: ReadonlySet<CandidatePartner>): Plan | null {
  const plan = new Map<string, Option>();
  const taken = new Map<string, number>();
  for (const { item, needs, options } of items) {
    const option = options.find(
      (candidate) => chosen.has(candidate.partner) && hasLeft(candidate, needs, taken),
    );
    if (!option) return null;
    for (const [sku, units] of needs) {
      const key = `${option.partner.uid}/${sku}`;
      taken.set(key, (taken.get(key) ?? 0) + units);
    }
    plan.set(item.itemId, option);
  }
  return plan;
}

function hasLeft(
  option: Option,
  needs: ReadonlyMap<string, number>,
  taken: ReadonlyMap<string, number>,
): boolean {
  if (option.backordered) return true;
  for (const [sku, units] of needs) {
    const available = option.partner.stock[sku]?.available ?? null;
    if (available !== null && available < units + (taken.get(`${option.partner.uid}/${sku}`) ?? 0))
      return false;
  }
  return true;
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
