import { cutText } from '../../platform/domain/foreign-text';
import { streetLines } from './address-lines';
import type { PostalAddress } from './consignment';

/** Characters that a carrier takes of the parts of an address, and its number of street lines. */
export interface AddressLimits {
  readonly name: number;
  readonly company: number;
  readonly line: number;
  readonly lines: number;
  readonly city: number;
  readonly state: number;
  readonly phone: number;
}

/** Breaks a text between words into lines of at most `limit` characters. A longer word is split. */
function brokenLines(text: string, limit: number): string[] {
  const lines: string[] = [];
  let left = text.trim();
  while ([...left].length > limit) {
    const start = cutText(left, limit);
    const end = /\s/.test(left.charAt(start.length)) ? start.length : start.lastIndexOf(' ');
    const line = end > 0 ? left.slice(0, end) : start;
    lines.push(line.trim());
    left = left.slice(line.length).trim();
  }
  return left === '' ? lines : [...lines, left];
}

/** Returns the words of a text that fit, or as much of its first word. */
const shortened = (text: string, limit: number): string => brokenLines(text, limit)[0] ?? '';

/**
 * Returns texts on a number of lines: each on lines of its own where they fit, otherwise one after the other. What fits on no
 * line is cut at the end.
 */
function laidOut(texts: readonly string[], { line, lines }: AddressLimits): string[] {
  const own = texts.flatMap((text) => brokenLines(text, line));
  if (own.length <= lines) return own;
  const joined = texts.join(', ');
  const broken = brokenLines(joined, line);
  if (broken.length <= lines) return broken;
  const kept = broken.slice(0, lines - 1);
  const rest = joined.slice(kept.reduce((end, part) => joined.indexOf(part, end) + part.length, 0)).trim();
  return [...kept, cutText(rest, line).trim()];
}

/** Returns the name, with initials in place of first names where it is too long. */
function nameOf({ firstName = '', lastName = '' }: PostalAddress, limit: number): string {
  const initials = firstName.replace(/(\p{L})[^\s-]*/gu, '$1.');
  const names = [firstName, initials].map((first) => `${first} ${lastName}`.trim());
  return names.find((name) => [...name].length <= limit) ?? shortened(names[1]!, limit);
}

/** Returns the parts of an address as a carrier takes them. A part that fits is as it was. */
export function fittedAddress(address: PostalAddress, limits: AddressLimits) {
  const cut = (text: string | undefined, limit: number) => shortened(text ?? '', limit);
  return {
    name: nameOf(address, limits.name),
    company: cut(address.company, limits.company),
    lines: laidOut([...streetLines(address), ...(address.suburb ? [address.suburb] : [])], limits),
    city: cut(address.city, limits.city),
    state: cut(address.state, limits.state),
    phone: address.phone === undefined ? undefined : cutText(address.phone, limits.phone),
  };
}
