import { validatePhoneNumberLength } from 'libphonenumber-js/min';
import { z } from 'zod';

const NO_PHONE: Readonly<Record<NonNullable<ReturnType<typeof validatePhoneNumberLength>>, string>> = {
  INVALID_COUNTRY: 'The country code is missing or does not exist. Write the number as +49 30 901820.',
  NOT_A_NUMBER: 'This is not a phone number. Write it with its country code, as +49 30 901820.',
  TOO_SHORT: 'The number is too short for its country. Write it with its country code, as +49 30 901820.',
  TOO_LONG: 'The number is too long for its country.',
  INVALID_LENGTH: 'No number of its country has this length.',
};

const LONGEST = 25;

/** Signs that change no number: marks of writing direction, and other invisible ones, which address books copy along. */
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/gu;

/** Returns a number as it is dialled: without invisible signs, and with ASCII in place of full-width signs and odd spaces. */
const dialled = (value: string) => value.replace(INVISIBLE, '').normalize('NFKC').replace(/\s/g, ' ');

const phoneField = (isRequired: boolean) =>
  z
    .string()
    .max(2 * LONGEST)
    .overwrite(dialled)
    .max(LONGEST)
    .superRefine((value, context) => {
      const number = value.trim();
      if (number === '') {
        const blank = { message: 'This field must not be blank.', params: { code: 'IS_BLANK_ERROR' } };
        if (isRequired) context.addIssue({ code: 'custom', ...blank });
        return;
      }
      const wrong = validatePhoneNumberLength(number.startsWith('+') ? number : `+${number.replace(/^00/, '')}`);
      if (wrong !== undefined) context.addIssue({ code: 'custom', message: NO_PHONE[wrong] });
    });

/** A phone number with its country code, as +49 30 901820, 0049 30 901820 or 4930901820. */
export const phone = phoneField(true);

/** The same, or blank text. */
export const optionalPhone = phoneField(false);
