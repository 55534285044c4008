import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createFileActivities, type FileActivities } from '../../activities/files';
import { createFileInspector, type FileInspector } from '../../src/files/inspector';
import { openWorkFolder } from '../../src/files/take-in-file';
import { createSafeClient, type SafeClient } from '../../src/platform/http/safe-client';
import type { ObjectStore } from '../../src/platform/object-store';
import { createFolderStore } from '../../src/platform/object-store-folder';
import { sampleImage, samplePdf } from '../files/samples';

let handler: (request: IncomingMessage, response: ServerResponse) => void;
let server: Server;
let origin: string;
let folder: string;
let workFolder: string;
let client: SafeClient;
let objects: ObjectStore;
let inspector: FileInspector;
let activities: FileActivities;
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
  activities = createFileActivities({ client, objects, inspector, workFolder });
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
const wanted = (url = `${origin}/art.pdf`) => ({
  fileId: 'f1',
  url,
  objectKey: `files/f${keys++}`,
  limitBytes: 1_000_000,
});
const fetchPrintFile = (input: Parameters<FileActivities['fetchPrintFile']>[0]) =>
  new MockActivityEnvironment().run(activities.fetchPrintFile, input) as ReturnType<
    FileActivities['fetchPrintFile']
  >;

async function failureOf(
  input: Parameters<FileActivities['fetchPrintFile']>[0],
): Promise<ApplicationFailure> {
  const failure = await fetchPrintFile(input).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(await objects.stat(input.objectKey)).toBeNull();
  return failure as ApplicationFailure;
}

describe('print files', () => {
  it('are stored with facts and previews, their type told from the content', async () => {
    const pdf = await samplePdf([200, 100], [200, 100]);
    serves(pdf, 'text/html');
    const input = wanted();
    const file = await fetchPrintFile(input);
    expect(file).toEqual({
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
    const first = await fetchPrintFile(input);
    const again = await fetchPrintFile(input);
    expect(again).toEqual(first);
    expect(asked).toHaveLength(1);
  });

  it('may stand behind a redirect within their own host', async () => {
    handler = (request, response) => {
      if (request.url === '/art.pdf') response.writeHead(302, { location: '/v2/art.png' }).end();
      else response.end(sampleImage('png', 10, 10));
    };
    expect(await fetchPrintFile(wanted())).toMatchObject({ mimeType: 'image/png', widthPx: 10 });
    expect(asked).toEqual(['/art.pdf', '/v2/art.png']);
  });

  it.each([
    [404, 'file_not_found'],
    [410, 'file_not_found'],
    [403, 'file_access_denied'],
    [400, 'file_host_refused'],
  ])('a host that answers %i refuses the file for good: %s', async (status, code) => {
    handler = (_request, response) => response.writeHead(status).end();
    const failure = await failureOf(wanted());
    expect(failure).toMatchObject({
      type: 'FileRefused',
      nonRetryable: true,
      details: [{ code, fileId: 'f1' }],
    });
    expect(failure.message).toContain(String(status));
  });

  it.each([408, 425, 429, 500, 503])('a host that answers %i is asked again', async (status) => {
    handler = (_request, response) => response.writeHead(status, { 'retry-after': '7' }).end();
    const failure = await failureOf(wanted());
    expect(failure).toMatchObject({
      type: 'FileUnreachable',
      details: [{ code: 'file_unreachable', fileId: 'f1' }],
    });
    expect(failure.nonRetryable).toBe(false);
    expect(failure.nextRetryDelay).toBe(7_000);
  });

  it('a connection cut in the middle is tried again, and leaves nothing', async () => {
    // Given bytes that look like a PDF, so that the type is no matter
    const pdf = await samplePdf([10, 10]);
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '100000' });
      response.write(Buffer.concat([pdf, Buffer.alloc(8_000)]));
      setTimeout(() => response.destroy(), 30);
    };
    expect(await failureOf(wanted())).toMatchObject({ type: 'FileUnreachable' });
  });

  it('of another type than their name says are refused', async () => {
    serves(Buffer.from('<html><body>Please sign in</body></html>'.repeat(300)), 'application/pdf');
    const failure = await failureOf(wanted());
    expect(failure).toMatchObject({ type: 'FileRefused', details: [{ code: 'file_type_not_supported' }] });
  });

  it('of a type that is not printed are refused by its name', async () => {
    serves(Buffer.concat([Buffer.from('GIF89a'), randomBytes(6_000)]));
    expect((await failureOf(wanted())).message).toContain('image/gif');
  });

  it('larger than the limit are refused, announced or not', async () => {
    const large = Buffer.concat([await samplePdf([10, 10]), Buffer.alloc(1_000_000)]);
    serves(large);
    expect(await failureOf(wanted())).toMatchObject({ details: [{ code: 'file_too_large' }] });
    handler = (_request, response) => {
      response.write(large.subarray(0, 900_000));
      setTimeout(() => response.end(large.subarray(900_000)), 20);
    };
    expect(await failureOf(wanted())).toMatchObject({ details: [{ code: 'file_too_large' }] });
  });

  it('that are empty, damaged or have the wrong number of pages are refused', async () => {
    serves(Buffer.alloc(0));
    expect(await failureOf(wanted())).toMatchObject({ details: [{ code: 'file_empty' }] });
    serves(sampleImage('jpeg', 3000, 3000).subarray(0, 20_000));
    expect(await failureOf(wanted())).toMatchObject({ details: [{ code: 'file_unreadable' }] });
    serves(await samplePdf([10, 10], [10, 10]));
    const failure = await failureOf({ ...wanted(), pageCount: 4 });
    expect(failure).toMatchObject({ details: [{ code: 'file_page_count_mismatch' }] });
    expect(failure.message).toContain('it has 2, wanted are 4');
  });

  it('that redirect elsewhere, or stand where nothing is fetched, are refused', async () => {
    handler = (_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect(await failureOf(wanted())).toMatchObject({ details: [{ code: 'file_redirected' }] });
    handler = (_request, response) => response.writeHead(302, { location: '/again' }).end();
    expect(await failureOf(wanted())).toMatchObject({ details: [{ code: 'file_redirected' }] });
    expect(await failureOf(wanted('http://169.254.169.254/a.pdf'))).toMatchObject({
      details: [{ code: 'file_host_blocked' }],
    });
    expect(await failureOf(wanted('ftp://example.com/a.pdf'))).toMatchObject({
      details: [{ code: 'file_url_invalid' }],
    });
  });

  it('end when the activity is cancelled', async () => {
    handler = (_request, response) => void response.write('%PDF-1.7');
    const environment = new MockActivityEnvironment();
    const running = environment.run(activities.fetchPrintFile, wanted());
    setTimeout(() => environment.cancel(), 50);
    await expect(running).rejects.toMatchObject({ name: 'CancelledFailure' });
  });

  it('leave nothing on disk but the store', async () => {
    expect(await readdir(workFolder)).toEqual([]);
  });
});

describe('packing slips', () => {
  const slip = (objectKey: string) => ({
    packingSlipId: 's1',
    url: `${origin}/slip.pdf`,
    objectKey,
    limitBytes: 1_000_000,
  });

  it('are stored without previews', async () => {
    serves(await samplePdf([100, 100]));
    const stored = await new MockActivityEnvironment().run(activities.fetchPackingSlip, slip('slips/1'));
    expect(stored).toMatchObject({ mimeType: 'application/pdf', pageCount: 1, previews: [] });
    expect(await objects.stat('slips/1')).toMatchObject({ contentType: 'application/pdf' });
  });

  it('must be PDFs', async () => {
    serves(sampleImage('png', 10, 10));
    await expect(
      new MockActivityEnvironment().run(activities.fetchPackingSlip, slip('slips/2')),
    ).rejects.toMatchObject({
      type: 'FileRefused',
      details: [{ code: 'file_type_not_supported', fileId: 's1' }],
    });
  });
});
