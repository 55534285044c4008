import { type ObjectStore, ObjectsNotDeleted } from '../platform/objects/object-store';
import { json, type Sql } from '../platform/postgres';
import { progressed } from '../platform/progress';

/**
 * Days for which files and shipping documents are stored after the last change of their order: long enough for claims and
 * reprints. Afterwards the rows remain without the file, and links to it return 410.
 */
export const RETENTION_DAYS = 90;

/** Rows of a batch. Their objects fill a request of S3. */
const BATCH = 500;
/** Rows whose objects cannot be deleted, after which the others are not tried. */
const MOST_FAILED = 5_000;
/** Statuses of orders that need no more printing or shipping. Parcels without tracking stay `shipped`. */
const FINAL_STATUSES = ['shipped', 'in_transit', 'delivered', 'returned', 'failed', 'canceled'];

/** A row with a stored object, and with previews when it is a print file. */
interface StoredRow {
  readonly id: string;
  readonly objectKey: string;
  readonly previews?: readonly { readonly objectKey: string }[];
}

/**
 * Deletes objects whose retention time is over. Deletes each object before it updates the row, so that the next run continues
 * after a killed one. Any number of processes can run it concurrently. Objects that the store does not delete stop none of
 * the others, and are tried again the next time.
 * @returns the number of deleted objects of each kind
 * @throws ObjectsNotDeleted when some are left
 */
export async function collectGarbage(sql: Sql, objects: ObjectStore, now = new Date()) {
  const before = new Date(now.getTime() - RETENTION_DAYS * 24 * 60 * 60 * 1000);
  const left: string[] = [];
  let cause: unknown;
  /** Deletes the objects of found rows and marks the rows, until a batch is not full. Returns the number of marked rows. */
  const inBatches = async (
    find: (failed: string[]) => PromiseLike<readonly StoredRow[]>,
    mark: (ids: string[]) => PromiseLike<unknown>,
  ): Promise<number> => {
    let total = 0;
    const failed: string[] = [];
    for (;;) {
      const rows = await find(failed);
      const notDeleted = new Set<string>();
      try {
        await objects.delete(rows.flatMap(keysOf));
      } catch (error) {
        if (!(error instanceof ObjectsNotDeleted)) throw error;
        cause ??= error.cause;
        for (const key of error.keys) notDeleted.add(key);
        left.push(...error.keys);
      }
      const isDeleted = (row: StoredRow) => !keysOf(row).some((key) => notDeleted.has(key));
      const deleted = rows.filter(isDeleted);
      failed.push(...rows.filter((row) => !isDeleted(row)).map(({ id }) => id));
      await mark(deleted.map(({ id }) => id));
      progressed();
      total += deleted.length;
      if (rows.length < BATCH || failed.length > MOST_FAILED) return total;
    }
  };
  const removed = {
    files: await inBatches(
      (failed) => sql<StoredRow[]>`
        SELECT f.id, f.object_key, f.previews FROM order_files f
        JOIN order_items i ON i.id = f.order_item_id JOIN orders o ON o.id = i.order_id
        WHERE f.object_key IS NOT NULL AND f.fetched_at < ${before} AND f.id <> ALL(${failed}::uuid[])
          AND o.updated_at < ${before} AND o.fulfillment_status = ANY(${FINAL_STATUSES})
        ORDER BY f.fetched_at LIMIT ${BATCH}`,
      (ids) => sql`UPDATE order_files SET object_key = NULL, previews = ${json(sql, [])} WHERE id = ANY(${ids})`,
    ),
    packingSlips: await inBatches(
      (failed) => sql<StoredRow[]>`
        SELECT s.id, s.object_key FROM packing_slips s JOIN orders o ON o.id = s.order_id
        WHERE s.object_key IS NOT NULL AND s.id <> ALL(${failed}::uuid[])
          AND o.updated_at < ${before} AND o.fulfillment_status = ANY(${FINAL_STATUSES})
        ORDER BY s.id LIMIT ${BATCH}`,
      (ids) => sql`UPDATE packing_slips SET object_key = NULL WHERE id = ANY(${ids})`,
    ),
    shippingDocuments: await inBatches(
      (failed) => sql<StoredRow[]>`
        SELECT d.id, d.object_key FROM shipment_documents d
        JOIN shipments s ON s.id = d.shipment_id LEFT JOIN orders o ON o.id = s.order_id
        WHERE d.deleted_at IS NULL AND d.created_at < ${before} AND d.id <> ALL(${failed}::uuid[])
          AND (o.id IS NULL OR (o.updated_at < ${before} AND o.fulfillment_status = ANY(${FINAL_STATUSES})))
        ORDER BY d.created_at LIMIT ${BATCH}`,
      (ids) => sql`UPDATE shipment_documents SET deleted_at = now() WHERE id = ANY(${ids})`,
    ),
    // Longer than the links to them are valid.
    uploads: await inBatches(
      (failed) => sql<StoredRow[]>`
        SELECT id, concat('uploads/', id) AS object_key FROM uploads
        WHERE created_at < ${now}::timestamptz - interval '8 days' AND id <> ALL(${failed}::uuid[])
        ORDER BY created_at LIMIT ${BATCH}`,
      (ids) => sql`DELETE FROM uploads WHERE id = ANY(${ids})`,
    ),
    // Nothing of a dry run is kept for longer than its reader needs.
    channelFiles: await inBatches(
      (failed) => sql<StoredRow[]>`
        SELECT id, object_key FROM channel_files
        WHERE object_key IS NOT NULL AND id <> ALL(${failed}::uuid[])
          AND created_at < CASE WHEN dry_run THEN ${now}::timestamptz - interval '1 day' ELSE ${before} END
        ORDER BY created_at LIMIT ${BATCH}`,
      (ids) => sql`UPDATE channel_files SET object_key = NULL, findings = '[]' WHERE id = ANY(${ids})`,
    ),
  };
  if (left.length > 0) throw new ObjectsNotDeleted(left, { cause });
  return removed;
}

const keysOf = ({ objectKey, previews = [] }: StoredRow): string[] => [
  objectKey,
  ...previews.map((preview) => preview.objectKey),
];
