import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileInspector } from '../../packages/file-reader/inspector';
import { NEEDS_OF_FAMILIES } from '../../src/catalog/domain/print-needs';
import { checkFile } from '../../src/files/domain/file-check';
import { type AreaNeeds, FILE_FINDING_CODES, type FileFinding } from '../../src/files/domain/file-findings';
import { PRINT_FILES, printFile } from '../files/print-files';
import { UNFIT_FILES } from '../files/unfit-files';

/** The checks find the fault of each file of the sandbox that has one, and nothing in the others. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-unfit-'));
const inspector = createFileInspector();
afterAll(async () => {
  await inspector.close();
  await rm(folder, { recursive: true, force: true });
});

async function findings(name: string, needs: AreaNeeds): Promise<FileFinding[]> {
  const { data, contentType } = (await printFile(name))!;
  const path = join(folder, 'file');
  await writeFile(path, data);
  const inspection = await inspector.inspect({ client: 'shop', path, mimeType: contentType });
  if (!inspection.ok) throw new Error(inspection.reason);
  const { properties, facts, unrendered } = inspection;
  return checkFile({ ...properties, facts, unrendered }, { product: 'the poster', areas: [needs] });
}

const A4: AreaNeeds = { ...NEEDS_OF_FAMILIES.flat, size: { widthMm: 210, heightMm: 297 } };
/** Needs of products that do not allow what the file has. */
const STRICT: Readonly<Record<string, Partial<AreaNeeds>>> = {
  'rgb-colors.pdf': { colors: ['gray', 'cmyk'] },
  'transparency.pdf': { transparency: false },
  'overprint.pdf': { overprint: false },
};

test.each(Object.entries(UNFIT_FILES))('%s has one finding', async (name, { finds, contentType }) => {
  const { data } = (await printFile(name))!;
  expect(data.length).toBeLessThan(600_000);
  expect((await printFile(name))!.contentType).toBe(contentType);
  expect(await findings(name, { ...A4, ...STRICT[name] })).toMatchObject([{ code: finds }]);
});

test('every check of print files finds one of the files', () => {
  const found = new Set(Object.values(UNFIT_FILES).map(({ finds }) => finds));
  expect([...found].sort()).toEqual([...FILE_FINDING_CODES].sort());
});

/** Products of the good files. */
const SIZES: Readonly<Record<string, readonly [widthMm: number, heightMm: number]>> = {
  'poster-a4.pdf': [210, 297],
  'poster-a3.pdf': [297, 420],
  'poster-a2.pdf': [420, 594],
  'poster-30x40.pdf': [300, 400],
  'poster-50x70.pdf': [500, 700],
  'poster-a3.jpg': [297, 420],
  'card-a6.pdf': [105, 148],
  'card-a5.pdf': [148, 210],
  'card-dl.pdf': [99, 210],
  'photo-book-a4.pdf': [210, 297],
  'photo-book-a5.pdf': [148, 210],
  'photo-book-21x21.pdf': [210, 210],
  'mug-wrap.png': [200, 85],
  'mug-wrap-15oz.png': [225, 102],
  't-shirt-front.png': [300, 400],
  't-shirt-back.png': [300, 400],
  'frame-poster-30x40.jpg': [300, 400],
  'frame-poster-50x70.jpg': [500, 700],
  'sticker-75.png': [75, 75],
};

test('every good file has a product', () => {
  expect([...Object.keys(SIZES), 'packing-slip.pdf'].sort()).toEqual(Object.keys(PRINT_FILES).sort());
});

test.each(Object.entries(SIZES))('%s has no finding for its product', async (name, [widthMm, heightMm]) => {
  // Mugs, garments and stickers are not trimmed.
  const needs = name.endsWith('.png') ? { ...A4, bleedMm: 0 } : A4;
  expect(await findings(name, { ...needs, size: { widthMm, heightMm } })).toEqual([]);
});
