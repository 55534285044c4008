import type { PageRule, PrintArea } from '../../../../src/catalog/domain/product';
import { describePages, hasWantedPages, wantedPages } from '../../../../src/orders/domain/file-pages';

const area = (fileType: string, required = true): PrintArea => ({
  fileType,
  required,
  widthMm: 100,
  heightMm: 100,
});
const book: PageRule = { min: 24, max: 24, multipleOf: 2, coverPages: 2 };
const areasRule = (count: number): PageRule => ({ min: 1, max: count, multipleOf: 1 });

describe('a book', () => {
  const product = { pageRule: book, printAreas: [area('default')] };

  test.each([
    ['default', 24],
    ['inside', 24],
    ['cover', 2],
    ['front', 1],
  ])('%s has %i pages', (type, pages) => {
    expect(wantedPages(type, product, [])).toMatchObject({ min: pages, max: pages });
  });

  test('a cover has one page when the product has no other number', () => {
    const { coverPages: _, ...earlier } = book;
    expect(wantedPages('cover', { ...product, pageRule: earlier }, [])).toMatchObject({ min: 1, max: 1 });
  });
});

describe('a product with several print areas', () => {
  const product = { pageRule: areasRule(2), printAreas: [area('front'), area('back')] };

  test('the default file alone has one page for each area', () => {
    expect(wantedPages('default', product, [])).toMatchObject({ min: 2, max: 2 });
  });

  test('the default file beside a back file has one page', () => {
    expect(wantedPages('default', product, ['back'])).toMatchObject({ min: 1, max: 1 });
  });

  test('an optional area may be left out', () => {
    const optional = { ...product, printAreas: [area('front'), area('back', false)] };
    expect(wantedPages('default', optional, [])).toMatchObject({ min: 1, max: 2 });
  });

  test.each(['front', 'back', 'cover', 'inside', 'neck-inner'])('%s has one page', (type) => {
    expect(wantedPages(type, product, [])).toMatchObject({ min: 1, max: 1 });
  });
});

test('a product of the workflow builder accepts any number of pages', () => {
  expect(wantedPages('default', { pageRule: null, printAreas: [] }, [])).toBeNull();
});

test('page counts are checked and described', () => {
  const range = { min: 20, max: 200, multipleOf: 2 };
  expect([19, 20, 21, 22, 200, 202].filter((count) => hasWantedPages(count, range))).toEqual([20, 22, 200]);
  expect(describePages(range)).toBe('20 to 200 in steps of 2');
  expect(describePages({ min: 2, max: 2, multipleOf: 1 })).toBe('2');
});
