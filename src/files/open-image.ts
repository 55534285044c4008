import { loadImage } from '@napi-rs/canvas';
import { imageSize } from 'image-size';
import { type OpenedFile, scaledDown, UnreadableFile } from './opened-file';

/** Each decoded pixel takes four bytes: at most 400 MB while the previews are rendered. */
const MAX_RENDERED_PIXELS = 100_000_000;
/** A poster of 10 x 10 metres at 80 dpi. A larger image is a mistake, or made to exhaust the memory of those who open it. */
const MAX_PIXELS = 1_000_000_000;
/** Editors write up to twelve scans. Each scan of a progressive JPEG decodes the whole image once more. */
const MAX_SCANS = 100;
/** The end marker is searched in this many trailing bytes, because some cameras append data to the image. */
const TAIL_BYTES = 65_536;
const PNG_END = Buffer.from('IEND');
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * Opens a PNG or JPEG. Refuses an image without an end marker as truncated: decoders render the missing part as
 * grey, and it would be printed. Refuses images with too many pixels or scans before they are decoded.
 * @throws UnreadableFile
 */
export function openImage(bytes: Buffer, type: 'image/png' | 'image/jpeg'): OpenedFile {
  const tail = bytes.subarray(-TAIL_BYTES);
  if (tail.lastIndexOf(type === 'image/png' ? PNG_END : JPEG_END) === -1) {
    throw new UnreadableFile('the image is truncated');
  }
  const { width, height } = sizeOf(bytes);
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
  return {
    properties: { pageCount: 1, widthPx: width, heightPx: height, widthMm: null, heightMm: null },
    async render(longestSide) {
      if (width * height > MAX_RENDERED_PIXELS) return null;
      const image = await loadImage(bytes).catch(() => null);
      if (image === null || image.width === 0) return null;
      const scale = Math.min(1, longestSide / Math.max(width, height));
      return {
        canvas: scaledDown(image, { width, height }, scale),
        opaque: type === 'image/jpeg' || !mayBeTransparent(bytes),
      };
    },
    close: () => undefined,
  };
}

/** Returns width and height in pixels as displayed. EXIF orientations 5 to 8 swap them. */
function sizeOf(bytes: Buffer): { width: number; height: number } {
  let found: ReturnType<typeof imageSize>;
  try {
    found = imageSize(bytes);
  } catch {
    throw new UnreadableFile('the image has no readable header');
  }
  if (!(found.width > 0 && found.height > 0)) throw new UnreadableFile('the image has no size');
  const rotated = found.orientation !== undefined && found.orientation >= 5;
  return rotated ? { width: found.height, height: found.width } : { width: found.width, height: found.height };
}

/**
 * Returns true for a JPEG with more than MAX_SCANS scans. Walks from marker to marker (ITU-T T.81, B.1.1) up to the end of the
 * image: metadata and data behind the image can contain the same bytes.
 */
function hasTooManyScans(jpeg: Buffer): boolean {
  let scans = 0;
  let at = 2;
  while (at + 4 <= jpeg.length && scans <= MAX_SCANS) {
    const marker = jpeg[at + 1]!;
    if (jpeg[at] !== 0xff || marker === END_OF_IMAGE) break;
    if (marker === 0xff) {
      // A fill byte.
      at += 1;
      continue;
    }
    at += 2 + jpeg.readUInt16BE(at + 2);
    if (marker === START_OF_SCAN) {
      scans += 1;
      at = nextMarker(jpeg, at);
    }
  }
  return scans > MAX_SCANS;
}

/** Returns the position of the first marker in or after pixel data, where 0xff is followed by 0 or a restart marker. */
function nextMarker(jpeg: Buffer, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const code = jpeg[at + 1];
    const isRestart = code !== undefined && code >= 0xd0 && code <= 0xd7;
    if (code !== 0 && !isRestart) return at;
  }
  return jpeg.length;
}

/** Returns true for PNG colour types with alpha (4, 6), and for the others when a tRNS chunk precedes the pixels. */
function mayBeTransparent(png: Buffer): boolean {
  const colourType = png[25];
  if (colourType === 4 || colourType === 6) return true;
  const pixels = png.indexOf('IDAT');
  return png.subarray(0, pixels === -1 ? undefined : pixels).includes('tRNS');
}
