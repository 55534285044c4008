import { isCountry } from '../../platform/domain/countries';

/**
 * A consignment: packages from one sender to one receiver, in grams, millimetres and integer minor units of money.
 * Requests of the shipping group and dispatched print orders are both converted to it.
 */

export interface Money {
  /** Integer minor units (cents; yen as they are). */
  readonly minor: number;
  /** ISO 4217. */
  readonly currency: string;
}

export interface PostalAddress {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly company?: string | undefined;
  readonly addressLine1: string;
  readonly addressLine2?: string | undefined;
  readonly addressLine3?: string | undefined;
  readonly street?: string | undefined;
  readonly houseNumber?: string | undefined;
  readonly suburb?: string | undefined;
  readonly city: string;
  readonly postcode: string;
  readonly state?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

export interface TaxIds {
  readonly vatNumber?: string | undefined;
  /** The tax id of a person or business, for example a CPF or CNPJ in Brazil. */
  readonly federalTaxId?: string | undefined;
  readonly stateTaxId?: string | undefined;
  /** State in which a business is registered for taxes. */
  readonly registrationState?: string | undefined;
  readonly iossNumber?: string | undefined;
  readonly eoriNumber?: string | undefined;
  readonly pcccNumber?: string | undefined;
  readonly australianBusinessNumber?: string | undefined;
}

/** One line of a customs declaration. */
export interface ConsignmentItem {
  readonly itemReferenceId: string;
  readonly description: string;
  readonly quantity: number;
  /** Value of one unit. Rounded when `totalValue` is given. */
  readonly unitValue: Money;
  /** Value of all units, in the currency of `unitValue`. Default: `unitValue` times `quantity`. */
  readonly totalValue?: Money | undefined;
  /** Weight of one unit. */
  readonly unitWeightGrams: number;
  readonly hsCode?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly countryOfOrigin?: string | undefined;
}

export interface ConsignmentPackage {
  readonly packageReferenceId: string;
  /** Equal packages that this one stands for, when prices are asked for. Default: 1. A label is bought for each. */
  readonly count?: number | undefined;
  readonly grossWeightGrams: number;
  /** Weight of the contents. Default: the sum of the items. */
  readonly netWeightGrams?: number | undefined;
  /** Volumetric weight as stated by the sender. Couriers bill it when it is above the one they compute. */
  readonly volumetricWeightGrams?: number | undefined;
  /** Kind of packaging in lower case, for example `tube`. */
  readonly boxType?: string | undefined;
  readonly lengthMm: number;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly items: readonly ConsignmentItem[];
  /** Index of the package whose label was damaged, or that was split: this one has its contents, or a part, and a new label. */
  readonly replaces?: number | undefined;
  /** Position among the parts of a package that was split, from 1. */
  readonly part?: number | undefined;
  /** How often the carrier has refused its parts. Absent: never. The labels of refused parts were voided under their keys. */
  readonly refusals?: number | undefined;
  /** Object key of the packing slip (PDF) of this package. */
  readonly packingSlip?: string | undefined;
  /** True for a package that a packing list is made for. */
  readonly packingList?: boolean | undefined;
  /** What tells the shop's customer about the contents. Absent: nothing, or the client's packing slip. */
  readonly paper?: 'invoice' | 'invoice_with_shipping' | 'delivery_note' | undefined;
}

/** Returns the number of packages. */
export const countOf = (packages: readonly Pick<ConsignmentPackage, 'count'>[]): number =>
  packages.reduce((sum, { count = 1 }) => sum + count, 0);

/** Returns the sum of a property of packages or parcels. */
export const totalOf = <K extends string>(
  packages: readonly (Readonly<Record<K, number>> & Pick<ConsignmentPackage, 'count'>)[],
  key: K,
): number => packages.reduce((sum, pack) => sum + pack[key] * (pack.count ?? 1), 0);

/** Returns the price of packages. @param packagesMinor the price of one package of each entry */
export const priceOf = (
  packages: readonly Pick<ConsignmentPackage, 'count'>[],
  packagesMinor: readonly number[],
): number => packages.reduce((sum, { count = 1 }, index) => sum + packagesMinor[index]! * count, 0);

export interface Consignment {
  readonly sender: PostalAddress & { readonly taxIds?: TaxIds | undefined };
  readonly receiver: PostalAddress & { readonly taxIds?: TaxIds | undefined };
  /** Address on the label in place of the sender's. Parcels that cannot be delivered return to it. */
  readonly returnAddress?: PostalAddress | undefined;
  readonly packages: readonly ConsignmentPackage[];
  /** ISO 4217 currency of quotes. */
  readonly currency: string;
  /** Brand shown on the label where the carrier allows it. */
  readonly brandName?: string | undefined;
  /** The client's or partner's reference, printed on labels and documents. */
  readonly reference: string;
  /** Day of the exchange rates of quotes, YYYY-MM-DD. Default: today. */
  readonly ratesOf?: string | undefined;
}

/** A requested method: a method uid, a carrier name or a tier, or a comma-separated list of these. */
export type MethodChoice = string;

/** A method that carries a consignment, with its price and transit time. */
export interface MethodQuote {
  readonly carrierUid: string;
  readonly carrierName: string;
  readonly methodUid: string;
  readonly methodName: string;
  readonly price: Money;
  /** The price of one package of each entry of the consignment's packages. `price` is that of all packages. */
  readonly packagesMinor: readonly number[];
  /** Working days in transit. */
  readonly minDays: number;
  readonly maxDays: number;
  readonly paddingDays: number;
  /** `serviceType` of the retrieved shipment. */
  readonly serviceType: 'normal' | 'standard' | 'express' | 'letter' | 'economy';
  readonly tracked: boolean;
}

/** A sender or receiver with its tax ids. */
export type Party = PostalAddress & { readonly taxIds?: TaxIds | undefined };

const NAMES: Readonly<Record<keyof TaxIds, string>> = {
  vatNumber: 'VAT no.',
  federalTaxId: 'Tax ID',
  stateTaxId: 'State tax ID',
  registrationState: 'State of registration',
  eoriNumber: 'EORI no.',
  iossNumber: 'IOSS no.',
  pcccNumber: 'PCCC',
  australianBusinessNumber: 'ABN',
};

/** Where tax ids are issued, if not in the country of their party. VAT and EORI numbers begin with their country. */
const ISSUERS: Readonly<Partial<Record<keyof TaxIds, string>>> = {
  iossNumber: 'EU',
  pcccNumber: 'KR',
  australianBusinessNumber: 'AU',
};
const PREFIXED: readonly (keyof TaxIds)[] = ['vatNumber', 'eoriNumber'];
/** Greece and Northern Ireland. */
const SPECIAL_PREFIXES = ['EL', 'XI'];

/** Returns the tax ids of a party, each with its name and the country (or `EU`) that has issued it. */
export function taxIdsOf({ taxIds, country }: Pick<Party, 'taxIds' | 'country'>) {
  return (Object.keys(NAMES) as (keyof TaxIds)[]).flatMap((key) => {
    const value = taxIds?.[key];
    if (!value) return [];
    // Customs in Brazil refuses parcels without the CPF of a person or the CNPJ (14 digits) of a business.
    const isBrazilian = key === 'federalTaxId' && country === 'BR';
    const name = isBrazilian ? (value.replace(/\D/g, '').length === 14 ? 'CNPJ' : 'CPF') : NAMES[key];
    const prefix = PREFIXED.includes(key) ? value.slice(0, 2).toUpperCase() : '';
    const issuer = ISSUERS[key] ?? (isCountry(prefix) || SPECIAL_PREFIXES.includes(prefix) ? prefix : country);
    return [{ key, value, name, issuer }];
  });
}
