import type { Readable } from 'node:stream';
import type { CarrierPurchase } from '../carriers/carrier';
import type { Consignment } from '../consignments/domain/consignment';
import { customsForm } from '../consignments/domain/customs';
import { renderCn22 } from '../documents/cn22';
import { renderCn23 } from '../documents/cn23';
import { renderCommercialInvoice } from '../documents/commercial-invoice';
import type { CustomerInvoice } from '../documents/customer-invoice';
import type { LabelContent } from '../documents/label-layout';
import { type LabelSize, renderLabelPdf } from '../documents/label-pdf';
import { renderLabelZpl } from '../documents/label-zpl';
import { renderPackingList } from '../documents/packing-list';
import type { RateTable } from '../platform/domain/money';
import type { ObjectStore } from '../platform/objects/object-store';
import { INVOICE_DATA, invoiceData } from './invoice-data';
import type { DocumentType, ShipmentDocument } from './shipments';

export interface LabelOptions {
  readonly format: 'pdf' | 'zpl';
  readonly size: LabelSize;
}

export const DEFAULT_LABEL: LabelOptions = { format: 'pdf', size: '4x6' };

/**
 * A document that is not stored yet.
 * @property storedAs content type of the body, when it is the data that the document is drawn from
 */
export interface MadeDocument extends Omit<ShipmentDocument, 'id' | 'objectKey'> {
  readonly body: Buffer | Readable;
  readonly storedAs?: string;
}

export const CONTENT_TYPES = { pdf: 'application/pdf', zpl: 'application/zpl' } as const;

/** What a label needs of a purchase. */
type LabelledPurchase = Pick<CarrierPurchase, 'label' | 'carrierName' | 'methodName' | 'trackingNumber'>;

/** Returns a reference as part of a file name. */
export const fileSafe = (text: string) =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60) || 'shipment';

/** Returns the index of the package that had the contents first. A package with a replacement label takes over those of another. */
function originOf({ packages }: Pick<Consignment, 'packages'>, index: number): number {
  const { replaces } = packages[index]!;
  return replaces === undefined ? index : originOf({ packages }, replaces);
}

/** Returns the content of a package's label, or null for a label of the carrier's own. @param date YYYY-MM-DD */
export function labelContent(
  consignment: Consignment,
  { label, carrierName, methodName, trackingNumber }: LabelledPurchase,
  index: number,
  date: string,
): LabelContent | null {
  const pack = consignment.packages[index]!;
  if (label.kind === 'made') return null;
  return {
    carrierName,
    serviceName: methodName,
    mark: label.mark,
    brandName: label.brandAllowed ? consignment.brandName : undefined,
    sender: consignment.returnAddress ?? consignment.sender,
    originCountry: consignment.sender.country,
    receiver: consignment.receiver,
    reference: consignment.reference,
    packageReference: pack.packageReferenceId,
    packageNumber: originOf(consignment, index) + 1,
    packageCount: consignment.packages.filter(({ replaces }) => replaces === undefined).length,
    weightGrams: pack.grossWeightGrams,
    date,
    routing: label.routing,
    barcode: { symbology: label.symbology, value: trackingNumber },
  };
}

/**
 * Returns a PDF document.
 * @param packagePosition index of its package, or null for a document of all packages
 * @param name a reference or number that its file name has
 */
function pdfDocument(
  documentType: DocumentType,
  packagePosition: number | null,
  name: string,
  body: Buffer | Readable,
): MadeDocument {
  const fileName = `${documentType.replace('_', '-')}-${fileSafe(name)}.pdf`;
  return { packagePosition, documentType, contentType: CONTENT_TYPES.pdf, format: 'pdf', fileName, body };
}

/** Returns the labels: one document per package, or one document of A4 sheets for all packages. */
async function labels(
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  options: LabelOptions,
  date: string,
): Promise<MadeDocument[]> {
  const contents = purchases.map((purchase, index) => labelContent(consignment, purchase, index, date));
  const toMake = contents.filter((content) => content !== null);
  if (options.format === 'pdf' && options.size === 'A4' && toMake.length === purchases.length) {
    const sheets = pdfDocument('label', null, consignment.reference, await renderLabelPdf(toMake, 'A4'));
    return [{ ...sheets, fileName: `labels-${fileSafe(consignment.reference)}.pdf` }];
  }
  return await Promise.all(
    purchases.map((purchase, index) => labelDocument(consignment, purchase, index, date, options)),
  );
}

/** Returns the label of one package: the carrier's own file, or one that Pressline draws. @param date YYYY-MM-DD */
export async function labelDocument(
  consignment: Consignment,
  purchase: CarrierPurchase,
  index: number,
  date: string,
  { format, size } = DEFAULT_LABEL,
): Promise<MadeDocument> {
  const { label, trackingNumber } = purchase;
  const made = label.kind === 'made' ? label : null;
  const body = made?.body ?? (await renderLabel(labelContent(consignment, purchase, index, date)!, format, size));
  const pdf = pdfDocument('label', index, trackingNumber, body);
  const isZpl = (made?.contentType ?? CONTENT_TYPES[format]) === CONTENT_TYPES.zpl;
  if (!isZpl) return pdf;
  const fileName = `label-${fileSafe(trackingNumber)}.zpl`;
  return { ...pdf, contentType: CONTENT_TYPES.zpl, format: 'zpl', fileName };
}

/** Renders the label of one package. */
export async function renderLabel(content: LabelContent, format: 'pdf' | 'zpl', size: LabelSize): Promise<Buffer> {
  return format === 'zpl' ? renderLabelZpl([content]) : await renderLabelPdf([content], size);
}

const RENDER_FORM = { cn22: renderCn22, cn23: renderCn23 } as const;

interface DocumentOptions {
  /** Date on the documents, YYYY-MM-DD. */
  readonly date: string;
  /** The exchange rates of that date. */
  readonly rates: RateTable;
  readonly invoice?: CustomerInvoice | undefined;
}

/**
 * Returns all documents of a shipment: labels, those that go with its contents, and the client's packing slips. Each
 * shipment has its own copies of packing slips, because slips and shipping documents have different retention periods.
 */
export async function makeDocuments(
  objects: ObjectStore,
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  options: DocumentOptions & { readonly label: LabelOptions },
): Promise<MadeDocument[]> {
  const made = [
    ...(await labels(consignment, purchases, options.label, options.date)),
    ...(await contentDocuments(consignment, purchases, options)),
  ];
  // Opened last: a document that cannot be made leaves no slip open.
  for (const [index, { packingSlip, packageReferenceId }] of consignment.packages.entries()) {
    const slip = packingSlip === undefined ? null : await objects.get(packingSlip);
    if (slip !== null) made.push(pdfDocument('packing_slip', index, packageReferenceId, slip.body));
  }
  return made;
}

/** A bought package, as the documents about its contents name it. */
export type DocumentedParcel = Pick<CarrierPurchase, 'carrierName' | 'trackingNumber' | 'customsForm'>;

/**
 * Returns the documents that depend on the contents of a shipment: the required customs documents (one form per package with
 * postal carriers, else one commercial invoice), packing lists, and the customer's invoice when given.
 * @param parcels one for each package of the consignment
 */
export async function contentDocuments(
  consignment: Consignment,
  parcels: readonly DocumentedParcel[],
  { date, rates, invoice }: DocumentOptions,
): Promise<MadeDocument[]> {
  const documents: MadeDocument[] = [];
  for (const [index, pack] of consignment.packages.entries()) {
    const { carrierName, trackingNumber, customsForm: kind } = parcels[index]!;
    const form = customsForm(consignment, pack, kind, rates);
    if (form === 'cn22' || form === 'cn23') {
      const barcode = { symbology: 'code128', value: trackingNumber } as const;
      const body = await RENDER_FORM[form]({ consignment, pack, carrierName, barcode, date, rates });
      documents.push(pdfDocument(form, index, trackingNumber, body));
    } else if (form === 'commercial_invoice' && index === 0) {
      const trackingNumbers = parcels.map((parcel) => parcel.trackingNumber);
      const body = await renderCommercialInvoice({ consignment, carrierName, trackingNumbers, date, rates });
      documents.push(pdfDocument(form, null, consignment.reference, body));
    }
    if (pack.packingList === true) {
      const body = await renderPackingList({ consignment, pack, packageNumber: index + 1, date });
      documents.push(pdfDocument('packing_list', index, pack.packageReferenceId, body));
    }
  }
  if (invoice !== undefined) {
    documents.push({ ...pdfDocument('invoice', null, invoice.number, invoiceData(invoice)), storedAs: INVOICE_DATA });
  }
  return documents;
}
