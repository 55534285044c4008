import type { Consignment, ConsignmentPackage } from '../consignments/domain/consignment';
import type { RateTable } from '../platform/domain/money';
import type { LabelBarcode } from './barcode';

/** The content of a postal customs form, which declares one package. */
export interface CustomsDeclaration {
  readonly consignment: Consignment;
  readonly pack: ConsignmentPackage;
  readonly carrierName: string;
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
