import type { Carriers } from '../carriers/carriers';
import type { Consignment } from '../consignments/domain/consignment';
import type { Queryable } from '../platform/postgres';
import { CONTENT_TYPES, DEFAULT_LABEL, fileSafe, labelContent, renderLabel } from './document-set';
import type { ShipmentDocument } from './shipments';

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
