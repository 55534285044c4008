import { z } from 'zod';

/** Largest number of values in one filter. It equals the largest page. */
const FILTER_VALUES = 250;

/** Filter of a search: matches any of the given values. Absent and null are no filter. */
export const anyOf = <T extends z.ZodType>(value: T, max = FILTER_VALUES) =>
  z
    .array(value)
    .min(1)
    .max(max)
    .nullish()
    .transform((values) => values ?? undefined);

/** Filter of a search as a query parameter: several values are separated by commas. */
export const anyOfList = <T extends z.ZodType<unknown, string>>(value: T) =>
  z
    .string()
    .max(2_000)
    .transform((text) => text.split(','))
    .pipe(z.array(value).min(1).max(FILTER_VALUES))
    .optional();

/** Times are clamped to this range, because Postgres accepts fewer years than ISO 8601. No order is outside it. */
const [EARLIEST, LATEST] = [0, Date.UTC(9999, 0)];

/** Filter of a search by time, ISO 8601 with an offset. */
export const instant = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform((value) =>
    value == null ? undefined : new Date(Math.min(Math.max(Date.parse(value), EARLIEST), LATEST)).toISOString(),
  );
