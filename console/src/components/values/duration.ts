const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Returns a duration in seconds as a text such as `240 ms`, `12 s`, `3.5 min`, `2 h`. */
export function durationOf(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1];
  const count = seconds / size;
  return `${count < 10 ? Number(count.toFixed(1)) : Math.round(count)} ${unit}`;
}

/** Returns a duration in milliseconds as such a text. */
export const durationOfMs = (milliseconds: number): string => durationOf(milliseconds / 1_000);
