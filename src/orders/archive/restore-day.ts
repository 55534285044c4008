import { inTransaction } from '../../platform/postgres';
import { progressed } from '../../platform/progress';
import { type ArchiveDeps, fileKey } from './archive-orders';
import { recordRows } from './archived-order';
import { insertRows } from './archived-tables';
import { RECORDS, type RecordRow, readParquet, storedFile } from './parquet-files';

/**
 * Moves the orders of one day from the archive back into their tables, one part in each transaction. Erased orders come back
 * without personal data. The next run of the maintenance job deletes the files, and archives the orders again unless
 * ARCHIVE_AFTER is longer or not set. Can be killed and repeated.
 * @param day YYYY-MM-DD, in UTC, by the times of the orders' ids
 * @returns the number of restored orders
 */
export async function restoreDay({ sql, objects }: ArchiveDeps, day: string): Promise<number> {
  let restored = 0;
  const parts = await sql<{ id: string }[]>`
    SELECT id FROM archive_parts WHERE day = ${day} AND state = 'complete' ORDER BY id`;
  for (const { id } of parts) {
    const records = await readParquet<RecordRow>(await storedFile(objects, fileKey({ id, day }, RECORDS.name)));
    restored += await inTransaction(sql, async (tx) => {
      // A concurrent restore waits here, and then finds the part discarded.
      const taken = await tx`
        UPDATE archive_parts SET state = 'discarded', created_at = now() WHERE id = ${id} AND state = 'complete' RETURNING id`;
      if (taken.length === 0) return 0;
      const keys = await tx<{ id: string; recordKey: Uint8Array | null; erasedAt: Date | null }[]>`
        DELETE FROM archived_orders WHERE part_id = ${id} RETURNING id, record_key, erased_at`;
      const byId = new Map(keys.map((row) => [row.id, row]));
      for (const record of records) {
        const row = byId.get(record.order_id);
        if (row === undefined) throw new Error(`the archive has no index row of order ${record.order_id}`);
        await insertRows(tx, recordRows(record, row));
        progressed();
      }
      return records.length;
    });
  }
  return restored;
}
