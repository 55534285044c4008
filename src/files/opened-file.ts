import type { Canvas } from '@napi-rs/canvas';
import type { FileFacts } from './domain/file-facts';

/** A file whose facts are known and whose first page can be drawn. */
export interface OpenedFile {
  readonly facts: FileFacts;
  /** Draws the first page with its longest side at most this many pixels; null when it is too much to draw. */
  draw(longestSide: number): Promise<{ canvas: Canvas; opaque: boolean } | null>;
  close(): void;
}

/** A file that is damaged, cut short or protected; the message is for the client. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
