import { isCrossBorder, type Place, sharesCustoms, vatCountry } from '../../../../src/platform/domain/territories';

const place = (text: string): Place => {
  const [country, postCode, city] = text.split(' ');
  return { country: country!, postCode, city };
};
const DE = place('DE 10119 Berlin');

test.each([
  ['DE', 'DE', false],
  ['DE', 'FR', false],
  ['DE', 'MC', false],
  ['DE', 'GB', true],
  ['DE', 'CH', true],
  ['DE', 'NO', true],
  ['DE', 'GL', true],
  ['CH', 'LI', false],
  ['CH', 'DE 78266', false],
  ['US', 'PR', false],
  ['US', 'US 00901', false],
  ['US', 'US 09012', true],
  ['US', 'GU', true],
  ['US', 'CA', true],
  ['GB', 'IM', false],
  ['GB', 'JE', true],
  ['GB', 'GB BT1', false],
  ['FR', 'GB BT1', false],
  ['JE', 'GB BT1', true],
  ['ES 35001', 'ES 38001', false],
])('between %s and %s there is a border: %s', (from, to, expected) => {
  expect(isCrossBorder(place(from), place(to))).toBe(expected);
  expect(isCrossBorder(place(to), place(from))).toBe(expected);
});

/** Whether it is in the customs territory of the EU, and the country of its VAT. Undefined: none of the EU, GB or CH. */
test.each([
  ['ES 35001', true, undefined],
  ['ES 38001', true, undefined],
  ['ES 51001', false, undefined],
  ['ES 52001', false, undefined],
  ['FI 22100', true, undefined],
  ['FI AX-22100', true, undefined],
  ['AX', true, undefined],
  ['GR 63086', true, undefined],
  ['FR 97400', true, undefined],
  ['RE 97400', true, undefined],
  ['FR 98800', false, undefined],
  ['FR 97133', false, undefined],
  ['IT 22061', true, undefined],
  ['IT 23041', false, undefined],
  ['IT 23030 Livigno', false, undefined],
  ['DE D-27498', false, undefined],
  ['DE 78266', false, 'CH'],
  ['GB JE2-3AB', false, undefined],
])('%s is in the customs territory of the EU: %s, and outside its VAT territory', (text, customs, vat) => {
  const to = place(text);
  expect(isCrossBorder(DE, to)).toBe(true);
  expect(sharesCustoms(DE, to)).toBe(customs);
  if (vat !== undefined) expect(vatCountry(to)).toBe(vat);
  else expect(vatCountry(to)).not.toMatch(/^[A-Z]{2}$/);
});

test.each([
  ['FR 98000', 'FR'],
  ['MC 98000', 'FR'],
  ['IM IM1-1AA', 'GB'],
  ['GB BT1-1AA', 'GB'],
  ['LI 9490', 'CH'],
  ['IT 23030 Valfurva', 'IT'],
  ['GR 63088', 'GR'],
  ['DE 27472', 'DE'],
  ['JP 22100', 'JP'],
])('%s has the VAT of %s', (text, vat) => {
  expect(vatCountry(place(text))).toBe(vat);
});

test('consignments name the post code in another way than orders', () => {
  expect(isCrossBorder(DE, { country: 'ES', postcode: '35001' })).toBe(true);
});
