import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

const REFRESH_MS = 5_000;

const Clock = createContext(0);

/** Tells the time to the ages below it, which therefore change together. */
export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return <Clock value={now}>{children}</Clock>;
}

/** Returns the time in milliseconds since 1970, at most five seconds old. */
const useNow = (): number => useContext(Clock);

const SECOND = 1_000;
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400 * SECOND],
  ['hour', 3_600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' });
const MINUTES = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
const toMinutes = new Intl.DateTimeFormat(undefined, MINUTES);
const toSeconds = new Intl.DateTimeFormat(undefined, { ...MINUTES, second: '2-digit' });

/** Returns a time as UTC, for titles. */
export const utc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Returns the time since another as a text such as `5m ago`. */
function ago(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  // What has just happened is later than the last tick of the clock.
  if (Math.abs(ms) < REFRESH_MS) return 'now';
  const [unit, length] = UNITS.find(([, size]) => Math.abs(ms) >= size) ?? UNITS[UNITS.length - 1]!;
  return relative.format(Math.trunc(ms / length), unit);
}

/** A time in the zone and the language of the browser. Its title is the time in UTC. @param isShort leaves the seconds out */
export function Time({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  return (
    <time dateTime={at} title={utc(at)}>
      {(isShort ? toMinutes : toSeconds).format(new Date(at))}
    </time>
  );
}

/** The time since, or until, another time. Its title is that time in UTC. */
export function Age({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utc(at)}>
      {ago(at, useNow())}
    </time>
  );
}
