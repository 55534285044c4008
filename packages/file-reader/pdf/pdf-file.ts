import { open, readFile } from 'node:fs/promises';
import { constants, inflateSync } from 'node:zlib';
import {
  PDF,
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from '@libpdf/core';
import { UnreadableFile } from '../opened-file';

/** Bytes of a decoded stream at most. A page with a million curves has 40 MB. */
const MAX_DECODED = 128 * 1024 * 1024;

/** Objects of a PDF. References are followed, and objects of a wrong type are undefined. */
export interface PdfFile {
  readonly catalog: PdfDict;
  readonly info: PdfDict | undefined;
  readonly version: string;
  readonly encrypted: boolean;
  /** The cross-reference table is damaged. Objects were found by a search. */
  readonly repaired: boolean;
  /** Follows a reference. */
  resolve(object: PdfObject | undefined): PdfObject | undefined;
  dict(object: PdfObject | undefined): PdfDict | undefined;
  array(object: PdfObject | undefined): PdfArray | undefined;
  stream(object: PdfObject | undefined): PdfStream | undefined;
  number(object: PdfObject | undefined): number | undefined;
  name(object: PdfObject | undefined): string | undefined;
  flag(object: PdfObject | undefined): boolean | undefined;
  text(object: PdfObject | undefined): string | undefined;
  /** Returns all numbers of an array, or undefined when one is missing. */
  numbers(object: PdfObject | undefined): number[] | undefined;
}

/**
 * Opens the objects of a PDF. PDFium decides whether a file is accepted and how many pages it has; this reads what PDFium
 * does not tell: inherited boxes, user units, the colour spaces and fonts of objects, overprint.
 *
 * Why no other library: docs/decisions/017-pdf-reader.md.
 * @throws UnreadableFile when it needs a password, Error when it has no catalog
 */
export async function openPdfFile(bytes: Uint8Array): Promise<PdfFile> {
  const document = await PDF.load(bytes);
  const { trailer, isAuthenticated } = document.context.info;
  if (document.isEncrypted && !isAuthenticated) throw new UnreadableFile('it needs a password', 'file_protected');

  const resolve = (object: PdfObject | undefined): PdfObject | undefined => {
    let found: PdfObject | null | undefined = object;
    // A reference to a reference is not allowed. Some are cycles.
    for (let step = 0; found instanceof PdfRef && step < 4; step += 1) found = document.getObject(found);
    return found instanceof PdfRef ? undefined : (found ?? undefined);
  };
  const as =
    <T>(type: { readonly [Symbol.hasInstance]: (value: unknown) => boolean; readonly prototype: T }) =>
    (object: PdfObject | undefined): T | undefined => {
      const found = resolve(object);
      return found instanceof type ? (found as T) : undefined;
    };
  const array = as(PdfArray);
  const number = (object: PdfObject | undefined) => {
    const found = resolve(object);
    return found instanceof PdfNumber && Number.isFinite(found.value) ? found.value : undefined;
  };
  const dict = as(PdfDict);
  return {
    catalog: document.getCatalog(),
    info: dict(trailer.get('Info')),
    version: document.version,
    encrypted: document.isEncrypted,
    repaired: document.recoveredViaBruteForce,
    resolve,
    dict,
    array,
    stream: as(PdfStream),
    number,
    name: (object) => as(PdfName)(object)?.value,
    flag: (object) => as(PdfBool)(object)?.value,
    text: (object) => as(PdfString)(object)?.asString(),
    numbers(object) {
      const found = [...(array(object) ?? [])].map(number);
      return found.length > 0 && found.every((value) => value !== undefined) ? (found as number[]) : undefined;
    },
  };
}

const TABLE_POINTER = 'startxref';
/** The library looks for the pointer in this many bytes at the end. */
const TAIL_BYTES = 1024;

/**
 * Opens a PDF whose cross-reference table leads to wrong places: removes the pointers to the table from the bytes, so that
 * the library searches the file for objects.
 */
export async function openDamagedPdf(bytes: Buffer): Promise<PdfFile> {
  const tail = bytes.subarray(-2 * TAIL_BYTES);
  for (let at = tail.indexOf(TABLE_POINTER); at !== -1; at = tail.indexOf(TABLE_POINTER)) {
    tail.fill(' ', at, at + TABLE_POINTER.length);
  }
  return await openPdfFile(bytes);
}

/** Empties the caches of names and references, which are shared by all files of the process. */
export function forgetNames(): void {
  PdfName.clearCache();
  PdfRef.clearCache();
}

/** Returns the decoded bytes of a stream. What is damaged is left out. */
export function decodedBytes(file: PdfFile, stream: PdfStream): Uint8Array {
  const filters = filterNames(file, stream);
  if (filters.length === 0) return stream.data;
  const isPlain = !stream.has('DecodeParms') && !stream.has('DP');
  try {
    if (filters.length === 1 && isPlain && (filters[0] === 'FlateDecode' || filters[0] === 'Fl')) {
      // Ten times as fast as the library, bounded, and keeps the start of a stream that is cut.
      return inflateSync(stream.data, { maxOutputLength: MAX_DECODED, finishFlush: constants.Z_SYNC_FLUSH });
    }
    return stream.getDecodedData().subarray(0, MAX_DECODED);
  } catch {
    return new Uint8Array();
  }
}

/** Returns the names of a stream's filters, in the order in which they are applied. */
export function filterNames(file: PdfFile, stream: PdfDict): string[] {
  const filter = file.resolve(stream.get('Filter') ?? stream.get('F'));
  const all = filter instanceof PdfArray ? [...filter] : [filter];
  return all.flatMap((each) => file.name(each) ?? []);
}

const CHUNK_BYTES = 1024 * 1024;
/** Bytes at the end of a chunk that are read again with the next one: no keyword is longer. */
const OVERLAP_BYTES = 16;
/** Bytes of a dictionary that are looked at. A palette of 256 colours in hexadecimal has 1.5 kB. */
const DICTIONARY_BYTES = 4096;

const START = 'stream';
const END = 'endstream';

/**
 * Returns the bytes of a PDF with zeros in place of the data of its images. Images are most of a print file, and nothing
 * measured depends on their data. Memory pages of zeros that nobody has written take no memory.
 *
 * An encrypted file is returned as it is, because its data is decrypted with its objects, as are images of JPEG 2000, whose
 * colours stand in their data, and a file whose last image has no end.
 */
export async function readStructure(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const structure = Buffer.alloc(size);
    const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
    let inImage = false;
    /** End of the last keyword. A dictionary stands behind it, so that each byte is looked at once. */
    let keywordEnd = 0;
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      const bytes = chunk.subarray(0, bytesRead);
      const isLast = at + bytesRead >= size;
      if (bytesRead === 0 || bytes.includes('/Encrypt')) return await readFile(path);
      const known = isLast ? bytesRead : Math.max(1, bytesRead - OVERLAP_BYTES);
      let done = 0;
      while (done < known) {
        const found: number = bytes.indexOf(inImage ? END : START, done);
        if (inImage) {
          inImage = found === -1;
          done = inImage ? known : found;
        } else {
          const end = found === -1 ? known : found + START.length;
          bytes.copy(structure, at + done, done, end);
          if (found !== -1) {
            inImage = isImage(structure.subarray(Math.max(keywordEnd, at + found - DICTIONARY_BYTES), at + found));
            keywordEnd = at + end;
          }
          done = end;
        }
      }
      at += done;
    }
    return inImage ? await readFile(path) : structure;
  } finally {
    await file.close();
  }
}

/** Returns true when the dictionary at the end of these bytes describes an image (ISO 32000-1, 8.9.5). */
function isImage(bytes: Buffer): boolean {
  const before = bytes.toString('latin1');
  const start = before.lastIndexOf(' obj');
  if (start === -1) return false;
  const dictionary = before.slice(start);
  return (
    />>\s*$/.test(dictionary) && /\/Subtype\s*\/Image\b/.test(dictionary) && !/\/(Form|JPXDecode)\b/.test(dictionary)
  );
}
