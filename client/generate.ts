type JsonSchema = Record<string, unknown> & {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  type?: string | string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  description?: string;
};

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  'x-reads'?: boolean;
  'x-repeatable'?: boolean;
  parameters?: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: { 200: { content: Record<string, { schema?: JsonSchema }> } };
}

/** The part of an OpenAPI document that the generator reads. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
  webhooks?: Record<
    string,
    { post: { summary: string; requestBody: { content: { 'application/json': { schema: JsonSchema } } } } }
  >;
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  array: 'unknown[]',
  object: 'Record<string, unknown>',
};

const union = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'never';
const wrapped = (type: string) => (/[|&]/.test(type) ? `(${type})` : type);
const propertyName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema: JsonSchema | boolean | undefined): string {
  if (schema === undefined || schema === true) return 'unknown';
  if (schema === false) return 'never';
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(typeOf));
  if (schema.allOf) return schema.allOf.map((part) => wrapped(typeOf(part))).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.type === 'array' && schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`;
  if (schema.type === 'array' && schema.items) return `${wrapped(typeOf(schema.items))}[]`;
  if (schema.type === 'object') return objectType(schema);
  return PRIMITIVES[schema.type ?? ''] ?? 'unknown';
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? commentOf([schema.description]) : '';
    const isRequired = required.includes(name);
    return `${comment}${propertyName(name)}${isRequired ? '' : '?'}: ${typeOf(schema)}${isRequired ? '' : ' | undefined'};`;
  });
  const isOpen = typeof additionalProperties === 'object';
  if (members.length === 0)
    return isOpen ? `Record<string, ${typeOf(additionalProperties)}>` : 'Record<string, unknown>';
  const closed = `{\n${members.join('\n')}\n}`;
  return isOpen ? `${closed} & Record<string, unknown>` : closed;
}

/** Returns a documentation comment of some paragraphs. */
function commentOf(paragraphs: readonly string[]): string {
  const text = paragraphs.join('\n\n').replaceAll('*/', '* /');
  if (!text.includes('\n')) return `/** ${text} */\n`;
  const lines = text.split('\n').map((line) => ` * ${line}`.trimEnd());
  return `/**\n${lines.join('\n')}\n */\n`;
}

/** Returns where an operation takes the cursor of a page, and the property of its response that has the items. */
function pageOf({ parameters = [], requestBody, responses }: Operation, components: OpenApiDocument['components']) {
  const resolved = (schema: JsonSchema | undefined): JsonSchema =>
    schema?.$ref === undefined
      ? (schema ?? {})
      : (components.schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] ?? {});
  const { properties = {} } = resolved(responses[200].content['application/json']?.schema);
  const lists = Object.entries(properties).filter(([, schema]) => resolved(schema).type === 'array');
  if (!('nextCursor' in properties) || lists.length !== 1) return undefined;
  const body = resolved(requestBody?.content['application/json']?.schema).properties ?? {};
  const inQuery = parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'cursor');
  if (!inQuery && !('cursor' in body)) return undefined;
  return { items: lists[0]![0], cursor: inQuery ? 'query' : 'body' };
}

function parameterType(operation: Operation, place: 'path' | 'query'): string | undefined {
  const parameters = operation.parameters?.filter((parameter) => parameter.in === place) ?? [];
  if (parameters.length === 0) return undefined;
  return objectType({
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter((parameter) => parameter.required).map(({ name }) => name),
  });
}

function operationTypes(operation: Operation): string {
  const members: string[] = [];
  const params = parameterType(operation, 'path');
  if (params) members.push(`params: ${params};`);
  const query = parameterType(operation, 'query');
  if (query) members.push(`query?: ${query} | undefined;`);
  const { requestBody } = operation;
  if (requestBody) {
    const [content] = Object.values(requestBody.content);
    const type = typeOf(content!.schema);
    members.push(requestBody.required ? `body: ${type};` : `body?: ${type} | undefined;`);
  }
  const input = members.length > 0 ? `{\n${members.join('\n')}\n}` : 'Record<never, never>';
  const response = typeOf(operation.responses[200].content['application/json']?.schema);
  const { summary, description, deprecated } = operation;
  const comment = commentOf([
    summary,
    ...(description === undefined ? [] : [description]),
    ...(deprecated ? ['@deprecated'] : []),
  ]);
  return `${comment}${operation.operationId}: {\ninput: ${input};\nresponse: ${response};\n};`;
}

/**
 * Returns the TypeScript of the client's operations: a type for each named schema, input and response of each operation, and
 * the table of methods and paths that the client uses. Operations without a JSON response (files) are left out.
 * docs/decisions/019-typed-client.md compares it with openapi-typescript.
 */
export function generateOperations(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .filter(({ operation }) => 'application/json' in operation.responses[200].content);
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  const table = operations.map(({ path, method, operation }) => {
    const isKeyed = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
    // Repeating the request changes nothing more: it reads, it sets a state, it says so, or its key makes it harmless.
    const isMarked = operation['x-reads'] === true || operation['x-repeatable'] === true;
    const repeatable = isKeyed || isMarked || ['get', 'put', 'delete'].includes(method);
    const page = pageOf(operation, document.components);
    const paged = page ? `, page: { items: '${page.items}', cursor: '${page.cursor}' }` : '';
    const [type = 'application/json'] = Object.keys(operation.requestBody?.content ?? {});
    const upload = type === 'application/json' ? '' : `, upload: '${type}'`;
    return `${operation.operationId}: { method: '${method}', path: '${path}', idempotent: ${isKeyed}, repeatable: ${repeatable}${paged}${upload} },`;
  });
  const events = Object.entries(document.webhooks ?? {}).map(([event, { post }]) => {
    const type = typeOf(post.requestBody.content['application/json'].schema);
    return `${commentOf([post.summary])}${event}: ${type};`;
  });
  return [
    ...schemas,
    `export interface Operations {\n${operations.map(({ operation }) => operationTypes(operation)).join('\n')}\n}`,
    `/** The notifications by their event. */\nexport interface WebhookEvents {\n${events.join('\n')}\n}`,
    `export const OPERATIONS = {\n${table.join('\n')}\n} as const;`,
    '',
  ].join('\n\n');
}
