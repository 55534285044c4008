import { z } from 'zod';
import { memberName } from '../platform/domain/fields';

export const timestamp = z.iso.datetime();

/** An id of an attribute or attribute value (schema `AttributeValue`). */
export const attributeId = memberName(
  z
    .string()
    .max(100)
    .regex(/^[a-z0-9_.-]+$/, 'Only lowercase letters, digits, underscore, period and hyphen'),
);

/** A comma-separated query parameter. Blank entries are ignored; a parameter without entries does not filter. */
export const commaSeparated = z
  .string()
  .max(12_000)
  .transform((list) => [...new Set(list.split(',').map((entry) => entry.trim()))].filter((entry) => entry !== ''))
  .transform((entries) => (entries.length === 0 ? undefined : entries));

/** Most pieces of a part in one product. */
export const MAX_PART_QUANTITY = 100;

/** Largest offset of a list, since the database reads and skips the rows before it. */
export const MAX_OFFSET = 1_000_000;

/** A whole number in a query parameter, within limits. */
export const queryInteger = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
