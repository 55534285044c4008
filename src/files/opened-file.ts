import type { Canvas } from '@napi-rs/canvas';
import type { FileFacts } from './domain/file-facts';

/** A file with known properties, whose first page can be rendered. */
export interface OpenedFile {
  readonly facts: FileFacts;
  /** Renders the first page; its longest side has at most this many pixels. Returns null when the page is too large to render. */
  render(longestSide: number): Promise<{ canvas: Canvas; opaque: boolean } | null>;
  close(): void;
}

/** The file is damaged, truncated or protected. The client reads the message. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
