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

/**
 * Returns the day on which a partner ships a print order (`dispatchDate` of schema `SentPrintOrder`).
 * Production starts on the day of the handover in the partner's time zone when that is a working day and the time is
 * before the cut-off, else on the next working day. It takes `leadDays` working days; 0 ships on the day of the start.
 * @param notBefore earliest start (YYYY-MM-DD), for example the day on which missing stock arrives
 * @returns YYYY-MM-DD, always a working day of the partner
 */
export function dispatchDate(
  calendar: PartnerCalendar,
  handedOverAt: Date,
  leadDays: number,
  notBefore?: string | undefined,
): string {
  const { date, time } = localDateAndTime(handedOverAt, calendar.timeZone);
  let start = time < calendar.cutOff ? date : addDays(date, 1);
  if (notBefore !== undefined && notBefore > start) start = notBefore;
  let day = firstWorkedDay(calendar, start);
  for (let worked = 0; worked < leadDays; worked += 1) day = firstWorkedDay(calendar, addDays(day, 1));
  return day;
}
