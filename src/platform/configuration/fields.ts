import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseNamedKeys } from '../sealing/named-keys';

/** Schemas that several environment variables share (config.ts). */

export const optionalText = z.string().min(1).optional();
export const integer = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
/** An amount in major units, parsed to minor units. */
export const amount = (fallback: string) =>
  z
    .string()
    .regex(/^\d{1,4}(\.\d\d?)?$/, 'expected an amount such as 5 or 0.80')
    .default(fallback)
    .transform((text) => Math.round(Number(text) * 100));
/** An integer that is derived when it is not set. */
export const optionalInteger = (min: number, max: number) => z.coerce.number().int().min(min).max(max).optional();
const trueOrFalse = z.enum(['true', 'false']);
export const flag = (fallback: boolean) =>
  trueOrFalse.default(fallback ? 'true' : 'false').transform((value) => value === 'true');
/** An unset flag stays undefined, because zod applies a default even below `.optional()`. */
export const optionalFlag = trueOrFalse.transform((value) => value === 'true').optional();
const durationUnits = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationText = z.string().regex(/^\d{1,9}(ms|s|m|h|d)$/, 'expected a duration such as 30s, 15m, 24h or 7d');
const toMilliseconds = (text: string): number => {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text)!;
  return Number(amount) * durationUnits[unit as keyof typeof durationUnits];
};
/** Parses `500ms`, `30s`, `15m`, `24h` or `7d` to milliseconds. */
export const duration = (fallback: string) => durationText.default(fallback).transform(toMilliseconds);
/** A duration of a function that is off when it is not set. @param leastDays shortest time */
export const optionalDuration = (leastDays: number) =>
  durationText
    .transform(toMilliseconds)
    .refine((ms) => ms >= leastDays * durationUnits.d, `expected at least ${leastDays}d`)
    .optional();

/** Returns the schema of an optional variable with a grammar of its own. `parse` returns undefined for a wrong text. */
export const parsed = <T>(parse: (text: string) => T | undefined, expected: string) =>
  z
    .string()
    .transform((text, context) => {
      const value = parse(text);
      if (value === undefined) context.addIssue(expected);
      return value;
    })
    .optional();

export const namedKeys = parsed(parseNamedKeys, 'expected name:key,name2:key2 with keys of 32 bytes in base64');

/** Addresses and networks (CIDR), separated by commas. */
export const networks = z
  .string()
  .default('')
  .transform((text, context) => {
    const list = text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    if (!list.every((entry) => ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)))
      context.addIssue('expected IP addresses or networks such as 10.0.0.0/8, separated by commas');
    return list;
  });

export const httpUrl = z.url({ protocol: /^https?$/ });
export const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });
/** A URL to which paths are added, without slashes at its end. */
export const baseUrl = z
  .url()
  .transform((url) => url.replace(/\/+$/, ''))
  .optional();

/** An environment variable that Pressline reads. */
export interface Variable<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** The default value as the documentation shows it. */
  readonly fallback: string;
  readonly doc: string;
}

/** @param fallback text for a default that the schema does not state */
export const variable = <T extends z.ZodType>(
  schema: T,
  doc: string,
  fallback = statedDefault(schema),
): Variable<T> => ({ schema, fallback, doc });

function statedDefault(schema: unknown): string {
  const input = schema instanceof z.ZodPipe ? schema.in : schema;
  return input instanceof z.ZodDefault ? String(input.def.defaultValue) : 'none';
}
