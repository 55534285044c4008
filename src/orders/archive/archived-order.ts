import type { Queryable } from '../../platform/postgres';
import { type ArchiveDeps, fileKey, openRecord } from './archive-orders';
import type { ArchivedRows } from './archived-tables';
import { RECORDS, type RecordRow, readParquet, storedFile } from './parquet-files';

/**
 * Reads the rows of an archived order from the object store.
 * @returns null when the order is not archived
 * @throws ArchiveFileMissing when the object store does not have its file
 */
export async function readArchived({ sql, objects }: ArchiveDeps, orderId: string): Promise<ArchivedRows | null> {
  const [found] = await sql<
    { partId: string; day: string; partRow: number; recordKey: Uint8Array | null; erasedAt: Date | null }[]
  >`
    SELECT a.part_id, p.day::text, a.part_row, a.record_key, a.erased_at
    FROM archived_orders a JOIN archive_parts p ON p.id = a.part_id WHERE a.id = ${orderId}`;
  if (found === undefined) return null;
  const file = await storedFile(objects, fileKey({ id: found.partId, day: found.day }, RECORDS.name));
  const [record] = await readParquet<RecordRow>(file, { rowStart: found.partRow, rowEnd: found.partRow + 1 });
  if (record?.order_id !== orderId)
    throw new Error(`row ${found.partRow} of part ${found.partId} is not order ${orderId}`);
  return recordRows(record, found);
}

/** Returns the rows of a record: without personal data when the order was erased. */
export const recordRows = (
  record: RecordRow,
  { recordKey, erasedAt }: { readonly recordKey: Uint8Array | null; readonly erasedAt: Date | null },
): ArchivedRows => ({
  json: recordKey === null ? record.rows : openRecord(record, recordKey),
  erasedAt,
});

/** Returns the ids of archived orders with a tracking number, newest first. */
export async function archivedByTrackingNumber(sql: Queryable, numbers: readonly string[]): Promise<string[]> {
  const rows = await sql<{ orderId: string }[]>`
    SELECT order_id FROM archived_parcels WHERE tracking_number = ANY(${[...numbers]}) ORDER BY order_id DESC LIMIT 100`;
  return rows.map(({ orderId }) => orderId);
}

/** Deletes the keys of archived orders, and their e-mail addresses: nobody can read their personal data any more. */
export async function eraseArchived(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx`
    UPDATE archived_orders SET record_key = NULL, emails = NULL, erased_at = coalesce(erased_at, now())
    WHERE id = ANY(${[...ids]}::uuid[])`;
}
