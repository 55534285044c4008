import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { openApiDocument } from '../../../../api/http/openapi-document';
import { allRoutes } from '../../../../api/routes';
import { projectRoot } from '../../../../src/platform/project-root';
import { testApiDeps } from '../../../support/api-deps';
import { type ApiDocument, breakingChanges } from '../../../support/checks/openapi-changes';
import { testDatabase } from '../../../support/database';

const TODAY = '2027-06-01';
const root = projectRoot();

test('the changelog names every breaking change since the released document, and every deprecation', async () => {
  const released: ApiDocument = JSON.parse(
    brotliDecompressSync(readFileSync(join(root, 'test/api/http/openapi/released-openapi.json.br'))).toString('utf8'),
  );
  expect(Object.keys(released.paths).length).toBeGreaterThan(50);
  const { sql } = await testDatabase();
  const current = openApiDocument(allRoutes(await testApiDeps(sql)), 'http://localhost') as unknown as ApiDocument;
  const text = readFileSync(join(root, 'docs/api-versioning.md'), 'utf8');
  const unreleased = text.split('### Unreleased\n')[1]!.split('\n### ')[0]!;
  const today = new Date().toISOString().slice(0, 10);
  const unnamed = breakingChanges(released, current, today).filter((change) => !unreleased.includes(`\`${change}\``));
  expect(unnamed).toEqual([]);
  const deprecated = Object.entries(current.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.deprecated ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(deprecated.filter((name) => !text.includes(`\`${name}\`: deprecated`))).toEqual([]);
});

/** A document with one operation. */
function documentWith(change: {
  request?: object;
  response?: object;
  operation?: object;
  schemas?: Record<string, object>;
}): ApiDocument {
  return {
    paths: {
      '/v1/parcels': {
        post: {
          operationId: 'createParcel',
          security: [{ key: [] }],
          parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 100 } }],
          requestBody: {
            required: false,
            content: { 'application/json': { schema: { type: 'object', ...change.request } } },
          },
          responses: {
            200: { content: { 'application/json': { schema: { type: 'object', ...change.response } } } },
          },
          ...change.operation,
        },
      },
    },
    components: { schemas: (change.schemas ?? {}) as ApiDocument['components']['schemas'] },
  };
}

const properties = (schemas: Record<string, object>, required: readonly string[] = []) => ({
  properties: schemas,
  required,
});
const text = { type: 'string' };
const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };

describe('A change breaks clients', () => {
  const cases: [string, Parameters<typeof documentWith>[0], Parameters<typeof documentWith>[0], string][] = [
    [
      'a required field of the request',
      { request: properties({ a: text }) },
      { request: properties({ a: text }, ['a']) },
      'POST /v1/parcels request.a: required',
    ],
    [
      'a new required field of the request',
      {},
      { request: properties({ b: text }, ['b']) },
      'POST /v1/parcels request.b: required',
    ],
    ['a removed field of the request', { request: properties({ a: text }) }, {}, 'POST /v1/parcels request.a: removed'],
    [
      'a narrower type of a request',
      { request: properties({ a: nullable }) },
      { request: properties({ a: text }) },
      'POST /v1/parcels request.a: null is no longer accepted',
    ],
    [
      'a value that a request may no longer have',
      { request: properties({ a: { enum: ['x', 'y'] } }) },
      { request: properties({ a: { enum: ['x'] } }) },
      'POST /v1/parcels request.a: "y" is no longer accepted',
    ],
    [
      'a lower limit of a request',
      { request: properties({ a: { type: 'array', maxItems: 10, items: text } }) },
      { request: properties({ a: { type: 'array', maxItems: 5, items: text } }) },
      'POST /v1/parcels request.a: maxItems 5',
    ],
    [
      'a pattern of a request',
      { request: properties({ a: text }) },
      { request: properties({ a: { ...text, pattern: '^x' } }) },
      'POST /v1/parcels request.a: another pattern',
    ],
    [
      'a removed field of the response',
      { response: properties({ a: text }) },
      {},
      'POST /v1/parcels response.a: removed',
    ],
    [
      'a field of the response that may be absent',
      { response: properties({ a: text }, ['a']) },
      { response: properties({ a: text }) },
      'POST /v1/parcels response.a: may be absent',
    ],
    [
      'null in a response',
      { response: properties({ a: text }) },
      { response: properties({ a: nullable }) },
      'POST /v1/parcels response.a: null is new',
    ],
    [
      'another type within lists and named schemas of a response',
      {
        response: properties({ a: { type: 'array', items: { $ref: '#/components/schemas/Part' } } }),
        schemas: { Part: { type: 'object', ...properties({ count: { type: 'integer' } }) } },
      },
      {
        response: properties({ a: { type: 'array', items: { $ref: '#/components/schemas/Part' } } }),
        schemas: { Part: { type: 'object', ...properties({ count: text }) } },
      },
      'POST /v1/parcels response.a[].count: type integer became string',
    ],
    [
      'another operationId',
      {},
      { operation: { operationId: 'makeParcel' } },
      'POST /v1/parcels: operationId createParcel became makeParcel',
    ],
    [
      'other credentials',
      {},
      { operation: { security: [{ keyAndSecret: [] }] } },
      'POST /v1/parcels: credentials key are no longer accepted',
    ],
    ['a removed parameter', {}, { operation: { parameters: [] } }, 'POST /v1/parcels query limit: removed'],
    [
      'a required parameter',
      {},
      {
        operation: {
          parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer', maximum: 100 } }],
        },
      },
      'POST /v1/parcels query limit: required',
    ],
  ];

  it.each(cases)('%s', (_what, before, after, change) => {
    expect(breakingChanges(documentWith(before), documentWith(after), TODAY)).toEqual([change]);
  });

  it('the removal of an operation, whose text tells whether its sunset has passed', () => {
    const none = { ...documentWith({}), paths: {} };
    expect(breakingChanges(documentWith({}), none, TODAY)).toEqual([
      'POST /v1/parcels: removed without a sunset that has passed',
    ]);
    const announced = (sunset: string) => documentWith({ operation: { deprecated: true, 'x-sunset': sunset } });
    expect(breakingChanges(announced('2027-06-02'), none, TODAY)).toEqual([
      'POST /v1/parcels: removed without a sunset that has passed',
    ]);
    expect(breakingChanges(announced('2027-06-01'), none, TODAY)).toEqual(['POST /v1/parcels: removed']);
  });

  it('a removed event, or an event without one of its fields', () => {
    const event = (schema: object): ApiDocument => ({
      ...documentWith({}),
      webhooks: {
        shipped: {
          post: {
            operationId: 'onShipped',
            responses: {},
            requestBody: { content: { 'application/json': { schema: { type: 'object', ...schema } } } },
          },
        },
      },
    });
    expect(breakingChanges(event({}), documentWith({}), TODAY)).toEqual(['webhook shipped: removed']);
    expect(breakingChanges(event(properties({ a: text })), event({}), TODAY)).toEqual(['webhook shipped.a: removed']);
  });
});

describe('A change is compatible', () => {
  it.each<[string, Parameters<typeof documentWith>[0], Parameters<typeof documentWith>[0]]>([
    ['an optional field of the request', {}, { request: properties({ a: text }) }],
    ['a wider type of a request', { request: properties({ a: text }) }, { request: properties({ a: nullable }) }],
    [
      'a greater limit of a request',
      { request: properties({ a: { type: 'integer', maximum: 5 } }) },
      { request: properties({ a: { type: 'number', maximum: 10 } }) },
    ],
    ['a field of the response', {}, { response: properties({ a: text }, ['a']) }],
    [
      'a response that is never null any more',
      { response: properties({ a: nullable }) },
      { response: properties({ a: text }) },
    ],
    [
      'a further value in a response',
      { response: properties({ a: { enum: ['x'] } }) },
      { response: properties({ a: { enum: ['x', 'y'] } }) },
    ],
    [
      'a deprecation',
      {},
      { operation: { deprecated: true, 'x-deprecated-since': '2027-01-01', 'x-sunset': '2027-12-01' } },
    ],
  ])('%s', (_what, before, after) => {
    expect(breakingChanges(documentWith(before), documentWith(after), TODAY)).toEqual([]);
  });
});
