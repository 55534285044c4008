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
