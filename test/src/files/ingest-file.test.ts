import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileFault, lastingFault } from '../../../src/files/domain/file-fault';
import {
  type FileDeps,
  type FileWanted,
  ingestFile,
  openWorkFolder,
  type TakenFile,
} from '../../../src/files/ingest-file';
import { createFileInspector, type FileInspector } from '../../../src/files/inspector';
import { createSafeClient, type SafeClient } from '../../../src/platform/http/safe-client';
import { createFolderStore } from '../../../src/platform/objects/folder-store';
import type { ObjectStore } from '../../../src/platform/objects/object-store';
import { sampleImage, samplePdf } from './samples';

// Runs a file server and draws previews.
jest.setTimeout(120_000);

let handler: (request: IncomingMessage, response: ServerResponse) => void;
let server: Server;
let origin: string;
let folder: string;
let workFolder: string;
let client: SafeClient;
let objects: ObjectStore;
let inspector: FileInspector;
let deps: FileDeps;
let asked: string[];
let keys = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), 'pressline-files-'));
  workFolder = await openWorkFolder(join(folder, 'work'));
  client = createSafeClient({ allowPrivate: true });
  objects = await createFolderStore(folder);
  inspector = createFileInspector();
  deps = { client, objects, inspector, workFolder };
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await Promise.all([client.close(), inspector.close()]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const serves = (bytes: Buffer, contentType = 'application/octet-stream') => {
  handler = (_request, response) => response.writeHead(200, { 'content-type': contentType }).end(bytes);
};
const wanted = (url = `${origin}/art.pdf`): FileWanted => ({
  url,
  objectKey: `files/f${keys++}`,
  limitBytes: 1_000_000,
  withPreviews: true,
});

async function taken(input: FileWanted): Promise<TakenFile> {
  const file = await ingestFile(deps, input);
  if (!file.ok) throw new Error(file.message);
  return file;
}

/** The fault of a file of which nothing is kept. */
async function faultOf(input: FileWanted): Promise<FileFault> {
  const file = await ingestFile(deps, input);
  if (file.ok) throw new Error('the file was taken in');
  expect(await objects.stat(input.objectKey)).toBeNull();
  return file;
}

describe('print files', () => {
  it('are stored with facts and previews, their type told from the content', async () => {
    const pdf = await samplePdf([200, 100], [200, 100]);
    serves(pdf, 'text/html');
    const input = wanted();
    const file = await taken(input);
    expect(file).toEqual({
      ok: true,
      mimeType: 'application/pdf',
      sizeBytes: pdf.length,
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

  it('that are stored already are not fetched again', async () => {
    serves(sampleImage('png', 30, 20));
    const input = wanted();
    const first = await taken(input);
    const again = await taken(input);
    expect(again).toEqual(first);
    expect(asked).toHaveLength(1);
  });

  it('may stand behind a redirect within their own host', async () => {
    handler = (request, response) => {
      if (request.url === '/art.pdf') response.writeHead(302, { location: '/v2/art.png' }).end();
      else response.end(sampleImage('png', 10, 10));
    };
    expect(await taken(wanted())).toMatchObject({ mimeType: 'image/png', widthPx: 10 });
    expect(asked).toEqual(['/art.pdf', '/v2/art.png']);
  });

  it.each([
    [404, 'file_not_found'],
    [410, 'file_not_found'],
    [403, 'file_access_denied'],
    [400, 'file_host_refused'],
  ])('a host that answers %i refuses the file for good: %s', async (status, code) => {
    handler = (_request, response) => response.writeHead(status).end();
    const fault = await faultOf(wanted());
    expect(fault).toMatchObject({ passing: false, code });
    expect(fault.message).toContain(String(status));
  });

  it.each([408, 425, 429, 500, 503])('a host that answers %i is asked again', async (status) => {
    handler = (_request, response) => response.writeHead(status, { 'retry-after': '7' }).end();
    const fault = await faultOf(wanted());
    expect(fault).toMatchObject({ passing: true, code: 'file_unreachable', retryAfterMs: 7_000 });
  });

  it('a connection cut in the middle is tried again, and leaves nothing', async () => {
    // Given bytes that look like a PDF, so that the type is no matter
    const pdf = await samplePdf([10, 10]);
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write(Buffer.concat([pdf, Buffer.alloc(8_000)]));
      setTimeout(() => response.destroy(), 30);
    };
    expect(await faultOf(wanted())).toMatchObject({ passing: true, code: 'file_unreachable' });
  });

  it('of another type than their name says are refused', async () => {
    serves(Buffer.from('<html><body>Please sign in</body></html>'.repeat(300)), 'application/pdf');
    const fault = await faultOf(wanted());
    expect(fault).toMatchObject({ passing: false, code: 'file_type_not_supported' });
  });

  it('of a type that is not printed are refused by its name', async () => {
    serves(Buffer.concat([Buffer.from('GIF89a'), randomBytes(6_000)]));
    expect((await faultOf(wanted())).message).toContain('image/gif');
  });

  it('larger than the limit are refused, announced or not', async () => {
    const large = Buffer.concat([await samplePdf([10, 10]), Buffer.alloc(1_000_000)]);
    serves(large);
    expect(await faultOf(wanted())).toMatchObject({ passing: false, code: 'file_too_large' });
    handler = (_request, response) => {
      response.write(large.subarray(0, 900_000));
      setTimeout(() => response.end(large.subarray(900_000)), 20);
    };
    expect(await faultOf(wanted())).toMatchObject({ passing: false, code: 'file_too_large' });
  });

  it('that are empty or damaged are refused', async () => {
    serves(Buffer.alloc(0));
    expect(await faultOf(wanted())).toMatchObject({ passing: false, code: 'file_empty' });
    serves(sampleImage('jpeg', 3000, 3000).subarray(0, 20_000));
    expect(await faultOf(wanted())).toMatchObject({ passing: false, code: 'file_unreadable' });
  });

  it('that break a rule of the product are refused before they are kept', async () => {
    serves(await samplePdf([10, 10], [10, 10]));
    const input: FileWanted = {
      ...wanted(),
      refuse: ({ pageCount }) => lastingFault('file_page_count_mismatch', `it has ${pageCount} pages`),
    };
    const fault = await faultOf(input);
    expect(fault).toMatchObject({ passing: false, code: 'file_page_count_mismatch' });
    expect(fault.message).toContain('it has 2 pages');
    expect(await objects.stat(`${input.objectKey}.preview_default`)).toBeNull();
  });

  it('that redirect elsewhere, or stand where nothing is fetched, are refused', async () => {
    handler = (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect(await faultOf(wanted())).toMatchObject({ passing: false, code: 'file_redirected' });
    handler = (_request, response) => response.writeHead(302, { location: '/again' }).end();
    expect(await faultOf(wanted())).toMatchObject({ passing: false, code: 'file_redirected' });
    expect(await faultOf(wanted('http://169.254.169.254/a.pdf'))).toMatchObject({
      passing: false,
      code: 'file_host_blocked',
    });
    expect(await faultOf(wanted('ftp://example.com/a.pdf'))).toMatchObject({
      passing: false,
      code: 'file_url_invalid',
    });
  });

  it('end when the caller ends them', async () => {
    handler = (_request, response) => void response.write('%PDF-1.7');
    const controller = new AbortController();
    const reason = new Error('cancelled');
    setTimeout(() => controller.abort(reason), 50);
    await expect(ingestFile(deps, { ...wanted(), signal: controller.signal })).rejects.toBe(reason);
  });

  it('leave nothing on disk but the store', async () => {
    expect(await readdir(workFolder)).toEqual([]);
  });
});

describe('packing slips', () => {
  const slip = (): FileWanted => ({ ...wanted(), accept: ['application/pdf'], withPreviews: false });

  it('are stored without previews', async () => {
    serves(await samplePdf([100, 100]));
    const input = slip();
    expect(await taken(input)).toMatchObject({ mimeType: 'application/pdf', pageCount: 1, previews: [] });
    expect(await objects.stat(input.objectKey)).toMatchObject({ contentType: 'application/pdf' });
  });

  it('must be PDFs', async () => {
    serves(sampleImage('png', 10, 10));
    expect(await faultOf(slip())).toMatchObject({ passing: false, code: 'file_type_not_supported' });
  });
});

describe('the work folder', () => {
  it('is cleared of what killed processes left behind, and of nothing that may be in use', async () => {
    await Promise.all(['old', 'new'].map((name) => mkdir(join(workFolder, name))));
    await utimes(join(workFolder, 'old'), new Date(0), new Date(0));
    await openWorkFolder(workFolder);
    expect(await readdir(workFolder)).toEqual(['new']);
  });
});
