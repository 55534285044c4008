import Holidays from 'date-holidays';

/** A calendar of working days: the public holidays of a country, optionally of one of its states, and weekdays. */
export interface WorkCalendar {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Subdivision part of an ISO 3166-2 code, such as `BE` for Berlin. */
  readonly state?: string | undefined;
  /** ISO weekdays that are working days, 1 is Monday. The default depends on the country. */
  readonly weekdays?: readonly number[] | undefined;
}

/** Countries whose weekend is not Saturday and Sunday, by their ISO weekdays off (1 is Monday). */
const OTHER_WEEKENDS: readonly (readonly [countries: string, weekdays: readonly number[]])[] = [
  ['BD BH DZ EG IL IQ JO KW LY MV OM PS QA SA SD SY YE', [5, 6]],
  ['DJ IR', [5]],
  ['AF', [4, 5]],
  ['BN', [5, 7]],
  ['NP', [6]],
];
const WEEKENDS = new Map(
  OTHER_WEEKENDS.flatMap(([countries, weekdays]) =>
    countries.split(' ').map((country) => [country, weekdays] as const),
  ),
);
const SATURDAY_SUNDAY: readonly number[] = [6, 7];

const DAY_MS = 86_400_000;

/** Creating a calendar takes 10 to 40 ms and computing a year's holidays 10 to 30 ms, so both are done once. */
const calendars = new Map<string, Holidays>();
const yearsOff = new Map<string, ReadonlySet<string>>();

function holidaysOf(calendar: WorkCalendar, year: number): ReadonlySet<string> {
  const place = `${calendar.country}/${calendar.state ?? ''}`;
  const key = `${place}/${year}`;
  const known = yearsOff.get(key);
  if (known !== undefined) return known;
  let holidays = calendars.get(place);
  if (holidays === undefined) {
    holidays =
      calendar.state === undefined ? new Holidays(calendar.country) : new Holidays(calendar.country, calendar.state);
    calendars.set(place, holidays);
  }
  const days = new Set<string>();
  for (const holiday of holidays.getHolidays(year) ?? []) {
    if (holiday.type !== 'public') continue;
    const length = Math.max(1, Math.round((holiday.end.getTime() - holiday.start.getTime()) / DAY_MS));
    const first = parseDay(holiday.date.slice(0, 10));
    for (let day = 0; day < length; day += 1) days.add(formatDay(first + day * DAY_MS));
  }
  yearsOff.set(key, days);
  return days;
}

function parseDay(date: string): number {
  const time = Date.parse(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(time)) throw new RangeError(`Not a date (YYYY-MM-DD): ${date}`);
  return time;
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the date `days` calendar days after a date (YYYY-MM-DD). */
export function addDays(date: string, days: number): string {
  return formatDay(parseDay(date) + days * DAY_MS);
}

/** Returns the ISO weekday of a date: 1 for Monday to 7 for Sunday. */
export function weekday(date: string): number {
  return new Date(parseDay(date)).getUTCDay() || 7;
}

/** Returns true for neither weekend nor public holiday. Unknown countries have no holidays. */
export function isWorkingDay(date: string, calendar: WorkCalendar): boolean {
  const day = weekday(date);
  const worked =
    calendar.weekdays === undefined
      ? !(WEEKENDS.get(calendar.country) ?? SATURDAY_SUNDAY).includes(day)
      : calendar.weekdays.includes(day);
  return worked && !holidaysOf(calendar, Number(date.slice(0, 4))).has(date);
}

/** No calendar has a month of consecutive days off. After this many days, the calendar has no working days at all. */
const LONGEST_REST = 60;

/**
 * Returns the `days`-th working day after a date. For 0 it returns the date itself, or the next working day when the
 * date is a day off.
 * @throws RangeError when `date` is not YYYY-MM-DD, or when the calendar has no working day
 */
export function addWorkingDays(date: string, days: number, calendar: WorkCalendar): string {
  let time = parseDay(date);
  if (days === 0 && isWorkingDay(date, calendar)) return date;
  let left = Math.max(1, days);
  for (let idle = 0; idle < LONGEST_REST; idle += 1) {
    time += DAY_MS;
    const day = formatDay(time);
    if (!isWorkingDay(day, calendar)) continue;
    left -= 1;
    if (left === 0) return day;
    idle = 0;
  }
  throw new RangeError(`No working day in ${calendar.country} after ${date}`);
}

/** Returns the time that is a number of weekdays, Monday to Friday, before another one. Holidays count as weekdays. */
export function weekdaysBefore(time: Date, days: number): Date {
  let at = time.getTime();
  for (let left = days; left > 0; ) {
    at -= DAY_MS;
    if (!SATURDAY_SUNDAY.includes(weekday(formatDay(at)))) left -= 1;
  }
  return new Date(at);
}
