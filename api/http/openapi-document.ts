import { z } from 'zod';
import { hasOperatorRole, OPERATOR_ROLES } from '../../src/accounts/account';
import { EVENT_SCHEMAS } from '../../src/notifications/domain/event-schemas';
import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors';
import { ERROR_BODIES } from './error-body';
import { exampleOf, pathExamplesOf } from './openapi-examples';
import { describedTag } from './openapi-tags';
import { refusalCodes } from './refusal-codes';
import { type Access, type KeyAccess, openRoute, pathParameters, RawResponse, type Route } from './route';
import { SESSION_COOKIE } from './session-cookie';

type JsonSchema = Record<string, unknown>;

/** JSON Schemas of the document. */
interface DocumentSchemas {
  of(schema: z.ZodType): JsonSchema;
  /** Named schemas (`.meta({ id })`), by name. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts all schemas at once to JSON Schema 2020-12, in their wire form: what a client sends, and what a handler returns,
 * which is serialized unchanged.
 * @throws Error when two different schemas have the same name
 */
function jsonSchemas(schemas: Iterable<z.ZodType>): DocumentSchemas {
  const indexes = new Map([...new Set(schemas)].map((schema, index) => [schema, index]));
  // As members of one object, named schemas become references too.
  const all = z.object(Object.fromEntries([...indexes].map(([schema, index]) => [`_${index}`, schema])));
  const converted = z.toJSONSchema(all, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Examples are of what a client sends. zod removes them where a schema transforms its input.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      // Generators of clients cannot make a default of an object type. The defaults of its properties stay.
      if (jsonSchema.default !== null && typeof jsonSchema.default === 'object' && !Array.isArray(jsonSchema.default))
        delete jsonSchema.default;
      // Members that only the service sets are no part of requests.
      const shape: Record<string, z.ZodType> = zodSchema instanceof z.ZodObject ? zodSchema.shape : {};
      for (const [name, member] of Object.entries(shape))
        if (z.globalRegistry.get(member)?.readOnly === true) delete jsonSchema.properties?.[name];
      // Of `readonly()`, which is about the types of this code.
      delete jsonSchema.readOnly;
      delete jsonSchema.id;
    },
  });
  const text = JSON.stringify(converted)
    .replaceAll('"#/$defs/', '"#/components/schemas/')
    .replaceAll('__schema', 'Schema');
  const { properties, $defs = {} } = JSON.parse(text) as {
    properties: Record<string, JsonSchema>;
    $defs?: Record<string, JsonSchema>;
  };
  return { of: (schema) => properties[`_${indexes.get(schema)}`]!, named: $defs };
}

function parameters(
  schemas: DocumentSchemas,
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  names?: readonly string[],
): JsonSchema[] {
  const { properties = {}, required = [] } = (schema === undefined ? {} : schemas.of(schema)) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return (names ?? Object.keys(properties)).map((name) => {
    const { description, examples, ...rest } = properties[name] ?? { type: 'string' };
    const [example] = (examples as unknown[] | undefined) ?? (place === 'path' ? pathExamplesOf(name) : []);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
      schema: rest,
    };
  });
}

function errorResponses(schemas: DocumentSchemas, route: Route): JsonSchema {
  const content = {
    'application/json': { schema: schemas.of(ERROR_BODIES[route.errors].schema) },
    // A page for people is also their error.
    ...(route.contentType === 'text/html' ? { 'text/html': {} } : {}),
  };
  const byStatus = Map.groupBy(refusalCodes(route), (code) => ERROR_CODES[code].status);
  const listed = [...byStatus].sort(([a], [b]) => a - b);
  const hasClientError = listed.some(([status]) => status < 500);
  const inWords = (codes: readonly ErrorCode[]) =>
    codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].message}`).join('\n\n');
  return {
    ...Object.fromEntries(listed.map(([status, codes]) => [status, { description: inWords(codes), content }])),
    // Every operation refuses a request that is not valid HTTP.
    ...(hasClientError ? {} : { '4XX': { description: 'The request is malformed.' } }),
    default: { description: 'Any other error, with the same body.', content },
  };
}

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe. For seven days, the same content returns the stored response and other content returns 422. While the first request is in progress, a retry returns 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function securityOf(access: Access): object[] {
  if (access.credentials === 'none') return [];
  const key = { [access.credentials === 'key:secret' ? 'keyAndSecret' : 'key']: [] };
  return access.operatorRole === undefined ? [key] : [key, { session: [] }];
}

/** Returns the callers of a route in words, for operators with the roles that may call it. */
function callersOf({ roles, operatorRole }: KeyAccess): string[] {
  const permitted = OPERATOR_ROLES.filter(
    (role) => operatorRole && hasOperatorRole({ operatorRole: role }, operatorRole),
  );
  return roles.map((role) => (role === 'operator' ? `operator (${permitted.join(', ')})` : role));
}

/** Returns the schema of a body with an example. @param whole true for an example with every member */
function jsonContent(schemas: DocumentSchemas, body: z.ZodType, whole: boolean): JsonSchema {
  const schema = schemas.of(body);
  return { schema, example: exampleOf(schema, schemas.named, whole) };
}

function operation(schemas: DocumentSchemas, route: Route): JsonSchema {
  const { access, body, upload } = route;
  const given = [
    ...parameters(schemas, route.params, 'path', pathParameters(route.path)),
    ...parameters(schemas, route.query, 'query'),
    ...(route.idempotent ? [IDEMPOTENCY_PARAMETER] : []),
  ];
  const roles = access.credentials === 'none' ? undefined : `For: ${callersOf(access).join(', ')}.`;
  const description = [route.description, roles].filter((text) => text !== undefined).join('\n\n');
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(description ? { description } : {}),
    tags: [route.tag],
    ...deprecationMarks(route),
    ...(route.isRead ? { 'x-reads': true } : {}),
    ...(route.isRepeatable ? { 'x-repeatable': true } : {}),
    ...(access.credentials === 'none' || access.operatorRole === undefined
      ? {}
      : { 'x-operator-role': access.operatorRole }),
    security: securityOf(access),
    ...(given.length > 0 ? { parameters: given } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse({}).success,
            content: { 'application/json': jsonContent(schemas, body, false) },
          },
        }
      : {}),
    ...(upload
      ? {
          requestBody: {
            required: true,
            content: { [upload.contentType]: { schema: { type: 'string', maxLength: upload.mostBytes } } },
          },
        }
      : {}),
    responses: {
      200: {
        description: 'Success.',
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          'X-Ignored-Fields': { $ref: '#/components/headers/IgnoredFields' },
        },
        content: {
          ...(route.contentType
            ? { [route.contentType]: {} }
            : { 'application/json': jsonContent(schemas, route.response, true) }),
          ...Object.fromEntries((route.otherContentTypes ?? []).map((type) => [type, {}])),
        },
      },
      ...Object.fromEntries(
        Object.entries(route.otherStatuses ?? {}).map(([status, description]) => [status, { description }]),
      ),
      ...errorResponses(schemas, route),
    },
  };
}

function deprecationMarks({ deprecated }: Route): JsonSchema {
  if (deprecated === undefined) return {};
  return {
    deprecated: true,
    'x-deprecated-since': deprecated.since,
    ...(deprecated.sunset === undefined ? {} : { 'x-sunset': deprecated.sunset }),
  };
}

const WEBHOOK_HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'Id of the message. Every attempt has the same.',
  'webhook-timestamp': 'Time of the attempt, in seconds since 1970.',
  'webhook-signature': 'Signatures, separated by spaces: `v1,<base64>` (Standard Webhooks 1.0).',
};

/** Returns the requests that Pressline sends to endpoints of clients and operators, by event. */
function webhooks(schemas: DocumentSchemas): JsonSchema {
  const parameters = Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  return Object.fromEntries(
    Object.entries(EVENT_SCHEMAS).map(([event, { schema, summary }]) => [
      event,
      {
        post: {
          operationId: `on${event.replace(/(?:^|_)(\w)/g, (_whole, letter: string) => letter.toUpperCase())}`,
          summary,
          tags: ['Notifications'],
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': jsonContent(schemas, schema, true) },
          },
          responses: {
            '2XX': { description: 'The message was received.' },
            410: { description: 'The endpoint no longer exists. Pressline disables it.' },
          },
        },
      },
    ]),
  );
}

/**
 * Builds the OpenAPI 3.1 document of the routes from the schemas that validate requests.
 * Written by hand on zod's own JSON Schema output: zod-openapi 6 closes 242 response objects of this document
 * (`additionalProperties: false`), although responses may gain fields, and splits three schemas by direction.
 * @param serverUrl public base URL of the API
 * @throws Error when two different schemas have the same name
 */
export function openApiDocument(routes: readonly Route[], serverUrl: string): JsonSchema {
  const schemas = jsonSchemas([
    ...Object.values(ERROR_BODIES).map(({ schema }) => schema),
    ...Object.values(EVENT_SCHEMAS).map(({ schema }) => schema),
    ...routes.flatMap(({ params, query, body, response }) =>
      [params, query, body, response].filter((schema) => schema !== undefined),
    ),
  ]);
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(schemas, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pressline',
      version: '1.0.0',
      description:
        'Print fulfillment: catalog, order intake, partner production, procurement, shipping and tracking. Unknown request fields are ignored and named in `X-Ignored-Fields`; cancellations and repairs refuse them. Responses may gain fields.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map(describedTag),
    paths,
    webhooks: webhooks(schemas),
    components: {
      schemas: Object.fromEntries(Object.entries(schemas.named).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: {
        RequestId: {
          description: 'Identifies the request in logs and workflows.',
          schema: { type: 'string' },
        },
        IgnoredFields: {
          description: 'Fields of the request that the operation does not have. Present when there are some.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description: 'The API key. `key:secret` is accepted too.',
        },
        keyAndSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description: 'API key and secret, joined by a colon: `key:secret`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'The session of an operator (`POST /v1/operator/session`). Requests other than GET also need `X-CSRF-Token`.',
        },
      },
    },
  };
}

/**
 * Returns the route that serves the document of all routes, including itself. The first request builds the document.
 * @param routes every other route
 */
export function openApiRoute(routes: readonly Route[], serverUrl: string): Route {
  let text: string | undefined;
  const self: Route = openRoute('GET /openapi.json', {
    operationId: 'getOpenApiDocument',
    summary: 'Get the OpenAPI document',
    tag: 'System',
    response: z.looseObject({ openapi: z.string() }),
    handler: async () => {
      text ??= JSON.stringify(openApiDocument([...routes, self], serverUrl));
      return new RawResponse(200, { 'Content-Type': 'application/json; charset=utf-8' }, text);
    },
  });
  return self;
}
