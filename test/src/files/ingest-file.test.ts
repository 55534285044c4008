import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { lutimes, mkdir, readdir, rm, stat, symlink, utimes } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { createFileInspector, type FileInspector } from '../../../packages/file-reader/inspector';
import { ANIMATION, pngOf } from '../../../packages/file-reader/test/odd-images';
import { sampleImage, samplePdf } from '../../../packages/file-reader/test/samples';
import { createDiskBudget } from '../../../src/files/disk-budget';
import { type FileFault, permanentFault } from '../../../src/files/domain/file-fault';
import {
  type FileDeps,
  type FileRequest,
  type IngestedFile,
  ingestFile,
  openWorkFolder,
} from '../../../src/files/ingest-file';
import { createSafeClient, type SafeClient } from '../../../src/platform/http/safe-client';
import { createFolderStore } from '../../../src/platform/objects/folder-store';
import type { ObjectStore } from '../../../src/platform/objects/object-store';
import { serveHttp } from '../../support/other-systems/http-server';

let handler: (request: IncomingMessage, response: ServerResponse) => void;
let origin: string;
let folder: string;
let workFolder: string;
let client: SafeClient;
let objects: ObjectStore;
let inspector: FileInspector;
let deps: FileDeps;
let requests: string[];
let keys = 0;

beforeAll(async () => {
  ({ url: origin } = await serveHttp((request, response) => {
    requests.push(request.url!);
    handler(request, response);
  }));
  folder = mkdtempSync(join(tmpdir(), 'pressline-files-'));
  workFolder = await openWorkFolder(folder);
  client = createSafeClient({ allowPrivate: true });
  objects = await createFolderStore(folder);
  inspector = createFileInspector();
  deps = { client, objects, inspector, workFolder, disk: createDiskBudget(10_000_000) };
});
beforeEach(() => {
  requests = [];
});
afterAll(async () => {
  await Promise.all([client.close(), inspector.close()]);
  await rm(folder, { recursive: true, force: true });
});

const serve = (bytes: Buffer, contentType = 'application/octet-stream') => {
  handler = (_request, response) => response.writeHead(200, { 'content-type': contentType }).end(bytes);
};
const fileRequest = (url = `${origin}/art.pdf`): FileRequest => ({
  client: 'shop',
  url,
  objectKey: `files/f${keys++}`,
  limitBytes: 1_000_000,
  withPreviews: true,
});

async function ingested(input: FileRequest): Promise<IngestedFile> {
  const file = await ingestFile(deps, input);
  if (!file.ok) throw new Error(file.message);
  return file;
}

/** Returns the fault of a refused file. Expects that nothing of it is stored. */
async function faultOf(input: FileRequest): Promise<FileFault> {
  const file = await ingestFile(deps, input);
  if (file.ok) throw new Error('the file was stored');
  expect(await objects.stat(input.objectKey)).toBeNull();
  return file;
}

describe('print files', () => {
  it('are stored with properties and previews; the type is detected from the content', async () => {
    const pdf = await samplePdf([200, 100], [200, 100]);
    serve(pdf, 'text/html');
    const input = fileRequest();
    const file = await ingested(input);
    expect(file).toEqual({
      ok: true,
      mimeType: 'application/pdf',
      sizeBytes: pdf.length,
      facts: expect.objectContaining({ complete: true, problem: null, images: [] }),
      unrendered: null,
      pageCount: 2,
      widthPx: null,
      heightPx: null,
      widthMm: 70.6,
      heightMm: 35.3,
      previews: ['preview_flat', 'preview_default', 'preview_thumbnail'].map((type) => ({
        type,
        objectKey: `${input.objectKey}.${type}`,
        mimeType: 'image/jpeg',
      })),
    });
    const stored = (await objects.get(input.objectKey))!;
    expect(stored.contentType).toBe('application/pdf');
    expect(Buffer.concat(await stored.body.toArray()).equals(pdf)).toBe(true);
    for (const { objectKey } of file.previews) {
      expect(await objects.stat(objectKey)).toMatchObject({ contentType: 'image/jpeg' });
    }
  });

  it('are not downloaded again when they are stored already', async () => {
    serve(sampleImage('png', 30, 20));
    const input = fileRequest();
    const first = await ingested(input);
    const again = await ingested(input);
    expect(again).toEqual(first);
    expect(requests).toHaveLength(1);
  });

  it('may be behind a redirect within the same host', async () => {
    handler = (request, response) => {
      if (request.url === '/art.pdf') response.writeHead(302, { location: '/v2/art.png' }).end();
      else response.end(sampleImage('png', 10, 10));
    };
    expect(await ingested(fileRequest())).toMatchObject({ mimeType: 'image/png', widthPx: 10 });
    expect(requests).toEqual(['/art.pdf', '/v2/art.png']);
  });

  it.each([
    [404, 'file_not_found'],
    [410, 'file_not_found'],
    [403, 'file_access_denied'],
    [400, 'file_host_refused'],
  ])('status %i is a permanent fault: %s', async (status, code) => {
    handler = (_request, response) => response.writeHead(status).end();
    const fault = await faultOf(fileRequest());
    expect(fault).toMatchObject({ transient: false, code });
    expect(fault.message).toContain(String(status));
  });

  it.each([408, 425, 429, 500, 503])('status %i is a transient fault', async (status) => {
    handler = (_request, response) => response.writeHead(status, { 'retry-after': '7' }).end();
    const fault = await faultOf(fileRequest());
    expect(fault).toMatchObject({ transient: true, code: 'file_unreachable', retryAfterMs: 7_000 });
  });

  it('a connection cut during the download is a transient fault, and nothing is stored', async () => {
    // Given the bytes of a PDF, so that the type is accepted
    const pdf = await samplePdf([10, 10]);
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write(Buffer.concat([pdf, Buffer.alloc(8_000)]));
      setTimeout(() => response.destroy(), 30);
    };
    expect(await faultOf(fileRequest())).toMatchObject({ transient: true, code: 'file_unreachable' });
  });

  it('whose content has another type than the name are refused', async () => {
    serve(Buffer.from('<html><body>Please sign in</body></html>'.repeat(300)), 'application/pdf');
    const fault = await faultOf(fileRequest());
    expect(fault).toMatchObject({ transient: false, code: 'file_type_not_supported' });
  });

  it('of an unsupported type are refused with a message that names the type', async () => {
    serve(Buffer.concat([Buffer.from('GIF89a'), randomBytes(6_000)]));
    expect((await faultOf(fileRequest())).message).toContain('image/gif');
  });

  it('of an unsupported type are refused for good, also when their host has more to send', async () => {
    serve(Buffer.concat([Buffer.from('GIF89a'), randomBytes(900_000)]));
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_type_not_supported' });
  });

  it.each([
    ['<!DOCTYPE html><title>Sign in</title>', 'this address shows a web page, not a file'],
    ['\n<!-- a --><!-- b -->\n<HTML lang="en">', 'this address shows a web page, not a file'],
    ['<?xml version="1.0"?><!DOCTYPE html PUBLIC "x">', 'this address shows a web page, not a file'],
    ['<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'the content is an SVG drawing'],
    ['{"error": "expired"}', 'the content is of an unknown type'],
    ['<!-- -->'.repeat(600), 'the content is of an unknown type'],
  ])('that are a text are refused as what they are: %s', async (text, says) => {
    serve(Buffer.from(text));
    const fault = await faultOf(fileRequest());
    expect(fault).toMatchObject({ transient: false, code: 'file_type_not_supported' });
    expect(fault.message).toContain(`${says}, expected`);
  });

  it('may have up to 1,024 bytes before the header of a PDF', async () => {
    const pdf = await samplePdf([200, 100]);
    serve(Buffer.concat([Buffer.alloc(1024, 'From: prepress\r\n'), pdf]));
    expect(await ingested(fileRequest())).toMatchObject({
      mimeType: 'application/pdf',
      widthMm: 70.6,
      facts: { complete: true, pdf: { repaired: false } },
    });
    serve(Buffer.concat([Buffer.alloc(1025, 'x'), pdf]));
    expect(await faultOf(fileRequest())).toMatchObject({ code: 'file_type_not_supported' });
  });

  it('may be an animated PNG, which is stored as a PNG', async () => {
    serve(pngOf(ANIMATION));
    expect(await ingested(fileRequest())).toMatchObject({
      mimeType: 'image/png',
      facts: { image: { animated: true } },
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('in the coding %s are decoded within the limit', async (coding, encode) => {
    const serveCoded = (bytes: Buffer) => {
      handler = (_request, response) => response.writeHead(200, { 'content-encoding': coding }).end(bytes);
    };
    const pdf = await samplePdf([200, 100]);
    serveCoded(encode(pdf));
    expect(await ingested(fileRequest())).toMatchObject({ mimeType: 'application/pdf', sizeBytes: pdf.length });
    const large = encode(Buffer.concat([pdf, Buffer.alloc(1_000_000)]));
    expect(large.length).toBeLessThan(10_000);
    serveCoded(large);
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_too_large' });
    for (const damaged of [encode(pdf).subarray(0, -9), Buffer.alloc(5_000, 0xff)]) {
      serveCoded(damaged);
      const fault = await faultOf(fileRequest());
      expect(fault).toMatchObject({ transient: false, code: 'file_unreadable' });
      expect(fault.message).toContain(`its ${coding} coding is damaged`);
    }
  });

  it('that need a password are refused as protected', async () => {
    const pdf = new PDFDocument({ userPassword: 'secret' });
    pdf.end();
    serve(await buffer(pdf));
    expect((await faultOf(fileRequest())).message).toBe('The file is protected: it needs a password.');
  });

  it('larger than the limit are refused, with and without Content-Length', async () => {
    const large = Buffer.concat([await samplePdf([10, 10]), Buffer.alloc(1_000_000)]);
    serve(large);
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_too_large' });
    handler = (_request, response) => {
      response.write(large.subarray(0, 900_000));
      setTimeout(() => response.end(large.subarray(900_000)), 20);
    };
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_too_large' });
  });

  it('that are empty or damaged are refused', async () => {
    serve(Buffer.alloc(0));
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_empty' });
    serve(sampleImage('jpeg', 3000, 3000).subarray(0, 20_000));
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_unreadable' });
  });

  it('that violate a rule of the product are refused before they are stored', async () => {
    serve(await samplePdf([10, 10], [10, 10]));
    const input: FileRequest = {
      ...fileRequest(),
      refuse: ({ pageCount }) => permanentFault('file_page_count_mismatch', `it has ${pageCount} pages`),
    };
    const fault = await faultOf(input);
    expect(fault).toMatchObject({ transient: false, code: 'file_page_count_mismatch' });
    expect(fault.message).toContain('it has 2 pages');
    expect(await objects.stat(`${input.objectKey}.preview_default`)).toBeNull();
  });

  it('that redirect to another origin, or have a blocked or invalid URL, are refused', async () => {
    handler = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_redirected' });
    handler = (_request, response) => response.writeHead(302, { location: '/again' }).end();
    expect(await faultOf(fileRequest())).toMatchObject({ transient: false, code: 'file_redirected' });
    expect(await faultOf(fileRequest('http://169.254.169.254/a.pdf'))).toMatchObject({
      transient: false,
      code: 'file_host_blocked',
    });
    expect(await faultOf(fileRequest('ftp://example.com/a.pdf'))).toMatchObject({
      transient: false,
      code: 'file_url_invalid',
    });
  });

  it('stop downloading when the caller aborts', async () => {
    handler = (_request, response) => void response.write('%PDF-1.7');
    const controller = new AbortController();
    const reason = new Error('cancelled');
    setTimeout(() => controller.abort(reason), 50);
    await expect(ingestFile(deps, { ...fileRequest(), signal: controller.signal })).rejects.toBe(reason);
  });

  it('leave the work folder empty', async () => {
    expect(await readdir(workFolder)).toEqual([]);
  });
});

describe('packing slips', () => {
  const slip = (): FileRequest => ({ ...fileRequest(), accept: ['application/pdf'], withPreviews: false });

  it('are stored without previews', async () => {
    serve(await samplePdf([100, 100]));
    const input = slip();
    expect(await ingested(input)).toMatchObject({ mimeType: 'application/pdf', pageCount: 1, previews: [] });
    expect(await objects.stat(input.objectKey)).toMatchObject({ contentType: 'application/pdf' });
  });

  it('must be PDFs', async () => {
    serve(sampleImage('png', 10, 10));
    expect(await faultOf(slip())).toMatchObject({ transient: false, code: 'file_type_not_supported' });
  });
});

describe('the work folder', () => {
  it('can be entered by this user only, and has a random name', async () => {
    const [one, other] = [await openWorkFolder(folder), await openWorkFolder(folder)];
    for (const path of [one, other]) {
      const { mode, uid } = await stat(path);
      expect([mode & 0o777, uid]).toEqual([0o700, process.getuid!()]);
    }
    expect(one).not.toBe(other);
    expect(basename(one)).toMatch(/^pressline-files-\w{6}$/);
  });

  it('is where the system has its temporary files, unless the caller says otherwise', async () => {
    const path = await openWorkFolder();
    expect(dirname(path)).toBe(tmpdir());
    await rm(path, { recursive: true });
  });

  it('is created again when a cleaner has removed it', async () => {
    await rm(workFolder, { recursive: true });
    serve(await samplePdf([100, 100]));
    await ingested(fileRequest());
    expect((await stat(workFolder)).mode & 0o777).toBe(0o700);
  });

  it('loses what killed processes left behind; recent folders, links and other names remain', async () => {
    const parent = join(folder, 'parent');
    const elsewhere = join(folder, 'elsewhere');
    const names = ['pressline-files-old', 'pressline-files-new', 'other-old'];
    await Promise.all(
      [...names.map((name) => join(parent, name)), elsewhere].map((path) => mkdir(path, { recursive: true })),
    );
    await symlink(elsewhere, join(parent, 'pressline-files-link'));
    for (const name of ['pressline-files-old', 'other-old']) await utimes(join(parent, name), new Date(0), new Date(0));
    await lutimes(join(parent, 'pressline-files-link'), new Date(0), new Date(0));
    const opened = basename(await openWorkFolder(parent));
    expect((await readdir(parent)).sort()).toEqual(
      ['other-old', 'pressline-files-link', 'pressline-files-new', opened].sort(),
    );
  });
});

test('a file of a client that has its share of the disk gives way to an older one, and not those of others', async () => {
  const bytes = await samplePdf([210, 297]);
  const disk = createDiskBudget(2 * bytes.length);
  const older = disk.open('shop');
  older.add(bytes.length);
  serve(bytes);
  const request = fileRequest();
  const refused = await ingestFile({ ...deps, disk }, request);
  expect(refused).toMatchObject({ ok: false, transient: true, isOurs: true, code: 'file_unreachable' });
  expect(older.signal.aborted).toBe(false);
  expect(await ingestFile({ ...deps, disk }, { ...fileRequest(), client: 'other' })).toMatchObject({ ok: true });
  older.release();
  expect(await ingestFile({ ...deps, disk }, request)).toMatchObject({ ok: true });
  // The stored copy takes space too.
  disk.open('shop').add(bytes.length);
  expect(await ingestFile({ ...deps, disk }, request)).toMatchObject({ ok: false, isOurs: true });
});
