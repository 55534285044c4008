import { checkFile } from '../../../../src/files/domain/file-check';

const A3 = { product: 'the poster', widthMm: 297, heightMm: 420, anySize: false };
const pdf = (widthMm: number, heightMm: number, trim?: readonly [number, number]) => ({
  pageCount: 1,
  widthPx: null,
  heightPx: null,
  widthMm,
  heightMm,
  facts: { boxes: trim === undefined ? [] : [boxesWith(trim)] },
});
/** The boxes of a page with printer's marks around its trim, both in millimetres. */
const boxesWith = ([width, height]: readonly [number, number]) => {
  const box = [0, 0, width, height].map((mm) => ((mm + 20) / 25.4) * 72);
  return {
    pages: { count: 1, ranges: [{ from: 1, to: 1 }] },
    mediaBox: box,
    cropBox: box,
    bleedBox: null,
    trimBox: box,
    rotation: 0 as const,
    userUnit: 1,
  };
};
const image = (widthPx: number, heightPx: number) => ({
  pageCount: 1,
  widthPx,
  heightPx,
  widthMm: null,
  heightMm: null,
  facts: { boxes: [] },
});

describe('the page of a PDF for an A3 poster', () => {
  test.each([
    ['of the same size', 297, 420],
    ['turned by 90 degrees', 420, 297],
    ['2 mm smaller', 295, 418],
    ['with a bleed of 3 mm', 303, 426],
    ['with a bleed of 5 mm, turned', 430, 307],
  ])('%s has no finding', (_what, width, height) => {
    expect(checkFile(pdf(width, height), A3)).toEqual([]);
  });

  test.each([
    ['of A6', 105, 148, '105 × 148 mm'],
    ['of A4, which has the same shape', 210, 297, '210 × 297 mm'],
    ['of A2', 420, 594, '420 × 594 mm'],
    ['that is wider on two sides only', 317, 420, '317 × 420 mm'],
  ])('%s has the wrong size', (_what, width, height, measured) => {
    expect(checkFile(pdf(width, height), A3)).toEqual([
      {
        code: 'page_size',
        severity: 'error',
        page: 1,
        measured,
        wanted: '297 × 420 mm',
        message: `Page 1 is ${measured}; the poster is 297 × 420 mm.`,
      },
    ]);
  });

  test('with printer’s marks has the size of its trim box', () => {
    expect(checkFile(pdf(357, 480, [297, 420]), A3)).toEqual([]);
    expect(checkFile(pdf(297, 420, [105, 148]), A3)).toMatchObject([{ code: 'page_size', measured: '105 × 148 mm' }]);
  });

  test('of any size has no finding when the product is not cut to the page', () => {
    expect(checkFile(pdf(105, 148), { ...A3, anySize: true })).toEqual([]);
  });
});

test.each([
  [1754, 2480, []],
  [1600, 2262, ['warning']],
  [800, 1131, ['error']],
])('an image of %i x %i pixels for an A3 poster has the findings %j', (width, height, severities) => {
  expect(checkFile(image(width, height), A3).map(({ severity }) => severity)).toEqual(severities);
});
