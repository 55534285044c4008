import { gunzipSync, gzipSync } from 'node:zlib';
import type { AsyncBuffer } from 'hyparquet';
import type { ObjectStore } from '../../platform/objects/object-store';
import { readParquet } from '../../platform/parquet';
import type { Queryable, Sql } from '../../platform/postgres';
import { decrypt, encrypt } from '../../platform/sealing/named-keys';
import type { ArchivedRows } from './archived-tables';

export interface ArchiveDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** One set of files: orders of one day in UTC, YYYY-MM-DD. */
export interface ArchivePart {
  readonly id: string;
  readonly day: string;
}

/** The file from which an order is read and restored. */
export const RECORDS_FILE = 'records';

export const fileKey = (part: ArchivePart, file: string): string => `archive/${part.day}/${part.id}/${file}.parquet`;

export type RecordRow = {
  readonly order_id: string;
  /** Text of JSON. */
  readonly rows: string;
  readonly sealed: Uint8Array;
};

const sealedFor = (orderId: string): string => `order:${orderId}`;

/** Encrypts the JSON of all rows of an order with its key, of 32 bytes. */
export const sealRecord = (orderId: string, rows: string, key: Uint8Array): Buffer =>
  encrypt(key, gzipSync(rows), sealedFor(orderId));

/** Returns the JSON of all rows of an order. @throws Error when the key is another order's, or the bytes were altered */
export const openRecord = ({ order_id, sealed }: RecordRow, key: Uint8Array): string =>
  gunzipSync(decrypt(key, Buffer.from(sealed), sealedFor(order_id))).toString('utf8');

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
  const file = await storedFile(objects, fileKey({ id: found.partId, day: found.day }, RECORDS_FILE));
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

/** Opens a file of the object store, of which only the parts are read that are needed. @throws Error when it does not exist */
export async function storedFile(objects: ObjectStore, key: string): Promise<AsyncBuffer> {
  const info = await objects.stat(key);
  if (info === null) throw new ArchiveFileMissing(key);
  return {
    byteLength: info.size,
    async slice(start, end = info.size) {
      const found = await objects.get(key, { start, end });
      if (found === null) throw new ArchiveFileMissing(key);
      const bytes = Buffer.concat(await found.body.toArray());
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
}

export class ArchiveFileMissing extends Error {
  override readonly name = 'ArchiveFileMissing';
  constructor(key: string) {
    super(`the object store has no ${key}, which the archive needs`);
  }
}
