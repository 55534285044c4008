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
  /**
   * Renders the first page; its longest side has at most this many pixels. An image is rendered as it is printed.
   * @returns null when the page is too large to render
   * @throws Error when it cannot be rendered
   */
  render(longestSide: number, print: ImagePrint | null): Promise<{ canvas: Canvas; opaque: boolean } | null>;
  close(): void;
}

/** How an image is printed: the size to which it is scaled, turned as the image is, and how. */
export interface ImagePrint {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly fitMethod: 'contain' | 'cover' | 'stretch';
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

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns a new canvas with an image in its middle. @param drawn size of the image on the canvas: that of the canvas, when it is not given */
export function drawnOn(size: Size, image: Canvas | Image, drawn?: Size): Canvas {
  const side = (pixels: number) => Math.max(1, Math.round(pixels));
  const canvas = createCanvas(side(size.width), side(size.height));
  const { width, height } = drawn ?? canvas;
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  return canvas;
}
