import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measurePdf } from '../../pdf/measure-pdf';
import { readStructure } from '../../pdf/pdf-file';
import { CORPUS } from './corpus';
import { PdfBuilder, SQUARE, sampleFile } from './pdf-builder';

const folder = mkdtempSync(join(tmpdir(), 'pressline-structure-'));
const path = join(folder, 'file.pdf');
afterAll(() => rm(folder, { recursive: true, force: true }));

const IMAGE = '/Type /XObject /Subtype /Image /Width 100 /Height 100 /BitsPerComponent 8 /ColorSpace /DeviceRGB';

async function structureOf(bytes: Buffer): Promise<Buffer> {
  await writeFile(path, bytes);
  return await readStructure(path);
}

function fileWith(image: Buffer, dict = `${IMAGE} /Filter /DCTDecode`): Buffer {
  const pdf = new PdfBuilder();
  const resources = `/XObject << /I ${pdf.stream(image, dict)} >>`;
  return sampleFile(pdf, { pages: [{ content: `q 100 0 0 100 0 0 cm /I Do Q ${SQUARE}`, resources }] });
}

const wholeOf = (image: Buffer, structure: Buffer) => structure.includes(image.subarray(0, 100));

test('every file of the corpus has the facts of the whole file', async () => {
  for (const [name, file] of Object.entries(CORPUS)) {
    const bytes = await file.make();
    const structure = await structureOf(bytes);
    const count = file.pageCount ?? 1;
    expect({ name, facts: await measurePdf(structure, count) }).toEqual({
      name,
      facts: await measurePdf(bytes, count),
    });
  }
});

// The boundaries of chunks fall on each byte of the keywords and of the dictionary.
test.each([0, 1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 18, 60, 120])(
  'an image that ends %i bytes before the end of a chunk',
  async (before) => {
    const empty = fileWith(Buffer.alloc(0)).indexOf('endstream');
    const image = Buffer.alloc(1024 * 1024 - before - empty, randomBytes(1000));
    const bytes = fileWith(image);
    const structure = await structureOf(bytes);
    expect(structure.length).toBe(bytes.length);
    expect(wholeOf(image, structure)).toBe(false);
    expect(await measurePdf(structure, 1)).toEqual(await measurePdf(bytes, 1));
  },
);

test.each(Array.from({ length: 40 }, (_, index) => index))(
  'an image that starts %i bytes before the end of a chunk',
  async (before) => {
    const pdf = new PdfBuilder();
    const image = randomBytes(300_000);
    pdf.stream(Buffer.alloc(1024 * 1024 - 200 - before, 'x'));
    const resources = `/XObject << /I ${pdf.stream(image, `${IMAGE} /Filter /DCTDecode`)} >>`;
    const bytes = sampleFile(pdf, { pages: [{ content: `q 100 0 0 100 0 0 cm /I Do Q ${SQUARE}`, resources }] });
    const structure = await structureOf(bytes);
    expect(wholeOf(image, structure)).toBe(false);
    expect(await measurePdf(structure, 1)).toEqual(await measurePdf(bytes, 1));
  },
);

describe('what is read whole', () => {
  const image = randomBytes(10_000);

  test.each([
    ['a stream that is no image', fileWith(image, '/Type /XObject /Subtype /Form /BBox [0 0 1 1]')],
    ['an image of JPEG 2000', fileWith(image, `${IMAGE} /Filter /JPXDecode`)],
    [
      'a file whose image has no end',
      Buffer.from(fileWith(image).toString('latin1').replaceAll('endstream', 'end'), 'latin1'),
    ],
    ['a file that is encrypted', Buffer.concat([fileWith(image), Buffer.from('<< /Encrypt 1 0 R >>')])],
  ])('%s', async (_what, bytes) => {
    expect((await structureOf(bytes)).equals(await readFile(path))).toBe(true);
  });
});
