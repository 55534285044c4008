import { addressLines } from '../consignments/domain/address-lines';
import type { ConsignmentItem, Money, PostalAddress, TaxIds } from '../consignments/domain/consignment';
import { formatMinor } from '../platform/domain/money';
import { printableText } from './fonts';

/** Formats an amount: `1250.00 EUR`. */
export const amount = ({ minor, currency }: Money) => formatMinor(minor, currency);

/** Formats a weight for customs forms, in kilograms with three decimals. */
export const kilograms = (grams: number) => `${(Math.ceil(grams) / 1000).toFixed(3)} kg`;

const TAX_IDS: Readonly<Record<keyof TaxIds, string>> = {
  vatNumber: 'VAT no.',
  federalTaxId: 'Tax ID',
  stateTaxId: 'State tax ID',
  registrationState: 'State of registration',
  eoriNumber: 'EORI no.',
  iossNumber: 'IOSS no.',
  pcccNumber: 'PCCC',
  australianBusinessNumber: 'ABN',
};

/** A sender or receiver with its tax ids. */
export type Party = PostalAddress & { readonly taxIds?: TaxIds | undefined };

/** Returns the tax ids of a party, one line each. */
export function taxIdLines({ taxIds, country }: Party): string[] {
  return (Object.keys(TAX_IDS) as (keyof TaxIds)[]).flatMap((key) => {
    const value = taxIds?.[key];
    if (!value) return [];
    // Customs in Brazil refuses parcels without the CPF of a person or the CNPJ (14 digits) of a business.
    const isBrazilian = key === 'federalTaxId' && country === 'BR';
    const name = isBrazilian ? (value.replace(/\D/g, '').length === 14 ? 'CNPJ' : 'CPF') : TAX_IDS[key];
    return [`${name} ${value}`];
  });
}

/** Returns the lines of a party that customs requires: address with country, contact data, tax ids. */
export function partyLines(party: Party): string[] {
  return [
    ...addressLines(party)
      .map(printableText)
      .filter((line) => line !== ''),
    ...(party.phone ? [`Tel. ${party.phone}`] : []),
    ...(party.email ? [party.email] : []),
    ...taxIdLines(party),
  ];
}

/** Returns the weight of all units of an item, in grams. */
export const itemWeight = ({ unitWeightGrams, quantity }: ConsignmentItem) => unitWeightGrams * quantity;
