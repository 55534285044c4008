import type { Readable } from 'node:stream';
import { cutText } from '../domain/foreign-text';

export interface ObjectInfo {
  readonly size: number;
  readonly contentType: string;
}

/** Store of files and documents: a folder or an S3-compatible bucket. Keys never contain text of a client. */
export interface ObjectStore {
  /** Stores a body under a key and replaces an existing object. A failed write leaves nothing behind. */
  put(key: string, body: Readable | Uint8Array, options: { contentType: string }): Promise<{ size: number }>;
  /** @returns null when the object does not exist */
  get(key: string): Promise<(ObjectInfo & { body: Readable }) | null>;
  stat(key: string): Promise<ObjectInfo | null>;
  delete(key: string): Promise<void>;
  /** Returns a short-lived direct link, or null when the store has none and the caller must stream the object. */
  directLink(key: string, options: { seconds: number; fileName: string; contentType: string }): Promise<string | null>;
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
