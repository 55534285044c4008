/** States and territories by postal code: USPS Publication 28 (appendix B), Canada Post, Australia Post. */
const STATES: Readonly<Record<string, string>> = {
  US: `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware, FL Florida,
    GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine,
    MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana, NE Nebraska,
    NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York, NC North Carolina, ND North Dakota, OH Ohio,
    OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island, SC South Carolina, SD South Dakota, TN Tennessee, TX Texas,
    UT Utah, VT Vermont, VA Virginia, WA Washington, WV West Virginia, WI Wisconsin, WY Wyoming, DC District of Columbia,
    DC Washington DC, AS American Samoa, GU Guam, MP Northern Mariana Islands, PR Puerto Rico, VI Virgin Islands,
    VI US Virgin Islands, FM Federated States of Micronesia, MH Marshall Islands, PW Palau, AA Armed Forces Americas,
    AE Armed Forces Europe, AP Armed Forces Pacific`,
  CA: `AB Alberta, BC British Columbia, MB Manitoba, NB New Brunswick, NL Newfoundland and Labrador, NS Nova Scotia,
    NT Northwest Territories, NU Nunavut, ON Ontario, PE Prince Edward Island, QC Quebec, SK Saskatchewan, YT Yukon`,
  AU: `ACT Australian Capital Territory, NSW New South Wales, NT Northern Territory, QLD Queensland, SA South Australia,
    TAS Tasmania, VIC Victoria, WA Western Australia`,
};

/** Removes what spellings differ in: case, spaces, periods and accents. */
const plain = (text: string) => text.normalize('NFD').replace(/\P{L}/gu, '').toLowerCase();

const CODES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(STATES).map(([country, states]) => [
    country,
    new Map(
      states.split(',').flatMap((entry) => {
        const [code, ...name] = entry.trim().split(' ') as [string, ...string[]];
        return [code, name.join('')].map((text): [string, string] => [plain(text), code]);
      }),
    ),
  ]),
);

/**
 * Returns the postal code of a state by its code or English name: `CA` for "California" in the US. Returns undefined for
 * an unknown state. Countries other than the US, Canada and Australia have no list: their text is returned as it is.
 */
export function stateCode(country: string, state: string): string | undefined {
  const codes = CODES.get(country);
  return codes === undefined ? state : codes.get(plain(state));
}
