import type { ResolvedProduct } from '../../catalog/domain/product';
import { convertMinor } from '../../platform/domain/money';
import { isCrossBorder } from '../../platform/domain/territories';
import { addDays } from '../../platform/domain/working-days';
import { daysBetween, dispatchDate } from './calendar';
import { servesCountry } from './capabilities';
import {
  type Alternative,
  type CandidatePartner,
  type ItemCost,
  REJECTIONS,
  type RejectionReason,
  type RoutingItem,
  type RoutingRequest,
} from './routing-decision';

/** Value of one day in euro cents. */
const DAY_COST = 80;
const BACKORDER_COST = 1_500;
const UNKNOWN_STOCK_COST = 100;
/**
 * Costs by distance of the destination. `parcel`: cost of each further partner in euro cents (a print order, a parcel, a
 * delivery, a customs declaration). `days`: usual days in transit; the order's shipment method is quoted only after
 * routing.
 */
const DISTANCES = {
  domestic: { parcel: 500, days: 2 },
  sameTerritory: { parcel: 900, days: 4 },
  crossBorder: { parcel: 2_400, days: 8 },
} as const;
/** Days until production of backordered stock without a replenishment date starts. */
const BACKORDER_DAYS = 14;

export interface Option {
  readonly partner: CandidatePartner;
  readonly cost: ItemCost;
  readonly dispatchDate: string;
  readonly backordered: boolean;
  readonly productionMinor: number;
}

export interface WeighedItem {
  readonly item: RoutingItem;
  /** Units of each stocked part that the item needs, by partner SKU. */
  readonly needs: ReadonlyMap<string, number>;
  /** Cheapest first. */
  readonly options: readonly Option[];
  readonly rejected: readonly Extract<Alternative, { verdict: 'rejected' }>[];
}

/** Compares texts by code unit, independently of the locale. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

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

/** Returns the options of an item at all partners, and the reasons of those that cannot make it. */
export function weighItem(
  item: RoutingItem,
  partners: readonly CandidatePartner[],
  request: RoutingRequest,
): WeighedItem {
  const needs = stockNeeds(item.product, item.quantity);
  const options: Option[] = [];
  const rejected: Extract<Alternative, { verdict: 'rejected' }>[] = [];
  for (const partner of partners) {
    const weighed = weighPartner(item, needs, partner, request);
    if (Array.isArray(weighed)) options.push(...weighed);
    else {
      const { reason, subject } = weighed;
      const { text } = REJECTIONS[reason];
      rejected.push({
        partnerId: partner.partnerId,
        partnerUid: partner.uid,
        verdict: 'rejected',
        reason,
        detail: subject === undefined ? text : `${text}: ${subject}`,
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
  const transit = distance(partner, destinationCountry).days * DAY_COST;
  const option = (stock: number, notBefore?: string): Option => {
    const date = dispatchDate(capabilities.calendar, at, leadDays, notBefore);
    const waiting = Math.max(0, daysBetween(today, date)) * DAY_COST;
    return {
      partner,
      cost: { production, waiting, transit, stock, total: production + waiting + transit + stock },
      dispatchDate: date,
      backordered: notBefore !== undefined,
      productionMinor,
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

export function distance(
  partner: CandidatePartner,
  destinationCountry: string,
): (typeof DISTANCES)[keyof typeof DISTANCES] {
  if (partner.country === destinationCountry) return DISTANCES.domestic;
  return DISTANCES[
    isCrossBorder({ country: partner.country }, { country: destinationCountry }) ? 'crossBorder' : 'sameTerritory'
  ];
}
