import type { z } from 'zod';
import { unprintable } from './fonts';

/** Text that labels and customs forms carry: of characters that an embedded font has. */
export const printable = (text: z.ZodString) =>
  text.refine(
    (value) => unprintable(value) === undefined,
    'Holds a character that cannot be printed on labels.',
  );
