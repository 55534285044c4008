import { type Canvas, createCanvas, type Image } from '@napi-rs/canvas';
import { type FileFacts, type FileProperties, PREVIEW_SIZES, type PreviewType } from './domain/file-facts';
import type { FileFaultCode } from './domain/file-fault';

/** A file with known properties, whose first page can be rendered. */
export interface OpenedFile {
  readonly properties: FileProperties;
  /** Measures the whole file for print. Never throws. */
  measure(): Promise<FileFacts>;
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

export interface Preview {
  readonly type: PreviewType;
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
}

const JPEG_QUALITY = 82;
const sizes = (Object.entries(PREVIEW_SIZES) as [PreviewType, number][]).sort(([, a], [, b]) => b - a);

/**
 * Renders the file at the largest preview size and scales it down to the others.
 * Returns an empty list when the file is too large to render.
 */
export async function renderPreviews(file: OpenedFile): Promise<Preview[]> {
  const largest = await file.render(sizes[0]![1]);
  if (largest === null) return [];
  const { opaque } = largest;
  let canvas = largest.canvas;
  return sizes.map(([type, longestSide]) => {
    const scale = longestSide / Math.max(canvas.width, canvas.height);
    if (scale < 1) canvas = scaledDown(canvas, canvas, scale);
    // Only transparent previews are PNG, because its encoding takes several times as long.
    return opaque
      ? { type, contentType: 'image/jpeg', bytes: canvas.toBuffer('image/jpeg', JPEG_QUALITY) }
      : { type, contentType: 'image/png', bytes: canvas.toBuffer('image/png') };
  });
}
