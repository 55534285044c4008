import { addDays, isWorkingDay, type WorkCalendar } from '../../platform/domain/working-days';
import type { PartnerCalendar } from './capabilities';

const DAY_MS = 86_400_000;

/** More days off in a row than any list of closed dates can hold beside weekends and holidays. */
const LONGEST_CLOSURE_DAYS = 1_000;

/** Calendar days from one date (YYYY-MM-DD) to another; negative when `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** Making one takes about 50 microseconds, formatting with it one. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Date (YYYY-MM-DD) and time of day (HH:MM) that a wall clock in the time zone shows. */
export function localDateAndTime(instant: Date, timeZone: string): { date: string; time: string } {
  let format = formats.get(timeZone);
  if (!format) {
    // Swedish writes dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(timeZone, format);
  }
  const [date = '', time = ''] = format.format(instant).split(' ');
  return { date, time };
}

/** The calendar as promise dates take it; days closed for reasons of the partner's own are not in it. */
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
 * The day a partner ships what is handed over at an instant (interface "dispatchDate").
 * Production starts on that day in the partner's time zone when it is a working day before the cut-off,
 * else on the next working day, and takes `leadDays` working days; 0 ships on the day it starts.
 * @param notBefore earliest start (YYYY-MM-DD), such as the day missing stock comes in
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
