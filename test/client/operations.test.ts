import type { ApiDeps } from '../../api/deps';
import { allRoutes } from '../../api/routes';
import { generateOperations, type OpenApiDocument } from '../../client/generate';
import { OPERATIONS } from '../../client/operations';

const withoutLayout = (code: string) => code.replaceAll(/\s+/g, ' ').trim();

test('the generator writes types for named schemas, inputs and responses, and a table of operations', () => {
  const document: OpenApiDocument = {
    components: {
      schemas: {
        Parcel: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'Decimal string' },
            status: { enum: ['posted', 'lost'] },
            weights: { type: 'array', items: { type: ['integer', 'null'] } },
          },
          required: ['id', 'weights'],
        },
      },
    },
    paths: {
      '/parcels/{id}': {
        get: {
          operationId: 'getParcel',
          summary: 'Read a parcel',
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'full', in: 'query', required: false, schema: { type: 'boolean' } },
          ],
          responses: { 200: { content: { 'application/json': { schema: { $ref: '#/x/Parcel' } } } } },
        },
      },
      '/parcels/{id}/label': {
        get: {
          operationId: 'getLabel',
          summary: 'A file',
          responses: { 200: { content: { 'application/pdf': {} } } },
        },
      },
    },
  };
  expect(withoutLayout(generateOperations(document))).toBe(
    withoutLayout(`
      export type Parcel = {
        /** Decimal string */
        id: string;
        status?: 'posted' | 'lost' | undefined;
        weights: (number | null)[];
      };
      export interface Operations {
        /** Read a parcel */
        getParcel: {
          input: { params: { id: string; }; query?: { full?: boolean | undefined; } | undefined; };
          response: Parcel;
        };
      }
      /** The notifications by their event. */
      export interface WebhookEvents {
      }
      export const OPERATIONS = {
        getParcel: { method: 'get', path: '/parcels/{id}', idempotent: false, repeatable: true },
      } as const;`),
  );
});

test('the client has every operation of the routes', () => {
  // Placeholder for the dependencies of the routes. Describing routes calls none of them.
  const hollow: unknown = new Proxy(() => undefined, {
    get: (_target, name) => (name === Symbol.toPrimitive ? () => '' : hollow),
    apply: () => hollow,
  });
  const operations = new Map(allRoutes(hollow as ApiDeps).map((route) => [route.operationId, route.method]));
  expect(Object.keys(OPERATIONS).length).toBeGreaterThan(50);
  for (const [name, { method }] of Object.entries(OPERATIONS))
    expect([name, operations.get(name)]).toEqual([name, method]);
});
