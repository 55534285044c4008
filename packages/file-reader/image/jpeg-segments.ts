import { UnreadableFile } from '../opened-file';

/** A marker segment of a JPEG (ITU-T T.81, B.1.1), with its data behind the length. */
export interface JpegSegment {
  readonly marker: number;
  readonly data: Buffer;
  /** Position of the byte behind the segment: of a scan, its pixel data. */
  readonly end: number;
}

export const START_OF_SCAN = 0xda;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;

const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;
/** Markers without a length: restarts, the start of an image, and TEM. */
const isAlone = (marker: number) => isRestart(marker) || marker === START_OF_IMAGE || marker === 0x01;

/**
 * Walks from marker to marker up to the end of the main image. Metadata, pixel data, and what stands behind the image, such as
 * the video of a motion photo, can contain the same bytes. Fill bytes (B.1.1.2) and stray bytes before a marker are skipped.
 */
export function* jpegSegments(jpeg: Buffer): Generator<JpegSegment> {
  for (let at = nextMarker(jpeg, 2); at + 4 <= jpeg.length; ) {
    const marker = jpeg[at + 1]!;
    if (marker === END_OF_IMAGE) return;
    const end = isAlone(marker) ? at + 2 : at + 2 + jpeg.readUInt16BE(at + 2);
    if (!isAlone(marker)) yield { marker, data: jpeg.subarray(at + 4, end), end };
    at = nextMarker(jpeg, end);
  }
}

/** Returns the position of the next marker, in or after pixel data: there 0xff is followed by 0, a restart, or a fill byte. */
export function nextMarker(jpeg: Buffer, from: number): number {
  for (let at = jpeg.indexOf(0xff, from); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    const code = jpeg[at + 1];
    if (code !== undefined && code !== 0 && code !== 0xff && !isRestart(code)) return at;
  }
  return jpeg.length;
}

/** The header of a frame (B.2.2): what the pixels need to be decoded. */
export interface JpegFrame {
  readonly precision: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly components: readonly {
    readonly id: number;
    readonly across: number;
    readonly down: number;
    readonly quantization: number;
  }[];
}

/** Frame headers are 0xc0 to 0xcf, without tables of Huffman codes, extensions and arithmetic conditions. */
export const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** @throws UnreadableFile when the header is damaged */
export function frameOf(data: Buffer): JpegFrame {
  const count = data[5] ?? 0;
  const frame = {
    precision: data[0] ?? 0,
    heightPx: data.length < 6 ? 0 : data.readUInt16BE(1),
    widthPx: data.length < 6 ? 0 : data.readUInt16BE(3),
    components: Array.from({ length: count }, (_, index) => {
      const [id = 0, sampling = 0, quantization = 0] = data.subarray(6 + 3 * index);
      return { id, across: sampling >> 4, down: sampling & 15, quantization };
    }),
  };
  const isWhole = data.length >= 6 + 3 * count && count >= 1 && count <= 4;
  const isSampled = frame.components.every(({ across, down }) => [across, down].every((n) => n >= 1 && n <= 4));
  if (!isWhole || !isSampled) throw new UnreadableFile('the image has no readable header');
  return frame;
}
