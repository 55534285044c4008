import { addressLines } from '../consignments/domain/address-lines';
import {
  type Consignment,
  type ConsignmentPackage,
  type Money,
  type Party,
  taxIdsOf,
} from '../consignments/domain/consignment';
import { asciiEmail } from '../platform/domain/email';
import { formatMinor, type RateTable } from '../platform/domain/money';
import type { LabelBarcode } from './barcode';
import { printableText } from './fonts';

/** The content of a customs document, which declares one package. */
export interface CustomsDeclaration {
  readonly consignment: Consignment;
  readonly pack: ConsignmentPackage;
  readonly carrierName: string;
  /** Number of the document: no other package has it. */
  readonly number: string;
  readonly barcode: LabelBarcode;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Exchange rates of the date, for the total of items in several currencies. */
  readonly rates: RateTable;
}

/** Categories of contents, in the order of the UPU's forms. */
export const CATEGORIES = [
  'Gift',
  'Documents',
  'Sale of goods',
  'Commercial sample',
  'Returned goods',
  'Other',
] as const;

/** The category of everything that Pressline ships. */
export const CATEGORY: (typeof CATEGORIES)[number] = 'Sale of goods';

/** The sender's declaration, in the words of the UPU's forms. */
export const DECLARATION =
  'I, the undersigned, certify that the particulars given in this declaration are correct and that this item does not contain any dangerous article or articles prohibited by legislation or by postal or customs regulations.';

/** Returns the name of the person who signs a form: the sender's person, or its company. */
export function signerOf({ sender }: Pick<Consignment, 'sender'>): string {
  return [sender.firstName, sender.lastName].filter(Boolean).join(' ') || (sender.company ?? '');
}

/** Formats an amount: `1250.00 EUR`. */
export const amount = ({ minor, currency }: Money) => formatMinor(minor, currency);

/** Formats a weight for customs forms, in kilograms with three decimals. Rounded up. */
export const kilograms = (grams: number) => `${(Math.ceil(grams) / 1000).toFixed(3)} kg`;

/** Who a party is on a document. */
export type Role = 'Sender' | 'Receiver' | 'Seller' | 'Buyer';

/** Returns the tax ids of a party, one line each, with role and country: several parties can have ids of one name. */
export const taxIdLines = (party: Party, role: Role): string[] =>
  taxIdsOf(party).map(({ name, value, issuer }) => `${role} ${name} (${issuer}) ${value}`);

/** Returns the lines of a party that customs requires: address with country, contact data, tax ids. */
export function partyLines(party: Party, role: Role): string[] {
  return [
    ...addressLines(party)
      .map(printableText)
      .filter((line) => line !== ''),
    ...(party.phone ? [`Tel. ${party.phone}`] : []),
    ...(party.email ? [asciiEmail(party.email)] : []),
    ...taxIdLines(party, role),
  ];
}
