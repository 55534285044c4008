import { EU_MEMBERS } from '../../platform/domain/countries';
import { IOSS_NUMBER } from '../../platform/domain/fields';
import { convertMinor, type RateTable, UnknownRateError } from '../../platform/domain/money';
import { isCrossBorder, type Place, vatCountry } from '../../platform/domain/territories';
import type { Consignment, ConsignmentItem, ConsignmentPackage, Money } from './consignment';

/** Customs documents of a package. */
export type CustomsForm = 'cn22' | 'cn23' | 'commercial_invoice';

/** Special drawing rights (International Monetary Fund) per euro, on the date of the reference rates. */
const SDR_PER_EURO = 0.8605;
/** A CN22 is sufficient up to 300 SDR and 2 kg (UPU Convention Manual, article 20-001). */
const CN22_VALUE_EURO_CENTS = Math.floor((300 / SDR_PER_EURO) * 100);
const CN22_GRAMS = 2_000;
/** Content lines that fit on a CN22. */
const CN22_LINES = 6;

/** Returns the value of all units of an item. */
export function lineValue({ unitValue, totalValue, quantity }: ConsignmentItem): Money {
  return totalValue ?? { minor: unitValue.minor * quantity, currency: unitValue.currency };
}

/** Returns the net weight of a package in grams: as stated by the sender, or the sum of the items. */
export function netWeightGrams({ netWeightGrams: stated, items }: ConsignmentPackage): number {
  return stated ?? items.reduce((sum, { unitWeightGrams, quantity }) => sum + unitWeightGrams * quantity, 0);
}

/**
 * Returns the weights of the lines of a package in whole grams. They are differences of rounded running totals, so that
 * they add up to the net weight, however many fractions of grams there are.
 */
export function lineGrams(items: ConsignmentPackage['items']): number[] {
  let total = 0;
  return items.map(({ unitWeightGrams, quantity }) => {
    const before = Math.ceil(total);
    total += unitWeightGrams * quantity;
    return Math.ceil(total) - before;
  });
}

/** Returns the value of all items of packages, in the currency of the first item. */
export function contentsValue(
  packages: readonly ConsignmentPackage[],
  fallbackCurrency: string,
  rates: RateTable,
): Money {
  const items = packages.flatMap((pack) => pack.items);
  const currency = items[0]?.unitValue.currency ?? fallbackCurrency;
  const minor = items.reduce((sum, item) => {
    const value = lineValue(item);
    return sum + convertMinor(value.minor, value.currency, currency, rates);
  }, 0);
  return { minor, currency };
}

/** Returns an amount in minor units of a currency, or null without an exchange rate. Retail prices allow any currency. */
export function minorIn({ minor, currency }: Money, target: string, rates: RateTable): number | null {
  try {
    return convertMinor(minor, currency, target, rates);
  } catch (error) {
    if (error instanceof UnknownRateError) return null;
    throw error;
  }
}

/**
 * Returns the customs document of a package, or null when it crosses no customs border. Postal carriers use a CN22, and
 * a CN23 when the value exceeds the limit of a CN22 or has no exchange rate, or when weight or content lines exceed it.
 * Other carriers use a commercial invoice.
 */
export function customsForm(
  consignment: Consignment,
  pack: ConsignmentPackage,
  carrier: 'postal' | 'commercial',
  rates: RateTable,
): CustomsForm | null {
  if (!isCrossBorder(consignment.sender, consignment.receiver)) return null;
  if (carrier === 'commercial') return 'commercial_invoice';
  const cents = minorIn(contentsValue([pack], consignment.currency, rates), 'EUR', rates);
  const small =
    cents !== null &&
    cents <= CN22_VALUE_EURO_CENTS &&
    pack.grossWeightGrams <= CN22_GRAMS &&
    pack.items.length <= CN22_LINES;
  return small ? 'cn22' : 'cn23';
}

const IOSS_LIMIT_EURO_CENTS = 150_00;

/**
 * Returns true when the VAT on a consignment is paid through the import one-stop shop: goods of up to 150 EUR without tax and
 * shipping, from outside the EU to a private buyer in it (Directive 2006/112/EC, articles 14 (4) and 369l).
 * @param goods the values of all goods that go to the buyer. One without an exchange rate counts as too high
 */
export function fallsUnderIoss(
  { iossNumber, isBusiness }: { readonly iossNumber: string | null | undefined; readonly isBusiness: boolean },
  { from, to }: { readonly from: Place; readonly to: Place },
  goods: readonly Money[],
  rates: RateTable,
): boolean {
  if (isBusiness || !IOSS_NUMBER.test(iossNumber ?? '')) return false;
  if (!isCrossBorder(from, to) || !EU_MEMBERS.includes(vatCountry(to))) return false;
  const cents = goods.map((value) => minorIn(value, 'EUR', rates) ?? Number.POSITIVE_INFINITY);
  return cents.reduce((sum, value) => sum + value, 0) <= IOSS_LIMIT_EURO_CENTS;
}

/** Retail prices of an order, in major units as clients give them. */
interface RetailPrices {
  readonly retailCurrency?: string | null | undefined;
  readonly retailShippingPriceInclVat?: number | string | null | undefined;
  /** Cancelled items need no price and are left out. */
  readonly items: readonly {
    /** Index of the item among all items of the order. */
    readonly position: number;
    readonly retailPriceInclVat?: number | string | null | undefined;
  }[];
}

/** Refusal fields of the retrieved order. */
interface MissingRetailPrices {
  readonly refusalReasonCode: 'missing_retail_prices';
  readonly refusalReason: string;
  readonly refusalReasonDetails: { readonly missing: readonly string[] };
}

/**
 * Checks the cross-border rule: an order that crosses a customs border requires the retail currency, the retail price of
 * every item and the retail price of shipping. A price of 0 is valid; the customs declaration then shows 0.
 * @returns null when nothing is missing
 */
export function missingRetailPrices(order: RetailPrices): MissingRetailPrices | null {
  const missing: string[] = [];
  if (!order.retailCurrency) missing.push('retailCurrency');
  if (order.retailShippingPriceInclVat == null) missing.push('retailShippingPriceInclVat');
  for (const { position, retailPriceInclVat } of order.items) {
    if (retailPriceInclVat == null) missing.push(`items[${position}].retailPriceInclVat`);
  }
  if (missing.length === 0) return null;
  return {
    refusalReasonCode: 'missing_retail_prices',
    refusalReason: `The order crosses a customs border and has no retail prices: ${missing.join(', ')}.`,
    refusalReasonDetails: { missing },
  };
}
