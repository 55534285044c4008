import { addDays, isWorkingDay, type WorkCalendar } from '../../platform/domain/working-days';
import type { PartnerCalendar } from './capabilities';

const DAY_MS = 86_400_000;

/** Upper bound of consecutive days off: more than 400 closed dates with the weekends and holidays between them. */
const LONGEST_CLOSURE_DAYS = 1_000;

/** Returns the calendar days between two dates (YYYY-MM-DD); negative when `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** Cached because creating a format takes about 50 microseconds and using it about one. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local date (YYYY-MM-DD) and time of day (HH:MM) in a time zone. */
export function localDateAndTime(instant: Date, timeZone: string): { date: string; time: string } {
  let format = formats.get(timeZone);
  if (!format) {
    // The Swedish locale writes dates in the ISO 8601 form.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(timeZone, format);
  }
  const [date = '', time = ''] = format.format(instant).split(' ');
  return { date, time };
}

/** Returns the calendar for promise dates. It leaves out `closedDates`. */
export function workCalendar({ holidays, workingDays }: PartnerCalendar): WorkCalendar {
  return { country: holidays.country, state: holidays.state, weekdays: workingDays };
}

function firstWorkedDay(calendar: PartnerCalendar, from: string): string {
  const work = workCalendar(calendar);
  let day = from;
  for (let passed = 0; passed < LONGEST_CLOSURE_DAYS; passed += 1) {
    if (!calendar.closedDates.includes(day) && isWorkingDay(day, work)) return day;
    day = addDays(day, 1);
  }
  throw new RangeError(`no working day within ${LONGEST_CLOSURE_DAYS} days of ${from}`);
}

/** When a partner makes a print order. Both are known when it is planned, whatever days off are added later. */
export interface Production {
  /** The earliest day, YYYY-MM-DD. Production starts on it, or on the next working day. */
  readonly from: string;
  /** Working days from the start to dispatch; 0 ships on the day of the start. */
  readonly leadDays: number;
}

/**
 * Returns the earliest day of production: the day of the handover in the partner's time zone when the time is before the cut-off,
 * else the day after.
 * @param notBefore a later start (YYYY-MM-DD), for example the day on which missing stock arrives
 */
export function productionFrom(calendar: PartnerCalendar, handedOverAt: Date, notBefore?: string | undefined): string {
  const { date, time } = localDateAndTime(handedOverAt, calendar.timeZone);
  const start = time < calendar.cutOff ? date : addDays(date, 1);
  return notBefore !== undefined && notBefore > start ? notBefore : start;
}

/**
 * Returns the day on which a partner ships a print order (`dispatchDate` of schema `SentPrintOrder`).
 * @returns YYYY-MM-DD, always a working day of the partner
 */
export function dispatchDate(calendar: PartnerCalendar, { from, leadDays }: Production): string {
  let day = firstWorkedDay(calendar, from);
  for (let worked = 0; worked < leadDays; worked += 1) day = firstWorkedDay(calendar, addDays(day, 1));
  return day;
}
