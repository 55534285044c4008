import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileInspector, MAX_INSPECTIONS } from '../inspector';
import { CORPUS } from './pdf/corpus';
import { factsOf } from './pdf/corpus-file';

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
    let inspection = await inspector.inspect({ client: 'shop', path, mimeType: 'application/pdf' });
    // One that ended without a result is repeated, as the worker does.
    for (let attempt = 1; attempt < MAX_INSPECTIONS && !inspection.ok && !inspection.isFinal; attempt += 1)
      inspection = await inspector.inspect({ client: 'shop', path, mimeType: 'application/pdf' });
    expect(inspection).toMatchObject(
      file.isRefused ? { ok: false, code: 'file_unreadable', isFinal: true } : { ok: true, facts: factsOf(file) },
    );
  });
});
