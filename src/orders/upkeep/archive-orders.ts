import { inTransaction, type Sql } from '../../platform/postgres';
import { progressed } from '../../platform/progress';
import { ENDED_ORDERS } from '../domain/lifecycle/statuses';
import {
  type ArchiveDeps,
  type ArchivePart,
  fileKey,
  RECORDS_FILE,
  type RecordRow,
  readArchiveFile,
  recordRows,
} from '../reading/archived-order';
import { insertRows } from '../reading/archived-tables';
import { ARCHIVE_FILES, RECORDS } from './archive-files';
import { ArchiveNotVerified, archivePart } from './archive-part';

/** Orders of one set of files. They are dropped in one transaction, and their files are held in memory. */
const PART_ORDERS = 1_000;
/** Orders that stay in the tables because they cannot be verified, after which a run ends: the store or the code is at fault. */
const MOST_UNVERIFIED = 20;
/** How long the row of a discarded part is kept. A process that was thought dead may still store its files. */
const DISCARDED_KEPT = '1 day';

/** The day in UTC of a version 7 UUID, as YYYY-MM-DD. */
export const dayOf = (id: string): string =>
  new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString().slice(0, 10);

/**
 * Moves ended orders to the archive, one part after the other. It can be killed at any point, and run twice at the same time:
 * the rows of an order leave their tables in the transaction that completes its part, which was verified before. An order that
 * cannot be verified stays in the tables and does not stop the others.
 * @param before only orders that were submitted, and last changed, before this time
 * @returns the number of archived orders
 * @throws ArchiveNotVerified at the end, with the first order that stays: the stored files do not hold what its rows hold, or it
 *   has changed meanwhile. At once when `MOST_UNVERIFIED` orders stay
 */
export async function archiveOrders(deps: ArchiveDeps, before: Date): Promise<number> {
  let archived = 0;
  const unverified: ArchiveNotVerified[] = [];
  await deleteDiscarded(deps);
  for (let after = ''; ; ) {
    const ids = await nextOrders(deps.sql, before, after);
    if (ids.length === 0) break;
    archived += await archiveVerified(deps, ids, unverified);
    after = ids.at(-1)!;
  }
  if (unverified.length > 0) throw unverified[0];
  return archived;
}

/**
 * Moves orders to one part. When it is not verified, each half of the orders gets a part, until the orders that cannot be verified
 * are alone.
 * @param unverified gets the error of each order that stays
 * @returns the number of archived orders
 */
async function archiveVerified(
  deps: ArchiveDeps,
  ids: readonly string[],
  unverified: ArchiveNotVerified[],
): Promise<number> {
  try {
    await archivePart(deps, dayOf(ids[0]!), ids);
    return ids.length;
  } catch (error) {
    if (!(error instanceof ArchiveNotVerified)) throw error;
    if (ids.length === 1) {
      unverified.push(new ArchiveNotVerified(`order ${ids[0]} stays in the tables: ${error.message}`));
      if (unverified.length >= MOST_UNVERIFIED) throw unverified[0];
      return 0;
    }
    const half = Math.ceil(ids.length / 2);
    return (
      (await archiveVerified(deps, ids.slice(0, half), unverified)) +
      (await archiveVerified(deps, ids.slice(half), unverified))
    );
  }
}

/**
 * Returns the ids of orders of one day that can be archived. Nothing happens to them any more: they have ended and need no
 * attention, no run holds them, their files and documents are deleted, and they hold no stock.
 */
async function nextOrders(sql: Sql, before: Date, after: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    SELECT o.id FROM orders o
    WHERE o.id < least_uuid_at(${before}) ${after === '' ? sql`` : sql`AND o.id > ${after}`}
      AND o.order_type = 'order' AND o.updated_at < ${before} AND o.attention IS NULL
      AND (o.fulfillment_status = ANY(${[...ENDED_ORDERS]}) OR o.tracking_ended_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM run_snapshots r WHERE r.order_id = o.id)
      AND NOT EXISTS (SELECT FROM packing_slips s WHERE s.order_id = o.id AND s.object_key IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM order_items i JOIN order_files f ON f.order_item_id = i.id
        WHERE i.order_id = o.id AND f.object_key IS NOT NULL)
      AND NOT EXISTS (
        SELECT FROM shipments s JOIN shipment_documents d ON d.shipment_id = s.id
        WHERE s.order_id = o.id AND d.deleted_at IS NULL)
      AND NOT EXISTS (
        SELECT FROM print_orders p JOIN print_jobs j ON j.print_order_id = p.id JOIN stock_reservations r ON r.print_job_id = j.id
        WHERE p.order_id = o.id AND r.state = 'reserved')
    ORDER BY o.id LIMIT ${PART_ORDERS}`;
  return rows.map(({ id }) => id).filter((id) => dayOf(id) === dayOf(rows[0]!.id));
}

/** Deletes the files of parts that were not completed: their process has died or failed. */
async function deleteDiscarded({ sql, objects }: ArchiveDeps): Promise<void> {
  // A transaction that completes the part meanwhile holds its row: then the part is complete, or is discarded and the
  // transaction fails.
  await sql`UPDATE archive_parts SET state = 'discarded' WHERE state = 'writing'`;
  const parts = await sql<ArchivePart[]>`
    SELECT id, day::text FROM archive_parts WHERE state = 'discarded' ORDER BY id`;
  const files = [...ARCHIVE_FILES, RECORDS];
  await objects.delete(parts.flatMap((part) => files.map(({ name }) => fileKey(part, name))));
  await sql`
    DELETE FROM archive_parts WHERE state = 'discarded' AND created_at < now() - ${DISCARDED_KEPT}::interval
      AND id = ANY(${parts.map(({ id }) => id)}::uuid[])`;
}

/**
 * Moves the orders of one day from the archive back into their tables, one part in each transaction. Erased orders come back
 * without personal data. The next run of the maintenance job deletes the files, and archives the orders again unless
 * ARCHIVE_AFTER is longer or not set. Can be killed and repeated.
 * @param day YYYY-MM-DD, in UTC, by the times of the orders' ids
 * @returns the number of restored orders
 * @throws ArchiveFileUnreadable
 */
export async function restoreDay({ sql, objects }: ArchiveDeps, day: string): Promise<number> {
  let restored = 0;
  const parts = await sql<{ id: string }[]>`
    SELECT id FROM archive_parts WHERE day = ${day} AND state = 'complete' ORDER BY id`;
  for (const { id } of parts) {
    const records = await readArchiveFile<RecordRow>(objects, { id, day }, RECORDS_FILE);
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
