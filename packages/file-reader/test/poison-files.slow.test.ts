import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manyPages, manyScans, pngBomb } from '../../../sandbox/files/exhausting-files';
import { eventually } from '../../../test/support/eventually';
import type { PrintFileType } from '../file-types';
import { createFileInspector, type FileInspector, MAX_INSPECTIONS } from '../inspector';
import { sampleImage, samplePdf } from './samples';

/** Files that are made to exhaust those who open them. Each is inspected in a process with limits. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-poison-'));
const inspectors: FileInspector[] = [];
let count = 0;

function inspectorWith(limits: Parameters<typeof createFileInspector>[0] = {}): FileInspector {
  const inspector = createFileInspector(limits);
  inspectors.push(inspector);
  return inspector;
}

async function fileOf(bytes: Buffer): Promise<string> {
  const path = join(folder, `file-${count++}`);
  await writeFile(path, bytes);
  return path;
}

/** Returns the path of a file of this size with the start of a PDF. */
async function largeFile(megabytes: number): Promise<string> {
  const path = await fileOf(Buffer.from('%PDF-1.7\n'));
  const file = await open(path, 'r+');
  await file.truncate(megabytes * 1024 * 1024);
  await file.close();
  return path;
}

/** A PDF without a cross-reference table. PDFium searches all of it for objects before it knows the pages. */
const slowPdf = () =>
  fileOf(Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(60_000_000, '1 0 obj << /A [ ( << [ ')]));

/** A pipe that nobody writes to: a process that reads it waits for ever. */
function endlessFile(): string {
  const path = join(folder, `pipe-${count++}`);
  execFileSync('mkfifo', [path]);
  return path;
}

const goodPdf = async () => fileOf(await samplePdf([100, 100]));

afterAll(async () => {
  await Promise.all(inspectors.map((inspector) => inspector.close()));
  await rm(folder, { recursive: true, force: true });
});

describe('a file that is refused before it is decoded', () => {
  const inspector = inspectorWith();
  const refusalOf = async (bytes: Buffer, mimeType: PrintFileType) => {
    const inspection = await inspector.inspect({ client: 'shop', path: await fileOf(bytes), mimeType });
    if (inspection.ok) throw new Error('the file was accepted');
    return inspection;
  };

  test('is a PNG of 200 kB with 1,600 megapixels', async () => {
    const bomb = await pngBomb(40_000);
    expect(bomb.length).toBeLessThan(1_000_000);
    expect(await refusalOf(bomb, 'image/png')).toEqual({
      ok: false,
      code: 'file_too_large',
      reason: 'the image has 1600 megapixels, the limit is 1000',
      isFinal: true,
    });
  });

  test('is a PDF of 4 kB with a million pages', async () => {
    const pdf = manyPages(3);
    expect(pdf.length).toBeLessThan(10_000);
    expect(await refusalOf(pdf, 'application/pdf')).toEqual({
      ok: false,
      code: 'file_too_large',
      reason: 'the PDF has 1000000 pages, the limit is 5000',
      isFinal: true,
    });
  });

  test('is a progressive JPEG with a thousand scans', async () => {
    expect(await refusalOf(manyScans(1_000), 'image/jpeg')).toEqual({
      ok: false,
      code: 'file_unreadable',
      reason: 'the image has more than 100 scans',
      isFinal: true,
    });
  });

  test('is not a file near the limits, nor a photo with the marker of a scan in its metadata', async () => {
    const hundredPages = await inspector.inspect({
      client: 'shop',
      path: await fileOf(manyPages(1)),
      mimeType: 'application/pdf',
    });
    expect(hundredPages).toMatchObject({ ok: true, properties: { pageCount: 100 } });
    const large = await inspector.inspect({
      client: 'shop',
      path: await fileOf(await pngBomb(30_000)),
      mimeType: 'image/png',
    });
    expect(large).toMatchObject({
      ok: true,
      properties: { widthPx: 30_000, heightPx: 30_000 },
      previews: [],
    });
    const photo = sampleImage('jpeg', 200, 200);
    const metadata = Buffer.alloc(2 + 2 + 60_000, Buffer.from([0xff, 0xda]));
    metadata.writeUInt16BE(0xffed, 0);
    metadata.writeUInt16BE(2 + 60_000, 2);
    const marked = Buffer.concat([photo.subarray(0, 2), metadata, photo.subarray(2)]);
    const inspection = await inspector.inspect({ client: 'shop', path: await fileOf(marked), mimeType: 'image/jpeg' });
    expect(inspection).toMatchObject({ ok: true, properties: { widthPx: 200 }, previews: { length: 3 } });
  });
});

describe('a file that ends its inspector', () => {
  test('by taking too much memory has no result, and the next file gets a new process', async () => {
    const inspector = inspectorWith({ memoryBytes: 400 * 1024 * 1024 });
    // An image is read whole.
    const path = await largeFile(1_200);
    const inspection = await inspector.inspect({ client: 'shop', path, mimeType: 'image/png' });
    expect(inspection).toMatchObject({ ok: false, code: 'file_unreadable', isFinal: false });
    expect(
      await inspector.inspect({ client: 'shop', path: await goodPdf(), mimeType: 'application/pdf' }),
    ).toMatchObject({
      ok: true,
      previews: { length: 3 },
    });
  });

  test('by taking too much memory while it is rendered has no previews, and the next file gets a new process', async () => {
    const inspector = inspectorWith({ memoryBytes: 300 * 1024 * 1024 });
    const path = await fileOf(sampleImage('png', 9_000, 9_000));
    expect(await inspector.inspect({ client: 'shop', path, mimeType: 'image/png' })).toMatchObject({
      ok: true,
      properties: { widthPx: 9_000 },
      previews: [],
      unrendered: 'failed',
    });
    const good = { client: 'shop', path: await goodPdf(), mimeType: 'application/pdf' } as const;
    expect(await inspector.inspect(good)).toMatchObject({ ok: true, previews: { length: 3 }, unrendered: null });
  });

  test('that never responds delays no file of another client, and is let go when its order is cancelled', async () => {
    const inspector = inspectorWith({ stepTimeoutMs: 3_600_000 });
    const mimeType = 'application/pdf';
    const path = endlessFile();
    const order = new AbortController();
    const cancelled = new Error('cancelled');
    const endless = Promise.allSettled(
      [1, 2, 3, 4, 5].map(() => inspector.inspect({ client: 'shop', path, mimeType, signal: order.signal })),
    );
    const good = { path: await goodPdf(), mimeType } as const;
    expect(await inspector.inspect({ client: 'other', ...good })).toMatchObject({ ok: true });
    order.abort(cancelled);
    expect(await endless).toEqual(Array(5).fill({ status: 'rejected', reason: cancelled }));
    // The client that had its share of the processes has it again.
    expect(await inspector.inspect({ client: 'shop', ...good })).toMatchObject({ ok: true });
  });

  test('is refused after some inspections, which are counted before they start', async () => {
    const inspector = inspectorWith({ stepTimeoutMs: 500 });
    const path = await slowPdf();
    let inspections = 0;
    const attempt = () =>
      inspector.inspect({
        client: 'shop',
        path,
        mimeType: 'application/pdf',
        countInspection: async () => ++inspections,
      });
    expect(await attempt()).toMatchObject({ ok: false, isFinal: false });
    expect(inspections).toBe(1);
    // Processes that inspected the file before have died and have reported nothing.
    inspections = MAX_INSPECTIONS;
    expect(await attempt()).toEqual({
      ok: false,
      code: 'file_unreadable',
      reason: '5 attempts to read it have failed',
      isFinal: true,
    });
  });
});

test('an inspection process has no secrets, and ends when its parent is killed', async () => {
  const path = endlessFile();
  const script = `
    const { createFileInspector } = require(${JSON.stringify(join(process.cwd(), 'packages/file-reader/inspector.ts'))});
    createFileInspector().inspect({ client: 'shop', path: ${JSON.stringify(path)}, mimeType: 'application/pdf' });`;
  const parent: ChildProcess = spawn(
    process.execPath,
    ['--require', join(process.cwd(), 'test/support/register-typescript.cjs'), '--eval', script],
    { env: { ...process.env, SECRET_OF_THE_WORKER: 'x' }, stdio: 'ignore' },
  );
  const childOf = async () => {
    const tasks = await readFile(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').catch(() => '');
    const pid = tasks.trim().split(' ')[0];
    // The shell that sets the limit, and Perl, which confines it, have become the inspection process.
    const command = pid ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
    return command.includes('inspection-entry') && !/^(\/bin\/sh|perl)\0/.test(command) ? pid : undefined;
  };
  if (process.platform !== 'linux') {
    parent.kill('SIGKILL');
    return;
  }
  const child = await eventually(childOf);
  const variables = (await readFile(`/proc/${child}/environ`, 'utf8')).split('\0').map((entry) => entry.split('=')[0]);
  // The shell adds PWD, and Node the variables of the channel.
  expect(variables.filter((name) => !/^(PWD|NODE_CHANNEL_.*|)$/.test(name!)).sort()).toEqual([
    'HOME',
    'INSPECTION_MEMORY_BYTES',
    'INSPECTION_PARENT',
  ]);
  expect(await readFile(`/proc/${child}/limits`, 'utf8')).toMatch(/Max data size +1593835520 /);
  parent.kill('SIGKILL');
  await eventually(async () => {
    const state = await readFile(`/proc/${child}/stat`, 'utf8').catch(() => 'gone');
    return state === 'gone' || state.includes(') Z ') ? true : undefined;
  });
});
