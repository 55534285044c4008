import type { Canvas } from '@napi-rs/canvas';
import type { FileFaultCode } from './domain/file-fault';
import type { FileProperties } from './domain/file-properties';

/** A file with known properties, whose first page can be rendered. */
export interface OpenedFile {
  readonly properties: FileProperties;
  /** Renders the first page; its longest side has at most this many pixels. Returns null when the page is too large to render. */
  render(longestSide: number): Promise<{ canvas: Canvas; opaque: boolean } | null>;
  close(): void;
}

/** The file is damaged, truncated, protected or too large to be read. The client reads the message. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';

  constructor(
    message: string,
    readonly code: Extract<FileFaultCode, 'file_unreadable' | 'file_too_large'> = 'file_unreadable',
  ) {
    super(message);
  }
}
