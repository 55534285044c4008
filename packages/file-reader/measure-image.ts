import { crc32, inflateSync } from 'node:zlib';
import { type ColorModel, cleanFacts, type FileFacts, unmeasured } from './facts';
import { profileOf } from './icc-profile';

type ImageFacts = NonNullable<FileFacts['image']>;

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
    return cleanFacts({ ...unmeasured(''), complete: true, problem: null, image });
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

/** A chunk of a PNG (PNG, third edition, 5.3). */
interface PngChunk {
  readonly type: string;
  readonly data: Buffer;
  /** Returns false when the checksum does not fit. */
  readonly isSound: () => boolean;
}

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const FRAME_BYTES = 12;

/** Walks from chunk to chunk up to the end of the image. A chunk that is not complete ends the walk. */
function* pngChunks(png: Buffer): Generator<PngChunk> {
  let at = SIGNATURE_BYTES;
  while (at + FRAME_BYTES <= png.length) {
    const [from, end] = [at + 4, at + 8 + png.readUInt32BE(at)];
    if (end + 4 > png.length) return;
    const type = png.toString('latin1', from, from + 4);
    const isSound = () => crc32(png.subarray(from, end)) === png.readUInt32BE(end);
    yield { type, data: png.subarray(from + 4, end), isSound };
    if (type === 'IEND') return;
    at = end + 4;
  }
}

/** The type of a chunk without which the image cannot be shown begins with a capital (PNG, third edition, 5.4). */
const isCritical = (type: string) => /^[A-Z]/.test(type);

/** Returns what prevents the pixels from being read. Undefined: nothing. Reads the whole file: 0.5 s for each gigabyte. */
export function pngDamage(png: Buffer): string | undefined {
  let last = '';
  let hasPixels = false;
  for (const { type, isSound } of pngChunks(png)) {
    if (isCritical(type) && !isSound()) return 'the image is damaged';
    hasPixels ||= type === 'IDAT';
    last = type;
  }
  if (last !== 'IEND') return 'the image is truncated';
  return hasPixels ? undefined : 'the image has no pixels';
}

/** A marker segment of a JPEG (ITU-T T.81, B.1.1), with its data behind the length. */
interface JpegSegment {
  readonly marker: number;
  readonly data: Buffer;
}

export const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Walks from marker to marker up to the end of the image: metadata and data behind the image can contain the same bytes. */
export function* jpegSegments(jpeg: Buffer): Generator<JpegSegment> {
  let at = 2;
  while (at + 4 <= jpeg.length) {
    const marker = jpeg[at + 1]!;
    if (jpeg[at] !== 0xff || marker === END_OF_IMAGE) return;
    if (marker === 0xff) {
      // A fill byte.
      at += 1;
      continue;
    }
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    yield { marker, data: jpeg.subarray(at + 4, end) };
    at = marker === START_OF_SCAN ? nextMarker(jpeg, end) : end;
  }
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
