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

/**
 * Customs territories that consist of several ISO countries. Every other country is its own customs territory.
 * The EU is defined by Regulation (EU) 952/2013, article 4. It includes Monaco, the French overseas departments and
 * Åland, and excludes the Faroes, Greenland, Andorra and San Marino.
 */
const CUSTOMS_TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  EU: [...EU_MEMBERS, 'MC', 'AX', 'GF', 'GP', 'MQ', 'RE', 'YT', 'MF'],
  GB: ['GB', 'IM', 'GG', 'JE'],
  CH: ['CH', 'LI'],
  US: ['US', 'PR'],
};

const TERRITORY_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(CUSTOMS_TERRITORIES).flatMap(([territory, members]) =>
    members.map((country) => [country, territory] as const),
  ),
);

/** Returns the customs territory of a country: `EU` for Germany, `US` for Puerto Rico, `JP` for Japan. */
export function customsTerritory(country: string): string {
  return TERRITORY_OF.get(country) ?? country;
}
