import { PDFiumLibrary } from '@hyzyla/pdfium';
import { createCanvas, ImageData } from '@napi-rs/canvas';
import { type OpenedFile, UnreadableFile } from './opened-file';

const MM_PER_POINT = 25.4 / 72;
/** PDFium's word for a document that wants a password. */
const PROTECTED = /password|security/i;

let library: Promise<PDFiumLibrary> | undefined;

/**
 * Opens a PDF with PDFium, which lives in WebAssembly: a hostile file reaches nothing outside its own memory.
 * @throws UnreadableFile
 */
export async function openPdf(bytes: Buffer): Promise<OpenedFile> {
  library ??= PDFiumLibrary.init();
  const pdfium = await library;
  const document = await pdfium.loadDocument(bytes).catch((error: Error) => {
    throw new UnreadableFile(PROTECTED.test(error.message) ? 'the PDF is protected' : 'the PDF is damaged');
  });
  const pageCount = document.getPageCount();
  if (pageCount === 0) {
    document.destroy();
    throw new UnreadableFile('the PDF has no pages');
  }
  const { originalWidth, originalHeight } = document.getPage(0).getOriginalSize();
  return {
    facts: {
      pageCount,
      widthPx: null,
      heightPx: null,
      widthMm: inTenths(originalWidth * MM_PER_POINT),
      heightMm: inTenths(originalHeight * MM_PER_POINT),
    },
    async draw(longestSide) {
      const longest = Math.max(originalWidth, originalHeight);
      if (!(longest > 0)) return null;
      const scale = longestSide / longest;
      const page = await document.getPage(0).render({
        width: Math.max(1, Math.round(originalWidth * scale)),
        height: Math.max(1, Math.round(originalHeight * scale)),
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

const inTenths = (mm: number) => Math.round(mm * 10) / 10;
