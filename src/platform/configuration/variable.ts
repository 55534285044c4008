import { z } from 'zod';

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
