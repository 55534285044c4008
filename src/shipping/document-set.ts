import type { Readable } from 'node:stream';
import type { CarrierPurchase } from '../carriers/carrier';
import type { Carriers } from '../carriers/carriers';
import type { Consignment, ConsignmentPackage } from '../consignments/domain/consignment';
import { customsForm } from '../consignments/domain/customs';
import { renderCn22 } from '../documents/cn22';
import { renderCn23 } from '../documents/cn23';
import { renderCommercialInvoice } from '../documents/commercial-invoice';
import type { CustomerInvoice } from '../documents/customer-invoice';
import { drawnFrom } from '../documents/drawn-documents';
import type { LabelContent } from '../documents/label-layout';
import { type LabelSize, renderLabelPdf, renderLabelZpl } from '../documents/labels';
import type { PackingList } from '../documents/packing-list';
import type { RateTable } from '../platform/domain/money';
import type { ObjectStore } from '../platform/objects/object-store';
import type { Queryable } from '../platform/postgres';
import type { DocumentType, ShipmentDocument } from './shipments';

export interface LabelOptions {
  readonly format: 'pdf' | 'zpl';
  readonly size: LabelSize;
}

export const DEFAULT_LABEL: LabelOptions = { format: 'pdf', size: '4x6' };

/**
 * A document that is not stored yet.
 * @property make draws or opens the document. Null: there is none any more
 * @property storedAs content type of the body, when it is the data that the document is drawn from
 */
export interface UnstoredDocument extends Omit<ShipmentDocument, 'id' | 'objectKey'> {
  readonly make: () => Promise<Buffer | Readable | null>;
  readonly storedAs?: string;
}

const CONTENT_TYPES = { pdf: 'application/pdf', zpl: 'application/zpl' } as const;

type LabelledPurchase = Pick<CarrierPurchase, 'label' | 'carrierName' | 'methodName' | 'trackingNumber'>;

const fileSafe = (text: string) =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60) || 'shipment';

/** Returns true for a package that does not take the place of another one. Of the parts of a package, the first does. */
const isCounted = ({ replaces, part = 1 }: ConsignmentPackage) => replaces === undefined || part > 1;

/** Returns the number of a package on its label, from 1. A replacement has the number of the package that it replaces. */
function numberOf(packages: Consignment['packages'], index: number): number {
  const pack = packages[index]!;
  if (!isCounted(pack)) return numberOf(packages, pack.replaces!);
  return packages.slice(0, index + 1).filter(isCounted).length;
}

/** Returns the content of a package's label, or null for a label of the carrier's own. @param date YYYY-MM-DD */
function labelContent(
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
    packageNumber: numberOf(consignment.packages, index),
    packageCount: consignment.packages.filter(isCounted).length,
    weightGrams: pack.grossWeightGrams,
    date,
    routing: label.routing,
    barcode: { symbology: label.symbology, value: trackingNumber },
  };
}

/** @param packagePosition index of its package, or null for a document of all packages */
function pdfDocument(
  documentType: DocumentType,
  packagePosition: number | null,
  name: string,
  make: UnstoredDocument['make'],
): UnstoredDocument {
  const fileName = `${documentType.replace('_', '-')}-${fileSafe(name)}.pdf`;
  return { packagePosition, documentType, contentType: CONTENT_TYPES.pdf, format: 'pdf', fileName, make };
}

/** Returns the labels: one document per package, or one document of A4 sheets for all packages. */
function labels(
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  options: LabelOptions,
  date: string,
): UnstoredDocument[] {
  if (options.format === 'pdf' && options.size === 'A4' && purchases.every(({ label }) => label.kind === 'to_make')) {
    const contents = () => purchases.map((purchase, index) => labelContent(consignment, purchase, index, date)!);
    const sheets = pdfDocument('label', null, consignment.reference, () => renderLabelPdf(contents(), 'A4'));
    return [{ ...sheets, fileName: `labels-${fileSafe(consignment.reference)}.pdf` }];
  }
  return purchases.map((purchase, index) => labelDocument(consignment, purchase, index, date, options));
}

/** Returns the label of one package: the carrier's own file, or one that Pressline draws. @param date YYYY-MM-DD */
export function labelDocument(
  consignment: Consignment,
  purchase: CarrierPurchase,
  index: number,
  date: string,
  { format, size } = DEFAULT_LABEL,
): UnstoredDocument {
  const { label, trackingNumber } = purchase;
  const made = label.kind === 'made' ? label : null;
  const make = async () =>
    made?.body ?? (await renderLabel(labelContent(consignment, purchase, index, date)!, format, size));
  const pdf = pdfDocument('label', index, trackingNumber, make);
  const isZpl = (made?.contentType ?? CONTENT_TYPES[format]) === CONTENT_TYPES.zpl;
  if (!isZpl) return pdf;
  const fileName = `label-${fileSafe(trackingNumber)}.zpl`;
  return { ...pdf, contentType: CONTENT_TYPES.zpl, format: 'zpl', fileName };
}

async function renderLabel(content: LabelContent, format: 'pdf' | 'zpl', size: LabelSize): Promise<Buffer> {
  return format === 'zpl' ? renderLabelZpl([content]) : await renderLabelPdf([content], size);
}

const RENDER_FORM = { cn22: renderCn22, cn23: renderCn23, commercial_invoice: renderCommercialInvoice } as const;

/** Returns the invoice of a package for the shop's customer. `paper.number` is its number. */
export type InvoiceOf = (
  pack: ConsignmentPackage,
  paper: { readonly number: string; readonly date: string },
) => CustomerInvoice;

interface DocumentOptions {
  readonly date: string;
  readonly rates: RateTable;
  /** Required for packages whose `paper` is an invoice. */
  readonly invoiceOf?: InvoiceOf | undefined;
}

/**
 * Returns all documents of a shipment: labels, those that go with its contents, and the client's packing slips. Each
 * shipment has its own copies of packing slips, because slips and shipping documents have different retention periods.
 */
export function shipmentDocuments(
  objects: ObjectStore,
  consignment: Consignment,
  purchases: readonly CarrierPurchase[],
  options: DocumentOptions & { readonly label: LabelOptions },
): UnstoredDocument[] {
  return [
    ...labels(consignment, purchases, options.label, options.date),
    ...contentDocuments(consignment, purchases, options),
    ...consignment.packages.flatMap(({ packingSlip, packageReferenceId }, index) => {
      if (packingSlip === undefined) return [];
      const open = async () => (await objects.get(packingSlip))?.body ?? null;
      return [pdfDocument('packing_slip', index, packageReferenceId, open)];
    }),
  ];
}

/** A bought package, as the documents about its contents name it. */
export type DocumentedParcel = Pick<CarrierPurchase, 'carrierName' | 'trackingNumber' | 'customsForm'>;

/**
 * Returns the documents that depend on the contents of packages, each about one package: the required customs document, the
 * packing list, and the paper for the shop's customer.
 * @param parcels one for each package of the consignment
 */
export function contentDocuments(
  consignment: Consignment,
  parcels: readonly DocumentedParcel[],
  { date, rates, invoiceOf }: DocumentOptions,
): UnstoredDocument[] {
  const documents: UnstoredDocument[] = [];
  const byNumber = Map.groupBy(parcels, ({ trackingNumber }) => trackingNumber);
  for (const [index, pack] of consignment.packages.entries()) {
    const { carrierName, trackingNumber, customsForm: kind } = parcels[index]!;
    const { packageReferenceId, items, paper } = pack;
    // Some carriers give one tracking number to several packages.
    const isShared = byNumber.get(trackingNumber)!.length > 1;
    const number = isShared ? `${trackingNumber}-${index + 1}` : trackingNumber;
    const form = customsForm(consignment, pack, kind, rates);
    if (form !== null) {
      const barcode = { symbology: 'code128', value: trackingNumber } as const;
      const declaration = { consignment, pack, carrierName, number, barcode, date, rates };
      documents.push(pdfDocument(form, index, number, () => RENDER_FORM[form](declaration)));
    }
    const { receiver, reference, brandName, packages } = consignment;
    const place = { packageNumber: index + 1, packageCount: packages.length, date };
    const parcel = { receiver, reference, brandName, packageReferenceId, items, ...place };
    const list = (title: PackingList['title']) => drawnFrom('packing_list', () => ({ title, ...parcel }));
    const add = (type: DocumentType, name: string, { make, storedAs }: ReturnType<typeof drawnFrom>) =>
      documents.push({ ...pdfDocument(type, index, name, make), storedAs });
    const invoice = () => invoiceOf!(pack, { number, date });
    if (paper === 'delivery_note') add(paper, packageReferenceId, list('Delivery note'));
    else if (paper !== undefined) add('invoice', number, drawnFrom('invoice', invoice));
    if (pack.packingList === true) add('packing_list', packageReferenceId, list('Packing list'));
  }
  return documents;
}

/** The label of a package: the stored file, or one that is drawn again from the purchase in another format. */
export type LabelCopy = { readonly contentType: string; readonly fileName: string } & (
  | { readonly from: 'store'; readonly objectKey: string }
  | { readonly from: 'purchase'; readonly body: Buffer }
);

/** `deleted`: the documents are deleted. `voided`: the label must not be used. `format`: the carrier made its own label. */
export type NoLabel = 'unknown' | 'deleted' | 'voided' | 'format';

interface LabelRow {
  readonly isVoid: boolean;
  readonly consignment: Consignment;
  readonly methodUid: string;
  readonly methodName: string;
  readonly carrierName: string;
  readonly startedAt: Date;
  readonly trackingNumber: string;
  readonly documents:
    | readonly Pick<ShipmentDocument, 'packagePosition' | 'format' | 'contentType' | 'objectKey' | 'fileName'>[]
    | null;
}

/**
 * Returns the label of a bought package in a format. Buys nothing: a label in another format than the stored one has the same
 * tracking number, content and date.
 * @param position index of the package
 */
export async function labelCopy(
  deps: { readonly sql: Queryable; readonly carriers: Carriers },
  label: { readonly shipmentId: string; readonly position: number; readonly format: 'pdf' | 'zpl' },
): Promise<LabelCopy | NoLabel> {
  const { shipmentId, position, format } = label;
  const [row] = await deps.sql<LabelRow[]>`
    SELECT s.status = 'voided' OR p.left_out_at IS NOT NULL AS is_void, s.consignment, s.method_uid, s.method_name, s.carrier_name, s.started_at, p.tracking_number,
      (SELECT jsonb_agg(jsonb_build_object('packagePosition', d.package_position, 'format', d.format,
          'contentType', d.content_type, 'objectKey', d.object_key, 'fileName', d.file_name))
        FROM shipment_documents d WHERE d.shipment_id = s.id AND d.document_type = 'label' AND d.deleted_at IS NULL
          AND coalesce(d.package_position, p.position) = p.position) AS documents
    FROM shipments s JOIN shipment_packages p ON p.shipment_id = s.id
    WHERE s.id = ${shipmentId} AND p.position = ${position} AND s.bought_at IS NOT NULL`;
  if (row === undefined) return 'unknown';
  if (row.isVoid) return 'voided';
  // Documents are deleted after their retention and by an erasure, which also removes the addresses.
  if (row.documents === null) return 'deleted';
  const stored = row.documents.find((document) => document.format === format && document.packagePosition !== null);
  if (stored !== undefined) {
    const { objectKey, contentType, fileName } = stored;
    return { from: 'store', objectKey, contentType, fileName };
  }
  const { methodUid, consignment } = row;
  const made = deps.carriers.forMethod(methodUid)?.labelOf?.({ methodUid, consignment }) ?? null;
  if (made === null) return 'format';
  const content = labelContent(
    consignment,
    { label: made, ...row },
    position,
    row.startedAt.toISOString().slice(0, 10),
  )!;
  return {
    from: 'purchase',
    body: await renderLabel(content, format, DEFAULT_LABEL.size),
    contentType: CONTENT_TYPES[format],
    fileName: `label-${fileSafe(row.trackingNumber)}.${format}`,
  };
}
