/** Numbers of a file, whose decimal sign may be a point or a comma. */
export type Decimal = 'point' | 'comma';

/** Returns a number without spaces, apostrophes between thousands and signs of currencies. */
const bare = (text: string) => text.replace(/[\s'’]|\p{Sc}/gu, '');

/** The decimal sign that a number shows. `any`: it has none. `unclear`: `1,234` and `1.234` can be read both ways. */
export function decimalOf(text: string): Decimal | 'any' | 'unclear' {
  const number = bare(text);
  const signs = number.replace(/[^.,]/g, '');
  if (signs === '') return 'any';
  const last = signs.at(-1) === ',' ? 'comma' : 'point';
  if (signs.length > 1) {
    // The same sign several times stands between thousands, and so does the first of two.
    const isGrouping = new Set(signs).size === 1;
    return isGrouping ? (last === 'comma' ? 'point' : 'comma') : last;
  }
  const [before, after] = number.split(/[.,]/) as [string, string];
  return after.length === 3 && /^-?[1-9]\d{0,2}$/.test(before) ? 'unclear' : last;
}

/** Returns the decimal sign of a file by the numbers in it. Null: none shows it, or they disagree. */
export function decimalOfAll(found: ReadonlySet<Decimal | 'any' | 'unclear'>): Decimal | null {
  if (found.has('point') === found.has('comma')) return null;
  return found.has('comma') ? 'comma' : 'point';
}

/** Returns the number that a text is, NaN when it is none, and null when it can be read both ways. */
export function numberOf(text: string, decimal: Decimal | null): number | null {
  const shown = decimalOf(text);
  const number = bare(text);
  if (shown === 'any') return /^-?\d+$/.test(number) ? Number(number) : Number.NaN;
  if (decimal === null) return null;
  const [grouping, point] = decimal === 'comma' ? ['.', ','] : [',', '.'];
  const [whole = '', fraction = '0', ...rest] = number.split(point);
  const groups = whole.split(grouping);
  const isGrouped = groups.length === 1 || groups.slice(1).every((group) => /^\d{3}$/.test(group));
  if (rest.length > 0 || !isGrouped || !/^-?\d*$/.test(groups.join('')) || !/^\d+$/.test(fraction)) return Number.NaN;
  return Number(`${groups.join('') || '0'}.${fraction}`);
}
