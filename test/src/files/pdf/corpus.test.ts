import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileInspector, MAX_INSPECTIONS } from '../../../../src/files/inspector';
import { measurePdf } from '../../../../src/files/pdf/measure-pdf';
import { CORPUS } from './corpus';
import { factsOf } from './corpus-file';

test('the corpus has more than two hundred files', () => {
  expect(Object.keys(CORPUS).length).toBeGreaterThan(200);
});

describe('the measurement of a PDF', () => {
  test.each(Object.entries(CORPUS))('finds exactly the facts of %s', async (_name, file) => {
    expect(await measurePdf(await file.make(), file.pageCount ?? 1)).toEqual(factsOf(file));
  });
});

describe('the inspection process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pressline-corpus-'));
  const inspector = createFileInspector();
  afterAll(async () => {
    await inspector.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(CORPUS))('reports the facts of %s, and inspects the next file', async (_name, file) => {
    const path = join(folder, 'file.pdf');
    await writeFile(path, await file.make());
    let inspection = await inspector.inspect({ path, mimeType: 'application/pdf' });
    // One that ended without a result is repeated, as the worker does.
    for (let attempt = 1; attempt < MAX_INSPECTIONS && !inspection.ok && !inspection.isFinal; attempt += 1)
      inspection = await inspector.inspect({ path, mimeType: 'application/pdf' });
    expect(inspection).toMatchObject(
      file.isRefused ? { ok: false, code: 'file_unreadable', isFinal: true } : { ok: true, facts: factsOf(file) },
    );
  });
});
