/**
 * Text of partners, carriers, file hosts and other systems. Two things that a JavaScript string can hold fit neither Postgres nor
 * Temporal: U+0000, and half of a surrogate pair, which has no UTF-8 form. Both become U+FFFD.
 */
const REPLACEMENT = '\ufffd';

/** Returns the text with U+FFFD in place of each U+0000 and of each half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/**
 * Returns at most `limit` code points of the text, as `cleanText` returns them. Never ends within a surrogate pair.
 * @param mark ends a text that was cut. Counts towards the limit
 */
export function cutText(text: string, limit: number, mark = ''): string {
  if (text.length <= limit || endOf(text, limit) === text.length) return cleanText(text);
  return `${cleanText(text.slice(0, endOf(text, limit - [...mark].length)))}${mark}`;
}

/** Returns the index after the first `count` code points. */
function endOf(text: string, count: number): number {
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return end;
}

/** Matches escaped backslashes, whole surrogate pairs, halves of pairs and U+0000. The first two remain. */
const ESCAPES =
  /\\(?:\\|u(?:0000|[dD][89abAB][\da-fA-F]{2}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|[dD][c-fC-F][\da-fA-F]{2}))/g;
const ESCAPED_PAIR_LENGTH = '\\ud83d\\ude00'.length;

/** Returns JSON text whose strings are clean once they are parsed: escapes of what `cleanText` replaces become U+FFFD. */
export function cleanJson(json: string): string {
  const text = cleanText(json);
  if (!text.includes('\\u')) return text;
  return text.replace(ESCAPES, (found) =>
    found === '\\\\' || found.length === ESCAPED_PAIR_LENGTH ? found : REPLACEMENT,
  );
}

/** Levels and members of a value of another system that are kept. */
const DEEPEST = 8;
const MOST_MEMBERS = 200;

/**
 * Returns a copy of a JSON value of another system with clean strings and bounded size: at most eight levels and 200
 * members in all.
 * @param limit longest string, in code points
 */
export function boundedValue(value: unknown, limit: number): unknown {
  let left = MOST_MEMBERS;
  const bounded = (part: unknown, levels: number): unknown => {
    if (typeof part === 'string') return cutText(part, limit);
    if (typeof part !== 'object' || part === null) return part;
    if (levels === 0) return '…';
    const members = Object.entries(part).slice(0, left);
    left -= members.length;
    const kept = members.map(([name, member]) => [cutText(name, limit), bounded(member, levels - 1)] as const);
    return Array.isArray(part) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
  };
  return bounded(value, DEEPEST);
}

/** Returns a JSON value with clean strings and names. @param limit longest string, in code points */
export function cleanValue<T>(value: T, limit: number): T {
  const cleaned = (part: unknown): unknown => {
    if (typeof part === 'string') return cutText(part, limit);
    if (Array.isArray(part)) return part.map(cleaned);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [cutText(name, limit), cleaned(member)]));
  };
  return cleaned(value) as T;
}
