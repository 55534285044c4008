import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { createCanvas, ImageData } from '@napi-rs/canvas';
import { type OpenedFile, UnreadableFile } from './opened-file';
import { measurePdf } from './pdf/measure-pdf';

const MM_PER_POINT = 25.4 / 72;
/** Ten times the longest book. PDFium reads the number without reading the pages. */
const MAX_PAGES = 5_000;
/** Matches PDFium's errors for documents with a password. */
const PROTECTED = /password|security/i;

let library: Promise<PDFiumLibrary> | undefined;

/**
 * Opens a PDF with PDFium. PDFium runs in WebAssembly, so a hostile file cannot access memory outside it.
 * @throws UnreadableFile
 */
export async function openPdf(bytes: Buffer): Promise<OpenedFile> {
  library ??= PDFiumLibrary.init();
  const pdfium = await library;
  const document = await pdfium.loadDocument(bytes).catch((error: Error) => {
    throw new UnreadableFile(PROTECTED.test(error.message) ? 'the PDF is protected' : 'the PDF is damaged');
  });
  const pageCount = document.getPageCount();
  const problem = pageCountProblem(pageCount);
  if (problem !== undefined) {
    document.destroy();
    throw problem;
  }
  const { width, height } = firstPageSize(document);
  return {
    properties: {
      pageCount,
      widthPx: null,
      heightPx: null,
      widthMm: inTenths(width * MM_PER_POINT),
      heightMm: inTenths(height * MM_PER_POINT),
    },
    measure: () => measurePdf(bytes, pageCount),
    async render(longestSide) {
      const longest = Math.max(width, height);
      if (!(longest > 0)) return null;
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
    close: () => document.destroy(),
  };
}

function pageCountProblem(pageCount: number): UnreadableFile | undefined {
  if (pageCount === 0) return new UnreadableFile('the PDF has no pages');
  if (pageCount <= MAX_PAGES) return undefined;
  return new UnreadableFile(`the PDF has ${pageCount} pages, the limit is ${MAX_PAGES}`, 'file_too_large');
}

/** Private parts of @hyzyla/pdfium: the functions of PDFium and the handle of the document (docs/development/dependencies.md). */
interface Internals {
  readonly documentIdx: number;
  readonly module: {
    readonly HEAPU8: Uint8Array;
    readonly wasmExports: { malloc(bytes: number): number; free(address: number): void };
    _FPDF_GetPageSizeByIndexF(document: number, pageIndex: number, size: number): number;
  };
}

/**
 * Returns width and height of the first page in points. Returns zeros when PDFium cannot tell them.
 * The public method loads the page first, which parses its whole content. That takes seconds for a complex page.
 */
function firstPageSize(document: PDFiumDocument): { width: number; height: number } {
  const { module, documentIdx } = document as unknown as Internals;
  const address = module.wasmExports.malloc(8);
  try {
    if (module._FPDF_GetPageSizeByIndexF(documentIdx, 0, address) === 0) return { width: 0, height: 0 };
    const size = new DataView(module.HEAPU8.buffer, address, 8);
    return { width: size.getFloat32(0, true), height: size.getFloat32(4, true) };
  } finally {
    module.wasmExports.free(address);
  }
}

const inTenths = (mm: number) => Math.round(mm * 10) / 10;
