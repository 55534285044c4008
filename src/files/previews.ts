import { PREVIEW_SIZES, type PreviewType } from './domain/file-properties';
import { type OpenedFile, scaledDown } from './opened-file';

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
