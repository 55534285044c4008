import { z } from 'zod';
import type { FieldError } from '../../platform/errors';

/** Why an order of a channel waits, or is ignored. `change_missed`: the order could not be changed any more. */
export const REASON_CODES = [
  'unknown_product',
  'product',
  'file',
  'address',
  'currency',
  'duplicate',
  'number',
  'row',
  'invalid',
  'superseded',
  'canceled',
  'ignored_products',
  'expired',
  'change_missed',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export const reasonSchema = z
  .object({
    code: z.enum(REASON_CODES),
    field: z.string().nullable().describe('Path of the field of the order, as the API names it.'),
    message: z.string(),
    line: z.int().nullable().describe('Line of the file. Null: the order did not come in a file.'),
    column: z.string().optional().describe('Column of the file that has the field. Left out: none, or not known.'),
    value: z.string().optional().describe('What the column has there. Left out: nothing.'),
  })
  .meta({ id: 'ChannelReason' });
export type Reason = z.output<typeof reasonSchema>;

/** The first field of a path that decides the code of an error. */
const CODE_OF_FIELD: readonly (readonly [field: RegExp, code: ReasonCode])[] = [
  [/^shippingAddress\b/, 'address'],
  [/^currency$/, 'currency'],
  [/\.files\b/, 'file'],
  [/\.product(Uid|Name|Variant)\b/, 'product'],
];

/** Returns an error of a submission as a reason. @param lines of the items of the order, by position */
export function reasonOfError({ reference, message }: FieldError, lines: readonly (number | null)[]): Reason {
  const code = CODE_OF_FIELD.find(([field]) => field.test(reference))?.[1] ?? 'invalid';
  const item = Number(/^items\[(\d+)\]/.exec(reference)?.[1] ?? 0);
  return { code, field: reference === '' ? null : reference, message, line: lines[item] ?? null };
}
