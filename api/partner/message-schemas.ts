import { z } from 'zod';
import { dispatchRequestSchema } from '../../src/orders/production/dispatch';
import { postbackSchema } from '../../src/orders/production/postbacks';
import { PRINT_ORDER_VERSIONS, type PrintOrderVersion } from '../../src/partners/domain/partner-protocol';
import {
  cancelRequestSchema,
  ORDER_UPDATE_SCHEMAS,
  PRINT_ORDER_SCHEMAS,
  STOCK_POLL_VERSION,
  stockPollSchema,
} from '../../src/partners/message-schemas';
import { stockReportSchema } from '../../src/partners/partner-schemas';
import { Refusal } from '../../src/platform/errors';
import { openRoute, RawResponse, type Route } from '../http/route';
import { dispatchResponseSchema } from './dispatch';

type JsonSchema = Record<string, unknown>;

interface PublishedSchema {
  readonly title: string;
  readonly schema: z.ZodType;
}

/** Returns the three variants of a message in one version. Version 1.0 has no `brandedPackaging`. */
function ofVersion(
  variants: typeof PRINT_ORDER_SCHEMAS | typeof ORDER_UPDATE_SCHEMAS,
  version: PrintOrderVersion,
): z.ZodType {
  const literal = { version: z.literal(version) };
  return z.union(
    Object.values(variants).map((variant) => {
      const { brandedPackaging: _omitted, ...shape } = variant.shape as z.ZodRawShape;
      return z.object({ ...(version === '1.0' ? shape : variant.shape), ...literal });
    }),
  );
}

const versioned = PRINT_ORDER_VERSIONS.flatMap((version): [string, PublishedSchema][] => [
  [`print-order-${version}.json`, { title: `Print order ${version}`, schema: ofVersion(PRINT_ORDER_SCHEMAS, version) }],
  [
    `order-update-${version}.json`,
    { title: `Order update ${version}`, schema: ofVersion(ORDER_UPDATE_SCHEMAS, version) },
  ],
  [
    `cancel-request-${version}.json`,
    {
      title: `Cancel request ${version}`,
      schema: cancelRequestSchema.extend({ version: z.literal(version) }),
    },
  ],
]);

/** The messages between Pressline and print partners, by the name of their schema file. */
const PUBLISHED: ReadonlyMap<string, PublishedSchema> = new Map([
  ...versioned,
  [`stock-poll-${STOCK_POLL_VERSION}.json`, { title: 'Stock poll', schema: stockPollSchema }],
  [
    `stock-levels-${STOCK_POLL_VERSION}.json`,
    { title: 'Response to a stock poll', schema: z.object({ items: z.array(stockReportSchema) }) },
  ],
  ['status-postback-2.0.json', { title: 'Status postback', schema: postbackSchema }],
  ['dispatch-request-2.0.json', { title: 'Dispatch request', schema: dispatchRequestSchema }],
  ['dispatch-response-2.0.json', { title: 'Response to a dispatch request', schema: dispatchResponseSchema }],
]);

export const MESSAGE_SCHEMA_NAMES: readonly string[] = [...PUBLISHED.keys()];

/**
 * Returns the JSON Schema (2020-12) of a message, generated from the zod schema that builds or validates it. Messages may gain fields,
 * so additional fields are allowed.
 * @param publicUrl base URL of the API, which `$id` begins with
 * @returns undefined when there is no schema of this name
 */
export function messageSchema(name: string, publicUrl: string): JsonSchema | undefined {
  const published = PUBLISHED.get(name);
  if (published === undefined) return undefined;
  const { $schema, ...schema } = z.toJSONSchema(published.schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      delete jsonSchema.id;
    },
  }) as JsonSchema;
  return { $schema, $id: `${publicUrl}/schemas/${name}`, title: published.title, ...schema };
}

export function schemaIndexRoute(publicUrl: string): Route {
  return openRoute('GET /schemas', {
    operationId: 'listMessageSchemas',
    summary: 'List the JSON Schemas of messages',
    tag: 'Partner interaction',
    response: z.object({ schemas: z.array(z.object({ name: z.string(), title: z.string(), url: z.url() })) }),
    handler: async () => ({
      schemas: [...PUBLISHED].map(([name, { title }]) => ({ name, title, url: `${publicUrl}/schemas/${name}` })),
    }),
  });
}

export function messageSchemaRoute(publicUrl: string): Route {
  return openRoute('GET /schemas/{schemaName}', {
    operationId: 'getMessageSchema',
    summary: 'Get the JSON Schema of a message',
    description: `One of ${MESSAGE_SCHEMA_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
    tag: 'Partner interaction',
    params: z.object({ schemaName: z.string() }),
    otherContentTypes: ['application/schema+json'],
    response: z.looseObject({ $schema: z.string(), $id: z.string() }),
    handler: async ({ params: { schemaName } }) => {
      const schema = messageSchema(schemaName, publicUrl);
      if (schema === undefined) throw new Refusal('NOT_FOUND');
      return new RawResponse(
        200,
        { 'Content-Type': 'application/schema+json', 'Cache-Control': 'public, max-age=3600' },
        JSON.stringify(schema),
      );
    },
  });
}
