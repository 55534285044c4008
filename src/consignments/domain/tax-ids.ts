import type { PostalAddress, TaxIds } from './consignment';

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

/** Returns the tax ids of a party, each with its name. */
export function taxIdsOf({ taxIds, country }: Pick<Party, 'taxIds' | 'country'>) {
  return (Object.keys(NAMES) as (keyof TaxIds)[]).flatMap((key) => {
    const value = taxIds?.[key];
    if (!value) return [];
    // Customs in Brazil refuses parcels without the CPF of a person or the CNPJ (14 digits) of a business.
    const isBrazilian = key === 'federalTaxId' && country === 'BR';
    const name = isBrazilian ? (value.replace(/\D/g, '').length === 14 ? 'CNPJ' : 'CPF') : NAMES[key];
    return [{ key, value, name }];
  });
}
