import countries from 'i18n-iso-countries';

const ALPHA2 = new Set(Object.keys(countries.getAlpha2Codes()));

/** Whether text is an ISO 3166-1 alpha-2 code, in capitals as the standard writes it. */
export function isCountry(code: string): boolean {
  return ALPHA2.has(code);
}

/** ISO 3166-1 alpha-3 code of an alpha-2 one; undefined for no country. */
export function alpha3(code: string): string | undefined {
  return countries.alpha2ToAlpha3(code);
}

/** Countries whose addresses need a state (interface "Order (as submitted)"). */
export const COUNTRIES_WITH_STATE: ReadonlySet<string> = new Set(['US', 'CA', 'AU']);

/** Member states of the European Union. */
export const EU_MEMBERS: readonly string[] = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IT',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
];

/**
 * Customs territories of more than one ISO country; every other country is one of its own.
 * The EU's: Regulation (EU) 952/2013 article 4, with Monaco, the French overseas departments and Åland inside;
 * the Faroes, Greenland, Andorra and San Marino outside.
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

/** The customs territory of a country: `EU` for Germany, `US` for Puerto Rico, `JP` for Japan. */
export function customsTerritory(country: string): string {
  return TERRITORY_OF.get(country) ?? country;
}
