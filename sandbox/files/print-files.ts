import { type Response, Router } from 'express';
import { printImage } from './print-image';
import { packingSlipPdf, printPdf } from './print-pdf';
import { UNFIT_FILES } from './unfit-files';

export interface PrintFile {
  readonly contentType: 'application/pdf' | 'image/png' | 'image/jpeg';
  /** Default number of pages. Absent when `?pages=` has no effect on the file. */
  readonly pages?: number;
  readonly make: (pages: number) => Promise<Uint8Array>;
}

function pdf(title: string, widthMm: number, heightMm: number, pages: number, seed: number): PrintFile {
  return {
    contentType: 'application/pdf',
    pages,
    make: (wanted) => printPdf({ title, widthMm, heightMm, bleedMm: 3, pages: wanted, seed }),
  };
}

function image(
  form: 'png' | 'jpeg',
  widthMm: number,
  heightMm: number,
  dpi: number,
  seed: number,
  transparent = false,
): PrintFile {
  return {
    contentType: `image/${form}`,
    make: () => printImage({ form, widthMm, heightMm, dpi, seed, transparent }),
  };
}

/** The files under `/files/`, in the formats and sizes of the demo catalog's print areas. */
export const PRINT_FILES: Readonly<Record<string, PrintFile>> = {
  'poster-a4.pdf': pdf('Evening hills', 210, 297, 1, 0),
  'poster-a3.pdf': pdf('Evening hills', 297, 420, 1, 0),
  'poster-a2.pdf': pdf('Evening hills', 420, 594, 1, 0),
  'poster-30x40.pdf': pdf('Evening hills', 300, 400, 1, 0),
  'poster-50x70.pdf': pdf('Evening hills', 500, 700, 1, 0),
  'poster-a3.jpg': image('jpeg', 303, 426, 150, 0),
  'card-a6.pdf': pdf('Greetings from the coast', 105, 148, 1, 2),
  'card-a5.pdf': pdf('Greetings from the coast', 148, 210, 1, 2),
  'card-dl.pdf': pdf('Greetings from the coast', 99, 210, 1, 2),
  'photo-book-a4.pdf': pdf('Our year outside', 210, 297, 24, 1),
  'photo-book-a5.pdf': pdf('Our year outside', 148, 210, 24, 1),
  'photo-book-21x21.pdf': pdf('Our year outside', 210, 210, 24, 1),
  'mug-wrap.png': image('png', 200, 85, 300, 2),
  'mug-wrap-15oz.png': image('png', 225, 102, 300, 2),
  't-shirt-front.png': image('png', 300, 400, 150, 3, true),
  't-shirt-back.png': image('png', 300, 400, 150, 2, true),
  'frame-poster-30x40.jpg': image('jpeg', 306, 406, 200, 1),
  'frame-poster-50x70.jpg': image('jpeg', 506, 706, 150, 1),
  'sticker-75.png': image('png', 75, 75, 300, 3, true),
  'packing-slip.pdf': { contentType: 'application/pdf', make: packingSlipPdf },
};

/** Largest page count of a PDF. A photo book of 200 pages takes about 0.1 s. */
const MAX_PAGES = 500;

/** Number of files in memory. The oldest is removed first. */
const CACHE_ENTRIES = 64;

/** The files of this process by name and page count: each takes milliseconds to a second to make, and never changes. */
const cache = new Map<string, Promise<Buffer>>();

/** Returns a print file, good or unfit, or undefined for an unknown name. */
export async function printFile(
  name: string,
  pages?: number,
): Promise<{ contentType: PrintFile['contentType']; data: Buffer } | undefined> {
  const file = [PRINT_FILES, UNFIT_FILES].find((files) => Object.hasOwn(files, name))?.[name];
  if (file === undefined) return undefined;
  const count = file.pages === undefined ? 1 : (pages ?? file.pages);
  const key = `${name} ${count}`;
  let data = cache.get(key);
  if (data === undefined) {
    data = file.make(count).then((bytes) => Buffer.from(bytes));
    cache.set(key, data);
    data.catch(() => cache.delete(key));
    if (cache.size > CACHE_ENTRIES) cache.delete(cache.keys().next().value!);
  }
  return { contentType: file.contentType, data: await data };
}

/**
 * GET /files lists the names. GET /files/{name}?pages=n returns a file (n: 1 to 500, PDF artwork only).
 * @param faults HTTP statuses in place of files, by the name of the file
 */
export function printFileRoutes(faults: ReadonlyMap<string, number>): Router {
  const router = Router();
  router.get('/files', (_request, response) => {
    response.json({ files: Object.keys(PRINT_FILES).map((name) => `/files/${name}`) });
  });
  router.get('/files/:name', async (request, response) => {
    const fault = faults.get(request.params.name);
    if (fault !== undefined) {
      response.status(fault).json({ error: 'The control API has set this fault' });
      return;
    }
    const text = request.query.pages;
    const pages = text === undefined ? undefined : Number(text);
    if (pages !== undefined && !(Number.isInteger(pages) && pages >= 1 && pages <= MAX_PAGES)) {
      response.status(400).json({ error: `pages must be a whole number from 1 to ${MAX_PAGES}` });
      return;
    }
    const file = await printFile(request.params.name, pages);
    if (file === undefined) response.status(404).json({ error: `There is no print file ${request.params.name}` });
    else sendFile(response, file);
  });
  return router;
}

export function sendFile(response: Response, file: { contentType: string; data: Buffer }): void {
  response.type(file.contentType).set('Cache-Control', 'public, max-age=3600').send(file.data);
}
