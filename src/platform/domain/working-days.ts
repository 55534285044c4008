import Holidays from 'date-holidays';

/** Whose days off count: a country's public holidays, and those of one of its states where given. */
export interface WorkCalendar {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Subdivision as ISO 3166-2 writes it after the hyphen, e.g. `BE` for Berlin. */
  readonly state?: string | undefined;
  /** ISO weekdays that are worked, 1 is Monday; default by country. */
  readonly weekdays?: readonly number[] | undefined;
}

/** Weekdays (1 Monday .. 7 Sunday) off, where they are not Saturday and Sunday. */
const WEEKENDS: Readonly<Record<string, readonly number[]>> = {
  AF: [4, 5],
  BD: [5, 6],
  BH: [5, 6],
  BN: [5, 7],
  DJ: [5],
  DZ: [5, 6],
  EG: [5, 6],
  IL: [5, 6],
  IQ: [5, 6],
  IR: [5],
  JO: [5, 6],
  KW: [5, 6],
  LY: [5, 6],
  MV: [5, 6],
  NP: [6],
  OM: [5, 6],
  PS: [5, 6],
  QA: [5, 6],
  SA: [5, 6],
  SD: [5, 6],
  SY: [5, 6],
  YE: [5, 6],
};
const SATURDAY_SUNDAY: readonly number[] = [6, 7];

const DAY_MS = 86_400_000;

/** Building a calendar costs 10 to 40 ms and a year's holidays 10 to 30 more, so each is made once. */
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
      calendar.state === undefined
        ? new Holidays(calendar.country)
        : new Holidays(calendar.country, calendar.state);
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
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(time)) throw new RangeError(`not a day: ${date}`);
  return time;
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day `days` calendar days after one; days are written YYYY-MM-DD. */
export function addDays(date: string, days: number): string {
  return formatDay(parseDay(date) + days * DAY_MS);
}

/** ISO weekday of a day: 1 Monday .. 7 Sunday. */
export function weekday(date: string): number {
  return new Date(parseDay(date)).getUTCDay() || 7;
}

/** Whether a day (YYYY-MM-DD) is worked: neither weekend nor public holiday. Unknown countries have no holidays. */
export function isWorkingDay(date: string, calendar: WorkCalendar): boolean {
  const day = weekday(date);
  const worked =
    calendar.weekdays === undefined
      ? !(WEEKENDS[calendar.country] ?? SATURDAY_SUNDAY).includes(day)
      : calendar.weekdays.includes(day);
  return worked && !holidaysOf(calendar, Number(date.slice(0, 4))).has(date);
}

/** The longest run of days off in any calendar is under a month; a longer one is a calendar without work. */
const LONGEST_REST = 60;

/**
 * The `days`-th working day after a day. Zero gives the day itself, or the next worked one when it is a day off.
 * @throws RangeError when `date` is not YYYY-MM-DD, or when the calendar works on no day
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
  throw new RangeError(`no working day in ${calendar.country} after ${date}`);
}
