import { crc32 } from 'node:zlib';

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
export function* pngChunks(png: Buffer): Generator<PngChunk> {
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
