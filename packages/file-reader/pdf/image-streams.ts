import { readSync } from 'node:fs';
import { Readable } from 'node:stream';
import { constants, createInflateRaw } from 'node:zlib';
import { PdfName, type PdfObject, type PdfStream } from '@libpdf/core';
import { decodeJpeg } from '../image/jpeg-scans';
import { frameOf, isFrame, jpegSegments, START_OF_SCAN } from '../image/jpeg-segments';
import { UnreadableFile } from '../opened-file';
import { filterNames, type PdfFile } from './pdf-file';

/** Bytes of images that are decoded for one file. PDFs with more are long books: two to four seconds of CPU time. */
const MAX_DECODED = 1_000_000_000;
/** Bytes of one image as it is stored. */
const MAX_STORED = 128 * 1024 * 1024;

/** Decodes images of a PDF: what renders them leaves a missing part black or white and tells nobody. */
export class ImageStreams {
  private left = MAX_DECODED;

  /**
   * @param structure bytes of the file, whose images may be zeros
   * @param descriptor the file itself
   */
  constructor(
    private readonly file: PdfFile,
    private readonly structure: Buffer,
    private readonly descriptor: number,
  ) {}

  /** Returns why an image cannot be drawn whole. Null: it can be, or has a coding that is not decoded. */
  async damageOf(image: PdfStream): Promise<string | null> {
    const filters = filterNames(this.file, image);
    if (filters.length !== 1 || image.data.length > MAX_STORED) return null;
    try {
      if (['DCTDecode', 'DCT'].includes(filters[0]!)) this.decodeJpeg(this.stored(image));
      else if (['FlateDecode', 'Fl'].includes(filters[0]!)) await this.inflate(image);
      else if (filters[0] === 'JPXDecode') walkJpeg2000(this.stored(image));
      return null;
    } catch (error) {
      if (error instanceof UnreadableFile) return error.message;
      throw error;
    }
  }

  /**
   * Returns the data of a stream from the file. What was decrypted is no part of the structure. The structure can have zeros
   * for the end of line before the data too: they then start with it. No coding starts with such a byte.
   */
  private stored({ data }: PdfStream): Buffer {
    if (data.buffer !== this.structure.buffer) return Buffer.from(data);
    const bytes = Buffer.alloc(data.length + 2);
    readSync(this.descriptor, bytes, 0, bytes.length, data.byteOffset - this.structure.byteOffset);
    const from = bytes[0] === LF ? 1 : bytes[0] === CR && bytes[1] === LF ? 2 : 0;
    return bytes.subarray(from, from + data.length);
  }

  private spend(bytes: number): boolean {
    this.left -= bytes;
    return this.left >= 0;
  }

  private decodeJpeg(jpeg: Buffer): void {
    const segments = [...jpegSegments(jpeg)];
    const frame = segments.find(({ marker }) => isFrame(marker));
    const { widthPx, heightPx } = frame === undefined ? { widthPx: 0, heightPx: 0 } : frameOf(frame.data);
    const scans = segments.filter(({ marker }) => marker === START_OF_SCAN).length;
    if (this.spend(widthPx * heightPx * scans)) decodeJpeg(jpeg);
  }

  /** Counts the bytes of the rows. A last row that is cut is not seen in print. */
  private async inflate(image: PdfStream): Promise<void> {
    const [width, height] = [this.file.number(image.get('Width')), this.file.number(image.get('Height'))];
    const isMask = this.file.flag(image.get('ImageMask')) === true;
    const bits = isMask ? 1 : this.file.number(image.get('BitsPerComponent'));
    const components = isMask ? 1 : this.componentsOf(image.get('ColorSpace'));
    if (width === undefined || height === undefined || bits === undefined || components === undefined) return;
    const parameters = this.file.array(image.get('DecodeParms'))?.at(0) ?? image.get('DecodeParms');
    const predictor = this.file.number(this.file.dict(parameters)?.get('Predictor')) ?? 1;
    const rowBytes = Math.ceil((width * components * bits) / 8) + (predictor >= FIRST_PNG_PREDICTOR ? 1 : 0);
    let missing = (height - 1) * rowBytes;
    if (missing <= 0 || !this.spend(missing)) return;
    // Neither the header nor the checksum matters to those who draw the image.
    const raw = this.stored(image).subarray(2);
    const options = { chunkSize: 256 * 1024, finishFlush: constants.Z_SYNC_FLUSH };
    try {
      for await (const chunk of Readable.from([raw]).pipe(createInflateRaw(options))) {
        missing -= (chunk as Buffer).length;
        if (missing <= 0) return;
      }
    } catch {
      throw new UnreadableFile('the image is damaged');
    }
    throw new UnreadableFile('the image is truncated: rows of pixels are missing');
  }

  /** Returns the number of components of a colour space (ISO 32000-1, 8.6.3), or undefined when it is unknown. */
  private componentsOf(space: PdfObject | undefined): number | undefined {
    const { file } = this;
    const parts = file.array(space);
    const found = file.resolve(space);
    const family = parts === undefined ? found instanceof PdfName && found.value : file.name(parts.at(0));
    if (family === 'ICCBased') return file.number(file.stream(parts?.at(1))?.get('N'));
    if (family === 'DeviceN') return file.array(parts?.at(1))?.length;
    return COMPONENTS[family || ''];
  }
}

/** Each row has the number of its filter before it (ISO 32000-1, 7.4.4.4). */
const FIRST_PNG_PREDICTOR = 10;

const COMPONENTS: Readonly<Record<string, number | undefined>> = {
  ...{ DeviceGray: 1, CalGray: 1, Indexed: 1, Separation: 1 },
  ...{ DeviceRGB: 3, CalRGB: 3, Lab: 3, DeviceCMYK: 4 },
};

const LF = 0x0a;
const CR = 0x0d;
const START_OF_CODESTREAM = Buffer.from('ff4fff51', 'hex');
const START_OF_TILE_PART = 0xff90;

/** Walks from tile-part to tile-part of a JPEG 2000 image (ISO/IEC 15444-1, A.4.2). Their pixels are not decoded. */
function walkJpeg2000(image: Buffer): void {
  const start = image.indexOf(START_OF_CODESTREAM);
  if (start === -1) throw new UnreadableFile('the image has no pixels');
  let at = start + 2;
  const isInside = () => at + 12 <= image.length;
  while (isInside() && image.readUInt16BE(at) !== START_OF_TILE_PART) at += 2 + image.readUInt16BE(at + 2);
  if (!isInside()) throw new UnreadableFile('the image is truncated');
  while (isInside() && image.readUInt16BE(at) === START_OF_TILE_PART) {
    const bytes = image.readUInt32BE(at + 6);
    // The last one may go to the end.
    if (bytes === 0) return;
    at += bytes;
  }
  if (at > image.length) throw new UnreadableFile('the image is truncated');
}
