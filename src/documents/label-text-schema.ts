import type { z } from 'zod';
import { printableText } from './fonts';

/**
 * Text on labels and customs forms. Characters that no embedded font has, such as emoji, are stored and left out when the
 * text is printed. A text that has no printable character is refused.
 */
export const labelText = (text: z.ZodString) =>
  text.refine(
    (value) => value.trim() === '' || printableText(value) !== '',
    'Has no character that can be printed on labels.',
  );
