import type { FileFacts } from '../../../packages/file-reader/facts';
import type { PrintNeeds } from '../../catalog/domain/print-needs';
import type { AreaNeeds } from '../../files/domain/file-findings';
import { printOf } from '../../files/domain/page-checks';
import type { StoredPreview } from '../../files/ingest-file';
import type { LinkTarget } from '../../platform/objects/signed-links';
import type { Queryable } from '../../platform/postgres';
import type { ShipmentStatus } from '../../shipping/purchase-rows';
import type { ShipmentDocument } from '../../shipping/shipments';
import { type FileOfProduct, needsOfFile } from '../domain/file-needs';
import { type ArchivedRows, withRows } from './archived-tables';

export interface OrderDocument extends ShipmentDocument {
  readonly shipmentId: string;
  readonly shipmentStatus: ShipmentStatus;
  readonly printOrderId: string;
  /** Tracking number of the document's package; null for a document of all packages. */
  readonly trackingNumber: string | null;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  /** The object was deleted after its retention, or by an erasure. */
  readonly deletedAt: Date | null;
}

/** A print file of an item, or a packing slip of the client, which belongs to no item. */
export interface OrderFile {
  readonly itemId: string | null;
  readonly itemReferenceId: string | null;
  readonly type: string;
  /** Null before the file is stored, and after its deletion. */
  readonly objectKey: string | null;
  readonly mimeType: string | null;
  readonly sizeBytes: number | null;
  readonly pageCount: number | null;
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Lowest resolution among the item's files at the size of the print. */
  readonly itemDpi: number | null;
  readonly previews: readonly StoredPreview[];
  /** Null before the file is fetched, and for packing slips. */
  readonly facts: FileFacts | null;
  /** What its first page needs. Null for a packing slip. */
  readonly area: (AreaNeeds & Pick<PrintNeeds, 'safeMarginMm'> & { readonly print: ReturnType<typeof printOf> }) | null;
}

/** Returns the documents of the order's shipments, the latest shipment first, labels first. */
export async function orderDocuments(
  sql: Queryable,
  orderId: string,
  archived: ArchivedRows | null,
): Promise<OrderDocument[]> {
  return await sql<OrderDocument[]>`
    ${withRows(sql, archived)} wanted AS (SELECT ${orderId}::uuid AS id)
    SELECT d.id, d.package_position, d.document_type, d.content_type, d.format, d.object_key, d.file_name,
      d.size_bytes::float8 AS size_bytes, d.created_at, d.deleted_at, s.id AS shipment_id, s.status AS shipment_status,
      s.print_order_id, p.tracking_number
    FROM shipments s
    JOIN shipment_documents d ON d.shipment_id = s.id
    LEFT JOIN shipment_packages p ON p.shipment_id = s.id AND p.position = d.package_position
    WHERE s.order_id = (SELECT id FROM wanted)
    ORDER BY s.started_at DESC, s.id, d.document_type <> 'label', d.package_position NULLS LAST, d.document_type`;
}

/** Returns the order's print files in the order of its items, then its packing slips. */
export async function orderFiles(sql: Queryable, orderId: string, archived: ArchivedRows | null): Promise<OrderFile[]> {
  const rows = await sql<(Omit<OrderFile, 'area'> & { readonly ordered: Omit<FileOfProduct, 'type'> | null })[]>`
    ${withRows(sql, archived)} wanted AS (SELECT ${orderId}::uuid AS id)
    SELECT item_id, item_reference_id, type, object_key, mime_type, size_bytes, page_count, width_px, height_px, item_dpi, previews, facts, ordered
    FROM (
      SELECT 0 AS part, i.position AS item_position, f.position, i.id::text AS item_id, i.item_reference_id, f.type, f.object_key,
        f.mime_type, f.size_bytes::float8 AS size_bytes, f.page_count, f.width_px, f.height_px, i.dpi AS item_dpi, f.previews,
        f.facts, jsonb_build_object('product', i.product, 'customTrim', i.custom_trim, 'otherTypes', ARRAY(
          SELECT o.type FROM order_files o WHERE o.order_item_id = i.id AND o.id <> f.id AND o.replacement IS NULL)) AS ordered
      FROM order_files f JOIN order_items i ON i.id = f.order_item_id
      WHERE i.order_id = (SELECT id FROM wanted) AND f.replacement IS NULL
      UNION ALL
      SELECT 1, l.package_index, 0, NULL, NULL, 'packing_slip', l.object_key, 'application/pdf', NULL, NULL, NULL, NULL, NULL, '[]'::jsonb, NULL, NULL
      FROM packing_slips l WHERE l.order_id = (SELECT id FROM wanted)
    ) found ORDER BY part, item_position, position`;
  return rows.map(({ ordered, ...file }) => {
    if (ordered === null) return { ...file, area: null };
    const area = needsOfFile({ ...ordered, type: file.type }).areas[0]!;
    return { ...file, area: { ...area, print: printOf(file, file.facts, area) } };
  });
}

/** Begin of the keys of reports in signed links. They are made from rows, not stored as objects. */
const PREFIX = 'file-reports/';

/** Returns the target of a signed link to the report of a print file. @param id of the file */
export function fileReportTarget(id: string, type: string): LinkTarget {
  return { objectKey: `${PREFIX}${id}`, contentType: 'application/json', fileName: `${type}-report.json` };
}

/**
 * Returns the report that a signed link leads to, as JSON. Null: it is deleted. Undefined: the link leads to an object.
 */
export async function readFileReport(sql: Queryable, objectKey: string): Promise<string | null | undefined> {
  if (!objectKey.startsWith(PREFIX)) return undefined;
  const [found] = await sql<{ report: object }[]>`
    SELECT jsonb_build_object('fileType', type, 'mimeType', mime_type, 'sizeBytes', size_bytes, 'pageCount', page_count,
      'checks', checks, 'checksAccepted', checks_accepted, 'facts', facts) AS report
    FROM order_files WHERE id = ${objectKey.slice(PREFIX.length)} AND facts IS NOT NULL`;
  return found === undefined ? null : JSON.stringify(found.report);
}
