import { z } from 'zod';
import { hasPostCodes, normalPostCode, stateCode } from './domain/address-rules';
import { countryOf } from './domain/countries';
import { cutText } from './domain/foreign-text';
import { normalPhone } from './phone';

/**
 * Understands addresses as people write them, before anything judges them: names of countries and states become codes, phone
 * numbers get their country code, post codes the form of their country, and texts lose what nobody sees.
 */
type Fields = Readonly<Record<string, unknown>>;

/** Signs that nobody sees: marks of writing direction, soft hyphens and spaces of no width. Joiners shape letters, and stay. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;
/** Digits, letters and signs of ASCII in the width of ideographs. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** Returns a text on one line: single spaces for white space and control characters, ASCII for full-width signs. */
const lineOf = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .replace(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .normalize('NFC');

/** Fields that depend on the country, by the names that the interface has for them. */
const BY_COUNTRY: Readonly<Record<string, (text: string, country: string) => string>> = {
  country: (_text, country) => country,
  state: (text, country) => stateCode(country, text) ?? text,
  postCode: (text, country) => normalPostCode(country, text),
  postcode: (text, country) => normalPostCode(country, text),
  phone: (text, country) => normalPhone(text, country),
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const countryIn = ({ country }: Fields) => (typeof country === 'string' ? countryOf(lineOf(country)) : '');

function normalFields(sent: Fields, country: string): Fields {
  const normal = Object.entries(sent).map(([name, value]) => {
    const rule = Object.hasOwn(BY_COUNTRY, name) ? BY_COUNTRY[name] : undefined;
    return [name, typeof value === 'string' ? (rule?.(lineOf(value), country) ?? lineOf(value)) : value];
  });
  return Object.fromEntries(normal);
}

/** Returns an address as it is understood. What is no object is returned as it is. */
export const normalAddress = (sent: unknown): unknown => (isFields(sent) ? normalFields(sent, countryIn(sent)) : sent);

/** Returns a sender or receiver of the shipping group with person and address as they are understood. */
export function normalParty(sent: unknown): unknown {
  if (!isFields(sent) || !isFields(sent.address)) return sent;
  const { person, address } = sent;
  const country = countryIn(address);
  return {
    ...sent,
    address: normalFields(address, country),
    ...(isFields(person) ? { person: normalFields(person, country) } : {}),
  };
}

/** Characters of a text that are kept as it was sent. */
const KEPT = 500;

export const addressAsSent = z.record(z.string(), z.string());

/**
 * Returns the address of an order as it is understood, with `addressAsSent`: the texts that were changed, as they were sent. A
 * post code that the country does not have can be missing.
 * @param known the fields of the address. Others are not kept
 */
export function understoodAddress(sent: unknown, known: object): unknown {
  if (!isFields(sent)) return sent;
  const { addressAsSent: _ignored, ...given } = sent;
  const country = countryIn(given);
  const normal = normalFields(given, country);
  const changed = Object.entries(given).flatMap(([name, value]) =>
    Object.hasOwn(known, name) && typeof value === 'string' && value !== normal[name]
      ? [[name, cutText(value, KEPT)]]
      : [],
  );
  return {
    ...normal,
    ...(normal.postCode == null && country !== '' && !hasPostCodes(country) ? { postCode: '' } : {}),
    ...(changed.length === 0 ? {} : { addressAsSent: Object.fromEntries(changed) }),
  };
}
