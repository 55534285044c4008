import fc from 'fast-check';
import { getCountries, getCountryCallingCode, validatePhoneNumberLength } from 'libphonenumber-js/min';
import { phoneFault } from '../../../../src/orders/intake/phone-number';

const codes = [
  ...new Set(getCountries().map((country) => getCountryCallingCode(country))),
  '800',
  '883',
  '979',
  '999',
  '0',
];
const digits = (groups: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...groups), fc.constantFrom(...'0123456789')), { minLength: 0, maxLength: 17 })
    .map((each) => each.flat().join(''));

test('a number without parsing has the same result as libphonenumber', () => {
  const national = fc.oneof(digits(['']), digits(['', '', ' ', '-', ' (', ') ', '.']));
  const numbers = fc.tuple(fc.constantFrom('+', '', '+ ', '00'), fc.constantFrom(...codes), national);
  fc.assert(
    fc.property(numbers, ([plus, code, national]) => {
      const number = `${plus}${code}${national}`;
      expect([number, phoneFault(number)]).toEqual([number, validatePhoneNumberLength(number)]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  '+4930901820',
  '+12125550123',
  '+442079460958',
  '+5511987654321',
  '+390612345678',
  '+59940000000',
  '',
  'none',
  '+49 30 901820',
  '+49 (0) 30 901820',
  '+1 (212) 555-0123',
  '+44 20.7946.0958',
])('%s has the same result as libphonenumber', (number) => {
  expect(phoneFault(number)).toBe(validatePhoneNumberLength(number));
});
