import type { z } from 'zod';
import { type FieldError, Refusal } from '../../src/platform/errors';
import { fieldErrors } from './field-errors';
import { NO_PARAMETERS, refusesUnknownFields } from './ignored-fields';
import { isUnstorable, unstorableAt } from './json-body';

/** Parameters and body as received, before validation. */
export interface SentRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: unknown;
  readonly body: unknown;
  /** Errors that were found while the body was parsed. */
  readonly bodyErrors: readonly FieldError[];
  readonly rawBody: Buffer;
}

/**
 * Validates a request by the schemas of its route.
 * @throws Refusal `VALIDATION_ERROR` with every invalid field of path, query and body
 */
export function validated<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  schemas: { readonly params?: P; readonly query?: Q; readonly body?: B },
  sent: SentRequest,
): { readonly params: z.output<P>; readonly query: z.output<Q>; readonly body: z.output<B> } {
  const errors = [...unstorableText(sent.params), ...unstorableText(sent.query), ...sent.bodyErrors];
  const params = parse(schemas.params, sent.params, errors);
  if (schemas.query === undefined && refusesUnknownFields(schemas.body))
    parse(NO_PARAMETERS.strict(), sent.query, errors);
  const query = parse(schemas.query, sent.query, errors);
  const body = parse(schemas.body, sent.body, errors);
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return { params, query, body };
}

/** Returns the parsed value. Adds the errors of a value that is not valid, which is returned as it is. */
function parse<S extends z.ZodType>(schema: S | undefined, value: unknown, errors: FieldError[]): z.output<S> {
  const result = schema?.safeParse(value);
  if (result?.success) return result.data;
  if (result !== undefined) errors.push(...fieldErrors(result.error, value));
  return value as z.output<S>;
}

function unstorableText(values: unknown): FieldError[] {
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values)
    .filter(([, value]) => [value].flat().some((text) => typeof text === 'string' && isUnstorable(text)))
    .map(([name]) => unstorableAt([name]));
}
