import type { ObjectStore } from '../platform/objects/object-store';
import { json, type Sql } from '../platform/postgres';

/**
 * Days for which files and shipping documents are stored after the last change of their order: long enough for claims and
 * reprints. Afterwards the rows remain without the file, and links to it return 410.
 */
export const RETENTION_DAYS = 90;

const BATCH = 200;
/** Statuses of orders that need no more printing or shipping. Parcels without tracking stay `shipped`. */
const FINAL_STATUSES = ['shipped', 'in_transit', 'delivered', 'returned', 'failed', 'canceled'];

/** Number of deleted objects of each kind. */
export interface Collected {
  readonly files: number;
  readonly packingSlips: number;
  readonly shippingDocuments: number;
}

/**
 * Deletes objects whose retention time is over. Deletes each object before it updates the row, so that the next run continues
 * after a killed one. Any number of processes can run it concurrently.
 */
export async function collectGarbage(sql: Sql, objects: ObjectStore, now = new Date()): Promise<Collected> {
  const before = new Date(now.getTime() - RETENTION_DAYS * 24 * 60 * 60 * 1000);
  return {
    files: await collectFiles(sql, objects, before),
    packingSlips: await collectPackingSlips(sql, objects, before),
    shippingDocuments: await collectShippingDocuments(sql, objects, before),
  };
}

async function collectFiles(sql: Sql, objects: ObjectStore, before: Date): Promise<number> {
  interface Row {
    id: string;
    objectKey: string;
    previews: { objectKey: string }[];
  }
  return await inBatches(async () => {
    const rows = await sql<Row[]>`
      SELECT f.id, f.object_key, f.previews FROM order_files f
      JOIN order_items i ON i.id = f.order_item_id JOIN orders o ON o.id = i.order_id
      WHERE f.object_key IS NOT NULL AND f.fetched_at < ${before}
        AND o.updated_at < ${before} AND o.fulfillment_status = ANY(${FINAL_STATUSES})
      ORDER BY f.fetched_at LIMIT ${BATCH}`;
    await deleteAll(
      objects,
      rows.flatMap(({ objectKey, previews }) => [objectKey, ...previews.map((preview) => preview.objectKey)]),
    );
    await sql`
      UPDATE order_files SET object_key = NULL, previews = ${json(sql, [])} WHERE id = ANY(${rows.map(({ id }) => id)})`;
    return rows;
  });
}

async function collectPackingSlips(sql: Sql, objects: ObjectStore, before: Date): Promise<number> {
  return await inBatches(async () => {
    const rows = await sql<{ id: string; objectKey: string }[]>`
      SELECT s.id, s.object_key FROM packing_slips s JOIN orders o ON o.id = s.order_id
      WHERE s.object_key IS NOT NULL AND o.updated_at < ${before} AND o.fulfillment_status = ANY(${FINAL_STATUSES})
      ORDER BY s.id LIMIT ${BATCH}`;
    await deleteAll(
      objects,
      rows.map(({ objectKey }) => objectKey),
    );
    await sql`UPDATE packing_slips SET object_key = NULL WHERE id = ANY(${rows.map(({ id }) => id)})`;
    return rows;
  });
}

async function collectShippingDocuments(sql: Sql, objects: ObjectStore, before: Date): Promise<number> {
  return await inBatches(async () => {
    const rows = await sql<{ id: string; objectKey: string }[]>`
      SELECT d.id, d.object_key FROM shipment_documents d
      JOIN shipments s ON s.id = d.shipment_id LEFT JOIN orders o ON o.id = s.order_id
      WHERE d.deleted_at IS NULL AND d.created_at < ${before}
        AND (o.id IS NULL OR (o.updated_at < ${before} AND o.fulfillment_status = ANY(${FINAL_STATUSES})))
      ORDER BY d.created_at LIMIT ${BATCH}`;
    await deleteAll(
      objects,
      rows.map(({ objectKey }) => objectKey),
    );
    await sql`UPDATE shipment_documents SET deleted_at = now() WHERE id = ANY(${rows.map(({ id }) => id)})`;
    return rows;
  });
}

/** Repeats `collect` until a batch is not full. `collect` does not find processed rows again. @returns the number of rows */
async function inBatches(collect: () => Promise<readonly unknown[]>): Promise<number> {
  let total = 0;
  for (;;) {
    const { length } = await collect();
    total += length;
    if (length < BATCH) return total;
  }
}

async function deleteAll(objects: ObjectStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) await objects.delete(key);
}
