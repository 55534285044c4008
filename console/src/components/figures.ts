const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Returns a span of seconds as a text such as `12 s`, `3.5 min`, `2 h`. */
export function spanOf(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1];
  const count = seconds / size;
  return `${count < 10 ? Number(count.toFixed(1)) : Math.round(count)} ${unit}`;
}

/** Returns a share from 0 to 1 as a text such as `12 %`. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
