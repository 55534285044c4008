import { calendarDay, dayTextOf } from '../../console/src/components/values/days';
import { durationOf, durationOfMs } from '../../console/src/components/values/duration';
import { minorUnitsOf } from '../../console/src/components/values/money';
import { attentionSearch } from '../../console/src/screens/attention/attention-search';
import { ordersSearch } from '../../console/src/screens/orders/orders-search';
import { stockSearch } from '../../console/src/screens/stock/stock-search';

/** What the console reads from addresses, and how it writes durations. No browser is needed. */

test('an address keeps the search parameters that its screen knows, and leaves out values that are not valid', () => {
  expect(ordersSearch.parse({ q: 'shop-1', status: 'on_hold', attention: 'any', unknown: 'x' })).toEqual({
    q: 'shop-1',
    status: 'on_hold',
    attention: 'any',
  });
  expect(ordersSearch.parse({ q: '', status: 'lost', attention: 'constructor', country: 5 })).toEqual({});
  expect(attentionSearch.parse({ reason: 'no_partner', sort: 'upwards' })).toEqual({ reason: 'no_partner' });
});

test('a day is written in the language of the browser, and a day of a calendar has no zone', () => {
  const words = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  expect(calendarDay('2026-12-03')).toBe(new Intl.DateTimeFormat(undefined, words).format(new Date(2026, 11, 3)));
  expect(dayTextOf(new Date(2026, 11, 3, 23).toISOString())).toBe(calendarDay('2026-12-03'));
  expect(dayTextOf(undefined)).toBeUndefined();
});

test('the address of a procurement order takes decimal ids only', () => {
  expect(stockSearch.parse({ procurementOrder: '17' }).procurementOrder).toBe('17');
  for (const wrong of ['0', '-1', '1.5', '1e3', 'abc', ''])
    expect(stockSearch.parse({ procurementOrder: wrong }).procurementOrder).toBeUndefined();
});

test('a duration is written in the largest unit that it fills', () => {
  expect([0, 0.24, 1, 12.4, 90, 600, 7_200, 100_000].map(durationOf)).toEqual([
    '0 s',
    '240 ms',
    '1 s',
    '12 s',
    '1.5 min',
    '10 min',
    '2 h',
    '1.2 d',
  ]);
  expect(durationOfMs(1_500)).toBe('1.5 s');
});

test('a currency has as many minor units as its decimal places allow', () => {
  expect(['EUR', 'JPY', 'KWD', 'not a currency'].map(minorUnitsOf)).toEqual([100, 1, 1_000, 100]);
});
