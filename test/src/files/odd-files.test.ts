import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openImage } from '../../../packages/file-reader/open-image';
import { openPdf } from '../../../packages/file-reader/open-pdf';
import type { OpenedFile } from '../../../packages/file-reader/opened-file';
import { CORPUS } from '../../../packages/file-reader/test/pdf/corpus';
import { WHOLE_IMAGES } from '../../../packages/file-reader/test/whole-images';
import { NEEDS_OF_FAMILIES } from '../../../src/catalog/domain/print-needs';
import { checkFile } from '../../../src/files/domain/file-check';

/** Good files are accepted without a wrong finding, however rare their making is. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-odd-'));
afterAll(() => rm(folder, { recursive: true }));

const millimetres = (length: number, perInch: number) => (length / perInch) * 25.4;

/** Decodes, measures and draws a file as an order does, and returns what is found in it for a print of this size. */
async function findings(
  file: OpenedFile,
  size: { readonly widthMm: number; readonly heightMm: number },
  bleedMm: number,
) {
  const needs = { ...NEEDS_OF_FAMILIES.flat, size, bleedMm };
  await file.decode();
  const facts = await file.measure();
  expect(await file.render(100, null)).not.toBeNull();
  file.close();
  const found = checkFile({ ...file.properties, facts, unrendered: null }, { product: 'the card', areas: [needs] });
  return found.map(({ code, severity }) => `${code} ${severity}`);
}

test.each(WHOLE_IMAGES)('%s is accepted', async (name, bytes, type) => {
  const image = openImage(bytes, type);
  const { widthPx, heightPx } = image.properties;
  const size = { widthMm: millimetres(widthPx!, 300), heightMm: millimetres(heightPx!, 300) };
  expect(await findings(image, size, 0)).toEqual(name.includes('animated') ? ['animation warning'] : []);
});

/** What is found in files of the corpus of PDF: nothing, or what is true. */
const PDFS: Readonly<Record<string, readonly string[]>> = {
  'a good file': [],
  ...Object.fromEntries(
    ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.7', '2.0'].map((version) => [`PDF ${version}`, []]),
  ),
  'a later version in the catalog': [],
  'a linearized file': [],
  'cross-reference and object streams': [],
  'a cross-reference table with wrong offsets': ['repaired warning'],
  'a file without a cross-reference table': ['repaired warning'],
  'bytes before the header': [],
  'bytes before the header of a file with object streams': [],
  'bytes behind the end': [],
  'a page that is replaced by an update of the file': ['orientation ok'],
  'a stream with a wrong length': [],
  'an object without an end': [],
  'a file encrypted with RC4 of 40 bits, without a password': ['encrypted warning'],
  'a file encrypted with RC4 of 128 bits, without a password': ['encrypted warning'],
  'a file encrypted with AES of 128 bits, without a password': ['encrypted warning'],
  'a file encrypted with AES of 256 bits, without a password': ['encrypted warning'],
  'PDF/X-1a': [],
  'PDF/X-4 with an output intent': [],
  'PDF/A-2b': [],
  'boxes with swapped corners': [],
  'boxes left of and below the origin': [],
  'boxes that are objects of their own': [],
  'a page rotated by 540 degrees': [],
  'a content of several streams': [],
  'a content in base 85': [],
  'an image of 300 dpi': [],
  'an embedded TrueType font': [],
  'an embedded Type 1 font': [],
  'an embedded font in the compact format': [],
  'a composite font': [],
  'a Type 3 font': [],
  'a link': [],
};

test.each(Object.entries(PDFS))('%s is accepted, with the findings %j', async (name, found) => {
  const path = join(folder, 'file.pdf');
  await writeFile(path, await CORPUS[name]!.make());
  const size = { widthMm: millimetres(580, 72), heightMm: millimetres(780, 72) };
  expect(await findings(await openPdf(path), size, 3)).toEqual(found);
});

test('these are forty images and forty PDFs at least', () => {
  expect(WHOLE_IMAGES.length).toBeGreaterThanOrEqual(40);
  expect(Object.keys(PDFS).length).toBeGreaterThanOrEqual(40);
});
