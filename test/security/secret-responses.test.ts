import { openApiDocument } from '../../api/http/openapi-document';
import type { Route } from '../../api/http/route';
import { allRoutes } from '../../api/routes';
import { fuzzSubject, type Subject } from '../fuzz/subject';
import { validBodies } from '../fuzz/valid-bodies';

/** Stored responses of idempotency keys contain no secret in plain text. The list of routes drives these tests. */

let subject: Subject;
let routes: Route[];

beforeAll(async () => {
  subject = await fuzzSubject();
  routes = allRoutes(subject.deps);
});
afterAll(() => subject.stop());

const SECRET_FIELD = /"(apiKey|apiSecret|secret|signingSecret)"/;

/** Returns the routes whose response has a secret, by the document's schemas. */
function routesWithSecrets(): Route[] {
  const { paths } = openApiDocument(routes, 'https://pressline.test') as {
    paths: Record<string, Record<string, { responses: { 200: unknown } }>>;
  };
  const { components } = openApiDocument(routes, 'https://pressline.test') as {
    components: { schemas: Record<string, unknown> };
  };
  const resolved = (schema: unknown, depth = 0): string =>
    JSON.stringify(schema).replace(/\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g, (reference, name: string) =>
      depth > 5 ? reference : resolved(components.schemas[name], depth + 1),
    );
  return routes.filter((route) => SECRET_FIELD.test(resolved(paths[route.path]![route.method]!.responses[200])));
}

test('every route whose response has a secret seals the stored response', () => {
  const found = routesWithSecrets();
  expect(found.map(({ operationId }) => operationId).sort()).toEqual([
    'createClient',
    'createClientWebhook',
    'createOperator',
    'createOperatorWebhook',
    'createPartner',
    'createPartnerSubscription',
    'createWebhook',
    'rotateClientKey',
    'rotateOperatorKey',
    'rotateOperatorWebhookSecret',
    'rotatePartnerKey',
    'rotateWebhookSecret',
    'subscribePartner',
  ]);
  // A subscription takes no key: a partner that missed the response subscribes again.
  for (const { operationId, idempotent, returnsSecret } of found) {
    const keyed = operationId !== 'subscribePartner';
    expect([operationId, idempotent ?? false, returnsSecret ?? false]).toEqual([operationId, keyed, keyed]);
  }
});

test('a repeated request gets the same secret, which the database does not show', async () => {
  const bodies = validBodies(subject);
  let webhookId = '';
  for (const route of routesWithSecrets().filter(({ idempotent }) => idempotent)) {
    const { operationId, access } = route;
    const sender = access.credentials !== 'none' && access.roles.includes('operator') ? 'operator' : 'client';
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      operationId === 'rotateOperatorWebhookSecret' ? webhookId : subject.ids[sender][name]![0]!,
    );
    const send = async () => {
      const response = await fetch(`${subject.server.url}${path}`, {
        method: 'POST',
        headers: {
          ...subject.headers[sender],
          'Content-Type': 'application/json',
          'Idempotency-Key': `once-${operationId}`,
        },
        body: JSON.stringify(bodies[operationId]![0]),
      });
      return { status: response.status, text: await response.text() };
    };
    const first = await send();
    expect([operationId, first.status]).toEqual([operationId, 200]);
    if (operationId === 'createOperatorWebhook') webhookId = JSON.parse(first.text).id;
    const secrets = [...first.text.matchAll(/(plk|pls|whsec)_[\w+/=-]{20,}/g)].map(([secret]) => secret);
    expect([operationId, secrets.length > 0]).toEqual([operationId, true]);
    expect(await send()).toEqual(first);
    const [row] = await subject.sql`
      SELECT idempotency_keys::text AS stored FROM idempotency_keys WHERE key = ${`once-${operationId}`}`;
    for (const secret of secrets) expect([operationId, row!.stored]).not.toContain(secret);
    expect(row!.stored).not.toMatch(/plk_|pls_|whsec_/);
  }
});
