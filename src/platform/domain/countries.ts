import countries from 'i18n-iso-countries';
import english from 'i18n-iso-countries/langs/en.json';

countries.registerLocale(english);

const ALPHA2 = new Set(Object.keys(countries.getAlpha2Codes()));

/** Returns true when the text is an ISO 3166-1 alpha-2 code in upper case. */
export function isCountry(code: string): boolean {
  return ALPHA2.has(code);
}

/** Names of countries that people write beside codes and English names. */
const ALIASES: Readonly<Record<string, string>> = {
  UK: 'GB',
  EL: 'GR',
  ENGLAND: 'GB',
  SCOTLAND: 'GB',
  WALES: 'GB',
  'NORTHERN IRELAND': 'GB',
  HOLLAND: 'NL',
};

/** Returns the ISO 3166-1 alpha-2 code of a country by its code, in any case, its alpha-3 code or its English name. */
export function countryOf(text: string): string {
  const upper = text.toUpperCase();
  if (isCountry(upper)) return upper;
  return ALIASES[upper] ?? countries.alpha3ToAlpha2(upper) ?? countries.getAlpha2Code(text, 'en') ?? text;
}

/** Returns the English name of a country. */
export const countryName = (code: string): string => countries.getName(code, 'en') ?? code;

/** Countries whose addresses require a state (schema `SubmitOrder`). */
export const COUNTRIES_WITH_STATE: ReadonlySet<string> = new Set(['US', 'CA', 'AU']);

/** Member states of the European Union. */
export const EU_MEMBERS: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
