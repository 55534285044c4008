import { type ArchiveDeps, readArchived } from '../orders/archive/archived-order';
import { withRows } from '../orders/archive/archived-tables';
import { PERSONAL_TABLES } from '../orders/personal-columns';
import { DOCUMENT_LINK_SECONDS, type LinkSigner } from '../platform/objects/signed-links';
import type { Queryable } from '../platform/postgres';
import type { Subject } from './subjects';

type PersonalRow = Readonly<Record<string, unknown>>;

interface StoredDocument {
  readonly type: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly objectKey: string;
}

/**
 * Returns the stored data about the recipient of an order or a shipping order, archived or not, with links to its files and documents: rows by
 * table, with the names of the columns.
 */
export async function exportSubject(
  { sql, objects, links }: ArchiveDeps & { readonly links: LinkSigner },
  { kind, id }: Subject,
) {
  const archived = kind === 'order' ? await readArchived({ sql, objects }, id) : null;
  const records: Record<string, PersonalRow[]> = {};
  for (const { table, rowsOf } of PERSONAL_TABLES) {
    const rows = await sql<{ row: PersonalRow }[]>`
      ${withRows(sql, archived)} stored AS (SELECT * FROM ${sql(table)} t WHERE ${rowsOf(sql, [id])})
      SELECT to_jsonb(stored) AS row FROM stored`;
    if (rows.length > 0) records[table] = rows.map(({ row }) => row);
  }
  const documents = await storedDocuments(sql, id);
  return {
    kind,
    id,
    records,
    documents: documents.map(({ type, ...target }) => ({
      type,
      fileName: target.fileName,
      url: links.sign(target, { seconds: DOCUMENT_LINK_SECONDS }),
    })),
  };
}

async function storedDocuments(sql: Queryable, id: string): Promise<StoredDocument[]> {
  return await sql<StoredDocument[]>`
    SELECT 'print_file' AS type, f.type AS file_name, coalesce(f.mime_type, 'application/octet-stream') AS content_type,
      f.object_key
    FROM order_files f JOIN order_items i ON i.id = f.order_item_id
    WHERE i.order_id = ${id} AND f.object_key IS NOT NULL
    UNION ALL
    SELECT 'packing_slip', 'packing-slip.pdf', 'application/pdf', object_key FROM packing_slips
    WHERE order_id = ${id} AND object_key IS NOT NULL
    UNION ALL
    SELECT d.document_type, d.file_name, d.content_type, d.object_key
    FROM shipment_documents d JOIN shipments s ON s.id = d.shipment_id
    WHERE (s.order_id = ${id} OR s.shipping_order_id = ${id}) AND d.deleted_at IS NULL`;
}
