import { inflateSync } from 'node:zlib';
import { type ColorModel, cleanFacts, type FileFacts, unmeasured } from './facts';
import { profileOf } from './icc-profile';
import { dpiOf, exifTags } from './image/exif';
import { frameOf, isFrame, type JpegSegment, jpegSegments, START_OF_SCAN } from './image/jpeg-segments';
import { pngChunks, pngHeader } from './image/png-chunks';
import { UnreadableFile } from './opened-file';

type ImageFacts = NonNullable<FileFacts['image']>;

/** Profiles of printing presses have up to 4 MB. */
const MAX_PROFILE = 8 * 1024 * 1024;

/**
 * Measures a PNG or JPEG by its header.
 * @throws UnreadableFile when the header cannot be read
 */
export function measureImage(bytes: Buffer, type: 'image/png' | 'image/jpeg'): FileFacts {
  const image = type === 'image/png' ? ofPng(bytes) : ofJpeg(bytes);
  if (!(image.widthPx > 0 && image.heightPx > 0)) throw new UnreadableFile('the image has no size');
  return cleanFacts({ ...unmeasured(''), complete: true, problem: null, image });
}

/** Colour types of PNG (PNG, third edition, 11.2.1). */
const PNG_MODELS: Readonly<Record<number, ColorModel>> = { 0: 'gray', 2: 'rgb', 3: 'rgb', 4: 'gray', 6: 'rgb' };

function ofPng(bytes: Buffer): ImageFacts {
  const { widthPx, heightPx, colorType } = pngHeader(bytes);
  let alpha = colorType === 4 || colorType === 6;
  let profile: string | null = null;
  let dpi: number | null = null;
  let animated = false;
  for (const { type, data } of pngChunks(bytes)) {
    if (type === 'IDAT') break;
    if (type === 'tRNS') alpha = true;
    if (type === 'acTL') animated = true;
    // Pixels per metre (11.3.4.3). Another unit is an aspect ratio.
    if (type === 'pHYs' && data[8] === 1) dpi = dpiOf(data.readUInt32BE(0), data.readUInt32BE(4), 1 / 0.0254);
    // A file with both is made for readers of profiles.
    if (type === 'sRGB') profile ??= 'sRGB';
    if (type === 'iCCP') profile = nameOf(embeddedInPng(data));
  }
  const model = PNG_MODELS[colorType] ?? 'unknown';
  return { widthPx, heightPx, orientation: 1, dpi, model, profile, alpha, animated };
}

/** Returns the name of a profile. A damaged one has no name. */
const nameOf = (profile: Buffer) => profileOf(profile)?.description ?? 'unnamed';

/** The chunk has a name, a null, the compression method and the compressed profile. */
function embeddedInPng(data: Buffer): Buffer {
  try {
    return inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE });
  } catch {
    return Buffer.alloc(0);
  }
}

/** Number of components in the header of a JPEG frame (ITU-T T.81, B.2.2). */
const JPEG_MODELS: Readonly<Record<number, ColorModel>> = { 1: 'gray', 3: 'rgb', 4: 'cmyk' };
const PROFILE_MARK = 'ICC_PROFILE\0';
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;

function ofJpeg(bytes: Buffer): ImageFacts {
  const segments: JpegSegment[] = [];
  for (const segment of jpegSegments(bytes)) {
    if (segment.marker === START_OF_SCAN) break;
    segments.push(segment);
  }
  const header = segments.find(({ marker }) => isFrame(marker));
  if (header === undefined) throw new UnreadableFile('the image has no readable header');
  const { widthPx, heightPx, components } = frameOf(header.data);
  const behind = (marker: number, mark: string) =>
    segments
      .find((each) => each.marker === marker && each.data.toString('latin1', 0, mark.length) === mark)
      ?.data.subarray(mark.length);
  const exif = exifTags(behind(APP1, 'Exif\0\0') ?? Buffer.alloc(0));
  const profile = embeddedInJpeg(segments);
  return {
    widthPx,
    heightPx,
    orientation: exif.orientation,
    dpi: jfifDpi(behind(APP0, 'JFIF\0')) ?? exif.dpi,
    model: JPEG_MODELS[components.length] ?? 'unknown',
    profile: profile === null ? null : nameOf(profile),
    alpha: false,
    animated: false,
  };
}

/** Returns the resolution of a JFIF header (ITU-T T.871, 10.1): version, unit, and pixels for each unit. */
function jfifDpi(header: Buffer | undefined): number | null {
  const inches = [0, 1, 1 / 2.54][header?.[2] ?? 0] ?? 0;
  if (header === undefined || header.length < 7 || inches === 0) return null;
  return dpiOf(header.readUInt16BE(3), header.readUInt16BE(5), inches);
}

/** Returns the profile of the segments that hold parts of it (ICC.1:2022, B.4), or null. */
function embeddedInJpeg(segments: readonly JpegSegment[]): Buffer | null {
  const parts = segments
    .filter(({ marker, data }) => marker === APP2 && data.toString('latin1', 0, PROFILE_MARK.length) === PROFILE_MARK)
    .sort((a, b) => a.data[PROFILE_MARK.length]! - b.data[PROFILE_MARK.length]!)
    .map(({ data }) => data.subarray(PROFILE_MARK.length + 2));
  return parts.length === 0 ? null : Buffer.concat(parts);
}
