import type { z } from 'zod';

/** Reports the error of one field. `code` is a field error code (docs/errors.md). */
export type ReportField = (
  path: readonly (string | number)[],
  message: string,
  code?: 'VALIDATION_ERROR' | 'IS_BLANK_ERROR' | 'MISSING_FIELD_ERROR' | 'NO_SUCH_CHOICE_ERROR',
) => void;

/**
 * Adds a rule over several fields that also runs when single fields are invalid, so that a response names every invalid
 * field at once. By default, zod runs refinements only on valid input. The rule must accept input of any shape: also
 * `{ "toString": 1 }`, of which `Number` and `String` make no value but an error.
 */
export function crossField<T extends z.ZodType>(schema: T, rule: (value: unknown, report: ReportField) => void): T {
  return schema.superRefine(
    (value, context) =>
      rule(value, (path, message, code = 'VALIDATION_ERROR') =>
        context.addIssue({ code: 'custom', message, path: [...path], params: { code } }),
      ),
    { when: () => true },
  );
}

/** Returns an own property of a value of any type, or undefined when there is none. */
export function property(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string | number, unknown>)[name]
    : undefined;
}

/** Returns an own property of a value as a list. Returns an empty list when the property is not an array. */
export function list(value: unknown, name: string): readonly unknown[] {
  const found = property(value, name);
  return Array.isArray(found) ? found : [];
}
