import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPdf } from '../../open-pdf';
import { UnreadableFile } from '../../opened-file';
import { CORPUS } from './corpus';
import { factsOf } from './corpus-file';

test('the corpus has more than two hundred files', () => {
  expect(Object.keys(CORPUS).length).toBeGreaterThan(200);
});

describe('the facts of a PDF', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pressline-corpus-'));
  afterAll(() => rm(folder, { recursive: true }));

  test.each(Object.entries(CORPUS))('are exactly those of %s', async (_name, file) => {
    const path = join(folder, 'file.pdf');
    await writeFile(path, await file.make());
    if (file.isRefused) return await expect(openPdf(path)).rejects.toThrow(UnreadableFile);
    const opened = await openPdf(path);
    expect(await opened.measure()).toEqual(factsOf(file));
    opened.close();
  });
});
