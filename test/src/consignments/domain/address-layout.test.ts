import { fittedAddress } from '../../../../src/consignments/domain/address-layout';
import type { PostalAddress } from '../../../../src/consignments/domain/consignment';

const LIMITS = { name: 20, company: 20, line: 20, lines: 2, city: 10, state: 10, phone: 12 };
const address = (over: Partial<PostalAddress>): PostalAddress => ({
  lastName: 'Byron',
  addressLine1: 'Torstraße 1',
  city: 'Berlin',
  postcode: '10119',
  country: 'DE',
  ...over,
});
const fitted = (over: Partial<PostalAddress>, limits: Partial<typeof LIMITS> = {}) =>
  fittedAddress(address(over), { ...LIMITS, ...limits });

test.each<[rule: string, over: Partial<PostalAddress>, lines: string[]]>([
  ['lines that fit stay', { addressLine2: 'Hof 2' }, ['Torstraße 1', 'Hof 2']],
  [
    'a long line is broken between words',
    { addressLine1: 'Straße der Pariser Kommune 38' },
    ['Straße der Pariser', 'Kommune 38'],
  ],
  ['three lines are joined', { addressLine2: 'Hof 2', addressLine3: 'Links' }, ['Torstraße 1, Hof 2,', 'Links']],
  ['a suburb is a line', { suburb: 'Mitte' }, ['Torstraße 1', 'Mitte']],
  [
    'a word longer than a line is split',
    { addressLine1: 'Donaudampfschifffahrtsgasse 7' },
    ['Donaudampfschifffahr', 'tsgasse 7'],
  ],
  [
    'what fits on no line is cut at the end',
    { addressLine1: 'Straße der Pariser Kommune 38', addressLine2: 'Vorderhaus im dritten Stock' },
    ['Straße der Pariser', 'Kommune 38, Vorderha'],
  ],
  [
    'a line of ideographs is split',
    { addressLine1: '中央区銀座四丁目五番六号和光ビル本館地下二階売場' },
    ['中央区銀座四丁目五番六号和光ビル本館地下', '二階売場'],
  ],
  ['no half of a pair is left', { addressLine1: '𠮷'.repeat(21) }, ['𠮷'.repeat(20), '𠮷']],
])('street lines: %s', (_rule, over, lines) => {
  expect(fitted(over).lines).toEqual(lines);
});

test('three lines are used where a carrier has them', () => {
  const over = { addressLine1: 'Straße der Pariser Kommune 38', addressLine2: 'Vorderhaus' };
  expect(fitted(over, { lines: 3 }).lines).toEqual(['Straße der Pariser', 'Kommune 38', 'Vorderhaus']);
});

test('names that are too long have initials, and other texts end between words', () => {
  expect(fitted({ firstName: 'Ada', lastName: 'Byron' }).name).toBe('Ada Byron');
  expect(fitted({ firstName: 'Augusta Ada-Maria', lastName: 'Byron King' }).name).toBe('A. A.-M. Byron King');
  expect(fitted({ firstName: '', lastName: 'Wolfeschlegelsteinhausen' }).name).toBe('Wolfeschlegelsteinha');
  expect(fitted({ company: 'Byron & Töchter Druckerei GmbH', city: 'Villingen Schwenningen' })).toMatchObject({
    company: 'Byron & Töchter',
    city: 'Villingen',
  });
});
