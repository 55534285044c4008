import fc from 'fast-check';
import {
  gs1CheckDigit,
  isS10,
  isSscc,
  S10_SERIALS,
  SSCC_SERIALS,
  s10,
  s10CheckDigit,
  sscc,
} from '../../../src/carriers/domain/tracking-numbers';

const serial = (count: number) => fc.integer({ min: 0, max: count - 1 });

test('the examples in the standards have their check digits', () => {
  expect(s10CheckDigit('47312482')).toBe('9');
  expect(gs1CheckDigit('34012345123456789')).toBe('5');
});

test.each([
  // The weighted sum modulo 11 is 1 and 0, so 10 becomes 0 and 11 becomes 5.
  ['00000008', '0'],
  ['00000000', '5'],
])('the check digit of %s is %s', (digits, expected) => {
  expect(s10CheckDigit(digits)).toBe(expected);
});

test('every S10 is valid, and different serial numbers give different S10s', () => {
  fc.assert(
    fc.property(serial(S10_SERIALS), serial(S10_SERIALS), (a, b) => {
      const [first, second] = [s10('L', a, 'DE'), s10('L', b, 'DE')];
      expect(first).toMatch(/^L[A-Z]\d{9}DE$/);
      expect(isS10(first)).toBe(true);
      expect(first === second).toBe(a === b);
    }),
  );
});

test('every SSCC is valid, and different serial numbers give different SSCCs', () => {
  fc.assert(
    fc.property(serial(SSCC_SERIALS), serial(SSCC_SERIALS), (a, b) => {
      const [first, second] = [sscc('9521101', a), sscc('9521101', b)];
      expect(isSscc(first)).toBe(true);
      expect(first.slice(1, 8)).toBe('9521101');
      expect(first === second).toBe(a === b);
    }),
  );
});

test('a wrong digit makes an SSCC invalid', () => {
  fc.assert(
    fc.property(
      serial(SSCC_SERIALS),
      fc.integer({ min: 0, max: 17 }),
      fc.integer({ min: 1, max: 9 }),
      (number, place, by) => {
        const digits = [...sscc('9521101', number)];
        digits[place] = String((Number(digits[place]) + by) % 10);

        expect(isSscc(digits.join(''))).toBe(false);
      },
    ),
  );
});

test.each([-1, S10_SERIALS, 0.5])('serial number %d is out of range for an S10', (number) => {
  expect(() => s10('L', number, 'DE')).toThrow(RangeError);
});
test.each([-1, SSCC_SERIALS])('serial number %d is out of range for an SSCC', (number) => {
  expect(() => sscc('9521101', number)).toThrow(RangeError);
});
