import type { Readable } from 'node:stream';

export interface ObjectInfo {
  readonly size: number;
  readonly contentType: string;
}

/** Where files and documents live: a folder, or an S3-compatible bucket. Keys are ours, never a client's words. */
export interface ObjectStore {
  /** Stores a body under a key, replacing what is there; a failed write leaves nothing behind. */
  put(key: string, body: Readable | Uint8Array, options: { contentType: string }): Promise<{ size: number }>;
  /** @returns null when there is no such object */
  get(key: string): Promise<(ObjectInfo & { body: Readable }) | null>;
  stat(key: string): Promise<ObjectInfo | null>;
  delete(key: string): Promise<void>;
  /** A short-lived direct link, where the store can make one; null: stream it yourself. */
  directLink(
    key: string,
    options: { seconds: number; fileName: string; contentType: string },
  ): Promise<string | null>;
}

/** One or more segments of letters, digits, `.`, `_`, `-`; none begins with a full stop. */
const OBJECT_KEY = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}\/){0,8}[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/**
 * Gives the key back when it is one that every store takes: nothing that could climb out of a folder.
 * @throws RangeError for any other text; keys are made by code, so that is a bug
 */
export function assertObjectKey(key: string): string {
  if (!OBJECT_KEY.test(key)) throw new RangeError(`not an object key: ${JSON.stringify(key.slice(0, 200))}`);
  return key;
}
