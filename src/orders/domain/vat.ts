import type { Validator } from 'stdnum';
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

/** Type of the event in an order's log that has a `VatCheck`. */
export const VAT_CHECKED = 'vat_number_checked';

/** What VIES answered about the VAT number of a business. */
export interface VatCheck {
  readonly number: string;
  readonly valid: boolean;
}

/** What decides the VAT of an order. */
export interface TaxedOrder {
  /** Rates of the day of submission. */
  readonly taxRates: TaxTable;
  /** The latest answer. Null: the number was not checked. */
  readonly vatCheck: VatCheck | null;
  readonly shippingAddress: Place & {
    readonly isBusiness?: boolean | undefined;
    readonly federalTaxId?: string | undefined;
  };
}

type Treatment = 'taxed' | 'export' | 'ioss' | 'reverse_charge';

/** The VAT of a delivery. */
export interface Vat<T extends Treatment = Treatment> {
  /** `ioss`: the seller pays the VAT on the import. `reverse_charge`: the recipient, a business in another EU state, accounts for the VAT. */
  readonly treatment: T;
  /** The country whose VAT is charged, or null when none is. */
  readonly country: string | null;
  /** The country of the destination, as VAT has it. */
  readonly destination: string;
  rateOf(category: TaxCategory | undefined): string;
}

/**
 * Returns the VAT of what is sent from a place: the rates of the destination within one customs and VAT territory
 * (such as the EU), and none for an export or a business that accounts for the VAT itself: goods go to another member
 * state, and the business is registered in another state than the one that they leave (Directive 2006/112/EC, art. 138).
 */
export function vatOf(
  { taxRates, shippingAddress, vatCheck }: TaxedOrder,
  from: Place,
): Vat<Exclude<Treatment, 'ioss'>> {
  const [country, origin] = [vatCountry(shippingAddress), vatCountry(from)];
  const untaxed = <T extends 'export' | 'reverse_charge'>(treatment: T): Vat<T> => ({
    treatment,
    country: null,
    destination: country,
    rateOf: () => '0',
  });
  if (isCrossBorder(from, shippingAddress)) return untaxed('export');
  const { isBusiness, federalTaxId } = shippingAddress;
  if (isBusiness === true && country !== origin && [country, origin].every((state) => EU_MEMBERS.includes(state))) {
    const buyerState = vatNumberState(federalTaxId);
    const isUnknown = vatCheck?.number === federalTaxId && vatCheck?.valid === false;
    if (buyerState !== null && buyerState !== origin && !isUnknown) return untaxed('reverse_charge');
  }
  return vatOfDestination({ taxRates, shippingAddress }, 'taxed');
}

/** Returns the VAT at the rates of the destination. */
export function vatOfDestination<T extends 'taxed' | 'ioss'>(
  { taxRates, shippingAddress }: Pick<TaxedOrder, 'taxRates' | 'shippingAddress'>,
  treatment: T,
): Vat<T> {
  const country = vatCountry(shippingAddress);
  const isTaxed = rateIn(taxRates, country) !== '0';
  return {
    treatment,
    country: isTaxed ? country : null,
    destination: country,
    rateOf: (category) => rateIn(taxRates, country, category),
  };
}

/** Returns the rate of shipping, which follows the goods: the highest of their rates. */
export const shippingRate = (rates: readonly string[]): string =>
  rates.reduce((highest, rate) => (Number(rate) > Number(highest) ? rate : highest), '0');

/**
 * Modules of the package stdnum that check the digits of VAT numbers, by prefix. They are loaded when they are needed: one
 * takes 20 ms of CPU, the whole package 750 ms and 13 MB.
 */
const VAT_NUMBERS: Readonly<Record<string, string>> = {
  AT: 'at/uid',
  BE: 'be/vat',
  BG: 'bg/vat',
  CY: 'cy/vat',
  CZ: 'cz/dic',
  DE: 'de/vat',
  DK: 'dk/cvr',
  EE: 'ee/kmkr',
  EL: 'gr/vat',
  ES: 'es/nif',
  FI: 'fi/alv',
  FR: 'fr/tva',
  HR: 'hr/oib',
  HU: 'hu/anum',
  IE: 'ie/vat',
  IT: 'it/iva',
  LT: 'lt/pvm',
  LU: 'lu/tva',
  LV: 'lv/pvn',
  MT: 'mt/vat',
  NL: 'nl/btw',
  PL: 'pl/nip',
  PT: 'pt/nif',
  RO: 'ro/cif',
  SE: 'se/vat',
  SI: 'si/ddv',
  SK: 'sk/dph',
};

/**
 * Returns the EU state of a VAT number by its prefix, or null when the number cannot be valid: it has another prefix, or
 * its form or check digits are wrong. Greece has the prefix EL.
 */
export function vatNumberState(text: string | undefined): string | null {
  const compact = (text ?? '').toUpperCase().replace(/[^A-Z\d+*]/g, '');
  const prefix = compact.slice(0, 2);
  if (!Object.hasOwn(VAT_NUMBERS, prefix)) return null;
  const { validate }: Validator = require(`stdnum/lib/cjs/${VAT_NUMBERS[prefix]}`);
  if (!validate(compact).isValid) return null;
  return prefix === 'EL' ? 'GR' : prefix;
}
