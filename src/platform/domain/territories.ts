import { EU_MEMBERS } from './countries';

/** Where a parcel starts or ends. Orders have `postCode`, consignments `postcode`, as their interfaces name them. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly postCode?: string | undefined;
  readonly postcode?: string | undefined;
  readonly city?: string | undefined;
}

/** Customs territories and VAT territories of a place. Northern Ireland belongs to two of each for goods. */
export interface Territory {
  /** Undefined: no territory of its own. */
  readonly name?: string;
  readonly customs: readonly string[];
  /** The first one has the VAT rates of the place. */
  readonly vat: readonly string[];
}

/**
 * Territories whose customs or VAT differ from their country's: name, addresses, customs territories, VAT territories.
 * An address is a country and the beginning of its post codes, with the name of the place where others share the post
 * code. A member of the EU as VAT territory stands for the VAT area of the EU. A dash is a territory of its own.
 *
 * Sources: customs territory of the EU, Regulation (EU) 952/2013, article 4; VAT area of the EU, Directive 2006/112/EC,
 * articles 5 to 7; Northern Ireland, Windsor Framework, articles 4, 5 and 8 (its annex 3 for VAT on goods); Büsingen,
 * treaty of 23 November 1964 between Germany and Switzerland; Liechtenstein, customs treaty of 29 March 1923 with
 * Switzerland; Isle of Man and Channel Islands, customs arrangements of 26 November 2018 with the United Kingdom;
 * territories of the United States, 19 CFR 101.1; military addresses, USPS Publication 28, section 238.
 */
const SPECIAL: readonly (readonly [name: string, addresses: string, customs: string, vat: string])[] = [
  ['Åland', 'AX FI22', 'EU', '-'],
  ['Mount Athos', 'GR63086 GR63087', 'EU', '-'],
  ['Canary Islands', 'ES35 ES38', 'EU', '-'],
  ['Ceuta', 'ES51', '-', '-'],
  ['Melilla', 'ES52', '-', '-'],
  ['Büsingen', 'DE78266', 'CH', 'CH'],
  ['Heligoland', 'DE27498', '-', '-'],
  ['Livigno', 'IT23041 IT23030:livigno', '-', '-'],
  ['Campione', 'IT22061', 'EU', '-'],
  ['San Marino', 'SM IT4789', '-', '-'],
  ['Monaco', 'MC FR980', 'EU', 'FR'],
  ['Guadeloupe', 'GP FR971', 'EU', '-'],
  ['Saint Barthélemy', 'BL FR97133 FR97701', '-', '-'],
  ['Saint Martin', 'MF FR97150 FR97801', 'EU', '-'],
  ['Martinique', 'MQ FR972', 'EU', '-'],
  ['French Guiana', 'GF FR973', 'EU', '-'],
  ['Réunion', 'RE FR974', 'EU', '-'],
  ['Mayotte', 'YT FR976', 'EU', '-'],
  ['Saint Pierre and Miquelon', 'PM FR975', '-', '-'],
  ['Wallis and Futuna', 'WF FR986', '-', '-'],
  ['French Polynesia', 'PF FR987', '-', '-'],
  ['New Caledonia', 'NC FR988', '-', '-'],
  ['Northern Ireland', 'GBBT', 'GB EU', 'GB EU'],
  ['Isle of Man', 'IM GBIM', 'GB', 'GB'],
  ['Jersey', 'JE GBJE', 'GB', '-'],
  ['Guernsey', 'GG GBGY', 'GB', '-'],
  ['Liechtenstein', 'LI', 'CH', 'CH'],
  ['Puerto Rico', 'PR US006 US007 US009', 'US', 'US'],
  ['United States Virgin Islands', 'VI US008', '-', '-'],
  ['Guam', 'GU US969', '-', '-'],
  ['American Samoa', 'AS US96799', '-', '-'],
  ['Northern Mariana Islands', 'MP US9695', '-', '-'],
  // Post offices of the armed forces: a parcel from the United States to one of them needs a customs form.
  [
    'American forces',
    'US090 US091 US092 US093 US094 US095 US096 US097 US098 US340 US962 US963 US964 US965 US966',
    '-',
    '-',
  ],
];

const TERRITORIES: ReadonlyMap<string, Territory> = new Map(
  SPECIAL.flatMap(([name, addresses, ...columns]) => {
    const [customs, vat] = columns.map((column) => (column === '-' ? [name] : column.split(' '))) as [
      string[],
      string[],
    ];
    return addresses.split(' ').map((address) => [address, { name, customs, vat }] as const);
  }),
);
const LONGEST = Math.max(...[...TERRITORIES.keys()].map((address) => address.replace(/:.*/, '').length));

const areaOf = (territory: string) => (EU_MEMBERS.includes(territory) ? 'EU' : territory);

/** Returns the territory of a place: the special one of its post code, else that of its country. */
export function territoryOf({ country, postCode, postcode = postCode, city }: Place): Territory {
  // People write `D-78266` and `AX-22 100`. Only British post codes begin with letters that count.
  const code = (postcode ?? '').toUpperCase().replace(country === 'GB' ? /[^A-Z\d]/g : /\D/g, '');
  const address = `${country}${code}`;
  for (let length = Math.min(address.length, LONGEST); length >= 2; length--) {
    const prefix = address.slice(0, length);
    const found = TERRITORIES.get(prefix) ?? TERRITORIES.get(`${prefix}:${city?.trim().toLowerCase()}`);
    if (found !== undefined) return found;
  }
  return { customs: [areaOf(country)], vat: [country] };
}

/** Returns the country or territory whose VAT rates apply in a place: `FR` for Monaco, `GB` for Northern Ireland. */
export const vatCountry = (place: Place): string => territoryOf(place).vat[0]!;

/** Returns true when two places have a customs territory in common. */
export const sharesCustoms = (from: Place, to: Place): boolean =>
  territoryOf(from).customs.some((customs) => territoryOf(to).customs.includes(customs));

/** Returns true when goods between two places leave a customs territory or a VAT territory. The EU is one of each. */
export function isCrossBorder(from: Place, to: Place): boolean {
  const areas = territoryOf(to).vat.map(areaOf);
  return !sharesCustoms(from, to) || !territoryOf(from).vat.some((territory) => areas.includes(areaOf(territory)));
}
