import { Metadata, type MetadataJson } from 'libphonenumber-js/core';
import { validatePhoneNumberLength } from 'libphonenumber-js/min';
import metadata from 'libphonenumber-js/min/metadata';

/** Why a text is no phone number. */
export type PhoneFault = NonNullable<ReturnType<typeof validatePhoneNumberLength>>;

/** The numbers of a country calling code. The type of the library lacks the prefix. */
interface Plan {
  readonly possibleLengths: () => readonly number[] | undefined;
  readonly nationalPrefixForParsing: () => string | undefined;
}

/**
 * By country calling code: the lengths of national numbers that all its countries have (the digits tell which one it is: +599 is
 * Curaçao with seven or eight, or Bonaire with seven), and the digits that start a number with a prefix of its own country.
 * Countries whose prefix is a pattern are left out: their numbers are parsed.
 */
const plans = new Map<string, { readonly lengths: ReadonlySet<number>; readonly prefix: string | undefined }>();
const known = new Metadata(metadata as MetadataJson);
const { country_calling_codes } = metadata as MetadataJson & {
  country_calling_codes: Readonly<Record<string, readonly string[]>>;
};
for (const [code, countries] of Object.entries(country_calling_codes)) {
  known.selectNumberingPlan(code as never);
  const plan = known.numberingPlan as unknown as Plan;
  const prefix = plan.nationalPrefixForParsing();
  if (prefix && !/^\d+$/.test(prefix)) continue;
  let lengths = plan.possibleLengths() ?? [];
  for (const country of countries) {
    known.selectNumberingPlan(country as never);
    const own = (known.numberingPlan as unknown as Plan).possibleLengths() ?? [];
    lengths = lengths.filter((length) => own.includes(length));
  }
  plans.set(code, { lengths: new Set(lengths), prefix: prefix || undefined });
}

/** An E.164 number, whose digits may be grouped: `+49 30 901820`, `+1 (212) 555-0123`. */
const E164 = /^\+[1-9](?:[ ().-]*\d){6,14}$/;

/**
 * Returns what is wrong with a phone number, as libphonenumber judges its length. Undefined: nothing. An E.164 number of a
 * possible length is not parsed, which takes most of the time.
 */
export function phoneFault(value: string): PhoneFault | undefined {
  return isPlain(value) ? undefined : validatePhoneNumberLength(value);
}

function isPlain(value: string): boolean {
  if (!E164.test(value)) return false;
  const digits = value.replace(/\D/g, '');
  for (let end = 1; end <= 3; end += 1) {
    const plan = plans.get(digits.slice(0, end));
    if (plan === undefined) continue;
    const national = digits.slice(end);
    // Zero: parts of the library remove leading zeros.
    if (national.startsWith('0') || (plan.prefix !== undefined && national.startsWith(plan.prefix))) return false;
    return plan.lengths.has(national.length);
  }
  return false;
}
