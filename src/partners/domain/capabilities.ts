import { z } from 'zod';
import { PRODUCT_KINDS } from '../../catalog/domain/product';
import { countryCode } from '../../platform/domain/fields';

/** Day of the week, ISO 8601: 1 is Monday, 7 is Sunday. */
const weekday = z.int().min(1).max(7);

const timeZone = z.string().refine(
  (name) => {
    try {
      new Intl.DateTimeFormat('en', { timeZone: name });
      return true;
    } catch {
      return false;
    }
  },
  { error: 'must be an IANA time zone such as Europe/Berlin' },
);

/** Working hours of a print house. Dispatch dates are counted in its working days. */
const partnerCalendarSchema = z.object({
  timeZone,
  workingDays: z
    .array(weekday)
    .min(1)
    .max(7)
    .refine((days) => new Set(days).size === days.length, {
      error: 'must not name a day twice',
    }),
  cutOff: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 14:00')
    .describe('Production of orders handed over before this local time starts on the same day.'),
  holidays: z
    .object({ country: countryCode, state: z.string().min(1).max(10).optional() })
    .describe('Country whose public holidays are days off; state where holidays differ within the country.'),
  closedDates: z.array(z.iso.date()).max(400).default([]).describe('Further days off.'),
});

/** Price and lead time of one product model at a partner. */
const modelOfferSchema = z.object({
  unitPriceMinor: z
    .int()
    .min(0)
    .max(100_000_000)
    .describe('Price of one unit in minor units of the partner’s currency.'),
  leadDays: z.int().min(0).max(60).describe('Working days from the start of production to dispatch.'),
});

/** What a partner produces, where it ships to, and its daily capacity. */
export const partnerCapabilitiesSchema = z.object({
  productKinds: z.array(z.enum(PRODUCT_KINDS)).max(PRODUCT_KINDS.length),
  models: z
    .record(z.string().min(1).max(100), modelOfferSchema)
    .describe(
      'Product models that the partner produces, by model uid, including printed parts and fulfillment services.',
    ),
  countriesServed: z
    .array(z.union([z.literal('*'), countryCode]))
    .max(300)
    .describe('Countries that it ships to; `*` means all.'),
  calendar: partnerCalendarSchema,
  capacityPerDay: z.int().min(1).max(10_000_000).describe('Units produced on a working day.'),
});

export type PartnerCalendar = z.output<typeof partnerCalendarSchema>;
export type PartnerCapabilities = z.output<typeof partnerCapabilitiesSchema>;

export function servesCountry({ countriesServed }: PartnerCapabilities, destination: string): boolean {
  return countriesServed.includes('*') || countriesServed.includes(destination);
}
