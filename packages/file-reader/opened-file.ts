import { type Canvas, createCanvas, type Image } from '@napi-rs/canvas';
import type { FileFacts, FileProperties } from './facts';

/** A file with known properties, whose first page can be rendered. */
export interface OpenedFile {
  readonly properties: FileProperties;
  /**
   * Decodes all pixels of an image once. Nothing of a PDF: its pages are rendered.
   * @throws UnreadableFile when a part of them is missing or damaged
   */
  decode(): Promise<void>;
  /** Measures the whole file for print. Never throws. */
  measure(): Promise<FileFacts>;
  /** Renders the first page; its longest side has at most this many pixels. Returns null when the page is too large to render, and throws when it cannot be. */
  render(longestSide: number): Promise<{ canvas: Canvas; opaque: boolean } | null>;
  close(): void;
}

/** The file is damaged, truncated, protected or too large to be read. The client reads the message. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';

  constructor(
    message: string,
    readonly code: 'file_unreadable' | 'file_protected' | 'file_too_large' = 'file_unreadable',
  ) {
    super(message);
  }
}

/** Returns an image drawn on a new canvas: its displayed size, multiplied by a scale of at most 1. */
export function scaledDown(
  image: Canvas | Image,
  displayed: { readonly width: number; readonly height: number },
  scale: number,
): Canvas {
  const side = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  const canvas = createCanvas(side(displayed.width), side(displayed.height));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
