import type { ResolvedProduct } from '../../catalog/domain/product';
import { convertMinor } from '../../platform/domain/money';
import { addDays } from '../../platform/domain/working-days';
import { daysBetween, dispatchDate, type Production, productionFrom } from './calendar';
import { servesCountry } from './capabilities';
import {
  type Alternative,
  type CandidatePartner,
  type Cost,
  type Passage,
  REJECTIONS,
  type RefusingReason,
  type RejectionReason,
  type RoutingItem,
  type RoutingRequest,
} from './routing-decision';

const BACKORDER_COST = 1_500;
const UNKNOWN_STOCK_COST = 100;
/** Days until production of backordered stock without a replenishment date starts. */
const BACKORDER_DAYS = 14;

export interface Option {
  readonly partner: CandidatePartner;
  readonly cost: Cost;
  /** Why an order with this option is refused, or null. */
  readonly refusal: RefusingReason | null;
  readonly production: Production;
  readonly dispatchDate: string;
  /** YYYY-MM-DD. The last day of delivery with the method that the order would choose. */
  readonly deliveryDate: string;
  readonly backordered: boolean;
  readonly productionMinor: number;
}

export interface WeighedItem {
  readonly item: RoutingItem;
  /** Units of each stocked part that the item needs, by partner SKU. */
  readonly needs: ReadonlyMap<string, number>;
  /** Cheapest first, after them those with which the order is refused. */
  readonly options: readonly Option[];
  readonly rejected: readonly Rejected[];
}

type Rejected = Extract<Alternative, { verdict: 'rejected' }>;

/** Compares texts by code unit, independently of the locale. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the latest dispatch date of items that ship together, at least one, and the production that it follows from. */
export const latest = (items: readonly Pick<Option, 'dispatchDate' | 'production'>[]) => {
  const last = items.reduce((a, b) => (a.dispatchDate >= b.dispatchDate ? a : b));
  return { dispatchDate: last.dispatchDate, production: last.production };
};

/** Returns the units of each stocked part that a quantity of a product needs, by partner SKU. */
export function stockNeeds(product: ResolvedProduct, quantity: number): ReadonlyMap<string, number> {
  const needs = new Map<string, number>();
  for (const { partnerSku, quantity: perUnit } of product.parts) {
    if (partnerSku !== null) needs.set(partnerSku, (needs.get(partnerSku) ?? 0) + perUnit * quantity);
  }
  return needs;
}

/** Returns the models that a partner must offer: the product's own and those of printed parts and services. */
export function modelsOf(product: ResolvedProduct): ReadonlySet<string> {
  const made = product.parts.filter(({ type }) => type !== 'stock').map(({ modelUid }) => modelUid);
  return new Set([product.modelUid, ...made]);
}

/**
 * Returns the items, in an order of their own, with the options at all partners and why the others cannot make them. Yields
 * between steps: 500 items with 60 partners take a third of a second.
 */
export function* weighItems(request: RoutingRequest): Generator<void, WeighedItem[]> {
  const partners = [...request.partners].sort((a, b) => compareText(a.uid, b.uid));
  const dates = new Map<string, string>();
  const weighed: WeighedItem[] = [];
  for (const item of [...request.items].sort((a, b) => compareText(a.itemId, b.itemId))) {
    weighed.push(weighItem(item, partners, request, dates));
    yield;
  }
  const shared = yield* sharePassages(weighed, request);
  return weighed.map((entry) => ({
    ...entry,
    options: entry.options
      .map((option) => shared.get(option)!)
      .sort((a, b) => rankOf(a) - rankOf(b) || compareText(a.partner.uid, b.partner.uid)),
  }));
}

/** More than any order costs: what refuses the order comes last. */
export const REFUSED = 1e12;
const rankOf = ({ cost, refusal }: Option) => cost.total + (refusal === null ? 0 : REFUSED);

function weighItem(
  item: RoutingItem,
  partners: readonly CandidatePartner[],
  request: RoutingRequest,
  dates: Map<string, string>,
): WeighedItem {
  const needs = stockNeeds(item.product, item.quantity);
  const options: Option[] = [];
  const rejected: Rejected[] = [];
  for (const partner of partners) {
    const weighed = weighPartner(item, needs, partner, request, dates);
    if (Array.isArray(weighed)) options.push(...weighed);
    else rejected.push(rejection(partner, weighed.reason, weighed.subject));
  }
  return { item, needs, options, rejected };
}

export function rejection(partner: CandidatePartner, reason: RejectionReason, subject?: string): Rejected {
  const { text } = REJECTIONS[reason];
  const detail = subject === undefined ? text : `${text}: ${subject}`;
  return { partnerId: partner.partnerId, partnerUid: partner.uid, verdict: 'rejected', reason, detail };
}

/** Largest number of items that are tried alone when no method carries all of them. */
const TRIED_ALONE = 20;

/**
 * Adds to each option its share, by weight, of the passage that all items of its kind would have from its partner. So few
 * passages are computed, and the cost of an item counts that others share its parcel.
 */
function* sharePassages(
  weighed: readonly WeighedItem[],
  request: RoutingRequest,
): Generator<void, Map<Option, Option>> {
  const { passageOf, weights, at } = request;
  const today = at.toISOString().slice(0, 10);
  const shared = new Map<Option, Option>();
  const all = weighed.flatMap(({ item, options }) => options.map((option) => ({ item, option })));
  const share = (group: typeof all): void => {
    // An item with two options is backordered with the second one. The first one stands for both.
    const first = group.filter(({ item }, index) => group[index - 1]?.item !== item);
    const { partner } = first[0]!.option;
    const last = latest(first.map(({ option }) => option));
    const shipped = last.dispatchDate;
    const passage = passageOf({
      partnerId: partner.partnerId,
      partnerUid: partner.uid,
      kind: first[0]!.item.product.kind,
      items: first.map(({ item: { itemId, quantity } }) => ({ itemId, quantity })),
      ...last,
    });
    if (passage.refusal === 'no_shipment_method' && first.length > 1 && first.length <= TRIED_ALONE) {
      for (const alone of Map.groupBy(group, ({ item }) => item).values()) share(alone);
      return;
    }
    const grams = ({ product, quantity }: RoutingItem) => Math.max(1, product.unitWeightGrams) * quantity;
    const total = first.reduce((sum, { item }) => sum + grams(item), 0);
    for (const { item, option } of group) {
      const transitDays = daysBetween(shipped, passage.deliveryDate);
      const days = Math.max(0, daysBetween(today, option.dispatchDate)) + transitDays;
      const { production, stock } = option.cost;
      const cost = costOf({ production, stock, passages: [passage], days, weights, share: grams(item) / total });
      const deliveryDate = addDays(option.dispatchDate, transitDays);
      shared.set(option, { ...option, cost, deliveryDate, refusal: passage.refusal });
    }
  };
  for (const group of Map.groupBy(all, ({ item, option }) => `${option.partner.uid}/${item.product.kind}`).values()) {
    share(group);
    yield;
  }
  return shared;
}

/** Returns what production and passages cost together. @param share of the passages, 0 to 1 */
export function costOf(given: {
  readonly production: number;
  readonly stock: number;
  readonly passages: readonly Passage[];
  readonly days: number;
  readonly weights: RoutingRequest['weights'];
  readonly share?: number;
}): Cost {
  const { production, stock, passages, days, weights, share = 1 } = given;
  const postage = Math.round(share * passages.reduce((sum, passage) => sum + passage.postage, 0));
  const time = Math.round(share * days * weights.day);
  const parcels = Math.round(share * passages.reduce((sum, passage) => sum + passage.parcels, 0) * weights.parcel);
  const borders = Math.round(share * passages.filter(({ crossesBorder }) => crossesBorder).length * weights.border);
  const total = production + stock + postage + time + parcels + borders;
  return { production, postage, time, parcels, borders, stock, total };
}

function weighPartner(
  { product, quantity }: RoutingItem,
  needs: ReadonlyMap<string, number>,
  partner: CandidatePartner,
  { destinationCountry, at, rates, excludedPartnerIds, weights }: RoutingRequest,
  dates: Map<string, string>,
): Option[] | { reason: RejectionReason; subject?: string } {
  const { capabilities } = partner;
  if (excludedPartnerIds?.includes(partner.partnerId)) return { reason: 'excluded' };
  if (!capabilities.productKinds.includes(product.kind)) return { reason: 'kind_not_made', subject: product.kind };
  const offers = [];
  for (const modelUid of modelsOf(product)) {
    const offer = capabilities.models[modelUid];
    if (!offer) return { reason: 'model_not_made', subject: modelUid };
    offers.push(offer);
  }
  if (!servesCountry(capabilities, destinationCountry)) {
    return { reason: 'destination_not_served', subject: destinationCountry };
  }
  if (!partner.enabled) return { reason: 'disabled' };
  if (!partner.subscribed) return { reason: 'not_subscribed' };

  const today = at.toISOString().slice(0, 10);
  const { short, unknown, backorderFrom } = weighStock(partner, needs, today);
  if (short !== null && backorderFrom === null) return { reason: 'out_of_stock', subject: short };

  const busyDays = Math.floor((partner.openUnits + quantity - 1) / capabilities.capacityPerDay);
  const leadDays = Math.max(...offers.map((offer) => offer.leadDays)) + busyDays;
  const productionMinor = capabilities.models[product.modelUid]!.unitPriceMinor * quantity;
  const production = convertMinor(productionMinor, partner.currency, 'EUR', rates);
  const option = (stock: number, notBefore?: string): Option => {
    // Hundreds of items have few different dates, and a date takes 50 µs.
    const key = `${partner.uid}/${leadDays}/${notBefore}`;
    const { calendar } = capabilities;
    const made = { from: productionFrom(calendar, at, notBefore), leadDays };
    const date = dates.get(key) ?? dispatchDate(calendar, made);
    dates.set(key, date);
    const cost = costOf({ production, stock, passages: [], days: 0, weights });
    const backordered = notBefore !== undefined;
    return {
      ...{ partner, cost, refusal: null, production: made, backordered, productionMinor },
      dispatchDate: date,
      deliveryDate: date,
    };
  };
  const options = short === null ? [option(unknown ? UNKNOWN_STOCK_COST : 0)] : [];
  // Offered beside available stock too: another item of the order can take that stock.
  if (backorderFrom !== null) options.push(option(BACKORDER_COST, backorderFrom));
  return options;
}

/**
 * Compares a partner's stock with the needs. Returns the first SKU with too few units, whether any SKU is unknown, and
 * the day from which a backorder covers the needs (null when an SKU allows no backorder, or none is counted).
 */
function weighStock(
  { stock }: CandidatePartner,
  needs: ReadonlyMap<string, number>,
  today: string,
): { short: string | null; unknown: boolean; backorderFrom: string | null } {
  let short: string | null = null;
  let unknown = false;
  let allowed = true;
  let from: string | null = null;
  for (const [sku, units] of needs) {
    const level = stock[sku];
    if (level === undefined) {
      unknown = true;
      continue;
    }
    const { available, allowBackorder, replenishmentDate } = level;
    if (available === null) continue;
    if (available < units) short ??= sku;
    allowed &&= allowBackorder;
    const start =
      replenishmentDate !== null && replenishmentDate >= today ? replenishmentDate : addDays(today, BACKORDER_DAYS);
    if (from === null || start > from) from = start;
  }
  return { short, unknown, backorderFrom: allowed ? from : null };
}
