import { Readable } from 'node:stream';
import { crc32, createInflate } from 'node:zlib';
import { UnreadableFile } from '../opened-file';

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

/** The header of a PNG (11.2.1). */
export interface PngHeader {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Bits of each channel, or of an index into the palette. */
  readonly depth: number;
  readonly colorType: number;
  readonly isInterlaced: boolean;
}

/** Channels and bit depths of the colour types (table 8). */
const COLOR_TYPES: Readonly<Record<number, { readonly channels: number; readonly depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};
const PALETTE = 3;

/** @throws UnreadableFile when there is none, or one that PNG does not have */
export function pngHeader(png: Buffer): PngHeader {
  const first = pngChunks(png).next().value;
  if (first?.type !== 'IHDR' || first.data.length !== 13) throw new UnreadableFile('the image has no readable header');
  const { data } = first;
  const [depth = 0, colorType = 0, compression, filter, interlace] = data.subarray(8);
  if (!COLOR_TYPES[colorType]?.depths.includes(depth)) {
    throw new UnreadableFile(`no PNG has the colour type ${colorType} with ${depth} bits`);
  }
  if (compression !== 0 || filter !== 0 || interlace! > 1) throw new UnreadableFile('the image has an unknown coding');
  const [widthPx, heightPx] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  return { widthPx, heightPx, depth, colorType, isInterlaced: interlace === 1 };
}

/** The type of a chunk without which the image cannot be shown begins with a capital (5.4). */
const isCritical = (type: string) => /^[A-Z]/.test(type);

/**
 * Decodes the pixels of a PNG as a stream, and keeps none of them: 1 GB takes 2 s of CPU. An animated PNG is decoded as its
 * default image.
 * @throws UnreadableFile when a part of the pixels is missing or damaged
 */
export async function decodePng(png: Buffer, header: PngHeader): Promise<void> {
  const pixels: Buffer[] = [];
  let last = '';
  let hasPalette = false;
  for (const { type, data, isSound } of pngChunks(png)) {
    if (isCritical(type) && !isSound()) throw new UnreadableFile('the image is damaged');
    hasPalette ||= type === 'PLTE' && pixels.length === 0;
    if (type === 'IDAT') pixels.push(data);
    last = type;
  }
  if (last !== 'IEND') throw new UnreadableFile('the image is truncated');
  if (pixels.length === 0) throw new UnreadableFile('the image has no pixels');
  if (header.colorType === PALETTE && !hasPalette) throw new UnreadableFile('the image has no palette');
  const rows = new FilteredRows(header);
  const inflate = Readable.from(pixels).pipe(createInflate({ chunkSize: 256 * 1024 }));
  try {
    for await (const chunk of inflate) {
      rows.take(chunk as Buffer);
      if (rows.isComplete) return;
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    // zlib: the data is damaged, or ends too early.
    const isCut = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    throw new UnreadableFile(isCut ? 'the image is truncated' : 'the image is damaged');
  }
  throw new UnreadableFile('the image is truncated: rows of pixels are missing');
}

/** First column and row of each interlaced image, and the steps to the next ones (8.1). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;
const WHOLE = [[0, 0, 1, 1]] as const;
/** Filters of rows (9.2) are 0 to 4. */
const LAST_FILTER = 4;

/** Counts the rows of pixels, each with the number of its filter before it. */
class FilteredRows {
  /** Bytes of a row and rows that are still to come, of each pass. */
  private readonly passes: { readonly bytes: number; rows: number }[];
  /** Bytes until the next row. */
  private rest = 0;

  constructor({ widthPx, heightPx, depth, colorType, isInterlaced }: PngHeader) {
    const bits = COLOR_TYPES[colorType]!.channels * depth;
    this.passes = (isInterlaced ? PASSES : WHOLE)
      .map(([left, top, across, down]) => ({
        columns: Math.ceil((widthPx - left) / across),
        rows: Math.ceil((heightPx - top) / down),
      }))
      .filter(({ columns, rows }) => columns > 0 && rows > 0)
      .map(({ columns, rows }) => ({ bytes: 1 + Math.ceil((columns * bits) / 8), rows }));
  }

  get isComplete(): boolean {
    return this.passes.length === 0 && this.rest === 0;
  }

  take(chunk: Buffer): void {
    let at = this.rest;
    for (let [pass] = this.passes; pass !== undefined && at < chunk.length; [pass] = this.passes) {
      if (chunk[at]! > LAST_FILTER) throw new UnreadableFile('the image is damaged');
      at += pass.bytes;
      pass.rows -= 1;
      if (pass.rows === 0) this.passes.shift();
    }
    this.rest = Math.max(0, at - chunk.length);
  }
}
