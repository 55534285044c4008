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
  directLink(key: string, options: { seconds: number; fileName: string; contentType: string }): Promise<string | null>;
}
