import { customsTerritory } from '../../platform/domain/countries';

/** Distance classes of rate cards. */
export type Zone = 'domestic' | 'union' | 'continent' | 'intercontinental' | 'remote';

/** Countries by region. Every ISO 3166-1 country with a delivery service is in exactly one region. */
export const REGIONS = {
  europe:
    'AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK',
  northAmerica: 'CA MX US PR VI PM BM',
  asiaPacific: 'AU BD BN BT CN HK ID IN JP KH KR LA LK MM MN MO MV MY NP NZ PH PK SG TH TL TW VN GU MP AS NF CX CC',
  middleEast: 'AE AM AZ BH GE IL IQ IR JO KW LB OM PS QA SA TR YE',
  latinAmerica:
    'AG AI AR AW BB BL BO BQ BR BS BZ CL CO CR CU CW DM DO EC FK GD GF GP GT GY HN HT JM KN KY LC MF MQ MS NI PA PE PY SR SV SX TC TT UY VC VE VG',
  africa:
    'AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW',
  centralAsia: 'AF KG KZ TJ TM UZ',
  pacificIslands: 'CK FJ FM GL KI MH NC NR NU PF PG PN PW SB TK TO TV VU WF WS',
} as const satisfies Record<string, string>;

export type Region = keyof typeof REGIONS;

const REGION_OF: ReadonlyMap<string, Region> = new Map(
  Object.entries(REGIONS).flatMap(([region, countries]) =>
    countries.split(' ').map((country) => [country, region as Region] as const),
  ),
);

/** Returns the region of a country, or undefined where there is no delivery service (Antarctica, Syria, North Korea, ...). */
export function regionOf(country: string): Region | undefined {
  return REGION_OF.get(country);
}

/** Regions that are reached at the highest rate. */
const REMOTE: ReadonlySet<Region> = new Set(['africa', 'centralAsia', 'pacificIslands', 'latinAmerica']);

/** Returns the zone between two countries, or undefined when one of them has no delivery service. */
export function zoneBetween(sender: string, receiver: string): Zone | undefined {
  const from = regionOf(sender);
  const to = regionOf(receiver);
  if (from === undefined || to === undefined) return undefined;
  if (sender === receiver) return 'domestic';
  if (customsTerritory(sender) === customsTerritory(receiver)) return 'union';
  if (from === to) return 'continent';
  return REMOTE.has(to) ? 'remote' : 'intercontinental';
}
