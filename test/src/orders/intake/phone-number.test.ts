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
const digits = fc.array(fc.constantFrom(...'0123456789'), { minLength: 0, maxLength: 17 }).map((each) => each.join(''));

test('a number without parsing has the same result as libphonenumber', () => {
  const numbers = fc.tuple(fc.constantFrom('+', '', '+ ', '00'), fc.constantFrom(...codes), digits);
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
])('%s has the same result as libphonenumber', (number) => {
  expect(phoneFault(number)).toBe(validatePhoneNumberLength(number));
});
