import type { Money } from '../consignments/domain/consignment';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../platform/objects/signed-links';
import type { Fragment, Queryable } from '../platform/postgres';

export type ShipmentOwner =
  | { readonly kind: 'print_order'; readonly orderId: string; readonly printOrderId: string }
  | { readonly kind: 'shipping_order'; readonly shippingOrderId: string };

export interface StoredShipment {
  readonly shipmentId: string;
  readonly status: 'bought' | 'voided';
  readonly carrierName: string;
  readonly methodUid: string;
  readonly packages: readonly {
    readonly packageReferenceId: string;
    readonly trackingNumber: string;
    readonly trackingUrl: string;
    readonly cost: Money;
    readonly items: readonly { readonly itemReferenceId: string; readonly quantity: number }[];
    /** The label is void: nothing travels in this package. */
    readonly isVoid: boolean;
  }[];
  /** Labels first, in the order of their packages. Deleted documents are left out. */
  readonly documents: readonly ShipmentDocument[];
}

/**
 * The documents of a shipment, each with its type in the response to a dispatch request: for partners with
 * `documentTypes: all`, and for others, which get labels and invoices only. A CN22 counts as a label, since it is stuck on
 * the parcel. A CN23 counts as an invoice, since it travels in the document pouch, and so does a client's packing slip
 * (`packing_slip`), which travels with the goods. A `packing_list` is Pressline's list of what a package without a packing
 * slip contains. It is a `delivery_note` in a package that has neither an invoice nor a packing slip, so that the customer
 * of the shop has a paper.
 */
const DOCUMENTS = {
  label: { all: 'label', others: 'label' },
  invoice: { all: 'invoice', others: 'invoice' },
  commercial_invoice: { all: 'invoice', others: 'invoice' },
  cn22: { all: 'customs_form', others: 'label' },
  cn23: { all: 'customs_form', others: 'invoice' },
  packing_slip: { all: 'packing_slip', others: 'invoice' },
  packing_list: { all: 'packing_slip', others: null },
  delivery_note: { all: 'packing_slip', others: 'invoice' },
} as const;

export type DocumentType = keyof typeof DOCUMENTS;
export const DOCUMENT_TYPES = Object.keys(DOCUMENTS) as [DocumentType, ...DocumentType[]];
export const DISPATCH_TYPES = ['label', 'invoice', 'packing_slip', 'customs_form'] as const;

/** Returns the type of a document for partners with `documentTypes: all`. */
export const typeOf = (documentType: DocumentType) => DOCUMENTS[documentType].all;

export interface ShipmentDocument {
  readonly id: string;
  /** Index of the document's package, or null for the sheets with the labels of all packages of a shipping order. */
  readonly packagePosition: number | null;
  readonly documentType: DocumentType;
  readonly contentType: string;
  readonly format: string;
  readonly objectKey: string;
  readonly fileName: string;
}

export const shipmentAsJson = (sql: Queryable): Fragment => sql`
  jsonb_build_object('shipmentId', s.id, 'status', s.status, 'carrierName', s.carrier_name, 'methodUid', s.method_uid,
    'packages', (SELECT jsonb_agg(jsonb_build_object('packageReferenceId', p.package_reference_id,
        'trackingNumber', p.tracking_number, 'trackingUrl', p.tracking_url,
        'items', p.items, 'isVoid', p.left_out_at IS NOT NULL,
        'cost', jsonb_build_object('minor', p.cost_minor, 'currency', p.currency)) ORDER BY p.position)
      FROM shipment_packages p WHERE p.shipment_id = s.id),
    'documents', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'packagePosition', d.package_position,
        'documentType', d.document_type, 'contentType', d.content_type, 'format', d.format, 'objectKey', d.object_key,
        'fileName', d.file_name) ORDER BY d.document_type <> 'label', d.package_position NULLS LAST, d.document_type), '[]')
      FROM shipment_documents d WHERE d.shipment_id = s.id AND d.deleted_at IS NULL))`;

/** Returns a shipment whose labels were bought, including voided ones, or null for any other id. */
export async function readShipment(sql: Queryable, shipmentId: string): Promise<StoredShipment | null> {
  const [row] = await sql<{ shipment: StoredShipment }[]>`
    SELECT ${shipmentAsJson(sql)} AS shipment FROM shipments s WHERE id = ${shipmentId} AND bought_at IS NOT NULL`;
  return row?.shipment ?? null;
}

/** Returns a link to a document that is valid for seven days from `now` (docs/shipping.md). */
export function documentLink(links: LinkSigner, document: ShipmentDocument, now = new Date()): string {
  const { objectKey, contentType, fileName } = document;
  return links.sign({ objectKey, contentType, fileName }, { seconds: DOCUMENT_LINK_SECONDS, now });
}

/** A package that a document of a dispatch response belongs to. */
export interface NamedPackage {
  readonly packageReferenceId: string;
  readonly trackingCode: string;
}

/**
 * Returns the response to a dispatch request: the documents of valid labels under new links, each with its package, the
 * tracking data of the first package, and the labels that are void.
 * @param options.documentTypes `all` names every document by its own type; null maps to `label` and `invoice`
 * @param options.isWanted selects packages
 */
export function dispatchResponse(
  links: LinkSigner,
  { packages, documents }: Pick<StoredShipment, 'packages' | 'documents'>,
  options: {
    readonly documentTypes: 'all' | null;
    readonly voidLabels: readonly NamedPackage[];
    readonly isWanted: (pack: StoredShipment['packages'][number]) => boolean;
  },
) {
  const { documentTypes, voidLabels, isWanted } = options;
  const wanted = packages.map((pack) => (!pack.isVoid && isWanted(pack) ? pack : null));
  const first = wanted.find((pack) => pack !== null);
  return {
    documents: documents.flatMap((document) => {
      const { contentType, format, documentType, packagePosition } = document;
      const type = DOCUMENTS[documentType][documentTypes ?? 'others'];
      const pack = wanted[packagePosition!];
      if (type === null || pack == null) return [];
      const { packageReferenceId, trackingNumber: trackingCode } = pack;
      return [{ type, contentType, format, url: documentLink(links, document), packageReferenceId, trackingCode }];
    }),
    ...(first === undefined ? {} : { trackingCode: first.trackingNumber, trackingLink: first.trackingUrl }),
    ...(voidLabels.length === 0 ? {} : { voidLabels: [...voidLabels] }),
  };
}
