import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { createCanvas, ImageData } from '@napi-rs/canvas';
import { type OpenedFile, UnreadableFile } from './opened-file';
import { measurePdf } from './pdf/measure-pdf';
import { openPdfFile, readStructure } from './pdf/pdf-file';

const MM_PER_POINT = 25.4 / 72;
/** Ten times the longest book. PDFium reads the number without reading the pages. */
const MAX_PAGES = 5_000;

/**
 * Opens a PDF with PDFium. PDFium runs in WebAssembly, so a hostile file cannot access memory outside it.
 * @throws UnreadableFile
 */
export async function openPdf(path: string): Promise<OpenedFile> {
  const { document, firstPage, close } = await openDocument(path);
  const pageCount = document.getPageCount();
  if (pageCount === 0 || pageCount > MAX_PAGES) {
    close();
    if (pageCount === 0) throw await unreadable(path, 'the PDF has no pages');
    throw new UnreadableFile(`the PDF has ${pageCount} pages, the limit is ${MAX_PAGES}`, 'file_too_large');
  }
  const { width, height } = firstPage;
  return {
    properties: {
      pageCount,
      widthPx: null,
      heightPx: null,
      widthMm: inTenths(width * MM_PER_POINT),
      heightMm: inTenths(height * MM_PER_POINT),
    },
    decode: async () => undefined,
    measure: async () => measurePdf(await readStructure(path), pageCount),
    async render(longestSide) {
      const longest = Math.max(width, height);
      if (!(longest > 0)) throw new Error('the page has no size');
      const scale = longestSide / longest;
      const page = await document.getPage(0).render({
        width: Math.max(1, Math.round(width * scale)),
        height: Math.max(1, Math.round(height * scale)),
        render: 'bitmap',
      });
      const canvas = createCanvas(page.width, page.height);
      const pixels = new Uint8ClampedArray(page.data.buffer, page.data.byteOffset, page.data.byteLength);
      canvas.getContext('2d').putImageData(new ImageData(pixels, page.width, page.height), 0, 0);
      return { canvas, opaque: true };
    },
    close,
  };
}

/** Returns why a PDF has no pages: PDFium does not tell of every damaged file that it needs a password. */
async function unreadable(path: string, damage: string): Promise<UnreadableFile> {
  const reason = await openPdfFile(await readStructure(path)).catch((error: unknown) => error);
  return reason instanceof UnreadableFile ? reason : new UnreadableFile(damage);
}

const inTenths = (mm: number) => Math.round(mm * 10) / 10;

/** Private parts of @hyzyla/pdfium: the functions of PDFium and the handle of the document (docs/development/dependencies.md). */
interface Pdfium {
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: {
    readonly __indirect_function_table: { set(index: number, value: unknown): void };
    malloc(bytes: number): number;
    free(address: number): void;
  };
  _FPDF_LoadCustomDocument(access: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageSizeByIndexF(document: number, pageIndex: number, size: number): number;
}

/** Not in the types of Node.js. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of fpdfview.h. */
const PROTECTED: readonly number[] = [4, 5];

/** A document that PDFium reads from its file. */
interface OpenDocument {
  readonly document: PDFiumDocument;
  /** Width and height of the first page in points. Zeros when PDFium cannot tell them. */
  readonly firstPage: { readonly width: number; readonly height: number };
  close(): void;
}

/** Index of the function that reads. The table has a fixed size, and this is its only empty place: a null pointer in C. */
const READ_BLOCK = 0;

let loaded: Promise<Pdfium> | undefined;

/**
 * Opens a PDF with PDFium, which reads parts of the file when it needs them (FPDF_LoadCustomDocument of fpdfview.h).
 * @throws UnreadableFile
 */
async function openDocument(path: string): Promise<OpenDocument> {
  loaded ??= loadPdfium();
  const pdfium = await loaded;
  const descriptor = openSync(path, 'r');
  // FPDF_FILEACCESS: the length, the function that reads, and its first argument.
  const access = pdfium.wasmExports.malloc(12);
  new Uint32Array(pdfium.HEAPU8.buffer, access, 3).set([fstatSync(descriptor).size, READ_BLOCK, descriptor]);
  const documentIdx = pdfium._FPDF_LoadCustomDocument(access, 0);
  if (documentIdx === 0) {
    const isProtected = PROTECTED.includes(pdfium._FPDF_GetLastError());
    pdfium.wasmExports.free(access);
    closeSync(descriptor);
    if (isProtected) throw new UnreadableFile('it needs a password', 'file_protected');
    throw await unreadable(path, 'the PDF is damaged');
  }
  // It frees the memory at `documentPtr` with the document.
  const document = new PDFiumDocument({ module: pdfium as never, documentIdx, documentPtr: access });
  return {
    document,
    firstPage: firstPageSize(pdfium, documentIdx),
    close() {
      document.destroy();
      closeSync(descriptor);
    },
  };
}

async function loadPdfium(): Promise<Pdfium> {
  const { module: pdfium } = (await PDFiumLibrary.init()) as unknown as { module: Pdfium };
  const read = (descriptor: number, position: number, target: number, size: number): number => {
    try {
      return readSync(descriptor, pdfium.HEAPU8, target, size, position) === size ? 1 : 0;
    } catch {
      return 0;
    }
  };
  pdfium.wasmExports.__indirect_function_table.set(READ_BLOCK, asWebAssembly(read));
  return pdfium;
}

/**
 * A module that imports a function of four integers with an integer result as `e.f`, and exports it as `f`: a table takes
 * functions of WebAssembly only (WebAssembly Core Specification 2.0, 5.5).
 */
const PASS_ON = Buffer.from('0061736d0100000001090160047f7f7f7f017f02070101650166000007050101660000', 'hex');

function asWebAssembly(f: (a: number, b: number, c: number, d: number) => number): unknown {
  return new WebAssembly.Instance(new WebAssembly.Module(PASS_ON), { e: { f } }).exports.f;
}

/** The public method loads the page first, which parses its whole content. That takes seconds for a complex page. */
function firstPageSize(pdfium: Pdfium, document: number): OpenDocument['firstPage'] {
  const address = pdfium.wasmExports.malloc(8);
  try {
    if (pdfium._FPDF_GetPageSizeByIndexF(document, 0, address) === 0) return { width: 0, height: 0 };
    const size = new DataView(pdfium.HEAPU8.buffer, address, 8);
    return { width: size.getFloat32(0, true), height: size.getFloat32(4, true) };
  } finally {
    pdfium.wasmExports.free(address);
  }
}
