import { countryName } from '../../platform/domain/countries';
import type { PostalAddress } from './consignment';

/** Countries whose addresses name no state or region, whatever a shop sends. */
const WITHOUT_STATE = ['AT', 'BE', 'CH', 'CZ', 'DE', 'DK', 'FI', 'FR', 'LU', 'NL', 'NO', 'PL', 'PT', 'SE', 'SK'];

/** Position of the post code relative to the city. Countries that are not listed use `code city state`, as Italy does. */
const CITY_LINES: Readonly<Record<string, 'city state code' | 'city / code' | 'code / city state'>> = {
  AU: 'city state code',
  BR: 'city state code',
  CA: 'city state code',
  GB: 'city / code',
  IE: 'city / code',
  IN: 'city state code',
  JP: 'code / city state',
  KR: 'code / city state',
  CN: 'code / city state',
  MX: 'city state code',
  NZ: 'city state code',
  SG: 'city state code',
  TW: 'code / city state',
  US: 'city state code',
};

/** Returns the English short name of a country in capitals, the last line that the Universal Postal Union requires. */
export function countryLine(country: string): string {
  return countryName(country).toUpperCase();
}

/** Chinese, Japanese and Korean scripts: the family name comes first, and the larger place before the smaller one. */
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function nameLine({ firstName = '', lastName = '', country }: PostalAddress): string {
  if (!EAST_ASIAN.test(lastName) || !EAST_ASIAN.test(firstName)) return joined(firstName, lastName);
  return country === 'JP' ? joined(lastName, firstName) : lastName + firstName;
}

const joined = (...parts: readonly (string | undefined)[]) => parts.filter((part) => part).join(' ');

function largeToSmall(city: string, state: string | undefined): string[] {
  if (!state || state === city) return [city];
  return [EAST_ASIAN.test(city) ? joined(state, city) : joined(city, state)];
}

/** Returns the street lines once: clients often repeat `street` and `houseNumber` in `addressLine1`. */
export function streetLines(address: PostalAddress): string[] {
  const separate = joined(address.street, address.houseNumber);
  const lines = [address.addressLine1, address.addressLine2, address.addressLine3].filter((line) => line) as string[];
  const has = (text: string) => lines.some((line) => line.toLowerCase().includes(text.toLowerCase()));
  return separate === '' || (address.street !== undefined && has(address.street)) ? lines : [separate, ...lines];
}

/**
 * Returns an address as printed on an item, top line first: name, company, street, city with post code, country.
 * @param options.from the sender's country; an address in the same country has no country line
 */
export function addressLines(address: PostalAddress, options: { readonly from?: string } = {}): string[] {
  const { city, postcode, suburb, country } = address;
  const state = WITHOUT_STATE.includes(country) ? undefined : address.state;
  const place = suburb !== undefined && suburb.toLowerCase() !== city.toLowerCase() ? [suburb] : [];
  const form = CITY_LINES[country];
  const cityLines =
    form === 'city state code'
      ? [joined(city, state, postcode)]
      : form === 'city / code'
        ? [joined(city, state && state !== city ? `(${state})` : undefined), postcode]
        : form === 'code / city state'
          ? [postcode, ...largeToSmall(city, state)]
          : [joined(postcode, city, state)];
  return [
    nameLine(address),
    address.company ?? '',
    ...streetLines(address),
    ...place,
    ...cityLines,
    options.from === country ? '' : countryLine(country),
  ].filter((line) => line !== '');
}
