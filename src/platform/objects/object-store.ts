import type { Readable } from 'node:stream';
import { create } from 'content-disposition';
import pLimit from 'p-limit';
import { cutText } from '../domain/foreign-text';

interface ObjectInfo {
  readonly size: number;
  readonly contentType: string;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Store of files and documents: a folder or an S3-compatible bucket. Keys never contain text of a client. */
export interface ObjectStore {
  /** Stores a body under a key and replaces an existing object. A failed write leaves nothing behind. */
  put(key: string, body: Readable | Uint8Array, options: { contentType: string }): Promise<{ size: number }>;
  /**
   * @param range first byte, and the byte after the last one. `size` is then the length of the range
   * @returns null when the object does not exist
   */
  get(key: string, range?: ByteRange): Promise<(ObjectInfo & { body: Readable }) | null>;
  stat(key: string): Promise<ObjectInfo | null>;
  /**
   * Deletes objects with all their versions, those that do not exist too. An object that cannot be deleted does not stop the others.
   * @throws ObjectsNotDeleted at the end, when some are left
   */
  delete(keys: readonly string[]): Promise<void>;
  /** Returns a short-lived direct link, or null when the store has none and the caller must stream the object. */
  directLink(key: string, options: { seconds: number; fileName: string; contentType: string }): Promise<string | null>;
}

/** Objects that the store did not delete. Their number and the first reason are in the message. */
export class ObjectsNotDeleted extends Error {
  override readonly name = 'ObjectsNotDeleted';
  constructor(
    readonly keys: readonly string[],
    options: { readonly cause: unknown },
  ) {
    super(`${keys.length} objects were not deleted: ${(options.cause as Error).message}`, options);
  }
}

/** Calls `work` for each item and goes on after failures. @throws ObjectsNotDeleted at the end, with what is left */
export async function deleteEach<T>(
  items: readonly T[],
  concurrency: number,
  keysOf: (item: T) => readonly string[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failed: string[] = [];
  let cause: unknown;
  await pLimit(concurrency).map(items, async (item) => {
    try {
      await work(item);
    } catch (error) {
      cause ??= error;
      failed.push(...(error instanceof ObjectsNotDeleted ? error.keys : keysOf(item)));
    }
  });
  if (failed.length > 0) throw new ObjectsNotDeleted(failed, { cause });
}

/** One or more segments of letters, digits, `.`, `_`, `-`. No segment starts with a dot. */
const OBJECT_KEY = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}\/){0,8}[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/**
 * Returns the key when every store accepts it. Such a key cannot leave its folder.
 * @throws RangeError for any other text, which is a bug: code generates all keys
 */
export function assertObjectKey(key: string): string {
  if (!OBJECT_KEY.test(key)) throw new RangeError(`not an object key: ${JSON.stringify(cutText(key, 200))}`);
  return key;
}

/**
 * Returns a `Content-Disposition` header with a file name of any script (RFC 6266, RFC 8187).
 * Quotes, control characters and path separators are replaced, so that no file name can leave its folder.
 */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const name = fileName.replace(/[\p{Cc}\p{Cs}\\/"]/gu, '_');
  return create(name, { type: disposition, fallback: name.replace(/[^\x20-\x7e]|%/g, '_') });
}
