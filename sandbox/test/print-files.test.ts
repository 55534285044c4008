import { get } from 'node:http';
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { loadImage } from '@napi-rs/canvas';
import { PRINT_FILES } from '../files/print-files';
import type { Sandbox } from '../index';
import { formatOf } from '../partners/asset-check';
import { removeFolder, type StubPressline, sandboxAt, startStub } from './stub-pressline';

let stub: StubPressline;
let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  stub = await startStub();
  ({ sandbox, folder } = await sandboxAt(stub, { mode: 'off' }));
});
afterAll(async () => {
  await sandbox.stop();
  await stub.stop();
  removeFolder(folder);
});

async function fetched(path: string): Promise<{ status: number; type: string | null; data: Buffer }> {
  const response = await fetch(`${sandbox.url}${path}`);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    data: Buffer.from(await response.arrayBuffer()),
  };
}

let pdfium: Promise<PDFiumLibrary> | undefined;
async function openedPdf(data: Buffer): Promise<PDFiumDocument> {
  pdfium ??= PDFiumLibrary.init();
  return await (await pdfium).loadDocument(data);
}

const mm = (points: number) => Math.round((points / 72) * 25.4);

describe('Print files', () => {
  it.each(Object.keys(PRINT_FILES))('%s has the declared format and fewer than 4 MB', async (name) => {
    const { status, type, data } = await fetched(`/files/${name}`);
    expect(status).toBe(200);
    expect(type).toBe(PRINT_FILES[name]!.contentType);
    expect(`${PRINT_FILES[name]!.contentType}`).toContain(formatOf(data));
    expect(data.length).toBeLessThan(4_000_000);
  });

  it('a poster has a bleed of 3 mm and a trim box of its size', async () => {
    const { data } = await fetched('/files/poster-a3.pdf');
    const pdf = await openedPdf(data);
    const { originalWidth, originalHeight } = pdf.getPage(0).getOriginalSize();
    expect([mm(originalWidth), mm(originalHeight)]).toEqual([303, 426]);
    const [left, top, right, bottom] = /\/TrimBox \[([\d. ]+)\]/
      .exec(data.toString('latin1'))![1]!
      .split(' ')
      .map(Number);
    expect([mm(right! - left!), mm(bottom! - top!)]).toEqual([297, 420]);
  });

  it.each([
    ['/files/photo-book-a4.pdf', 24],
    ['/files/photo-book-a4.pdf?pages=30', 30],
    ['/files/card-a6.pdf?pages=2', 2],
    ['/files/packing-slip.pdf?pages=9', 1],
  ])('%s has %d pages', async (path, pages) => {
    expect((await openedPdf((await fetched(path)).data)).getPageCount()).toBe(pages);
  });

  it.each([
    ['mug-wrap.png', 2362, 1004],
    ['t-shirt-front.png', 1772, 2362],
    ['frame-poster-30x40.jpg', 2409, 3197],
  ])('%s has the pixel size of its print area: %d x %d', async (name, width, height) => {
    expect(await loadImage((await fetched(`/files/${name}`)).data)).toMatchObject({ width, height });
  });

  it('images contain their resolution', async () => {
    const png = (await fetched('/files/mug-wrap.png')).data;
    const at = png.indexOf('pHYs') + 4;
    expect([png.readUInt32BE(at), png.readUInt8(at + 8)]).toEqual([11811, 1]);
    const jpeg = (await fetched('/files/frame-poster-30x40.jpg')).data;
    expect([jpeg.readUInt8(13), jpeg.readUInt16BE(14)]).toEqual([1, 200]);
  });

  it('two downloads have the same bytes', async () => {
    const [first, again] = [await fetched('/files/photo-book-a4.pdf?pages=3'), await fetched('/files/card-a6.pdf')];
    expect((await fetched('/files/photo-book-a4.pdf?pages=3')).data.equals(first.data)).toBe(true);
    expect((await fetched('/files/card-a6.pdf')).data.equals(again.data)).toBe(true);
  });

  it.each([
    ['/files/none.pdf', 404],
    ['/files/constructor', 404],
    ['/files/photo-book-a4.pdf?pages=0', 400],
    ['/files/photo-book-a4.pdf?pages=lots', 400],
  ])('%s is served with %d', async (path, status) => {
    expect((await fetched(path)).status).toBe(status);
  });
});

describe('Faulty hosts', () => {
  it.each([
    ['missing.pdf', 404],
    ['forbidden.pdf', 403],
    ['gone.pdf', 410],
    ['broken.pdf', 500],
    ['no-such-fault.pdf', 404],
  ])('%s is served with %d', async (name, status) => {
    expect((await fetched(`/faulty-files/${name}`)).status).toBe(status);
  });

  it.each([
    ['recovers.pdf', 500],
    ['busy.pdf', 429],
  ])('%s is served with %d as many times as requested, counted by key', async (name, status) => {
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await fetched(`/faulty-files/${name}?failures=2&key=a`)).status);
    expect(statuses).toEqual([status, status, 200]);
    expect((await fetched(`/faulty-files/${name}?key=b`)).status).toBe(status);
  });

  it('a host that recovers sends the file that the address names, else an A4 poster', async () => {
    const sent = await fetched('/faulty-files/recovers.pdf?failures=0&as=poster-a3.pdf');
    expect(sent.data.equals((await fetched('/files/poster-a3.pdf')).data)).toBe(true);
    const other = await fetched('/faulty-files/recovers.pdf?failures=0&as=no-such-file.pdf');
    expect(other.data.equals((await fetched('/files/poster-a4.pdf')).data)).toBe(true);
  });

  it('lies.pdf declares a PDF and is none; misnamed.png is a PDF', async () => {
    const lies = await fetched('/faulty-files/lies.pdf');
    expect([lies.type, formatOf(lies.data)]).toEqual(['application/pdf', 'unknown']);
    const misnamed = await fetched('/faulty-files/misnamed.png');
    expect([misnamed.type, formatOf(misnamed.data)]).toEqual(['image/png', 'pdf']);
  });

  it('corrupt.pdf starts like a PDF and cannot be parsed', async () => {
    const { data } = await fetched('/faulty-files/corrupt.pdf');
    expect(formatOf(data)).toBe('pdf');
    await expect(openedPdf(data)).rejects.toThrow();
  });

  it('too-large.pdf sends the requested size', async () => {
    expect((await fetched('/faulty-files/too-large.pdf?megabytes=3')).data.length).toBeGreaterThanOrEqual(3 << 20);
  });

  it('too-large.pdf is sent to a slow receiver without a warning of Node', async () => {
    const warned: Error[] = [];
    const note = (warning: Error) => void warned.push(warning);
    process.on('warning', note);
    expect((await fetched('/faulty-files/too-large.pdf?megabytes=30')).data.length).toBeGreaterThan(30_000_000);
    process.off('warning', note);
    expect(warned).toEqual([]);
  });

  it('slow.pdf arrives after the requested delay', async () => {
    const start = Date.now();
    expect((await fetched('/faulty-files/slow.pdf?ms=150')).status).toBe(200);
    expect(Date.now() - start).toBeGreaterThanOrEqual(145);
  });

  it('redirect-private.pdf redirects to the metadata address', async () => {
    const response = await fetch(`${sandbox.url}/faulty-files/redirect-private.pdf`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'http://169.254.169.254/latest/meta-data/',
    ]);
  });

  it('breaks-off.pdf ends before its declared length', async () => {
    const outcome = await new Promise<{ promised: number; got: number; complete: boolean }>((resolve, reject) => {
      get(`${sandbox.url}/faulty-files/breaks-off.pdf`, (response) => {
        let got = 0;
        response.on('data', (chunk: Buffer) => {
          got += chunk.length;
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          resolve({
            promised: Number(response.headers['content-length']),
            got,
            complete: response.complete,
          });
        });
      }).on('error', reject);
    });
    expect(outcome.complete).toBe(false);
    expect(outcome.got).toBeLessThan(outcome.promised);
  });

  it('hangs-up.pdf closes the connection without a response', async () => {
    await expect(fetched('/faulty-files/hangs-up.pdf')).rejects.toThrow();
  });

  it('the sandbox stops during an unfinished transfer', async () => {
    const other = await sandboxAt(stub, { mode: 'off' });
    const pending = fetch(`${other.sandbox.url}/faulty-files/slow.pdf?ms=60000`).catch(() => 'broken');
    const dripping = await fetch(`${other.sandbox.url}/faulty-files/drips.pdf?ms=60000`);
    await other.sandbox.stop();
    expect(await pending).toBe('broken');
    await expect(dripping.arrayBuffer()).rejects.toThrow();
    removeFolder(other.folder);
  });
});
