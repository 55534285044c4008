import fc from 'fast-check';
import { promiseDates, widestPromise } from '../../../../src/orders/domain/promise';
import { addDays, addWorkingDays, isWorkingDay, weekday } from '../../../../src/platform/domain/working-days';

const DE = { country: 'DE' };

test.each([
  // A Thursday before Easter 2026: Good Friday, weekend and Easter Monday are off.
  ['2026-04-02', 1, 'DE', '2026-04-07'],
  ['2026-04-02', 0, 'DE', '2026-04-02'],
  ['2026-04-03', 0, 'DE', '2026-04-07'],
  // US: Good Friday is no public holiday, Independence Day (Saturday) is kept on the Friday.
  ['2026-04-02', 1, 'US', '2026-04-03'],
  ['2026-07-02', 1, 'US', '2026-07-06'],
  // Over the year's end.
  ['2026-12-31', 1, 'DE', '2027-01-04'],
  // Saudi Arabia rests on Friday and Saturday.
  ['2026-08-06', 1, 'SA', '2026-08-09'],
])('%s and %i working days in %s is %s', (from, days, country, expected) => {
  expect(addWorkingDays(from, days, { country })).toBe(expected);
});

test('holidays of a state count when the state is given', () => {
  // International Women's Day, a holiday in Berlin; 2027 it falls on a Monday.
  expect(isWorkingDay('2027-03-08', { country: 'DE' })).toBe(true);
  expect(isWorkingDay('2027-03-08', { country: 'DE', state: 'BE' })).toBe(false);
});

test('a partner’s own working week replaces the country’s', () => {
  expect(isWorkingDay('2026-01-10', { country: 'DE', weekdays: [1, 2, 3, 4, 5, 6] })).toBe(true);
  expect(isWorkingDay('2026-01-10', DE)).toBe(false);
});

test('a calendar without working days is an error', () => {
  expect(() => addWorkingDays('2026-01-10', 1, { country: 'DE', weekdays: [] })).toThrow(RangeError);
  expect(() => addWorkingDays('10.1.2026', 1, DE)).toThrow(RangeError);
});

const days = fc.integer({ min: 0, max: 4000 }).map((offset) => addDays('2020-01-01', offset));

test('there are n working days up to the n-th working day', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 1, max: 30 }), fc.constantFrom('DE', 'US', 'JP', 'SA'), (from, n, country) => {
      const end = addWorkingDays(from, n, { country });
      let counted = 0;
      for (let day = addDays(from, 1); day <= end; day = addDays(day, 1)) {
        if (isWorkingDay(day, { country })) counted += 1;
      }
      expect(counted).toBe(n);
      expect(isWorkingDay(end, { country })).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('a promise adds production, transit, and padding of the latest date', () => {
  expect(
    promiseDates({
      from: '2026-01-05',
      calendar: DE,
      productionDays: { min: 1, max: 2 },
      transitDays: { min: 1, max: 3 },
      paddingDays: 1,
    }),
  ).toEqual({
    dispatchDate: '2026-01-07',
    minDeliveryDate: '2026-01-07',
    maxDeliveryDate: '2026-01-13',
    minDeliveryDays: 2,
    maxDeliveryDays: 6,
  });
});

test('dates are in order and fall on working days', () => {
  fc.assert(
    fc.property(days, fc.nat(5), fc.nat(5), fc.nat(5), fc.nat(5), (from, a, b, c, d) => {
      const promise = promiseDates({
        from,
        calendar: DE,
        productionDays: { min: a, max: a + b },
        transitDays: { min: c, max: c + d },
      });
      expect(promise.minDeliveryDate >= from).toBe(true);
      expect(promise.maxDeliveryDate >= promise.minDeliveryDate).toBe(true);
      expect(promise.maxDeliveryDate >= promise.dispatchDate).toBe(true);
      for (const day of [promise.dispatchDate, promise.minDeliveryDate, promise.maxDeliveryDate]) {
        expect(weekday(day)).toBeLessThan(6);
      }
    }),
    { numRuns: 60 },
  );
});

test('the widest promise covers all shipments', () => {
  const one = {
    dispatchDate: '2026-01-07',
    minDeliveryDate: '2026-01-08',
    maxDeliveryDate: '2026-01-10',
    minDeliveryDays: 3,
    maxDeliveryDays: 5,
  };
  const two = {
    dispatchDate: '2026-01-06',
    minDeliveryDate: '2026-01-07',
    maxDeliveryDate: '2026-01-14',
    minDeliveryDays: 2,
    maxDeliveryDays: 7,
  };
  expect(widestPromise([one, two])).toEqual({
    dispatchDate: '2026-01-07',
    minDeliveryDate: '2026-01-07',
    maxDeliveryDate: '2026-01-14',
    minDeliveryDays: 2,
    maxDeliveryDays: 7,
  });
  expect(widestPromise([])).toBeUndefined();
});
