import type { ResolvedProduct } from '../../catalog/domain/product';
import { isCrossBorder } from '../../consignments/domain/cross-border';
import { convertMinor } from '../../platform/domain/money';
import { addDays } from '../../platform/domain/working-days';
import { daysBetween, dispatchDate } from './calendar';
import type {
  Alternative,
  CandidatePartner,
  ItemCost,
  RejectionReason,
  RoutingItem,
  RoutingRequest,
} from './routing-decision';
import { REJECTIONS } from './routing-decision';

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
/** One way to have an item made. */
export interface Option {
  readonly partner: CandidatePartner;
  readonly cost: ItemCost;
  readonly dispatchDate: string;
  readonly backordered: boolean;
  readonly productionMinor: number;
}

export interface WeighedItem {
  readonly item: RoutingItem;
  /** Units of each stocked part that the item takes. */
  readonly needs: ReadonlyMap<string, number>;
  /** Cheapest first. */
  readonly options: readonly Option[];
  readonly rejected: readonly Extract<Alternative, { verdict: 'rejected' }>[];
}

/** A fixed order of texts, the same in every locale. */
export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

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
): Option[] | { reason: RejectionReason; about?: string } {
  const { capabilities } = partner;
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
  const { short, unknown, backorderFrom } = weighStock(partner, needs, today);
  if (short !== null && backorderFrom === null) return { reason: 'out_of_stock', about: short };

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
  // Also beside stock that is there: another item of the order may take it.
  if (backorderFrom !== null) options.push(option(BACKORDER_COST, backorderFrom));
  return options;
}

/**
 * How a partner's stock meets the needs: the first SKU that falls short, whether any is unknown, and from when the
 * needs can be met by a backorder (null: not all of it may be, or nothing in it is counted).
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
      replenishmentDate !== null && replenishmentDate >= today
        ? replenishmentDate
        : addDays(today, BACKORDER_DAYS);
    if (from === null || start > from) from = start;
  }
  return { short, unknown, backorderFrom: allowed ? from : null };
}

export function distance(
  partner: CandidatePartner,
  destinationCountry: string,
): (typeof DISTANCES)[keyof typeof DISTANCES] {
  if (partner.country === destinationCountry) return DISTANCES.domestic;
  return DISTANCES[isCrossBorder(partner.country, destinationCountry) ? 'crossBorder' : 'sameTerritory'];
}
