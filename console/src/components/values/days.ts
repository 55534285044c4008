/** Returns the day of a time in the browser's zone, as date fields have it. */
export function dayOf(at: string | undefined): string {
  const time = new Date(at ?? '');
  // Sweden writes dates as ISO 8601 does.
  return Number.isNaN(time.getTime()) ? '' : time.toLocaleDateString('sv-SE');
}

/** Returns the start of a day in the browser's zone. Empty: undefined. */
export const startOfDay = (day: string): string | undefined =>
  day === '' ? undefined : new Date(`${day}T00:00`).toISOString();

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const dayFormat = new Intl.DateTimeFormat(undefined, DAY);
const calendar = new Intl.DateTimeFormat(undefined, { ...DAY, timeZone: 'UTC' });

/** Returns a day of a calendar, YYYY-MM-DD, in the language of the browser. */
export const calendarDay = (day: string): string => calendar.format(Date.parse(day));

/** Returns the day of a time in the browser's zone, in its language. */
export const dayTextOf = (at: string | undefined): string | undefined =>
  dayOf(at) === '' ? undefined : dayFormat.format(new Date(at!));
