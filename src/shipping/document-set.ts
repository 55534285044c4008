import type { Readable } from 'node:stream';
import type { CarrierPurchase } from '../carriers/carrier';
import type { Consignment } from '../consignments/domain/consignment';
import { customsForm } from '../consignments/domain/customs';
import { renderCn22 } from '../documents/cn22';
import { renderCn23 } from '../documents/cn23';
import { renderCommercialInvoice } from '../documents/commercial-invoice';
import { type CustomerInvoice, renderCustomerInvoice } from '../documents/customer-invoice';
import type { LabelContent } from '../documents/label-layout';
import { type LabelSize, renderLabelPdf } from '../documents/label-pdf';
import { renderLabelZpl } from '../documents/label-zpl';
import { renderPackingList } from '../documents/packing-list';
import type { RateTable } from '../platform/domain/money';
import type { ShipmentDocument } from './shipments';

export interface LabelOptions {
  readonly format: 'pdf' | 'zpl';
  readonly size: LabelSize;
}

export const DEFAULT_LABEL: LabelOptions = { format: 'pdf', size: '4x6' };

/** A document that is not stored yet. */
export interface MadeDocument extends Omit<ShipmentDocument, 'id' | 'objectKey'> {
  readonly body: Buffer | Readable;
}

export const CONTENT_TYPES = { pdf: 'application/pdf', zpl: 'application/zpl' } as const;
const PDF = { contentType: CONTENT_TYPES.pdf, format: 'pdf' } as const;

/** What a label needs of a purchase. */
type LabelledPurchase = Pick<CarrierPurchase, 'label' | 'carrierName' | 'methodName' | 'trackingNumber'>;

/** Returns a reference as part of a file name. */
export const fileSafe = (text: string) =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60) || 'shipment';

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
    packageNumber: index + 1,
    packageCount: consignment.packages.length,
    weightGrams: pack.grossWeightGrams,
    date,
    routing: label.routing,
    barcode: { symbology: label.symbology, value: trackingNumber },
  };
}

/** Returns the labels: one document per package, or one document of A4 sheets for all packages. */
async function labels(
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  options: LabelOptions,
  date: string,
): Promise<MadeDocument[]> {
  const contents = purchases.map((_, index) => labelContent(consignment, purchases[index]!, index, date));
  const toMake = contents.filter((content) => content !== null);
  if (options.format === 'pdf' && options.size === 'A4' && toMake.length === purchases.length) {
    return [
      {
        packagePosition: null,
        type: 'label',
        documentType: 'label',
        ...PDF,
        fileName: `labels-${fileSafe(consignment.reference)}.pdf`,
        body: await renderLabelPdf(toMake, 'A4'),
      },
    ];
  }
  const documents: MadeDocument[] = [];
  for (const [index, { label, trackingNumber }] of purchases.entries()) {
    const content = contents[index];
    const made = label.kind === 'made' ? label : null;
    const format = made === null ? options.format : made.contentType === CONTENT_TYPES.zpl ? 'zpl' : 'pdf';
    documents.push({
      packagePosition: index,
      type: 'label',
      documentType: 'label',
      contentType: CONTENT_TYPES[format],
      format,
      fileName: `label-${fileSafe(trackingNumber)}.${format}`,
      body:
        made?.body ?? (format === 'zpl' ? renderLabelZpl([content!]) : await renderLabelPdf([content!], options.size)),
    });
  }
  return documents;
}

/** Returns the customs documents: one form per package with postal carriers, else one commercial invoice. */
async function customsDocuments(
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  date: string,
  rates: RateTable,
): Promise<MadeDocument[]> {
  const documents: MadeDocument[] = [];
  for (const [index, pack] of consignment.packages.entries()) {
    const { carrierName, trackingNumber, customsForm: kind } = purchases[index]!;
    const form = customsForm(consignment, pack, kind, rates);
    if (form !== 'cn22' && form !== 'cn23') continue;
    const declaration = {
      consignment,
      pack,
      carrierName,
      barcode: { symbology: 'code128', value: trackingNumber },
      date,
      rates,
    } as const;
    documents.push({
      ...PDF,
      packagePosition: index,
      type: 'customs_form',
      documentType: form,
      fileName: `${form}-${fileSafe(trackingNumber)}.pdf`,
      body: await (form === 'cn22' ? renderCn22(declaration) : renderCn23(declaration)),
    });
  }
  const first = purchases[0];
  if (
    first !== undefined &&
    customsForm(consignment, consignment.packages[0]!, first.customsForm, rates) === 'commercial_invoice'
  ) {
    documents.push({
      ...PDF,
      packagePosition: null,
      type: 'invoice',
      documentType: 'commercial_invoice',
      fileName: `commercial-invoice-${fileSafe(consignment.reference)}.pdf`,
      body: await renderCommercialInvoice({
        consignment,
        carrierName: first.carrierName,
        trackingNumbers: purchases.map(({ trackingNumber }) => trackingNumber),
        date,
        rates,
      }),
    });
  }
  return documents;
}

/** Returns the packing lists of the packages that have one. */
async function packingLists(consignment: Consignment, date: string): Promise<MadeDocument[]> {
  const documents: MadeDocument[] = [];
  for (const [index, pack] of consignment.packages.entries()) {
    if (pack.packingList !== true) continue;
    documents.push({
      packagePosition: index,
      type: 'packing_slip',
      documentType: 'packing_list',
      ...PDF,
      fileName: `packing-list-${fileSafe(pack.packageReferenceId)}.pdf`,
      body: await renderPackingList({ consignment, pack, packageNumber: index + 1, date }),
    });
  }
  return documents;
}

async function customerInvoice(invoice: CustomerInvoice | undefined): Promise<MadeDocument[]> {
  if (invoice === undefined) return [];
  return [
    {
      packagePosition: null,
      type: 'invoice',
      documentType: 'invoice',
      ...PDF,
      fileName: `invoice-${fileSafe(invoice.number)}.pdf`,
      body: await renderCustomerInvoice(invoice),
    },
  ];
}

/**
 * Returns all documents of a shipment: labels, the required customs documents, packing lists, and the customer's invoice
 * when given.
 * @param options.date date on the documents, YYYY-MM-DD
 * @param options.rates the exchange rates of that date
 */
export async function makeDocuments(
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  options: {
    readonly label: LabelOptions;
    readonly date: string;
    readonly rates: RateTable;
    readonly invoice?: CustomerInvoice | undefined;
  },
): Promise<MadeDocument[]> {
  return [
    ...(await labels(consignment, purchases, options.label, options.date)),
    ...(await customsDocuments(consignment, purchases, options.date, options.rates)),
    ...(await packingLists(consignment, options.date)),
    ...(await customerInvoice(options.invoice)),
  ];
}
