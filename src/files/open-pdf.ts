import { createCanvas, ImageData } from '@napi-rs/canvas';
import { type OpenedFile, UnreadableFile } from './opened-file';
import { measurePdf } from './pdf/measure-pdf';
import { readStructure } from './pdf/read-structure';
import { openDocument } from './pdfium-document';

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
  const problem = pageCountProblem(pageCount);
  if (problem !== undefined) {
    close();
    throw problem;
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
    measure: async () => measurePdf(await readStructure(path), pageCount),
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
    close,
  };
}

function pageCountProblem(pageCount: number): UnreadableFile | undefined {
  if (pageCount === 0) return new UnreadableFile('the PDF has no pages');
  if (pageCount <= MAX_PAGES) return undefined;
  return new UnreadableFile(`the PDF has ${pageCount} pages, the limit is ${MAX_PAGES}`, 'file_too_large');
}

const inTenths = (mm: number) => Math.round(mm * 10) / 10;
