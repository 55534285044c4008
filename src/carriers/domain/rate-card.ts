import {
  type Consignment,
  type ConsignmentPackage,
  type MethodQuote,
  priceOf,
} from '../../consignments/domain/consignment';
import { convertMinor, type RateTable, timesRate } from '../../platform/domain/money';
import { isCrossBorder, type Place, sharesCustoms, territoryOf } from '../../platform/domain/territories';

export interface ZoneRate {
  /** Price of each weight step, in minor units of the card's currency. A zone may end before the method's last step. */
  readonly minor: readonly number[];
  /** For each further kilogram, or part of one, above the last priced step. */
  readonly perKgMinor?: number;
  /** Working days in transit. */
  readonly days: readonly [min: number, max: number];
}

/** The largest and heaviest package that a method accepts. Sides are sorted, longest first. */
export interface SizeLimits {
  readonly grams: number;
  readonly longestMm: number;
  readonly secondMm?: number;
  readonly thicknessMm?: number;
  readonly sumOfSidesMm?: number;
  /** Longest side plus twice each of the others. */
  readonly lengthPlusGirthMm?: number;
}

/** An amount added to a package's price, in minor units of the rate card's currency. */
export type Surcharge =
  | { readonly kind: 'fuel'; readonly percent: string }
  | { readonly kind: 'oversize'; readonly overMm: number; readonly minor: number }
  | { readonly kind: 'heavy'; readonly overGrams: number; readonly minor: number }
  /** Round packages (`ROUND_BOXES`), which sorting machines cannot handle. */
  | { readonly kind: 'round'; readonly minor: number }
  | {
      readonly kind: 'islands';
      readonly postcodes: Readonly<Record<string, RegExp>>;
      readonly minor: number;
    };

export interface MethodRates {
  readonly uid: string;
  readonly name: string;
  readonly serviceType: MethodQuote['serviceType'];
  readonly tracked: boolean;
  readonly limits: SizeLimits;
  /** Cubic millimetres per gram of volumetric weight (5000 cm³ per kg is usual), or null when volume is not priced. */
  readonly volumetricDivisor: number | null;
  /** Weight steps of the prices in `zones`: ascending upper limits in grams. */
  readonly steps: readonly number[];
  readonly zones: Readonly<Partial<Record<Zone, ZoneRate>>>;
  /** Regions that the method delivers to. Default: those of the carrier. */
  readonly destinations?: readonly Region[];
  /** Days that a delivery promise adds to the transit time, for collection and sorting. */
  readonly paddingDays: number;
  readonly surcharges: readonly Surcharge[];
  /** Contact data of the receiver that the carrier requires. */
  readonly requires: readonly ('phone' | 'email')[];
  /** First letter of the S10 service indicator (UPU S10 annex), for postal methods. */
  readonly s10Prefix?: 'C' | 'E' | 'L' | 'R' | 'U';
  /** Class of service in the corner of the label. */
  readonly mark: string;
}

interface Card {
  readonly carrierUid: string;
  readonly carrierName: string;
  /** ISO 4217; the currency of every price on the card. */
  readonly currency: string;
  /** Countries of origin, each with its price level in percent of the card's prices. */
  readonly origins: Readonly<Record<string, number>>;
  /** Price level of all other countries of origin. Default: the carrier accepts no packages there. */
  readonly otherOrigins?: number;
  readonly destinations?: readonly Region[];
  /** Special territories (`territoryOf`) that the carrier does not serve. */
  readonly unserved?: readonly string[];
  readonly brandOnLabel: boolean;
  readonly methods: readonly MethodRates[];
}

/** A built-in carrier. A postal carrier has S10 numbers, a courier SSCCs with a GS1 company prefix of its own. */
export type RateCard = Card & ({ readonly kind: 'postal' } | { readonly kind: 'courier'; readonly gs1Prefix: string });

const ROUND_BOXES: ReadonlySet<string> = new Set(['tube', 'cylinder']);

function fits(pack: ConsignmentPackage, limits: SizeLimits): boolean {
  const [longest, second, shortest] = [pack.lengthMm, pack.widthMm, pack.heightMm].sort((a, b) => b - a) as [
    number,
    number,
    number,
  ];
  return (
    pack.grossWeightGrams <= limits.grams &&
    longest <= limits.longestMm &&
    second <= (limits.secondMm ?? Infinity) &&
    shortest <= (limits.thicknessMm ?? Infinity) &&
    longest + second + shortest <= (limits.sumOfSidesMm ?? Infinity) &&
    longest + 2 * (second + shortest) <= (limits.lengthPlusGirthMm ?? Infinity)
  );
}

/** Returns the highest of gross weight, computed and stated volumetric weight, in grams. */
export function billableGrams(pack: ConsignmentPackage, divisor: number | null): number {
  const actual = Math.ceil(pack.grossWeightGrams);
  if (divisor === null) return actual;
  const computed = Math.ceil((pack.lengthMm * pack.widthMm * pack.heightMm) / divisor);
  return Math.max(actual, computed, Math.ceil(pack.volumetricWeightGrams ?? 0));
}

function stepPrice({ steps }: MethodRates, { minor, perKgMinor }: ZoneRate, grams: number): number | undefined {
  const price = minor[steps.findIndex((upTo) => grams <= upTo)];
  if (price !== undefined || perKgMinor === undefined) return price;
  const last = minor.length - 1;
  return minor[last]! + Math.ceil((grams - steps[last]!) / 1000) * perKgMinor;
}

function surchargeMinor(
  surcharge: Surcharge,
  pack: ConsignmentPackage,
  consignment: Consignment,
  base: number,
): number {
  switch (surcharge.kind) {
    case 'fuel':
      return timesRate(base, surcharge.percent);
    case 'oversize':
      return Math.max(pack.lengthMm, pack.widthMm, pack.heightMm) > surcharge.overMm ? surcharge.minor : 0;
    case 'heavy':
      return pack.grossWeightGrams > surcharge.overGrams ? surcharge.minor : 0;
    case 'round':
      return pack.boxType !== undefined && ROUND_BOXES.has(pack.boxType) ? surcharge.minor : 0;
    case 'islands':
      return surcharge.postcodes[consignment.receiver.country]?.test(consignment.receiver.postcode)
        ? surcharge.minor
        : 0;
  }
}

/** Returns the prices and transit time of a method between two addresses. Undefined when it does not deliver there. */
function rateBetween(card: RateCard, method: MethodRates, consignment: Consignment): ZoneRate | undefined {
  const { sender, receiver } = consignment;
  if (card.unserved?.includes(territoryOf(receiver).name ?? '')) return undefined;
  const zone = zoneBetween(sender, receiver);
  const region = regionOf(receiver.country);
  const destinations = method.destinations ?? card.destinations;
  if (zone === undefined || region === undefined || destinations?.includes(region) === false) return undefined;
  return method.zones[zone];
}

/**
 * Returns the price of one package with a method, in minor units of the consignment's currency, surcharges included.
 * Returns undefined when the method does not carry the package.
 * @throws UnknownRateError when no exchange rate is known for the consignment's currency
 */
export function packagePrice(
  card: RateCard,
  method: MethodRates,
  consignment: Consignment,
  pack: ConsignmentPackage,
  rates: RateTable,
): number | undefined {
  const origin = card.origins[consignment.sender.country] ?? card.otherOrigins;
  const rate = rateBetween(card, method, consignment);
  if (origin === undefined || rate === undefined || !fits(pack, method.limits)) return undefined;
  const step = stepPrice(method, rate, billableGrams(pack, method.volumetricDivisor));
  if (step === undefined) return undefined;
  const base = timesRate(step, `${origin}e-2`);
  const total = method.surcharges.reduce((sum, each) => sum + surchargeMinor(each, pack, consignment, base), base);
  return convertMinor(total, card.currency, consignment.currency, rates);
}

/** Returns every method that carries all packages, with the price of all. @throws UnknownRateError */
export function quoteRateCard(card: RateCard, consignment: Consignment, rates: RateTable): MethodQuote[] {
  if (consignment.packages.length === 0) return [];
  // Hundreds of parcels of one size are priced once.
  const sizes = consignment.packages.map(({ items: _items, packageReferenceId: _reference, count: _count, ...size }) =>
    JSON.stringify(size),
  );
  return card.methods.flatMap((method) => {
    const rate = rateBetween(card, method, consignment);
    if (rate === undefined) return [];
    const known = new Map<string, number>();
    const packagesMinor: number[] = [];
    for (const [index, pack] of consignment.packages.entries()) {
      const size = sizes[index]!;
      const price = known.get(size) ?? packagePrice(card, method, consignment, pack, rates);
      if (price === undefined) return [];
      known.set(size, price);
      packagesMinor.push(price);
    }
    return {
      carrierUid: card.carrierUid,
      carrierName: card.carrierName,
      methodUid: method.uid,
      methodName: method.name,
      price: { minor: priceOf(consignment.packages, packagesMinor), currency: consignment.currency },
      packagesMinor,
      minDays: rate.days[0],
      maxDays: rate.days[1],
      paddingDays: method.paddingDays,
      serviceType: method.serviceType,
      tracked: method.tracked,
    };
  });
}

type Zone = 'domestic' | 'union' | 'continent' | 'intercontinental' | 'remote';

/** Countries by region. Every ISO 3166-1 country with a delivery service is in exactly one region. */
export const REGIONS = {
  europe:
    'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK',
  northAmerica: 'CA MX US PR VI PM BM',
  asiaPacific: 'AU BD BN BT CN HK ID IN JP KH KR LA LK MM MN MO MV MY NP NZ PH PK SG TH TL TW VN GU MP AS NF CX CC',
  middleEast: 'AE AM AZ BH GE IL IQ IR JO KW LB OM PS QA SA TR YE',
  latinAmerica:
    'AG AI AR AW BB BL BO BQ BR BS BZ CL CO CR CU CW DM DO EC FK GD GF GP GT GY HN HT JM KN KY LC MF MQ MS NI PA PE PY SR SV SX TC TT UY VC VE VG',
  africa:
    'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW',
  centralAsia: 'AF KG KZ TJ TM UZ',
  pacificIslands: 'CK FJ FM GL KI MH NC NR NU PF PG PN PW SB TK TO TV VU WF WS',
} as const satisfies Record<string, string>;

type Region = keyof typeof REGIONS;

const REGION_OF: ReadonlyMap<string, Region> = new Map(
  Object.entries(REGIONS).flatMap(([region, countries]) =>
    countries.split(' ').map((country) => [country, region as Region] as const),
  ),
);

/** Returns the region of a country, or undefined where there is no delivery service (Antarctica, Syria, North Korea, ...). */
export function regionOf(country: string): Region | undefined {
  return REGION_OF.get(country);
}

const REMOTE: ReadonlySet<Region> = new Set(['africa', 'centralAsia', 'pacificIslands', 'latinAmerica']);

/**
 * Returns the zone between two places, or undefined when one of them has no delivery service. A territory with customs or VAT of
 * its own is no domestic destination.
 */
export function zoneBetween(sender: Place, receiver: Place): Zone | undefined {
  const from = regionOf(sender.country);
  const to = regionOf(receiver.country);
  if (from === undefined || to === undefined) return undefined;
  if (sender.country === receiver.country && !isCrossBorder(sender, receiver)) return 'domestic';
  if (sharesCustoms(sender, receiver)) return 'union';
  if (from === to) return 'continent';
  return REMOTE.has(to) ? 'remote' : 'intercontinental';
}
