import { loadImage } from '@napi-rs/canvas';
import { decodeJpeg } from './image/jpeg-scans';
import { jpegSegments, START_OF_SCAN } from './image/jpeg-segments';
import { decodePng, pngHeader } from './image/png-chunks';
import { measureImage } from './measure-image';
import { drawnOn, type ImagePrint, type OpenedFile, UnreadableFile } from './opened-file';

/** Each decoded pixel takes four bytes: at most 400 MB while the previews are rendered. */
const MAX_RENDERED_PIXELS = 100_000_000;
/** A poster of 10 x 10 metres at 80 dpi. A larger image is a mistake, or made to exhaust the memory of those who open it. */
const MAX_PIXELS = 1_000_000_000;
/** Editors write up to twelve scans. Each scan of a progressive JPEG decodes the whole image once more. */
const MAX_SCANS = 100;

/**
 * Opens a PNG or JPEG. Refuses images with too many pixels or scans before they are decoded. An image must be decoded before it
 * is accepted: what renders it draws a missing part in grey, and it would be printed.
 * @throws UnreadableFile
 */
export function openImage(bytes: Buffer, type: 'image/png' | 'image/jpeg'): OpenedFile {
  const facts = measureImage(bytes, type);
  const { widthPx, heightPx, orientation, alpha } = facts.image!;
  const [width, height] = orientation >= 5 ? [heightPx, widthPx] : [widthPx, heightPx];
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
    decode: async () => (type === 'image/png' ? await decodePng(bytes, pngHeader(bytes)) : decodeJpeg(bytes)),
    measure: async () => facts,
    properties: { pageCount: 1, widthPx: width, heightPx: height, widthMm: null, heightMm: null },
    async render(longestSide, print) {
      if (width * height > MAX_RENDERED_PIXELS) return null;
      const image = await loadImage(bytes);
      if (image.width === 0) throw new Error('the image cannot be drawn');
      const { area, drawn, isCovered } = scaled({ width, height }, print, longestSide);
      return { canvas: drawnOn(area, image, drawn), opaque: !alpha && isCovered };
    },
    close: () => undefined,
  };
}

/**
 * Returns the size of the area that an image is printed on, and that of the image on it. No pixel is enlarged, unless the print
 * distorts the image.
 */
function scaled(image: { width: number; height: number }, print: ImagePrint | null, longestSide: number) {
  const ratio = print === null ? image.width / image.height : print.widthMm / print.heightMm;
  const choose = print?.fitMethod === 'cover' ? Math.min : Math.max;
  const [width, height] = [choose(image.width, image.height * ratio), choose(image.height, image.width / ratio)];
  const scale = Math.min(1, longestSide / Math.max(width, height));
  const area = { width: width * scale, height: height * scale };
  const drawn = { width: image.width * scale, height: image.height * scale };
  const isShaped = Math.abs(drawn.width - area.width) < 1 && Math.abs(drawn.height - area.height) < 1;
  return isShaped || print?.fitMethod === 'stretch'
    ? { area, drawn: undefined, isCovered: true }
    : { area, drawn, isCovered: print?.fitMethod === 'cover' };
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
