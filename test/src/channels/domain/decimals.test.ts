import { type Decimal, decimalOf, decimalOfAll, numberOf } from '../../../../src/channels/domain/decimals';

/** Numbers with a decimal point or a decimal comma, and which of the two a file has. */

test.each([
  ['12', 'any'],
  ['4.90', 'point'],
  ['4,90', 'comma'],
  ['1.234,50', 'comma'],
  ['1,234.50', 'point'],
  ['1.234.567', 'comma'],
  ['1,234,567', 'point'],
  ['1,234', 'unclear'],
  ['1.234', 'unclear'],
  ['0,125', 'comma'],
  ['1234,567', 'comma'],
  ['12 €', 'any'],
  ['$4.90', 'point'],
])('%s shows %s', (text, decimal) => {
  expect(decimalOf(text)).toBe(decimal);
});

test.each([
  [['4.90', '1,234'], 'point'],
  [['4,90', '1.234'], 'comma'],
  [['1,234', '12'], null],
  [['4,90', '4.90'], null],
  [[], null],
])('numbers %j have the decimal sign %s', (texts, decimal) => {
  expect(decimalOfAll(new Set(texts.map(decimalOf)))).toBe(decimal);
});

test.each<[string, Decimal | null, number | null]>([
  ['12', null, 12],
  ['-3', 'comma', -3],
  ['4,90', 'comma', 4.9],
  ['1.234,50', 'comma', 1234.5],
  ["1'234.50", 'point', 1234.5],
  ['1 234,50 €', 'comma', 1234.5],
  ['1,234', 'point', 1234],
  ['1,234', 'comma', 1.234],
  ['1,234', null, null],
  ['4.90', null, null],
  ['.5', 'point', 0.5],
  ['12,34.5', 'point', Number.NaN],
  ['1.2.3', 'point', Number.NaN],
  ['two', 'point', Number.NaN],
  ['1e3', 'point', Number.NaN],
  ['4.', 'point', Number.NaN],
])('%s with the decimal sign %s is %s', (text, decimal, number) => {
  expect(numberOf(text, decimal)).toBe(number);
});
