import type { z } from 'zod';

/** Reports one offending field; `code` is one of the interface's field error codes. */
export type ReportField = (
  path: readonly (string | number)[],
  message: string,
  code?: 'VALIDATION_ERROR' | 'IS_BLANK_ERROR' | 'MISSING_FIELD_ERROR' | 'NO_SUCH_CHOICE_ERROR',
) => void;

/**
 * Adds a rule over several fields that runs even when single fields are wrong, so that an answer
 * names every offending field at once (zod's own refinements wait until the fields are right).
 * The rule sees unchecked input and must bear any shape.
 */
export function crossField<T extends z.ZodType>(
  schema: T,
  rule: (value: unknown, report: ReportField) => void,
): T {
  return schema.check({
    _zod: {
      def: { check: 'custom', when: () => true },
      onattach: [],
      check(payload: z.core.ParsePayload) {
        rule(payload.value, (path, message, code = 'VALIDATION_ERROR') => {
          payload.issues.push({
            code: 'custom',
            message,
            path: [...path],
            params: { code },
            input: payload.value,
          } as z.core.$ZodRawIssue);
        });
      },
    },
  } as never) as T;
}

/** The value's own property, whatever the value is. */
export function property(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string | number, unknown>)[name]
    : undefined;
}

/** The value's own property as a list; an empty one when it is none. */
export function list(value: unknown, name: string): readonly unknown[] {
  const found = property(value, name);
  return Array.isArray(found) ? found : [];
}
