import { inflateSync } from 'node:zlib';
import { cleanValue } from '../platform/domain/foreign-text';
import { type ColorModel, type FileFacts, unmeasured } from './domain/file-facts';
import { profileOf } from './icc-profile';
import { type JpegSegment, jpegSegments, START_OF_SCAN } from './jpeg-segments';
import { pngChunks } from './png-chunks';

type ImageFacts = NonNullable<FileFacts['image']>;

const MAX_TEXT = 200;
/** Profiles of printing presses have up to 4 MB. */
const MAX_PROFILE = 8 * 1024 * 1024;

/**
 * Measures a PNG or JPEG by its header. Never throws: a fault of the file is the problem of incomplete facts.
 * @param size pixels as stored, with the EXIF orientation
 */
export function measureImage(
  bytes: Buffer,
  type: 'image/png' | 'image/jpeg',
  size: Pick<ImageFacts, 'widthPx' | 'heightPx' | 'orientation'>,
): FileFacts {
  try {
    const image = { ...size, ...(type === 'image/png' ? ofPng(bytes) : ofJpeg(bytes)) };
    return cleanValue({ ...unmeasured(''), complete: true, problem: null, image }, MAX_TEXT);
  } catch {
    return unmeasured('the header of the image cannot be read');
  }
}

type ColorFacts = Pick<ImageFacts, 'model' | 'profile' | 'alpha'>;

/** Colour types of PNG (PNG, third edition, 11.2.1). */
const PNG_MODELS: Readonly<Record<number, ColorModel>> = { 0: 'gray', 2: 'rgb', 3: 'rgb', 4: 'gray', 6: 'rgb' };

function ofPng(bytes: Buffer): ColorFacts {
  const colorType = bytes[25]!;
  let alpha = colorType === 4 || colorType === 6;
  let profile: string | null = null;
  for (const { type, data } of pngChunks(bytes)) {
    if (type === 'IDAT') break;
    if (type === 'tRNS') alpha = true;
    // A file with both is made for readers of profiles.
    if (type === 'sRGB') profile ??= 'sRGB';
    if (type === 'iCCP') profile = nameOf(embeddedInPng(data));
  }
  return { model: PNG_MODELS[colorType] ?? 'unknown', profile, alpha };
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
const APP2 = 0xe2;
/** Frame headers are 0xc0 to 0xcf, without tables of Huffman codes, extensions and arithmetic conditions. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function ofJpeg(bytes: Buffer): ColorFacts {
  const segments: JpegSegment[] = [];
  for (const segment of jpegSegments(bytes)) {
    if (segment.marker === START_OF_SCAN) break;
    segments.push(segment);
  }
  const frame = segments.find(({ marker }) => isFrame(marker));
  const profile = embeddedInJpeg(segments);
  return {
    model: JPEG_MODELS[frame?.data[5] ?? 0] ?? 'unknown',
    profile: profile === null ? null : nameOf(profile),
    alpha: false,
  };
}

/** Returns the profile of the segments that hold parts of it (ICC.1:2022, B.4), or null. */
function embeddedInJpeg(segments: readonly JpegSegment[]): Buffer | null {
  const parts = segments
    .filter(({ marker, data }) => marker === APP2 && data.toString('latin1', 0, PROFILE_MARK.length) === PROFILE_MARK)
    .sort((a, b) => a.data[PROFILE_MARK.length]! - b.data[PROFILE_MARK.length]!)
    .map(({ data }) => data.subarray(PROFILE_MARK.length + 2));
  return parts.length === 0 ? null : Buffer.concat(parts);
}
