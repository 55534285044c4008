import type { Consignment, ConsignmentPackage, MethodQuote } from '../../consignments/domain/consignment';
import { REFERENCE_RATES } from '../../platform/domain/exchange-rates';
import { convertMinor, timesRate } from '../../platform/domain/money';
import { type Region, regionOf, type Zone, zoneBetween } from './zones';

/** What a service costs and how long it takes in one zone. */
export interface ZoneRate {
  /** Ascending `[up to grams, price]`; the price in minor units of the card's currency. */
  readonly steps: readonly (readonly [grams: number, minor: number])[];
  /** For each further kilogram begun beyond the last step. */
  readonly perKgMinor?: number;
  /** Working days in transit. */
  readonly days: readonly [min: number, max: number];
}

/** The largest and heaviest package a service takes. Sides count as sorted, longest first. */
export interface SizeLimits {
  readonly grams: number;
  readonly longestMm: number;
  readonly secondMm?: number;
  /** Shortest side. */
  readonly thicknessMm?: number;
  readonly sumOfSidesMm?: number;
  /** Longest side plus twice each of the others. */
  readonly lengthPlusGirthMm?: number;
}

/** Added to a package's price. */
export type Surcharge =
  | { readonly kind: 'fuel'; readonly percent: string }
  | { readonly kind: 'oversize'; readonly overMm: number; readonly minor: number }
  | { readonly kind: 'heavy'; readonly overGrams: number; readonly minor: number }
  | {
      readonly kind: 'islands';
      readonly postcodes: Readonly<Record<string, RegExp>>;
      readonly minor: number;
    };

/** One service of a carrier, as its rate card prints it. */
export interface MethodRates {
  readonly uid: string;
  readonly name: string;
  readonly serviceType: MethodQuote['serviceType'];
  readonly tracked: boolean;
  readonly limits: SizeLimits;
  /** mm³ that count as a gram; null where only the scales count. 5000 is the couriers' cm³ per kg. */
  readonly volumetricDivisor: number | null;
  readonly zones: Readonly<Partial<Record<Zone, ZoneRate>>>;
  /** Regions delivered to; every region where left out. */
  readonly regions?: readonly Region[];
  /** Days a promise adds to the transit time, for collection and sorting. */
  readonly paddingDays: number;
  readonly surcharges: readonly Surcharge[];
  /** What the carrier must know of the receiver, beyond the address. */
  readonly requires: readonly ('phone' | 'email')[];
  /** First letter of the S10 service indicator (UPU S10 annex), for postal services. */
  readonly s10Prefix?: 'C' | 'E' | 'L' | 'R' | 'U';
  /** Letter and word of the class of service in the label's corner. */
  readonly mark: string;
}

export interface RateCard {
  readonly carrierUid: string;
  readonly carrierName: string;
  readonly kind: 'postal' | 'courier';
  /** ISO 4217; the currency of every price on the card. */
  readonly currency: string;
  /** Countries packages are taken over in, with the level of their prices in percent of the card's. */
  readonly origins: Readonly<Record<string, number>>;
  /** Whether a client's brand may stand on the label. */
  readonly brandOnLabel: boolean;
  /** GS1 company prefix of the carrier's SSCCs, for couriers. */
  readonly gs1Prefix?: string;
  readonly methods: readonly MethodRates[];
}

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

/** Grams a package is charged for: what it weighs, or what its volume counts as where that is more. */
export function billableGrams(pack: ConsignmentPackage, divisor: number | null): number {
  const actual = Math.ceil(pack.grossWeightGrams);
  if (divisor === null) return actual;
  return Math.max(actual, Math.ceil((pack.lengthMm * pack.widthMm * pack.heightMm) / divisor));
}

function stepPrice(rate: ZoneRate, grams: number): number | undefined {
  const step = rate.steps.find(([upTo]) => grams <= upTo);
  if (step !== undefined) return step[1];
  const last = rate.steps.at(-1);
  if (last === undefined || rate.perKgMinor === undefined) return undefined;
  return last[1] + Math.ceil((grams - last[0]) / 1000) * rate.perKgMinor;
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
    case 'islands':
      return surcharge.postcodes[consignment.receiver.country]?.test(consignment.receiver.postcode)
        ? surcharge.minor
        : 0;
  }
}

/**
 * What one package costs with a service, in minor units of the consignment's currency, surcharges included;
 * undefined when the service cannot carry it.
 * @throws UnknownRateError when no rate is known for the consignment's currency
 */
export function packagePrice(
  card: RateCard,
  method: MethodRates,
  consignment: Consignment,
  pack: ConsignmentPackage,
): number | undefined {
  const origin = card.origins[consignment.sender.country];
  const zone = zoneBetween(consignment.sender.country, consignment.receiver.country);
  const rate = zone === undefined ? undefined : method.zones[zone];
  if (origin === undefined || rate === undefined || !fits(pack, method.limits)) return undefined;
  const step = stepPrice(rate, billableGrams(pack, method.volumetricDivisor));
  if (step === undefined) return undefined;
  const base = timesRate(step, `${origin}e-2`);
  const total = method.surcharges.reduce(
    (sum, each) => sum + surchargeMinor(each, pack, consignment, base),
    base,
  );
  return convertMinor(total, card.currency, consignment.currency, REFERENCE_RATES);
}

/**
 * Every service of a card that carries all packages of a consignment, with the price of all of them together.
 * @throws UnknownRateError when no rate is known for the consignment's currency
 */
export function quoteRateCard(card: RateCard, consignment: Consignment): MethodQuote[] {
  const { sender, receiver } = consignment;
  const zone = zoneBetween(sender.country, receiver.country);
  const region = regionOf(receiver.country);
  if (zone === undefined || region === undefined || consignment.packages.length === 0) return [];
  return card.methods.flatMap((method) => {
    const rate = method.zones[zone];
    if (rate === undefined || (method.regions !== undefined && !method.regions.includes(region))) return [];
    let minor = 0;
    for (const pack of consignment.packages) {
      const price = packagePrice(card, method, consignment, pack);
      if (price === undefined) return [];
      minor += price;
    }
    return {
      carrierUid: card.carrierUid,
      carrierName: card.carrierName,
      methodUid: method.uid,
      methodName: method.name,
      price: { minor, currency: consignment.currency },
      minDays: rate.days[0],
      maxDays: rate.days[1],
      paddingDays: method.paddingDays,
      serviceType: method.serviceType,
      tracked: method.tracked,
    };
  });
}
