import { z } from 'zod';

/** Days of the week as ISO 8601 numbers them: 1 is Monday, 7 is Sunday. */
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

const country = z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 country code');

/** When a print house works: what dispatch dates are counted from. */
export const partnerCalendarSchema = z.object({
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
    .describe('Orders handed over before this time of day, in the time zone, start on the same day.'),
  holidays: z
    .object({ country, state: z.string().min(1).max(10).optional() })
    .describe('Country, and state where holidays differ, whose public holidays are not worked.'),
  closedDates: z.array(z.iso.date()).max(400).default([]).describe('Further days that are not worked.'),
});

/** What a partner makes of one product model, at what price and pace. */
export const modelOfferSchema = z.object({
  unitPriceMinor: z
    .int()
    .min(0)
    .max(100_000_000)
    .describe('Price of one unit in minor units of the partner’s currency.'),
  leadDays: z.int().min(0).max(60).describe('Working days from the start of production to dispatch.'),
});

/** What a partner can make, where it ships, and how much of it a day. */
export const partnerCapabilitiesSchema = z.object({
  productKinds: z.array(z.enum(['print', 'apparel', 'mounted'])).max(3),
  models: z
    .record(z.string().min(1).max(100), modelOfferSchema)
    .describe(
      'Product models the partner makes, by model uid; parts it prints and services it gives count too.',
    ),
  countriesServed: z
    .array(z.union([z.literal('*'), country]))
    .max(300)
    .describe('Countries it ships to; `*` is all.'),
  calendar: partnerCalendarSchema,
  capacityPerDay: z.int().min(1).max(10_000_000).describe('Units it can produce on a working day.'),
});

export type PartnerCalendar = z.output<typeof partnerCalendarSchema>;
export type ModelOffer = z.output<typeof modelOfferSchema>;
export type PartnerCapabilities = z.output<typeof partnerCapabilitiesSchema>;
