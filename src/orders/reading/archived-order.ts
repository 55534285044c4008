import { gunzipSync, gzipSync } from 'node:zlib';
import type { AsyncBuffer } from 'hyparquet';
import { Refusal } from '../../platform/errors';
import type { ObjectStore } from '../../platform/objects/object-store';
import { readParquet } from '../../platform/parquet';
import type { Queryable, Sql } from '../../platform/postgres';
import { decrypt, encrypt } from '../../platform/sealing/named-keys';
import { isUnavailable } from '../../platform/unavailable';
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
 * @throws ArchiveFileUnreadable
 */
export async function readArchived({ sql, objects }: ArchiveDeps, orderId: string): Promise<ArchivedRows | null> {
  const [found] = await sql<
    { partId: string; day: string; partRow: number; recordKey: Uint8Array | null; erasedAt: Date | null }[]
  >`
    SELECT a.part_id, p.day::text, a.part_row, a.record_key, a.erased_at
    FROM archived_orders a JOIN archive_parts p ON p.id = a.part_id WHERE a.id = ${orderId}`;
  if (found === undefined) return null;
  const range = { rowStart: found.partRow, rowEnd: found.partRow + 1 };
  return await inArchive({ id: found.partId, day: found.day }, RECORDS_FILE, async (key) => {
    const [record] = await readParquet<RecordRow>(await storedFile(objects, key), range);
    if (record?.order_id !== orderId) throw new Error(`row ${found.partRow} is not order ${orderId}`);
    return recordRows(record, found);
  });
}

/** Reads all rows of a file of a part. @throws ArchiveFileUnreadable */
export async function readArchiveFile<T>(objects: ObjectStore, part: ArchivePart, file: string): Promise<T[]> {
  return await inArchive(part, file, async (key) => await readParquet<T>(await storedFile(objects, key)));
}

async function inArchive<T>(part: ArchivePart, file: string, read: (key: string) => Promise<T>): Promise<T> {
  const key = fileKey(part, file);
  try {
    return await read(key);
  } catch (error) {
    throw isUnavailable(error) ? error : new ArchiveFileUnreadable(part.day, key, error);
  }
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
async function storedFile(objects: ObjectStore, key: string): Promise<AsyncBuffer> {
  const info = await objects.stat(key);
  if (info === null) throw missing();
  return {
    byteLength: info.size,
    async slice(start, end = info.size) {
      const found = await objects.get(key, { start, end });
      if (found === null) throw missing();
      const bytes = Buffer.concat(await found.body.toArray());
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
}

const missing = () => new Error('the object store does not have the file');

/** The object store does not have a file of the archive, or its bytes are damaged. Other days can be read. */
export class ArchiveFileUnreadable extends Refusal {
  constructor(day: string, key: string, cause: unknown) {
    const message = `The archive of ${day} cannot be read: its file ${key} is missing or damaged.`;
    super('UNAVAILABLE', { message, retryAfter: 300 });
    this.cause = cause;
  }
}
