import fc from 'fast-check';

export type JsonSchema = {
  readonly [keyword: string]: unknown;
};

/** Values that the service knows, by field name. */
export type Dictionary = Readonly<Record<string, readonly unknown[]>>;

/** Depth limit for optional members and alternatives, because schemas may refer to themselves. */
const MOST_DEPTH = 12;

/**
 * Returns generators of values that satisfy a JSON Schema (2020-12, as zod writes it). They use the dictionary's values for
 * fields with the same name. The values may break rules that no schema expresses (a state for US addresses, references
 * between items).
 * @param components `components.schemas` of the OpenAPI document, the targets of `$ref`
 */
export function schemaValues(components: Readonly<Record<string, JsonSchema>>, dictionary: Dictionary) {
  const named = new Map<string, fc.Arbitrary<unknown>>();

  function of(schema: JsonSchema, name = '', depth = 0): fc.Arbitrary<unknown> {
    if (typeof schema.$ref === 'string') {
      const component = schema.$ref.slice('#/components/schemas/'.length);
      const key = `${component} ${name}`;
      const known = named.get(key);
      if (known !== undefined) return known;
      const made = depth > MOST_DEPTH ? fc.constant(null) : of(components[component]!, name, depth + 1);
      named.set(key, made);
      return made;
    }
    const plain = withoutDictionary(schema, name, depth);
    const words = dictionary[name];
    if (words === undefined || ['object', 'array'].includes(schema.type as string)) return plain;
    return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: plain });
  }

  function withoutDictionary(schema: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
    const either = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (either !== undefined) return fc.oneof(...either.map((one) => of(one, name, depth + 1)));
    switch (schema.type) {
      case 'string':
        return text(schema);
      case 'integer':
      case 'number':
        return number(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return list(schema, name, depth);
      case 'object':
        return object(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  function list(schema: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> {
    const least = (schema.minItems as number | undefined) ?? 0;
    const most = Math.max(least, Math.min((schema.maxItems as number | undefined) ?? 3, 3));
    const items = (schema.items as JsonSchema | undefined) ?? {};
    return fc.array(of(items, name, depth + 1), { minLength: least, maxLength: most });
  }

  function object(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
    const required = (schema.required ?? []) as string[];
    const record = fc.record(Object.fromEntries(properties.map(([key, value]) => [key, of(value, key, depth + 1)])), {
      requiredKeys: depth > MOST_DEPTH ? [] : required,
    });
    if (typeof schema.additionalProperties !== 'object' || properties.length > 0) return record;
    const keys = schema.propertyNames === undefined ? fc.string({ minLength: 1, maxLength: 12 }) : undefined;
    return fc.dictionary(
      keys ?? (of(schema.propertyNames as JsonSchema, '', depth + 1) as fc.Arbitrary<string>),
      of(schema.additionalProperties as JsonSchema, '', depth + 1),
      { maxKeys: 4 },
    );
  }

  return of;
}

const WORDS = ['Torstraße 1', 'Ada', 'O’Brien', '東京都', 'a', 'x-1', '10119', 'Ñandú & Söhne', 'مرحبا'];

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc.oneof(
    fc
      .date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2030-01-01') })
      .map((at) => at.toISOString()),
    fc.constantFrom(
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00.5Z',
      '9999-12-31T23:59:59.999999999Z',
      '9999-12-31T23:59:59-23:59',
      '0000-01-01T00:00:00+23:59',
    ),
  ),
  date: fc.constantFrom('2026-01-05', '2024-02-29', '0000-01-01', '0001-01-01', '9999-12-31', '0000-02-29'),
  uuid: fc.uuid(),
  uri: fc.constantFrom('https://files.example/a.pdf', 'https://files.example/ä?b=c#d', 'https://[2001:db8::1]/x'),
  email: fc.constantFrom('ada@example.com', 'a+b@sub.example.co.uk'),
};

function text(schema: JsonSchema): fc.Arbitrary<string> {
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format !== undefined) return format;
  const least = (schema.minLength as number | undefined) ?? 0;
  const most = (schema.maxLength as number | undefined) ?? 200;
  const fits = (value: string) => value.length >= least && value.length <= most;
  if (typeof schema.pattern === 'string' && schema.pattern !== '\\S') {
    return fc.stringMatching(new RegExp(schema.pattern), { size: 'xsmall' }).filter(fits);
  }
  const words = WORDS.filter(fits);
  const random = fc
    .string({ unit: 'grapheme', minLength: Math.max(least, 1), maxLength: Math.min(most, 40) })
    .filter((value) => fits(value) && value.trim() !== '');
  const full = fc.constantFrom('a', 'é', '語').map((letter) => letter.repeat(most));
  return words.length === 0
    ? fc.oneof(random, full)
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 2, arbitrary: random }, full);
}

function number(schema: JsonSchema): fc.Arbitrary<number> {
  const integer = schema.type === 'integer';
  const above = schema.exclusiveMinimum as number | undefined;
  const least = (schema.minimum as number | undefined) ?? (above === undefined ? -1_000 : above + (integer ? 1 : 0.01));
  const most =
    (schema.maximum as number | undefined) ??
    (schema.exclusiveMaximum as number | undefined) ??
    Math.max(least, 1_000_000_000);
  const min = Math.max(least, Number.MIN_SAFE_INTEGER);
  const max = Math.min(most, Number.MAX_SAFE_INTEGER);
  const small = Math.max(min, Math.min(1, max));
  if (integer) {
    return fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: small, max: Math.min(max, small + 5) }) },
      fc.constantFrom(min, max),
      fc.integer({ min, max }),
    );
  }
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.integer({ min: 0, max: 9_999 }).map((cents) => Math.min(max, small + cents / 100)),
    },
    fc.constantFrom(min, max),
    fc.double({ min, max, noNaN: true }),
  );
}
