import * as z from 'zod/mini';

/** Schemas of search parameters. A value that is not valid is left out, so that a mistyped address still shows its screen. */

// The content security policy forbids code that is made from text, which zod would otherwise try.
z.config({ jitless: true });

/** Text that is not empty. */
export const text = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);

/** Decimal id. */
export const decimalId = z.catch(z.optional(z.string().check(z.regex(/^[1-9]\d*$/))), undefined);

/** Day, YYYY-MM-DD. */
export const day = z.catch(z.optional(z.iso.date()), undefined);

/** `true`, or nothing. */
export const flag = z.catch(z.optional(z.literal('true')), undefined);

/** One of the keys of tables. */
export const keyOf = <Key extends string>(...tables: readonly Readonly<Partial<Record<Key, unknown>>>[]) =>
  z.catch(z.optional(z.enum(tables.flatMap((table) => Object.keys(table) as Key[]))), undefined);
