import countries from 'i18n-iso-countries';

const ALPHA2 = new Set(Object.keys(countries.getAlpha2Codes()));

/** Returns true when the text is an ISO 3166-1 alpha-2 code in upper case. */
export function isCountry(code: string): boolean {
  return ALPHA2.has(code);
}

/** Countries whose addresses require a state (schema `SubmitOrder`). */
export const COUNTRIES_WITH_STATE: ReadonlySet<string> = new Set(['US', 'CA', 'AU']);

/** Member states of the European Union. */
export const EU_MEMBERS: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
