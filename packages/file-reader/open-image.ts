import { loadImage } from '@napi-rs/canvas';
import { imageSize } from 'image-size';
import { jpegSegments, measureImage, pngDamage, START_OF_SCAN } from './measure-image';
import { type OpenedFile, scaledDown, UnreadableFile } from './opened-file';

/** Each decoded pixel takes four bytes: at most 400 MB while the previews are rendered. */
const MAX_RENDERED_PIXELS = 100_000_000;
/** A poster of 10 x 10 metres at 80 dpi. A larger image is a mistake, or made to exhaust the memory of those who open it. */
const MAX_PIXELS = 1_000_000_000;
/** Editors write up to twelve scans. Each scan of a progressive JPEG decodes the whole image once more. */
const MAX_SCANS = 100;
/** The end marker is searched in this many trailing bytes, because some cameras append data to the image. */
const TAIL_BYTES = 65_536;
const JPEG_END = Buffer.from([0xff, 0xd9]);
const JPEG_SCAN = Buffer.from([0xff, START_OF_SCAN]);

/**
 * Opens a PNG or JPEG. Refuses an image that is truncated or damaged: decoders render the missing part as grey, and it
 * would be printed. The pixels of a JPEG have no checksum. Refuses images with too many pixels or scans before they are
 * decoded.
 * @throws UnreadableFile
 */
export function openImage(bytes: Buffer, type: 'image/png' | 'image/jpeg'): OpenedFile {
  const damage = type === 'image/png' ? pngDamage(bytes) : jpegDamage(bytes);
  if (damage !== undefined) throw new UnreadableFile(damage);
  const stored = sizeOf(bytes);
  const isTurned = stored.orientation >= 5;
  const [width, height] = isTurned ? [stored.heightPx, stored.widthPx] : [stored.widthPx, stored.heightPx];
  if (width * height > MAX_PIXELS) {
    const megapixels = Math.ceil((width * height) / 1_000_000);
    throw new UnreadableFile(
      `the image has ${megapixels} megapixels, the limit is ${MAX_PIXELS / 1_000_000}`,
      'file_too_large',
    );
  }
  if (type === 'image/jpeg' && hasTooManyScans(bytes)) {
    throw new UnreadableFile(`the image has more than ${MAX_SCANS} scans`);
  }
  const facts = measureImage(bytes, type, stored);
  return {
    measure: async () => facts,
    properties: { pageCount: 1, widthPx: width, heightPx: height, widthMm: null, heightMm: null },
    async render(longestSide) {
      if (width * height > MAX_RENDERED_PIXELS) return null;
      const image = await loadImage(bytes);
      if (image.width === 0) throw new Error('the image cannot be drawn');
      const scale = Math.min(1, longestSide / Math.max(width, height));
      return {
        canvas: scaledDown(image, { width, height }, scale),
        opaque: facts.image?.alpha === false,
      };
    },
    close: () => undefined,
  };
}

/** Returns what shows that pixels are missing. Undefined: nothing. */
function jpegDamage(jpeg: Buffer): string | undefined {
  if (jpeg.subarray(-TAIL_BYTES).lastIndexOf(JPEG_END) === -1) return 'the image is truncated';
  return jpeg.indexOf(JPEG_SCAN) === -1 ? 'the image has no pixels' : undefined;
}

/** Returns width and height in pixels as stored. EXIF orientations 5 to 8 display them swapped. */
function sizeOf(bytes: Buffer): { widthPx: number; heightPx: number; orientation: number } {
  let found: ReturnType<typeof imageSize>;
  try {
    found = imageSize(bytes);
  } catch {
    throw new UnreadableFile('the image has no readable header');
  }
  if (!(found.width > 0 && found.height > 0)) throw new UnreadableFile('the image has no size');
  const { width: widthPx, height: heightPx, orientation = 1 } = found;
  return { widthPx, heightPx, orientation: orientation >= 1 && orientation <= 8 ? orientation : 1 };
}

/** Returns true for a JPEG with more than MAX_SCANS scans. */
function hasTooManyScans(jpeg: Buffer): boolean {
  let scans = 0;
  for (const { marker } of jpegSegments(jpeg)) {
    if (marker === START_OF_SCAN) scans += 1;
    if (scans > MAX_SCANS) return true;
  }
  return false;
}
