import { z } from 'zod';
import { type FieldError, Refusal } from '../../src/platform/errors';
import { fieldErrors, fieldPath } from './field-errors';
import { isUnstorable, unstorableAt } from './json-body';

/** Fields that a response names at most, and characters of a name. */
const MOST_NAMES = 20;
const NAME_LENGTH = 100;

type Path = readonly PropertyKey[];

/** Returns the paths of the members of a value that a schema does not know. A value of a wrong type has none. */
export function unknownMembers(schema: z.core.$ZodType, value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = (inner: z.core.$ZodType) => unknownMembers(inner, value, path);
  if (schema instanceof z.ZodObject) {
    // A schema with `catchall` knows every member, or refuses the others.
    const isClosed = schema.def.catchall === undefined;
    const { shape } = schema;
    return Object.entries(value).flatMap(([name, member]) => {
      if (!Object.hasOwn(shape, name)) return isClosed ? [[...path, name]] : [];
      return typeof member === 'object' ? unknownMembers(shape[name], member, [...path, name]) : [];
    });
  }
  if (schema instanceof z.ZodArray) {
    return Array.isArray(value)
      ? value.flatMap((member, index) => unknownMembers(schema.element, member, [...path, index]))
      : [];
  }
  if (schema instanceof z.ZodRecord) {
    return Object.entries(value).flatMap(([name, member]) => unknownMembers(schema.valueType, member, [...path, name]));
  }
  // Of several schemas, the one that knows most of the value is meant.
  if (schema instanceof z.ZodUnion) {
    const [closest = []] = schema.options.map(within).sort((a, b) => a.length - b.length);
    return closest;
  }
  if (schema instanceof z.ZodPipe) return within(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodReadonly
  )
    return within(schema.unwrap());
  return [];
}

/** The query of an operation without query parameters. */
const NO_PARAMETERS = z.object({});

/** Returns true for the schema of a body that refuses fields which it does not know: a guess does harm there. */
function refusesUnknownFields(schema: z.core.$ZodType | undefined): boolean {
  if (schema instanceof z.ZodObject) return schema.def.catchall instanceof z.ZodNever;
  if (schema instanceof z.ZodUnion) return schema.options.every(refusesUnknownFields);
  return schema instanceof z.ZodPipe && refusesUnknownFields(schema.in);
}

/**
 * Returns the value of `X-Ignored-Fields`: the fields of a request that its schemas do not know, and which are therefore
 * ignored. Null: there are none. Operations in which a guess does harm have strict schemas instead, which refuse them.
 */
export function ignoredFields(
  { query, body }: { readonly query?: z.ZodType | undefined; readonly body?: z.ZodType | undefined },
  sent: Pick<SentRequest, 'query' | 'body'>,
): string | null {
  const paths = [
    ...unknownMembers(query ?? NO_PARAMETERS, sent.query),
    ...(body === undefined ? [] : unknownMembers(body, sent.body)),
  ];
  if (paths.length === 0) return null;
  // Names are sent by the caller. A header has visible ASCII characters only, and commas separate the names.
  const names = paths.slice(0, MOST_NAMES).map((path) =>
    fieldPath(path)
      .slice(0, NAME_LENGTH)
      .replace(/[^\w.[\]$@:-]/g, '?'),
  );
  return [...new Set(names), ...(paths.length > MOST_NAMES ? ['...'] : [])].join(', ');
}

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
  // A route without query parameters ignores them.
  const ofQuery = schemas.query === undefined ? [] : unstorableText(sent.query);
  const errors = [...unstorableText(sent.params), ...ofQuery, ...sent.bodyErrors];
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
