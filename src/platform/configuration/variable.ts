import type { z } from 'zod';

/** An environment variable that Pressline reads. */
export interface Variable<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** The default value as the documentation shows it. */
  readonly fallback: string;
  readonly doc: string;
}

export const variable = <T extends z.ZodType>(schema: T, fallback: string, doc: string): Variable<T> => ({
  schema,
  fallback,
  doc,
});
