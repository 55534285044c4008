import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import { createApp } from '../../../../api/app';
import { openApiDocument } from '../../../../api/http/openapi-document';
import { openRoute, RawResponse, type Route } from '../../../../api/http/route';
import { allRoutes } from '../../../../api/routes';
import { NOTIFICATION_EVENTS, OPERATOR_EVENTS, TEST_EVENT } from '../../../../src/notifications/domain/event-schemas';
import { Refusal } from '../../../../src/platform/errors';
import { testApiDeps } from '../../../support/api-deps';
import { testDatabase } from '../../../support/database';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  security: Record<string, []>[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, object> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

let app: Express;
let routes: Route[];
let document: Document;

beforeAll(async () => {
  const deps = await testApiDeps((await testDatabase()).sql);
  routes = allRoutes(deps);
  app = createApp(deps, routes);
  document = (await request(app).get('/openapi.json').expect(200)).body;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Returns every object and array in a JSON value, including the value. */
function* nodes(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  // Examples are not schemas. A property may have this name too.
  for (const [name, member] of Object.entries(value))
    if (name !== 'examples' || !Array.isArray(member)) yield* nodes(member);
}

test('the document and the routes list the same operations', () => {
  const documented = operations().map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`);
  const system = [
    'get /healthz getHealth',
    'get /livez getLiveness',
    'get /readyz getReadiness',
    'get /openapi.json getOpenApiDocument',
  ];
  const served = routes.map(({ path, method, operationId }) => `${method} ${path} ${operationId}`);
  expect(documented.sort()).toEqual([...served, ...system].sort());
});

test('the document is valid OpenAPI 3.1', () => {
  expect(document.openapi).toBe('3.1.0');
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations()) {
    const inPath = operation.parameters?.filter((parameter) => parameter.in === 'path').map(({ name }) => name) ?? [];
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(operation.parameters?.filter((parameter) => parameter.in === 'path' && !parameter.required) ?? []).toEqual(
      [],
    );
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', 'default']));
    for (const { description } of Object.values(operation.responses)) expect(description).toBeTruthy();
    for (const scheme of operation.security.flatMap((one) => Object.keys(one))) {
      expect(document.components.securitySchemes).toHaveProperty(scheme);
    }
  }
});

test('every reference resolves, and every component is referenced', () => {
  const references = new Set([...nodes(document)].map(({ $ref }) => $ref).filter((ref) => typeof ref === 'string'));
  const at = (pointer: string) =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
  for (const reference of references) expect([reference, at(reference)]).not.toEqual([reference, undefined]);
  // Error bodies are present for every group, whether used or not.
  const named = Object.keys(document.components.schemas).filter((name) => !name.endsWith('Error'));
  for (const name of named) expect(references).toContain(`#/components/schemas/${name}`);
});

test('schemas use only keywords and types of JSON Schema 2020-12', () => {
  const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
  for (const { type, $schema, $defs, nullable } of nodes(document.components.schemas)) {
    if (typeof type === 'string') expect(types).toContain(type);
    expect([$schema, $defs, nullable]).toEqual([undefined, undefined, undefined]);
  }
});

test('the address of an order has the lengths that are stored', () => {
  const { properties } = document.components.schemas.ShippingAddress as { properties: Record<string, object> };
  const limitOf = (field: string) => Number(/"maxLength":(\d+)/.exec(JSON.stringify(properties[field]))?.[1]);
  const fields = ['firstName', 'lastName', 'phone', 'addressLine1', 'addressLine2', 'state', 'city', 'postCode'];
  expect(fields.map(limitOf)).toEqual([100, 100, 100, 255, 255, 100, 100, 100]);
});

test('the document has the credentials that the routes require', () => {
  for (const { access, operationId } of routes) {
    const { operation } = operations().find((one) => one.operation.operationId === operationId)!;
    const expected = { none: [], key: [{ key: [] }], 'key:secret': [{ keyAndSecret: [] }] }[access.credentials];
    const session = access.credentials !== 'none' && access.roles.includes('operator') ? [{ session: [] }] : [];
    expect(operation.security).toEqual([...expected, ...session]);
  }
});

test('one name for two schemas is an error', () => {
  const sample = (path: string, response: z.ZodType) =>
    openRoute(`GET ${path}`, {
      operationId: path,
      summary: '',
      tag: 't',
      errors: 'coded',
      response,
      handler: async () => ({}),
    });
  const twin = (shape: object) => z.object(shape as z.ZodRawShape).meta({ id: 'OpenApiTestTwin' });
  const first = sample('/a', twin({ a: z.string() }));
  const second = sample('/b', twin({ b: z.string() }));
  expect(() => openApiDocument([first, second], 'https://x')).toThrow('OpenApiTestTwin');
});

test('a refusal and a status that a route does not declare fail in tests, and declared ones are in the document', async () => {
  const sample = (path: string, declared: Pick<Route, 'refuses' | 'otherStatuses'>) =>
    openRoute(`GET ${path}`, {
      operationId: path.slice(1),
      summary: '',
      tag: 'System',
      ...declared,
      response: z.object({}),
      handler: async () => {
        if (path.endsWith('moved')) return new RawResponse(302, { Location: '/' });
        throw new Refusal('CONFLICT');
      },
    });
  const samples = [
    sample('/declared', { refuses: ['CONFLICT'] }),
    // The same status with another code.
    sample('/undeclared', { refuses: ['DUPLICATE_ORDER_REFERENCE'] }),
    sample('/declared-moved', { otherStatuses: { 302: 'Leads elsewhere.' } }),
    sample('/undeclared-moved', {}),
  ];
  const app = createApp(await testApiDeps((await testDatabase()).sql), samples);
  for (const [path, status] of Object.entries({
    declared: 409,
    undeclared: 500,
    'declared-moved': 302,
    'undeclared-moved': 500,
  }))
    await request(app).get(`/${path}`).expect(status);
  const { paths } = openApiDocument(samples, 'https://x') as unknown as Document;
  const statuses = (path: string) => Object.keys(paths[path]!.get!.responses);
  expect([statuses('/declared'), statuses('/declared-moved')]).toEqual([
    expect.arrayContaining(['409']),
    expect.arrayContaining(['302']),
  ]);
  expect(statuses('/undeclared-moved')).not.toContain('302');
});

test('the order documents the fields of who is billed and of the return address', () => {
  const { Order, Receipt, OrderBillingEntity, ShownReturnAddress } = document.components.schemas as Record<
    string,
    { properties: Record<string, object> }
  >;
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const billed = expect.objectContaining(reference('OrderBillingEntity'));
  expect([Order!.properties.billingEntity, Receipt!.properties.billingEntity]).toEqual([billed, billed]);
  expect(Order!.properties.returnAddress).toEqual({ anyOf: [reference('ShownReturnAddress'), { type: 'null' }] });
  expect(Object.keys(OrderBillingEntity!.properties)).toEqual(
    expect.arrayContaining(['id', 'companyName', 'companyVatNumbers', 'countryIsoCode', 'recipientName', 'status']),
  );
  const address = ['id', 'country', 'addressLine1', 'addressLine2', 'city', 'postCode', 'state', 'email', 'phone'];
  expect(Object.keys(ShownReturnAddress!.properties)).toEqual(expect.arrayContaining([...address, 'companyName']));
});

test('numbers of pages and rows are integers', () => {
  const counts = operations().flatMap(({ operation: { parameters = [] } }) =>
    parameters.filter(({ name }) => ['limit', 'offset', 'pageNumber', 'perPage'].includes(name)),
  );
  expect(new Set(counts.map(({ schema }) => (schema as { type: string }).type))).toEqual(new Set(['integer']));
});

test('the page loads only local files, and they are served', async () => {
  const page = await request(app).get('/docs').expect(200);
  const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) {
    expect(address).toMatch(/^\/docs(\/|$)/);
    await request(app).get(address).expect(200);
  }
  expect(page.text).not.toMatch(/<script>|style=|onload=/);
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  const missing = await request(app).get('/docs/package.json').expect(404);
  expect(missing.body.code).toBe('NOT_FOUND');
});

test('the start page has links for a browser, and JSON with the same addresses for everyone else', async () => {
  const page = await request(app).get('/').set('Accept', 'text/html,application/xhtml+xml,*/*;q=0.8').expect(200);
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'Accept' });
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  expect(page.text).not.toMatch(/<script|style=|onload=/);
  const linked = [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path!);
  expect(linked).toEqual(['/console', '/guide/', '/docs', '/openapi.json', '/schemas']);

  for (const accept of ['*/*', 'application/json', 'image/png']) {
    const { body } = await request(app).get('/').set('Accept', accept).expect(200).expect('Content-Type', /json/);
    expect(Object.values<string>(body.links).map((link) => new URL(link).pathname)).toEqual(linked);
  }
  // The console and the guide are folders of the build.
  for (const path of linked.slice(2)) await request(app).get(path).expect(200);
  await request(app).post('/').expect(404);
});

test.each([
  ['shops', 'client'],
  ['partners', 'partner'],
  ['operators', 'operator'],
])('the page of %s has the operations that they may call, and the open ones beside them', async (path, role) => {
  await request(app).get(`/docs/${path}`).expect(200);
  const { body } = await request(app).get(`/docs/${path}.json`).expect(200);
  const shown = Object.values(body.paths as Document['paths']).flatMap((methods) => Object.values(methods));
  const own = routes.filter(({ access }) => access.credentials !== 'none' && (access.roles as string[]).includes(role));
  const ids = shown.map(({ operationId }) => operationId);
  expect(ids).toEqual(expect.arrayContaining(own.map(({ operationId }) => operationId)));
  const open = shown.filter(({ security }) => security.length === 0).map(({ operationId }) => operationId);
  expect(ids.length).toBe(own.length + open.length);
  expect(open.includes('listMessageSchemas')).toBe(role === 'partner');
});

test('exports, schemas and pages are documented with their content types', () => {
  const typesOf = (wanted: string, status: number) =>
    Object.keys(
      operations().find(({ operation }) => operation.operationId === wanted)!.operation.responses[status]!.content!,
    );
  const exported = operations().filter(({ operation: { parameters = [] } }) =>
    parameters.some(({ name, schema }) => name === 'format' && JSON.stringify(schema).includes('"json","csv"')),
  );
  expect(exported.length).toBeGreaterThan(5);
  for (const { operation } of exported)
    expect(typesOf(operation.operationId, 200)).toEqual(expect.arrayContaining(['application/json', 'text/csv']));
  expect(typesOf('getReport', 200)).toContain('application/vnd.apache.parquet');
  expect(typesOf('getMessageSchema', 200)).toContain('application/schema+json');
  expect(typesOf('getTrackingPage', 404)).toContain('text/html');
  expect(typesOf('getShipmentLabel', 200)).toEqual(expect.arrayContaining(['application/pdf', 'application/zpl']));
});

test('the address of the schemas leads to their list without its slash too', async () => {
  await request(app).get('/schemas/').expect(308).expect('Location', '/schemas');
});

test('the document has a webhook for each event, with the schema of its message', () => {
  const { webhooks } = document as unknown as {
    webhooks: Record<
      string,
      { post: Operation & { requestBody: { content: Record<string, { schema: { $ref: string } }> } } }
    >;
  };
  expect(Object.keys(webhooks).sort()).toEqual([...NOTIFICATION_EVENTS, ...OPERATOR_EVENTS, TEST_EVENT].sort());
  for (const [event, { post }] of Object.entries(webhooks)) {
    const { $ref } = post.requestBody.content['application/json']!.schema;
    const schema = document.components.schemas[$ref.split('/').at(-1)!] as { properties: { event: object } };
    expect(schema.properties.event).toMatchObject({ const: event });
    expect(post.parameters!.map(({ name }) => name)).toContain('webhook-signature');
  }
});

test('a deprecated operation is marked, and its responses announce it, also an error', async () => {
  const deps = await testApiDeps((await testDatabase()).sql);
  const old = (path: string, deprecated: Route['deprecated']) =>
    openRoute(`GET ${path}`, {
      operationId: path.slice(1),
      summary: 'Old',
      tag: 'System',
      ...(deprecated === undefined ? {} : { deprecated }),
      errors: 'coded',
      query: z.object({ limit: z.coerce.number().optional() }),
      response: z.object({}),
      handler: async () => ({}),
    });
  const sample = createApp(deps, [
    old('/old', { since: '2027-01-01', sunset: '2027-07-01' }),
    old('/older', { since: '2027-01-01' }),
    old('/current', undefined),
  ]);
  const { body } = await request(sample).get('/openapi.json').expect(200);
  expect(body.paths['/old'].get).toMatchObject({
    deprecated: true,
    'x-deprecated-since': '2027-01-01',
    'x-sunset': '2027-07-01',
  });
  expect(body.paths['/current'].get.deprecated).toBeUndefined();
  for (const [address, status] of [
    ['/old', 200],
    ['/old?limit=x', 400],
  ] as const) {
    const { headers } = await request(sample).get(address).expect(status);
    expect(headers.deprecation).toBe('@1798761600');
    expect(headers.sunset).toBe('Thu, 01 Jul 2027 00:00:00 GMT');
  }
  const { headers: undated } = await request(sample).get('/older').expect(200);
  expect([undated.deprecation, undated.sunset]).toEqual(['@1798761600', undefined]);
  const { headers: current } = await request(sample).get('/current').expect(200);
  expect([current.deprecation, current.sunset]).toEqual([undefined, undefined]);
});

describe('The examples of the document', () => {
  type Media = { schema: object; example?: unknown };
  const jsonOf = (content: unknown) => (content as Record<string, Media> | undefined)?.['application/json'];
  const webhooks = () =>
    Object.values((document as unknown as { webhooks: Record<string, { post: Operation }> }).webhooks).map(
      ({ post }) => post,
    );
  const bodies = () =>
    [...operations().map(({ operation }) => operation), ...webhooks()].flatMap((operation) => {
      const response = operation.responses[200] as { content?: unknown } | undefined;
      return [
        { of: `request of ${operation.operationId}`, media: jsonOf(operation.requestBody?.content) },
        { of: `response of ${operation.operationId}`, media: jsonOf(response?.content) },
      ].flatMap(({ of, media }) => (media === undefined ? [] : [{ of, media }]));
    });

  test('are in every JSON request and response, and valid', () => {
    const ajv = addFormats(new Ajv({ strict: false, allErrors: true, logger: false }));
    ajv.addSchema({ $id: 'document', components: document.components });
    const faults = bodies().flatMap(({ of, media }) => {
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/components/', '"document#/components/'));
      if (ajv.validate(schema, media.example)) return [];
      return [`${of}: ${JSON.stringify(media.example)?.slice(0, 200)}: ${ajv.errorsText()}`];
    });
    expect(bodies().length).toBeGreaterThan(200);
    expect(faults).toEqual([]);
  });

  test('of requests are accepted by their operation', () => {
    const faults = operations().flatMap(({ operation: { operationId, requestBody } }) => {
      const result = routes
        .find((route) => route.operationId === operationId)
        ?.body?.safeParse(jsonOf(requestBody?.content)?.example);
      return result === undefined || result.success ? [] : [`${operationId}: ${result.error.message}`];
    });
    expect(faults).toEqual([]);
  });
});
