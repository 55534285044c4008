import { z } from 'zod';
import { COUNTRIES_WITH_STATE, isCountry } from './countries';

/** Schemas of the fields that several interface areas share. */

/** Text of 1 to `max` characters that is not only white space. */
export const text = (max: number) => z.string().max(max).regex(/\S/, 'must not be blank');

const choice = (isOne: (value: string) => boolean, message: string) =>
  z.string().superRefine((value, context) => {
    if (!isOne(value)) {
      const code = value.trim() === '' ? 'IS_BLANK_ERROR' : 'NO_SUCH_CHOICE_ERROR';
      context.addIssue({ code: 'custom', message, params: { code } });
    }
  });

/** ISO 3166-1 alpha-2, upper case. */
export const countryCode = choice(isCountry, 'Not a country code of ISO 3166-1 alpha-2.');

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217, upper case. */
export const currencyCode = choice((code) => CURRENCIES.has(code), 'Not a currency code of ISO 4217.');

/**
 * A day of the Gregorian calendar, written `2026-01-05`. Not before 1900: ISO 8601 has a year 0, which Postgres refuses,
 * and years of two digits are a sender's bug.
 */
export const day = z.iso.date().refine((text) => text >= '1900', 'Must not lie before 1900');

/** An offset of hours alone, or of hours and minutes without the colon, as PHP and others write it. */
const BARE_OFFSET = /^([^T]*T[^+-]*[+-]\d\d)(\d\d)?$/;

/**
 * A moment of ISO 8601 with its offset, within 1900 to 9999 in UTC too, where an offset can carry it out of the years
 * that Postgres and Date both write with four digits.
 * @param local whether one without an offset is taken; it is then read as UTC
 */
export const moment = ({ local = false } = {}) =>
  z
    .string()
    .max(64)
    .meta({ format: 'date-time' })
    .transform((text) => text.replace(BARE_OFFSET, (_, start, minutes = '00') => `${start}:${minutes}`))
    .pipe(
      z.iso.datetime({ offset: true, local }).refine((text) => {
        const year = new Date(hasOffset(text) ? text : `${text}Z`).getUTCFullYear();
        return year >= 1900 && year <= 9999;
      }, 'Must lie between the years 1900 and 9999'),
    );

/** Whether a moment of ISO 8601 says how it stands to UTC. */
export function hasOffset(text: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
}

/** `{key, value}` pairs: at most 20, each part up to 100 characters. */
export const metadata = z.array(z.object({ key: text(100), value: z.string().max(100) })).max(20);

/** Whether an address of the country needs a state (interface "Order (as submitted)"). */
export function needsState(country: unknown): boolean {
  return typeof country === 'string' && COUNTRIES_WITH_STATE.has(country);
}

/** A price as clients write it: not negative, at most four decimals. */
export const price = z
  .number()
  .nonnegative()
  .max(1_000_000_000)
  .refine(
    (value) => Number.isInteger(Number((value * 10_000).toFixed(4))),
    'Must have at most four decimals.',
  );

/** http or https, up to 2,048 characters, without credentials. */
export const httpUrl = z
  .string()
  .max(2_048)
  .superRefine((value, context) => {
    const report = (message: string, code?: string) =>
      context.addIssue({ code: 'custom', message, ...(code ? { params: { code } } : {}) });
    if (value.trim() === '') return report('This field must not be blank.', 'IS_BLANK_ERROR');
    if (!URL.canParse(value)) return report('Not an absolute URL.');
    const url = new URL(value);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return report('Not an http or https URL.');
    if (url.username !== '' || url.password !== '') return report('The URL must not hold credentials.');
  });
