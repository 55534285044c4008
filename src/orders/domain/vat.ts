import type { TaxCategory } from '../../catalog/domain/product';
import { EU_MEMBERS } from '../../platform/domain/countries';
import { isCrossBorder, type Place, vatCountry } from '../../platform/domain/territories';

/** Tax rates by country and category, as decimal fractions. */
export type TaxTable = Readonly<Record<string, Readonly<Partial<Record<TaxCategory, string>>>>>;

/** Returns the rate of a category in a country: its own, else the standard rate. Countries without rates charge none. */
export function rateIn(table: TaxTable, country: string, category: TaxCategory = 'standard'): string {
  const rates = table[country];
  return rates?.[category] ?? (category === 'zero' ? '0' : (rates?.standard ?? '0'));
}

/** What decides the VAT of an order. */
export interface TaxedOrder {
  /** Rates of the day of submission. */
  readonly taxRates: TaxTable;
  /** Country of the client's billing entity, or null when it is not set. */
  readonly sellerCountry: string | null;
  readonly shippingAddress: Place & {
    readonly isBusiness?: boolean | undefined;
    readonly federalTaxId?: string | undefined;
  };
}

/** The VAT of a delivery. */
export interface Vat {
  /** `reverse_charge`: the recipient, a business in another EU state, accounts for the VAT. */
  readonly treatment: 'taxed' | 'export' | 'reverse_charge';
  /** The country whose VAT is charged, or null when none is. */
  readonly country: string | null;
  rateOf(category: TaxCategory | undefined): string;
}

/**
 * Returns the VAT of what is sent from a place: the rates of the destination within one customs and VAT territory
 * (such as the EU), and none for an export or a business that accounts for the VAT itself.
 */
export function vatOf({ taxRates, sellerCountry, shippingAddress }: TaxedOrder, from: Place): Vat {
  const country = vatCountry(shippingAddress);
  const { isBusiness, federalTaxId } = shippingAddress;
  const untaxed = (treatment: Vat['treatment']): Vat => ({ treatment, country: null, rateOf: () => '0' });
  if (isCrossBorder(from, shippingAddress)) return untaxed('export');
  const buyerState = isBusiness === true ? vatNumberState(federalTaxId) : null;
  const seller = sellerCountry ?? vatCountry(from);
  if (buyerState !== null && EU_MEMBERS.includes(seller) && EU_MEMBERS.includes(country) && buyerState !== seller) {
    return untaxed('reverse_charge');
  }
  const isTaxed = rateIn(taxRates, country) !== '0';
  return {
    treatment: 'taxed',
    country: isTaxed ? country : null,
    rateOf: (category) => rateIn(taxRates, country, category),
  };
}

/** Returns the rate of shipping, which follows the goods: the highest of their rates. */
export const shippingRate = (rates: readonly string[]): string =>
  rates.reduce((highest, rate) => (Number(rate) > Number(highest) ? rate : highest), '0');

/** Forms of VAT numbers by prefix, without the prefix (European Commission, VIES: structure of VAT numbers). */
const VAT_NUMBERS: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z\d]\d{7}[A-Z\d]$/,
  FI: /^\d{8}$/,
  FR: /^[A-Z\d]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^\d[A-Z\d+*]\d{5}[A-Z]{1,2}$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^[A-Z\d+*]{12}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
};

/** Returns the EU state of a VAT number by its prefix, or null for any other text. Greece has the prefix EL. */
export function vatNumberState(text: string | undefined): string | null {
  const compact = (text ?? '').toUpperCase().replace(/[\s.-]/g, '');
  const prefix = compact.slice(0, 2);
  if (VAT_NUMBERS[prefix]?.test(compact.slice(2)) !== true) return null;
  return prefix === 'EL' ? 'GR' : prefix;
}
