import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/min';
import { z } from 'zod';

/** A phone number as people write it. What cannot be dialled is a finding of the address. */
export const phone = z
  .string()
  .max(100)
  .superRefine((number, context) => {
    const blank = { message: 'This field must not be blank.', params: { code: 'IS_BLANK_ERROR' } };
    if (number.trim() === '') context.addIssue({ code: 'custom', ...blank });
  });

/** The same, or blank text. */
export const optionalPhone = z.string().max(100);

const FAULTS: Readonly<Record<NonNullable<ReturnType<typeof validatePhoneNumberLength>>, string>> = {
  INVALID_COUNTRY: 'The country code is missing or does not exist.',
  NOT_A_NUMBER: 'This is not a phone number.',
  TOO_SHORT: 'The number is too short for its country.',
  TOO_LONG: 'The number is too long for its country.',
  INVALID_LENGTH: 'No number of its country has this length.',
};

/** Returns why a number cannot be dialled from everywhere, or null. */
export function phoneFault(number: string): string | null {
  const fault = validatePhoneNumberLength(number);
  return fault === undefined ? null : FAULTS[fault];
}

/**
 * Returns a phone number with its country code: `+49 30 901820` for `030 901820` in Germany, `0049 30 901820` and
 * `4930901820`. Returns the text as it is when it is no number of the country nor of another one.
 */
export function normalPhone(sent: string, country: string): string {
  const international = sent.replace(/^00(?=[1-9])/, '+');
  const digits = international.replace(/\D/g, '');
  const home = isSupportedCountry(country) ? country : undefined;
  // Numbers with a country code and no sign before it. Those of the country come before its national numbers.
  const isOwn = home !== undefined && digits.startsWith(getCountryCallingCode(home));
  const tries: readonly [text: string, country?: CountryCode | undefined][] = international.startsWith('+')
    ? [[international]]
    : [...(isOwn ? [[`+${digits}`] as const] : []), [international, home], [`+${digits}`]].map(([text, at]) => [
        text as string,
        at as CountryCode | undefined,
      ]);
  for (const [text, at] of tries) {
    const number = parsePhoneNumberFromString(text, at);
    if (number?.isValid() !== true) continue;
    return number.number.slice(1) === digits && text === international ? text : number.formatInternational();
  }
  return sent;
}
