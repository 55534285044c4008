import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { fileFactsSchema, MAX_FACTS } from '../../facts';
import { createFileInspector } from '../../inspector';
import { measurePdf } from '../../pdf/measure-pdf';
import { CORPUS } from './corpus';
import { PdfBuilder, SQUARE, sampleFile } from './pdf-builder';

const folder = mkdtempSync(join(tmpdir(), 'pressline-measure-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A book whose pages each have a picture that cannot be compressed. */
function book(pageCount: number, bytesOfImage: number): Buffer {
  const pdf = new PdfBuilder();
  const pages = Array.from({ length: pageCount }, () => {
    const dict = '/Type /XObject /Subtype /Image /Width 2000 /Height 3000 /BitsPerComponent 8 /ColorSpace /DeviceRGB';
    const image = pdf.stream(randomBytes(bytesOfImage), `${dict} /Filter /DCTDecode`);
    const drawing = '0.1 0.2 0.3 rg 10 10 20 20 re f\n'.repeat(200);
    return { content: `q 600 0 0 800 0 0 cm /I Do Q ${drawing}`, resources: `/XObject << /I ${image} >>` };
  });
  return sampleFile(pdf, { pages });
}

test('a book of 200 pages and 100 MB takes less than three seconds of CPU time, and little memory', async () => {
  const bytes = book(200, 500_000);
  const before = process.memoryUsage();
  const started = process.cpuUsage();
  const facts = await measurePdf(bytes, 200);
  const { user, system } = process.cpuUsage(started);
  const after = process.memoryUsage();
  expect(facts).toMatchObject({ complete: true, images: [{ dpi: 240, count: 200, pages: { count: 200 } }] });
  expect((user + system) / 1e6).toBeLessThan(3);
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(20_000_000);
});

test('the inspection process renders a page of a book that it has measured', async () => {
  const inspector = createFileInspector();
  try {
    const path = join(folder, 'file.pdf');
    await writeFile(path, book(20, 500_000));
    const inspection = await inspector.inspect({ client: 'shop', path, mimeType: 'application/pdf' });
    expect(inspection).toMatchObject({
      ok: true,
      facts: { complete: true, images: [{ count: 20 }] },
      previews: { length: 3 },
    });
  } finally {
    await inspector.close();
  }
});

test('every file of the corpus has facts as the API describes them', async () => {
  for (const file of Object.values(CORPUS)) {
    const facts = await measurePdf(Buffer.from(await file.make()), file.pageCount ?? 1);
    expect(fileFactsSchema.parse(facts)).toEqual(facts);
    expect(JSON.stringify(facts).length).toBeLessThan(3_000);
  }
});

test('lists have a limit, and the entries that matter come first', async () => {
  const pdf = new PdfBuilder();
  const image = pdf.flate(
    Buffer.alloc(300),
    '/Type /XObject /Subtype /Image /Width 10 /Height 10 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
  );
  const places = Array.from({ length: 100 }, (_, index) => `q ${100 - index} 0 0 ${100 - index} 0 0 cm /I Do Q`);
  const resources = `/XObject << /I ${image} >>`;
  const facts = await measurePdf(sampleFile(pdf, { pages: [{ content: places.join('\n'), resources }] }), 1);
  expect(facts.complete).toBe(true);
  expect(facts.images.length).toBe(MAX_FACTS);
  expect(facts.images[0]).toMatchObject({ dpi: 7 });
});

test('pages of too many sizes make the facts incomplete', async () => {
  const pages = Array.from({ length: MAX_FACTS + 1 }, (_, index) => ({ boxes: `/MediaBox [0 0 ${index + 100} 100]` }));
  const facts = await measurePdf(sampleFile(new PdfBuilder(), { pages }), pages.length);
  expect(facts).toMatchObject({ complete: false, problem: 'the pages differ too much to list all facts' });
});

test('forms that contain each other many times end the measurement of content, not that of boxes', async () => {
  const pdf = new PdfBuilder();
  let form = pdf.stream('0 0 9 9 re f', '/Type /XObject /Subtype /Form /BBox [0 0 9 9]');
  for (let level = 0; level < 22; level += 1) {
    const content = Array.from({ length: 8 }, (_, index) => `q 1.${index} 0 0 1 0 0 cm /F Do Q`).join(' ');
    form = pdf.stream(
      content,
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F ${form} >> >>`,
    );
  }
  const pages = [
    { content: `${SQUARE}/F Do`, resources: `/XObject << /F ${form} >>` },
    { boxes: '/MediaBox [0 0 9 9]' },
  ];
  const facts = await measurePdf(sampleFile(pdf, { pages }), 2);
  expect(facts).toMatchObject({
    complete: false,
    problem: 'page 1 and later pages are too complex',
    boxes: [{ pages: { count: 1 } }, { mediaBox: [0, 0, 9, 9] }],
  });
});

test('a page tree that contains itself and a page that is missing are a problem, not a fault', async () => {
  const pdf = new PdfBuilder();
  const root = pdf.reserve();
  pdf.add(`<< /Type /Pages /Count 3 /Kids [${root} 99 0 R] >>`, root);
  const file = pdf.file(pdf.add(`<< /Type /Catalog /Pages ${root} >>`));
  expect(await measurePdf(file, 3)).toMatchObject({ complete: false, problem: '3 of 3 pages cannot be found' });
});

test('a file that is no PDF is not measured', async () => {
  expect(await measurePdf(Buffer.from('no PDF at all'), 1)).toMatchObject({ complete: false, pdf: null });
});

test.each([')', '{', '}'])('a %s where no value is expected is passed over', async (stray) => {
  const catalog = `<< /Type /Catalog /Pages 2 0 R /Stray ${stray} /Names 3 0 R >>`;
  const file = Buffer.from(`%PDF-1.7\n1 0 obj\n${catalog}\nendobj\n2 0 obj\n<< /Kids [] /Count 0 >>\nendobj\n`);
  expect(await measurePdf(file, 1)).toMatchObject({ complete: false, pdf: { repaired: true } });
});

test('bytes that are changed anywhere never throw, and give facts as the API describes them', async () => {
  const originals = await Promise.all(
    ['an image in a form in a form', 'spot colours as DeviceN', 'cross-reference and object streams', 'a form'].map(
      (name) => CORPUS[name]!.make(),
    ),
  );
  const change = fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...originals),
      fc.array(change, { minLength: 1, maxLength: 20 }),
      async (original, changes) => {
        const bytes = Buffer.from(original);
        for (const [at, value] of changes) bytes[Math.floor(at * bytes.length)] = value;
        const facts = await measurePdf(bytes, 2);
        expect(fileFactsSchema.parse(facts)).toEqual(facts);
      },
    ),
    { numRuns: 300 },
  );
});
