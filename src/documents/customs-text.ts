import { addressLines } from '../consignments/domain/address-lines';
import type { ConsignmentItem, Money, PostalAddress, TaxIds } from '../consignments/domain/consignment';
import { formatMinor } from '../platform/domain/money';

/** Amount as documents print it: `1250.00 EUR`. */
export const amount = ({ minor, currency }: Money) => formatMinor(minor, currency);

/** Kilograms with grams, as customs forms want weights. */
export const kilograms = (grams: number) => `${(Math.ceil(grams) / 1000).toFixed(3)} kg`;

const TAX_IDS: Readonly<Record<keyof TaxIds, string>> = {
  vatNumber: 'VAT no.',
  eoriNumber: 'EORI no.',
  iossNumber: 'IOSS no.',
  pcccNumber: 'PCCC',
  australianBusinessNumber: 'ABN',
};

/** A party with everything customs asks of it: address with country, contact, tax numbers. */
export function partyLines(party: PostalAddress & { readonly taxIds?: TaxIds | undefined }): string[] {
  const ids = (Object.keys(TAX_IDS) as (keyof TaxIds)[]).flatMap((key) => {
    const value = party.taxIds?.[key];
    return value ? [`${TAX_IDS[key]} ${value}`] : [];
  });
  return [
    ...addressLines(party),
    ...(party.phone ? [`Tel. ${party.phone}`] : []),
    ...(party.email ? [party.email] : []),
    ...ids,
  ];
}

export const itemWeight = ({ unitWeightGrams, quantity }: ConsignmentItem) => unitWeightGrams * quantity;
