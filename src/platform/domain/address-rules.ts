import data from './address-data.json';

/**
 * Post codes and states by country, from the address data of Google (scripts/address-data.mjs). Every country whose addresses
 * have post codes is in it.
 */
interface Rules {
  readonly postCode: string;
  /** True when mail needs the post code. */
  readonly isRequired?: boolean;
  /** By code, in countries whose posts write codes. */
  readonly states?: Readonly<Record<string, { readonly names: readonly string[]; readonly postCode: string }>>;
}

const RULES = data as Readonly<Record<string, Rules | undefined>>;

/** Returns true when addresses of a country have post codes. */
export const hasPostCodes = (country: string): boolean => RULES[country] !== undefined;

const expressions = new Map<string, RegExp>();

/** Returns true when a text begins with what a pattern of the data matches, and is `whole` when nothing is left. */
function matches(pattern: string, text: string, { whole }: { readonly whole: boolean }): boolean {
  let expression = expressions.get(pattern);
  if (expression === undefined) {
    expression = new RegExp(pattern, 'y');
    expressions.set(pattern, expression);
  }
  expression.lastIndex = 0;
  const found = expression.exec(text);
  return found !== null && (!whole || found[0].length === text.length);
}

/** Returns every pattern of the data, for the test of their cost. */
export const addressPatterns = (): string[] =>
  Object.values(RULES).flatMap((rules) => [
    rules!.postCode,
    ...Object.values(rules!.states ?? {}).map(({ postCode }) => postCode),
  ]);

/** Returns true when a post code has the form of its country, or mail to the country needs none. */
export function isPostCode(country: string, postCode: string): boolean {
  const rules = RULES[country];
  return rules?.isRequired !== true || matches(rules.postCode, postCode, { whole: true });
}

/** Where a separator stands in post codes that have one: its position, from the end when it is negative. */
const SEPARATORS: Readonly<Record<string, readonly [position: number, separator: string]>> = {
  ...Object.fromEntries(['GB', 'GG', 'IM', 'JE'].map((country) => [country, [-3, ' ']])),
  ...Object.fromEntries(['CA', 'CZ', 'GR', 'IE', 'SE', 'SK'].map((country) => [country, [3, ' ']])),
  NL: [4, ' '],
  PL: [2, '-'],
  JP: [3, '-'],
  PT: [4, '-'],
  BR: [5, '-'],
  US: [5, '-'],
  LV: [2, '-'],
};

/** Returns a post code as its country writes it: case, separator, no prefix of the country. One of another form stays as it is. */
export function normalPostCode(country: string, sent: string): string {
  const rules = RULES[country];
  if (rules === undefined) return sent;
  const upper = sent.toUpperCase();
  const compact = upper.replace(/[\s.〒-]/g, '');
  const bare = compact.replace(/^[A-Z]{1,3}(?=\d)/, '');
  const separated = [compact, bare, `${country}${bare}`].map((text) => {
    const [position, separator] = SEPARATORS[country] ?? [0, ''];
    const [start, end] = [text.slice(0, position), text.slice(position)];
    return start === '' || end === '' ? text : `${start}${separator}${end}`;
  });
  const forms = [separated[0]!, compact, upper, separated[1]!, bare, separated[2]!];
  return forms.find((form) => matches(rules.postCode, form, { whole: true })) ?? sent;
}

/** Removes what spellings differ in: case, spaces, periods and accents. */
const plain = (text: string) => text.normalize('NFD').replace(/\P{L}/gu, '').toLowerCase();

/** Names that people write beside those of the data. The armed forces: USPS Publication 28, section 238. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'US AA': ['Armed Forces Americas'],
  'US AE': ['Armed Forces Europe'],
  'US AP': ['Armed Forces Pacific'],
  'US DC': ['Washington DC'],
  'US FM': ['Federated States of Micronesia'],
  'US VI': ['US Virgin Islands'],
  'CA NL': ['Newfoundland'],
  'CA YT': ['Yukon Territory'],
};

const STATES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(RULES).flatMap(([country, rules]) => {
    const states = Object.entries(rules?.states ?? {}).flatMap(([code, { names }]) =>
      [code, ...names, ...(OTHER_NAMES[`${country} ${code}`] ?? [])].map((text) => [plain(text), code] as const),
    );
    return states.length === 0 ? [] : [[country, new Map(states)] as const];
  }),
);

/**
 * Returns the code of a state by its code or name: `CA` for "California" in the US, `QC` for "Québec" in Canada. Returns
 * undefined for an unknown one. Countries whose posts write no codes have no list: their text is returned as it is.
 */
export function stateCode(country: string, state: string): string | undefined {
  const codes = STATES.get(country);
  return codes === undefined ? state : codes.get(plain(state));
}

/** Returns the code of the state whose post codes begin as this one does, or undefined. */
export function stateOfPostCode(country: string, postCode: string): string | undefined {
  const states = Object.entries(RULES[country]?.states ?? {});
  return states.find(([, state]) => state.postCode !== '' && matches(state.postCode, postCode, { whole: false }))?.[0];
}
