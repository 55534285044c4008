import type { PurchasedShipment } from '../consignments/domain/consignment';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../platform/objects/signed-links';
import type { Fragment, Queryable } from '../platform/postgres';

/** The print order or shipping order that a shipment belongs to. */
export type ShipmentOwner =
  | { readonly kind: 'print_order'; readonly orderId: string; readonly printOrderId: string }
  | { readonly kind: 'shipping_order'; readonly shippingOrderId: string };

export interface StoredShipment extends PurchasedShipment {
  readonly status: 'bought' | 'voided';
  readonly boughtAt: Date;
}

/**
 * The documents of a shipment. `packing_slip` is the client's PDF for a package. `packing_list` is Pressline's list of what
 * a package without a packing slip contains.
 */
export const DOCUMENT_TYPES = [
  'label',
  'invoice',
  'commercial_invoice',
  'cn22',
  'cn23',
  'packing_slip',
  'packing_list',
] as const;

/** A row of `shipment_documents`. */
export interface ShipmentDocument {
  readonly id: string;
  /** Index of the document's package, or null for a document of all packages. */
  readonly packagePosition: number | null;
  /** The type in dispatch answers with `documentTypes: all`. A packing list counts as a `packing_slip` there. */
  readonly type: 'label' | 'invoice' | 'customs_form' | 'packing_slip';
  readonly documentType: (typeof DOCUMENT_TYPES)[number];
  readonly contentType: string;
  readonly format: string;
  readonly objectKey: string;
  readonly fileName: string;
}

/** Returns a shipment whose labels were bought, including voided ones, or null for any other id. */
export async function readShipment(sql: Queryable, shipmentId: string): Promise<StoredShipment | null> {
  const [shipment] = await sql<StoredShipment[]>`
    SELECT id AS shipment_id, status, bought_at, carrier_uid, carrier_name, method_uid, method_name,
      (SELECT jsonb_agg(jsonb_build_object('packageReferenceId', p.package_reference_id, 'trackingNumber', p.tracking_number,
          'trackingUrl', p.tracking_url, 'cost', jsonb_build_object('minor', p.cost_minor, 'currency', p.currency))
          ORDER BY p.position)
        FROM shipment_packages p WHERE p.shipment_id = s.id) AS packages
    FROM shipments s WHERE id = ${shipmentId} AND bought_at IS NOT NULL`;
  return shipment ?? null;
}

/** Returns the documents of a shipment, labels first, in the order of their packages. */
export async function shipmentDocuments(sql: Queryable, shipmentId: string): Promise<ShipmentDocument[]> {
  return await sql<ShipmentDocument[]>`
    SELECT id, package_position, type, document_type, content_type, format, object_key, file_name
    FROM shipment_documents WHERE shipment_id = ${shipmentId} AND deleted_at IS NULL
    ORDER BY type <> 'label', package_position NULLS LAST, document_type`;
}

/** Returns a link to a document that is valid for seven days from `now` (docs/shipping.md). */
export function documentLink(links: LinkSigner, document: ShipmentDocument, now = new Date()): string {
  const { objectKey, contentType, fileName } = document;
  return links.sign({ objectKey, contentType, fileName }, { seconds: DOCUMENT_LINK_SECONDS, now });
}

/** A document in the response to a dispatch request (schema `DispatchResponse`). */
type DispatchDocument = Pick<ShipmentDocument, 'type' | 'contentType' | 'format'> & { readonly url: string };

/**
 * Returns a document's type as `label` or `invoice`, or null for a document that only partners with
 * `documentTypes: all` get. A CN22 counts as a `label`, since it is stuck on the parcel. A CN23 counts as an `invoice`, since
 * it travels in the document pouch, and so does a client's packing slip, which travels with the goods.
 */
function listedType({ type, documentType }: ShipmentDocument): 'label' | 'invoice' | null {
  if (documentType === 'packing_list') return null;
  return type === 'label' || documentType === 'cn22' ? 'label' : 'invoice';
}

/** What the response to a dispatch request is made from. */
export interface DispatchedShipment {
  readonly id: string;
  readonly first: { readonly trackingNumber: string; readonly trackingUrl: string } | null;
  readonly documents: readonly ShipmentDocument[] | null;
}

/** Returns the expression of the shipment `s` as a DispatchedShipment. */
export const dispatchedShipment = (sql: Queryable): Fragment => sql`
  jsonb_build_object('id', s.id,
    'first', (SELECT jsonb_build_object('trackingNumber', p.tracking_number, 'trackingUrl', p.tracking_url)
      FROM shipment_packages p WHERE p.shipment_id = s.id ORDER BY p.position LIMIT 1),
    'documents', (SELECT jsonb_agg(jsonb_build_object('id', d.id, 'packagePosition', d.package_position, 'type', d.type,
        'documentType', d.document_type, 'contentType', d.content_type, 'format', d.format, 'objectKey', d.object_key,
        'fileName', d.file_name) ORDER BY d.type <> 'label', d.package_position NULLS LAST, d.document_type)
      FROM shipment_documents d WHERE d.shipment_id = s.id AND d.deleted_at IS NULL))`;

/**
 * Returns the response to a dispatch request: the documents under new links, and the tracking data of the first package.
 * @param documentTypes `all` names every document by its own type; null maps to `label` and `invoice`
 */
export function dispatchResponse(
  deps: { readonly links: LinkSigner; readonly now?: Date },
  { first, documents }: DispatchedShipment,
  documentTypes: 'all' | null,
): { documents: DispatchDocument[]; trackingCode?: string; trackingLink?: string } {
  return {
    documents: (documents ?? []).flatMap((document): DispatchDocument[] => {
      const type = documentTypes === 'all' ? document.type : listedType(document);
      if (type === null) return [];
      const { contentType, format } = document;
      return [{ type, contentType, format, url: documentLink(deps.links, document, deps.now) }];
    }),
    ...(first === null ? {} : { trackingCode: first.trackingNumber, trackingLink: first.trackingUrl }),
  };
}
