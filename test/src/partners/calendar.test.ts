import fc from 'fast-check';
import { dispatchDate, localDateAndTime, productionFrom } from '../../../src/partners/domain/calendar';
import type { PartnerCalendar } from '../../../src/partners/domain/capabilities';

const shipsOn = (calendar: PartnerCalendar, at: Date, leadDays: number, notBefore?: string) =>
  dispatchDate(calendar, { from: productionFrom(calendar, at, notBefore), leadDays });

const berlin: PartnerCalendar = {
  timeZone: 'Europe/Berlin',
  workingDays: [1, 2, 3, 4, 5],
  cutOff: '14:00',
  holidays: { country: 'DE', state: 'BE' },
  closedDates: [],
};
const ohio: PartnerCalendar = {
  timeZone: 'America/New_York',
  workingDays: [1, 2, 3, 4, 5, 6],
  cutOff: '12:00',
  holidays: { country: 'US', state: 'OH' },
  closedDates: [],
};

describe('dispatch date from the partner calendar', () => {
  test.each([
    // Wednesday 25 November 2026. Berlin is one hour ahead of UTC in winter.
    ['before the cut-off: the same day', berlin, '2026-11-25T12:59:00Z', 0, '2026-11-25'],
    ['at the cut-off: the next day', berlin, '2026-11-25T13:00:00Z', 0, '2026-11-26'],
    ['lead days are working days', berlin, '2026-11-25T09:00:00Z', 3, '2026-11-30'],
    ['Friday after the cut-off starts on Monday', berlin, '2026-11-27T15:00:00Z', 1, '2026-12-01'],
    ['production does not start on a day off', berlin, '2026-11-28T08:00:00Z', 0, '2026-11-30'],
    ['Christmas and the weekend after it', berlin, '2026-12-24T08:00:00Z', 1, '2026-12-28'],
    [
      "Women's Day is a holiday in the state of Berlin only (2027: a Monday)",
      berlin,
      '2027-03-08T08:00:00Z',
      0,
      '2027-03-09',
    ],
    ['Thanksgiving in the US', ohio, '2026-11-25T15:00:00Z', 1, '2026-11-27'],
    ['Saturday is a working day in Ohio', ohio, '2026-11-27T15:00:00Z', 1, '2026-11-28'],
    ['the date is local to the partner, not UTC', ohio, '2026-11-26T02:00:00Z', 0, '2026-11-27'],
    ['across the new year', berlin, '2026-12-31T15:00:00Z', 0, '2027-01-04'],
  ])('%s', (_rule, calendar, at, leadDays, expected) => {
    expect(shipsOn(calendar, new Date(at), leadDays)).toBe(expected);
  });

  test('a holiday of another state is a working day', () => {
    const hamburg = { ...berlin, holidays: { country: 'DE', state: 'HH' } };
    expect(shipsOn(hamburg, new Date('2027-03-08T08:00:00Z'), 0)).toBe('2027-03-08');
  });

  test('closed dates are days off, and missing stock delays the start', () => {
    const at = new Date('2026-11-25T09:00:00Z');
    expect(shipsOn({ ...berlin, closedDates: ['2026-11-26', '2026-11-27'] }, at, 1)).toBe('2026-11-30');
    expect(shipsOn(berlin, at, 1, '2026-12-05')).toBe('2026-12-08');
    expect(shipsOn(berlin, at, 1, '2026-11-01')).toBe('2026-11-26');
  });

  test('a longer lead time or a later handover never ships earlier, and never on a day off', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(berlin, ohio),
        fc.date({ min: new Date('2026-01-01'), max: new Date('2028-12-01'), noInvalidDate: true }),
        fc.nat(20),
        fc.nat(5 * 24 * 3600),
        (calendar, at, leadDays, secondsLater) => {
          const date = shipsOn(calendar, at, leadDays);
          const later = new Date(at.getTime() + secondsLater * 1000);
          expect(shipsOn(calendar, at, leadDays + 1) > date).toBe(true);
          expect(shipsOn(calendar, later, leadDays) >= date).toBe(true);
          expect(calendar.workingDays).toContain(new Date(`${date}T00:00:00Z`).getUTCDay() || 7);
          expect(date >= localDateAndTime(at, calendar.timeZone).date).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
