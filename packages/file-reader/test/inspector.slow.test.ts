import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { cyclicPattern, manyShadings, pngBomb } from '../../../sandbox/files/exhausting-files';
import type { PrintFileType } from '../file-types';
import { startInspectionProcess } from '../inspection-process';
import { createFileInspector } from '../inspector';
import { rotated, sampleImage, samplePdf } from './samples';

const folder = mkdtempSync(join(tmpdir(), 'pressline-inspect-'));
const inspector = createFileInspector();
let count = 0;

async function inspect(bytes: Buffer, mimeType: PrintFileType) {
  const path = join(folder, `file-${count++}`);
  await writeFile(path, bytes);
  return inspector.inspect({ client: 'shop', path, mimeType });
}

async function pixel(bytes: Uint8Array, x: number, y: number): Promise<number[]> {
  const image = await loadImage(Buffer.from(bytes));
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data];
}

afterAll(async () => {
  await inspector.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the inspector', () => {
  it('counts the pages of a PDF, measures the first in millimetres, and renders it', async () => {
    // A4 portrait, and a second page of another size
    const inspection = await inspect(await samplePdf([595.276, 841.89], [100, 100]), 'application/pdf');
    if (!inspection.ok) throw new Error(inspection.reason);
    expect(inspection.properties).toEqual({
      pageCount: 2,
      widthPx: null,
      heightPx: null,
      widthMm: 210,
      heightMm: 297,
    });
    expect(inspection.previews.map(({ type, contentType }) => [type, contentType])).toEqual([
      ['preview_flat', 'image/jpeg'],
      ['preview_default', 'image/jpeg'],
      ['preview_thumbnail', 'image/jpeg'],
    ]);
    const sizes = await Promise.all(inspection.previews.map(({ bytes }) => loadImage(Buffer.from(bytes))));
    expect(sizes.map(({ width, height }) => [width, height])).toEqual(
      [
        [1132, 1600],
        [566, 800],
        [142, 200],
      ].map(([w, h]) => [expect.closeTo(w!, -0.5), h]),
    );
    const [red, green] = await pixel(inspection.previews[1]!.bytes, 100, 400);
    expect([red! > 240, green! < 20]).toEqual([true, true]);
    expect(await pixel(inspection.previews[1]!.bytes, 500, 400)).toEqual([255, 255, 255, 255]);
  });

  it('measures an image in pixels and never enlarges it', async () => {
    const inspection = await inspect(sampleImage('jpeg', 1000, 500), 'image/jpeg');
    if (!inspection.ok) throw new Error(inspection.reason);
    expect(inspection.properties).toEqual({
      pageCount: 1,
      widthPx: 1000,
      heightPx: 500,
      widthMm: null,
      heightMm: null,
    });
    const sizes = await Promise.all(inspection.previews.map(({ bytes }) => loadImage(Buffer.from(bytes))));
    expect(sizes.map(({ width, height }) => [width, height])).toEqual([
      [1000, 500],
      [800, 400],
      [200, 100],
    ]);
  });

  it('keeps the transparency of a PNG', async () => {
    const inspection = await inspect(sampleImage('png', 400, 400, 'transparent'), 'image/png');
    if (!inspection.ok) throw new Error(inspection.reason);
    expect(inspection.previews.map(({ contentType }) => contentType)).toEqual(['image/png', 'image/png', 'image/png']);
    expect(await pixel(inspection.previews[2]!.bytes, 150, 100)).toEqual([0, 0, 0, 0]);
    expect(await pixel(inspection.previews[2]!.bytes, 50, 100)).toEqual([255, 0, 0, 255]);
  });

  it('applies the EXIF orientation to the size and the previews', async () => {
    const inspection = await inspect(rotated(sampleImage('jpeg', 400, 200, 'blue')), 'image/jpeg');
    if (!inspection.ok) throw new Error(inspection.reason);
    expect(inspection.properties).toMatchObject({ widthPx: 200, heightPx: 400 });
    // The red half is on the left as stored, and on top as displayed.
    const [red, , blue] = await pixel(inspection.previews[0]!.bytes, 100, 50);
    expect([red! > 200, blue! < 60]).toEqual([true, true]);
    const below = await pixel(inspection.previews[0]!.bytes, 100, 350);
    expect([below[0]! < 60, below[2]! > 200]).toEqual([true, true]);
  });

  it.each([
    ['a PDF of junk', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(2000, 'x')]), 'application/pdf'],
    [
      'a JPEG cut in half',
      (() => {
        const whole = sampleImage('jpeg', 800, 800);
        return whole.subarray(0, whole.length >> 1);
      })(),
      'image/jpeg',
    ],
    [
      'a PNG cut in half',
      (() => {
        const whole = sampleImage('png', 800, 800);
        return whole.subarray(0, whole.length >> 1);
      })(),
      'image/png',
    ],
    [
      'a PNG cut in half with an end marker',
      (() => {
        const whole = sampleImage('png', 800, 800);
        return Buffer.concat([whole.subarray(0, whole.length >> 1), whole.subarray(-12)]);
      })(),
      'image/png',
    ],
    [
      'a PNG with damaged pixels',
      (() => {
        const damaged = sampleImage('png', 800, 800);
        damaged[damaged.length >> 1]! ^= 0xff;
        return damaged;
      })(),
      'image/png',
    ],
    [
      'a PNG without pixels',
      (() => {
        const whole = sampleImage('png', 800, 800);
        return Buffer.concat([whole.subarray(0, 33), whole.subarray(-12)]);
      })(),
      'image/png',
    ],
    [
      'a JPEG without pixels',
      (() => {
        const whole = sampleImage('jpeg', 800, 800);
        return Buffer.concat([whole.subarray(0, whole.indexOf('ffda', 'hex')), Buffer.from('ffd9', 'hex')]);
      })(),
      'image/jpeg',
    ],
    [
      'a JPEG without a header',
      Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(500, 1), Buffer.from('ffd9', 'hex')]),
      'image/jpeg',
    ],
  ] as [string, Buffer, PrintFileType][])('refuses %s', async (_name, bytes, type) => {
    expect(await inspect(bytes, type)).toEqual({
      ok: false,
      code: 'file_unreadable',
      reason: expect.any(String),
      isFinal: true,
    });
  });

  it('measures an image with too many pixels but renders no previews', async () => {
    const inspection = await inspect(await pngBomb(10_400), 'image/png');
    expect(inspection).toMatchObject({
      ok: true,
      properties: { widthPx: 10_400, heightPx: 10_400 },
      previews: [],
    });
  });

  it.each([
    ['a pattern that paints itself', () => cyclicPattern(1)],
    ['60,000 gradients', () => manyShadings(60_000, 1)],
  ])('accepts a file with %s without previews, and does not render it again', async (_what, bytes) => {
    const path = join(folder, 'slow.pdf');
    await writeFile(path, bytes());
    const impatient = createFileInspector({ renderCpuMs: 500 });
    const slow = { client: 'shop', path, mimeType: 'application/pdf', sha256: 'slow' } as const;
    const result = {
      ok: true,
      properties: { pageCount: 1 },
      facts: { complete: true },
      previews: [],
      unrendered: 'slow',
    };
    try {
      expect(await impatient.inspect(slow)).toMatchObject(result);
      // Given content that could be rendered, under the hash of the content that could not
      await writeFile(path, await samplePdf([100, 100]));
      expect(await impatient.inspect(slow)).toMatchObject(result);
      expect(await impatient.inspect({ ...slow, sha256: 'good' })).toMatchObject({ previews: { length: 3 } });
    } finally {
      await impatient.close();
    }
  });

  it('ends a process in which a rendering failed', async () => {
    const limits = { stepTimeoutMs: 60_000, renderCpuMs: 60_000, memoryBytes: 800 * 1024 * 1024, folder };
    const inspection = await startInspectionProcess(limits);
    const missing = { path: join(folder, 'missing.pdf'), mimeType: 'application/pdf' } as const;
    expect(await inspection.render(missing, null)).toMatchObject({ previews: [], unrendered: 'failed' });
    expect(inspection.ended).toBe(true);
  });

  it('inspects more concurrent files than it has processes', async () => {
    const pdf = await samplePdf([300, 300]);
    const all = await Promise.all(Array.from({ length: 12 }, () => inspect(pdf, 'application/pdf')));
    expect(all.every((inspection) => inspection.ok && inspection.previews.length === 3)).toBe(true);
  });
});
