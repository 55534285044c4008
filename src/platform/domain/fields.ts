import { z } from 'zod';
import { hasPostCodes, stateCode } from './address-rules';
import { COUNTRIES_WITH_STATE, isCountry } from './countries';

/** Schemas of fields that several endpoint groups share. */

/** Text of 1 to `max` characters with at least one that is not white space. */
export const text = (max: number) => z.string().max(max).regex(/\S/, 'Must not be blank.');

/** Refuses the one text that objects with members by id cannot have: readers of JSON leave a member `__proto__` out. */
export const memberName = <T extends z.ZodString>(schema: T): T =>
  schema.refine((name) => name !== '__proto__', 'Must not be __proto__.');

const choice = (isOne: (value: string) => boolean, message: string) =>
  z.string().superRefine((value, context) => {
    if (!isOne(value)) {
      const code = value.trim() === '' ? 'IS_BLANK_ERROR' : 'NO_SUCH_CHOICE_ERROR';
      context.addIssue({ code: 'custom', message, params: { code } });
    }
  });

/** An address of the Peppol network. The code list EAS has 0208 for the number of a Belgian enterprise, 9930 for a German VAT number. */
export const electronicAddress = z
  .string()
  .regex(/^(\d{4}|EM):\S{1,100}$/, 'Must be a scheme of the code list EAS, a colon and an address: 0208:0123456789.');

/** ISO 3166-1 alpha-2 code in upper case. */
export const countryCode = choice(isCountry, 'Must be an ISO 3166-1 alpha-2 country code.');

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** ISO 4217 code in upper case. */
export const currencyCode = choice((code) => CURRENCIES.has(code), 'Must be an ISO 4217 currency code.');

/** From 1900 on: Postgres rejects the year 0, and a year of two digits is a bug of the sender. */
export const day = z.iso.date().refine((text) => text >= '1900', 'Must not be before 1900.');

/** A UTC offset without minutes, or with minutes but without a colon, as PHP and others write it. */
const BARE_OFFSET = /^([^T]*T[^+-]*[+-]\d\d)(\d\d)?$/;

/**
 * An ISO 8601 date and time with UTC offset. The year must be between 1900 and 9999 after conversion to UTC as well,
 * so that Postgres and Date both write it with four digits.
 * @param local true to accept a time without offset, which is then read as UTC
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
      }, 'Must be between the years 1900 and 9999.'),
    );

/** A time in a response, ISO 8601 in UTC. Handlers return a Date: JSON and CSV write it in this form. */
export const timestamp = z.iso.datetime() as unknown as z.ZodType<Date, Date>;

/** Times are clamped to this range, because Postgres accepts fewer years than ISO 8601. No order is outside it. */
const [EARLIEST, LATEST] = [0, Date.UTC(9999, 0)];

/** Filter of a search by time, ISO 8601 with an offset: without one, its meaning would depend on the reader. */
export const instant = z.iso
  .datetime({ offset: true, error: 'Must be a date and time with an offset, such as 2026-03-01T00:00:00Z.' })
  .nullish()
  .transform((value) =>
    value == null ? undefined : new Date(Math.min(Math.max(Date.parse(value), EARLIEST), LATEST)).toISOString(),
  );

/** Returns true when an ISO 8601 date and time has a UTC offset. */
export function hasOffset(text: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
}

/** Up to 20 `{key, value}` pairs, each part with up to 100 characters. */
export const metadata = z.array(z.object({ key: text(100), value: z.string().max(100) })).max(20);

/** Returns true when an address in the country requires a state (schema `SubmitOrder`). */
export function needsState(country: unknown): country is string {
  return typeof country === 'string' && COUNTRIES_WITH_STATE.has(country);
}

/** Refuses an unknown state of the US, Canada or Australia, in addresses that do not wait for a person. */
export const withKnownState = <T extends z.ZodObject>(schema: T): T =>
  crossField(schema, (address, report) => {
    const [country, state] = [property(address, 'country'), property(address, 'state')];
    if (!needsState(country) || typeof state !== 'string' || state.trim() === '') return;
    if (stateCode(country, state) !== undefined) return;
    report(['state'], `Not the code or name of a state of ${country}.`, 'NO_SUCH_CHOICE_ERROR');
  });

/** Reports a blank post code in a country whose addresses have one. @param name of the field */
export function postCodeRule(address: unknown, name: string, report: ReportField): void {
  const [country, postCode] = [property(address, 'country'), property(address, name)];
  if (typeof postCode !== 'string' || postCode.trim() !== '') return;
  if (typeof country === 'string' && isCountry(country) && !hasPostCodes(country)) return;
  report([name], 'This field must not be blank.', 'IS_BLANK_ERROR');
}

export const IOSS_NUMBER = /^IM\d{10}$/;

/** A price as clients write it: not negative, with the digits that they compute. Papers round it half up. */
export const price = z.number().nonnegative().max(1_000_000_000);

/** An http or https URL of up to 2,048 characters without credentials. */
export const httpUrl = z
  .string()
  .max(2_048)
  .superRefine((value, context) => {
    const report = (message: string, code?: string) =>
      context.addIssue({ code: 'custom', message, ...(code ? { params: { code } } : {}) });
    if (value.trim() === '') return report('This field must not be blank.', 'IS_BLANK_ERROR');
    const url = URL.parse(value);
    if (url === null) return report('Must be an absolute URL.');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return report('Must be an http or https URL.');
    if (url.username !== '' || url.password !== '') return report('The URL must not contain credentials.');
  });

/** Reports the error of one field. `code` is a field error code (docs/errors.md). */
export type ReportField = (
  path: readonly (string | number)[],
  message: string,
  code?: 'VALIDATION_ERROR' | 'IS_BLANK_ERROR' | 'MISSING_FIELD_ERROR' | 'NO_SUCH_CHOICE_ERROR',
) => void;

/**
 * Adds a rule over several fields that also runs when single fields are invalid, so that a response names every invalid
 * field at once. By default, zod runs refinements only on valid input. The rule must accept input of any shape: also
 * `{ "toString": 1 }`, of which `Number` and `String` make no value but an error.
 */
export function crossField<T extends z.ZodType>(schema: T, rule: (value: unknown, report: ReportField) => void): T {
  return schema.superRefine(
    (value, context) =>
      rule(value, (path, message, code = 'VALIDATION_ERROR') =>
        context.addIssue({ code: 'custom', message, path: [...path], params: { code } }),
      ),
    { when: () => true },
  );
}

/** Returns an own property of a value of any type, or undefined when there is none. */
export function property(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string | number, unknown>)[name]
    : undefined;
}

/** Returns an own property of a value as a list. Returns an empty list when the property is not an array. */
export function list(value: unknown, name: string): readonly unknown[] {
  const found = property(value, name);
  return Array.isArray(found) ? found : [];
}

/** Returns the indexes of the values that occur earlier in the list too. */
export function repeatsOf(values: readonly string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => (seen.size === seen.add(value).size ? [index] : []));
}
