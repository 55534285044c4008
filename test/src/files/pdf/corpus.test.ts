import { measurePdf } from '../../../../src/files/pdf/measure-pdf';
import { CORPUS } from './corpus';
import { factsOf } from './corpus-file';

describe('the measurement of a PDF', () => {
  test('has a corpus of more than a hundred files', () => {
    expect(Object.keys(CORPUS).length).toBeGreaterThan(100);
  });

  test.each(Object.entries(CORPUS))('finds exactly the facts of %s', async (_name, file) => {
    expect(await measurePdf(await file.make(), file.pageCount ?? 1)).toEqual(factsOf(file));
  });
});
