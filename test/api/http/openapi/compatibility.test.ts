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
          parameters: [{ ...limit, required: false }],
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

const fields = (properties: Record<string, object>, required: readonly string[] = []) => ({ properties, required });
const request = (...of: Parameters<typeof fields>) => ({ request: fields(...of) });
const response = (...of: Parameters<typeof fields>) => ({ response: fields(...of) });
const text = { type: 'string' };
const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const part = { a: { type: 'array', items: { $ref: '#/components/schemas/Part' } } };
const partWith = (count: object) => ({
  ...response(part),
  schemas: { Part: { type: 'object', ...fields({ count }) } },
});
const limit = { name: 'limit', in: 'query', required: true, schema: { type: 'integer', maximum: 100 } };
type Change = Parameters<typeof documentWith>[0];

describe('A change breaks clients', () => {
  it.each<[what: string, before: Change, after: Change, change: string]>([
    ['a required field of the request', request({ a: text }), request({ a: text }, ['a']), ' request.a: required'],
    ['a new required field of the request', {}, request({ b: text }, ['b']), ' request.b: required'],
    ['a removed field of the request', request({ a: text }), {}, ' request.a: removed'],
    [
      'a narrower type of a request',
      request({ a: nullable }),
      request({ a: text }),
      ' request.a: null is no longer accepted',
    ],
    [
      'a value that a request may no longer have',
      request({ a: { enum: ['x', 'y'] } }),
      request({ a: { enum: ['x'] } }),
      ' request.a: "y" is no longer accepted',
    ],
    [
      'a lower limit of a request',
      request({ a: { type: 'array', maxItems: 10, items: text } }),
      request({ a: { type: 'array', maxItems: 5, items: text } }),
      ' request.a: maxItems 5',
    ],
    [
      'a pattern of a request',
      request({ a: text }),
      request({ a: { ...text, pattern: '^x' } }),
      ' request.a: another pattern',
    ],
    ['a removed field of the response', response({ a: text }), {}, ' response.a: removed'],
    ['a field that may be absent', response({ a: text }, ['a']), response({ a: text }), ' response.a: may be absent'],
    ['null in a response', response({ a: text }), response({ a: nullable }), ' response.a: null is new'],
    [
      'another type within lists and named schemas of a response',
      partWith({ type: 'integer' }),
      partWith(text),
      ' response.a[].count: type integer became string',
    ],
    [
      'another operationId',
      {},
      { operation: { operationId: 'makeParcel' } },
      ': operationId createParcel became makeParcel',
    ],
    [
      'other credentials',
      {},
      { operation: { security: [{ keyAndSecret: [] }] } },
      ': credentials key are no longer accepted',
    ],
    ['a removed parameter', {}, { operation: { parameters: [] } }, ' query limit: removed'],
    ['a required parameter', {}, { operation: { parameters: [limit] } }, ' query limit: required'],
  ])('%s', (_what, before, after, change) => {
    expect(breakingChanges(documentWith(before), documentWith(after), TODAY)).toEqual([`POST /v1/parcels${change}`]);
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
    expect(breakingChanges(event(fields({ a: text })), event({}), TODAY)).toEqual(['webhook shipped.a: removed']);
  });
});

describe('A change is compatible', () => {
  it.each<[what: string, before: Change, after: Change]>([
    ['an optional field of the request', {}, request({ a: text })],
    ['a wider type of a request', request({ a: text }), request({ a: nullable })],
    [
      'a greater limit of a request',
      request({ a: { type: 'integer', maximum: 5 } }),
      request({ a: { type: 'number', maximum: 10 } }),
    ],
    ['a field of the response', {}, response({ a: text }, ['a'])],
    ['a response that is never null any more', response({ a: nullable }), response({ a: text })],
    ['a further value in a response', response({ a: { enum: ['x'] } }), response({ a: { enum: ['x', 'y'] } })],
    [
      'a deprecation',
      {},
      { operation: { deprecated: true, 'x-deprecated-since': '2027-01-01', 'x-sunset': '2027-12-01' } },
    ],
  ])('%s', (_what, before, after) => {
    expect(breakingChanges(documentWith(before), documentWith(after), TODAY)).toEqual([]);
  });
});
