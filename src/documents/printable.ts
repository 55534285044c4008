import type { z } from 'zod';
import { unprintable } from './fonts';

/** Text on labels and customs forms: every character must be in an embedded font. */
export const printable = (text: z.ZodString) =>
  text.refine(
    (value) => unprintable(value) === undefined,
    'Holds a character that cannot be printed on labels.',
  );
