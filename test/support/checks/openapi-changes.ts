/**
 * The breaking changes between two OpenAPI documents (docs/api-versioning.md, "What may change"). A request may become more permissive
 * and a response more specific; the other way round breaks a client.
 */

type Schema = Record<string, unknown>;

interface Operation {
  operationId: string;
  deprecated?: boolean;
  'x-sunset'?: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
}

type Direction = 'request' | 'response';

const json = (value: unknown) => JSON.stringify(value);
const list = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());
const record = (value: unknown) => (value ?? {}) as Record<string, Schema>;

/** Limits of a value: the keyword, and whether a greater number is stricter. */
const LIMITS: Readonly<Record<string, 'lower' | 'upper'>> = {
  minimum: 'lower',
  exclusiveMinimum: 'lower',
  minLength: 'lower',
  minItems: 'lower',
  maximum: 'upper',
  exclusiveMaximum: 'upper',
  maxLength: 'upper',
  maxItems: 'upper',
};

/**
 * Returns the breaking changes, one text each: `POST /v1/orders request.items[].quantity: required`.
 * @param today YYYY-MM-DD, which the sunset of a removed operation is compared with
 */
export function breakingChanges(before: ApiDocument, after: ApiDocument, today: string): string[] {
  const changes: string[] = [];
  const compare = createComparison(before, after, (change) => changes.push(change));
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const next = after.paths[path]?.[method];
      if (next !== undefined) compare.operation(name, operation, next);
      else {
        const sunset = operation.deprecated ? operation['x-sunset'] : undefined;
        changes.push(
          `${name}: removed${sunset !== undefined && sunset <= today ? '' : ' without a sunset that has passed'}`,
        );
      }
    }
  }
  for (const [event, { post }] of Object.entries(before.webhooks ?? {})) {
    const next = after.webhooks?.[event]?.post;
    if (next === undefined) changes.push(`webhook ${event}: removed`);
    else compare.webhook(`webhook ${event}`, post, next);
  }
  return [...new Set(changes)];
}

function createComparison(before: ApiDocument, after: ApiDocument, report: (change: string) => void) {
  const resolve = (document: ApiDocument, schema: Schema): Schema => {
    if (typeof schema.$ref === 'string')
      return resolve(document, document.components.schemas[schema.$ref.split('/').at(-1)!] ?? {});
    if (!Array.isArray(schema.allOf)) return schema;
    const parts = (schema.allOf as Schema[]).map((part) => resolve(document, part));
    return {
      ...Object.assign({}, ...parts),
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
      required: parts.flatMap(({ required }) => list(required)),
    };
  };

  /** Returns the alternatives of a schema. A schema without alternatives is the only one. */
  const alternatives = (document: ApiDocument, schema: Schema): Schema[] => {
    const whole = resolve(document, schema);
    const choices = (whole.anyOf ?? whole.oneOf) as Schema[] | undefined;
    if (choices !== undefined) return choices.flatMap((choice) => alternatives(document, choice));
    if (!Array.isArray(whole.type)) return [whole];
    return whole.type.map((type) => ({ ...whole, type }));
  };

  /** Returns the changes between two schemas as texts that begin with their place. */
  function differences(
    old: Schema,
    next: Schema,
    direction: Direction,
    place: string,
    seen: ReadonlySet<string>,
  ): string[] {
    const pair = `${old.$ref} ${next.$ref} ${direction}`;
    if (old.$ref !== undefined && next.$ref !== undefined) {
      if (seen.has(pair)) return [];
      seen = new Set([...seen, pair]);
    }
    const was = alternatives(before, old);
    const is = alternatives(after, next);
    if (was.length === 1 && is.length === 1) return ofAlternative(was[0]!, is[0]!, direction, place, seen);
    // Each alternative that is produced must be one that is understood.
    const [produced, understood] = direction === 'request' ? [was, is] : [is, was];
    return produced.flatMap((one) => {
      const fits = understood.some((other) => {
        const [from, to] = direction === 'request' ? [one, other] : [other, one];
        return ofAlternative(from, to, direction, place, seen).length === 0;
      });
      if (fits) return [];
      const kind = String(one.type ?? json(one.const ?? one.enum ?? 'object'));
      return [`${place}: ${kind} is ${direction === 'request' ? 'no longer accepted' : 'new'}`];
    });
  }

  function ofAlternative(
    old: Schema,
    next: Schema,
    direction: Direction,
    place: string,
    seen: ReadonlySet<string>,
  ): string[] {
    const [narrow, wide] = direction === 'request' ? [old, next] : [next, old];
    const isSubtype =
      wide.type === undefined || narrow.type === wide.type || (narrow.type === 'integer' && wide.type === 'number');
    if (!isSubtype) return [`${place}: type ${old.type ?? 'any'} became ${next.type ?? 'any'}`];
    return [
      ...valueChanges(old, next, direction, place),
      ...(direction === 'request' ? limitChanges(old, next, place) : []),
      ...propertyChanges(old, next, direction, place, seen),
      ...(typeof old.items === 'object' && typeof next.items === 'object'
        ? differences(old.items as Schema, next.items as Schema, direction, `${place}[]`, seen)
        : []),
      ...(typeof old.additionalProperties === 'object' && typeof next.additionalProperties === 'object'
        ? differences(
            old.additionalProperties as Schema,
            next.additionalProperties as Schema,
            direction,
            `${place}.*`,
            seen,
          )
        : []),
    ];
  }

  function propertyChanges(
    old: Schema,
    next: Schema,
    direction: Direction,
    place: string,
    seen: ReadonlySet<string>,
  ): string[] {
    const [was, is] = [record(old.properties), record(next.properties)];
    const isRequired = (schema: Schema, name: string) => list(schema.required).includes(name);
    const changes = Object.entries(was).flatMap(([name, schema]) => {
      const at = `${place}.${name}`;
      if (is[name] === undefined) return [`${at}: removed`];
      const mayBeAbsent =
        direction === 'response' && isRequired(old, name) && !isRequired(next, name) ? [`${at}: may be absent`] : [];
      return [...mayBeAbsent, ...differences(schema, is[name], direction, at, seen)];
    });
    if (direction === 'response') return changes;
    const required = list(next.required).filter((name) => !isRequired(old, String(name)));
    return [...changes, ...required.map((name) => `${place}.${String(name)}: required`)];
  }

  const inBody = (operation: Operation) => operation.requestBody?.content['application/json']?.schema;

  return {
    operation(name: string, old: Operation, next: Operation): void {
      if (old.operationId !== next.operationId)
        report(`${name}: operationId ${old.operationId} became ${next.operationId}`);
      for (const scheme of old.security ?? [])
        if (next.security?.length && !next.security.some((other) => json(other) === json(scheme)))
          report(`${name}: credentials ${Object.keys(scheme).join('+')} are no longer accepted`);
      if (old.security?.length === 0 && next.security?.length) report(`${name}: credentials required`);
      parameterChanges(name, old, next);
      const [oldBody, nextBody] = [inBody(old), inBody(next)];
      if (oldBody !== undefined && nextBody !== undefined)
        differences(oldBody, nextBody, 'request', `${name} request`, new Set()).forEach(report);
      if (next.requestBody?.required && !old.requestBody?.required) report(`${name} request: required`);
      for (const [status, { content = {} }] of Object.entries(old.responses)) {
        if (!status.startsWith('2')) continue;
        for (const [type, { schema }] of Object.entries(content)) {
          const other = next.responses[status]?.content?.[type];
          if (other === undefined) report(`${name} response: ${type} removed`);
          else if (schema !== undefined && other.schema !== undefined)
            differences(schema, other.schema, 'response', `${name} response`, new Set()).forEach(report);
        }
      }
    },
    webhook(name: string, old: Operation, next: Operation): void {
      differences(inBody(old)!, inBody(next)!, 'response', name, new Set()).forEach(report);
    },
  };

  function parameterChanges(name: string, old: Operation, next: Operation): void {
    for (const parameter of next.parameters ?? []) {
      const known = old.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in);
      if (parameter.required && !known?.required) report(`${name} ${parameter.in} ${parameter.name}: required`);
    }
    for (const parameter of old.parameters ?? []) {
      const place = `${name} ${parameter.in} ${parameter.name}`;
      const other = next.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in);
      if (other === undefined) report(`${place}: removed`);
      else differences(parameter.schema, other.schema, 'request', place, new Set()).forEach(report);
    }
  }
}

const valuesOf = (schema: Schema): unknown[] | undefined =>
  'const' in schema ? [schema.const] : (schema.enum as unknown[] | undefined);

/** A response may gain values: a client treats a value that it does not know as such. */
function valueChanges(old: Schema, next: Schema, direction: Direction, place: string): string[] {
  const [was, is] = [valuesOf(old), valuesOf(next)];
  if (is === undefined) return [];
  if (was === undefined) return direction === 'request' ? [`${place}: limited to ${is.map(json).join(', ')}`] : [];
  const gone = was.filter((value) => !is.includes(value));
  if (direction === 'response') return gone.length === was.length ? [`${place}: other values`] : [];
  return gone.map((value) => `${place}: ${json(value)} is no longer accepted`);
}

function limitChanges(old: Schema, next: Schema, place: string): string[] {
  const changes = Object.entries(LIMITS).flatMap(([keyword, side]) => {
    const [was, is] = [old[keyword], next[keyword]] as [number | undefined, number | undefined];
    if (is === undefined || is === was) return [];
    const isStricter = was === undefined || (side === 'lower' ? is > was : is < was);
    return isStricter ? [`${place}: ${keyword} ${is}`] : [];
  });
  const { pattern, format } = next;
  if (pattern !== undefined && pattern !== old.pattern) changes.push(`${place}: another pattern`);
  if (format !== undefined && format !== old.format) changes.push(`${place}: format ${String(format)}`);
  return changes;
}
