import type { Readable } from 'node:stream';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../api/app';
import { openApiDocument } from '../../api/http/openapi-document';
import type { Route } from '../../api/http/route';
import { allRoutes } from '../../api/routes';
import { systemRoutes } from '../../api/system/probes';
import { OPERATOR_ROLES, type OperatorRole, type Role } from '../../src/accounts/account';
import { issueKey, revokeKey } from '../../src/accounts/accounts-and-keys';
import type { Sql } from '../../src/platform/postgres';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Tests every route with every kind of credential. New routes are included automatically. */

/**
 * Who may call each route for operators, by their least role. A viewer reads, searches and quotes; an operator also changes
 * orders, catalog, stock and procurement; an admin also changes keys, operators, partners, clients and rates.
 */
const CHANGES: Readonly<Record<'operator' | 'admin', readonly string[]>> = {
  operator: [
    'putAttribute',
    'addAttributeValues',
    'replaceAttributeValues',
    'replaceAttributeValue',
    'deleteAttributeValue',
    'createProductModel',
    'updateProductModel',
    'createCustomerProduct',
    'updateCustomerProduct',
    'deleteCustomerProduct',
    'addVariantValues',
    'replaceVariantValues',
    'deleteVariantValue',
    'cancelOrder',
    'makeClaim',
    'decideClaim',
    'uploadOrderFile',
    'repairOrder',
    'requestFile',
    'recordPayment',
    'createShippingOrder',
    'cancelShippingOrder',
    'replayDeadMessages',
    'changeClientWebhook',
    'testClientWebhook',
    'redeliverClientWebhookDelivery',
    'redeliverDeadClientWebhookDeliveries',
    'redeliverOrderDelivery',
    'runJob',
    'addOrderNote',
    'pingPartner',
    'setSandboxBehaviour',
    'clearSandboxBehaviours',
    'setSandboxFileFault',
    'clearSandboxFileFault',
    'setSandboxLabelFault',
    'clearSandboxLabelFault',
    'sendSandboxPostback',
    'requestSandboxDispatch',
    'sendSandboxCarrierEvent',
    'startBulkRepair',
    'cancelBulkRepair',
    'decodePayloads',
    'encodePayloads',
    'moveProcurementOrder',
    'receiveProcurementOrder',
    'attachProcurementInvoice',
    'setUpStockItems',
    'correctStock',
    'issueStatements',
    'orderAgain',
    'reprintOrder',
    'patchOrder',
    'updateShipment',
    'replaceFile',
    'preflightFile',
    'createChannel',
    'testChannel',
    'changeChannel',
    'uploadChannelFile',
    'storeChannelMapping',
    'deleteChannelMapping',
    'retryChannelOrder',
    'retryChannelOrders',
    'ignoreChannelOrders',
    'correctChannelOrder',
    'ignoreChannelOrder',
  ],
  admin: [
    'confirmServers',
    'checkPartnerConformance',
    'erasePersonalData',
    'exportPersonalData',
    'createOperator',
    'changeOperator',
    'revokeOperator',
    'rotateOperatorKey',
    'reviveOrder',
    'revokeOperatorKey',
    'createClient',
    'createClientWebhook',
    'changeClient',
    'rotateClientKey',
    'revokeClientKey',
    'disableClientKeyEndpoints',
    'createPartner',
    'changePartner',
    'createPartnerSubscription',
    'rotatePartnerKey',
    'revokePartnerKey',
    'loadExchangeRates',
    'loadTaxRates',
    'createOperatorWebhook',
    'changeOperatorWebhook',
    'deleteOperatorWebhook',
    'rotateOperatorWebhookSecret',
    'testOperatorWebhook',
    'redeliverOperatorWebhookDelivery',
    'redeliverDeadOperatorWebhookDeliveries',
  ],
};
/** Routes other than GET that a viewer may call: searches, quotes, previews, signing out, and ending one’s own sessions. */
const VIEWERS_MAY = [
  'previewProductModel',
  'previewRefund',
  'endOperatorSession',
  'endSession',
  'searchOrders',
  'searchShippingOrders',
  'quoteShippingMethods',
];

const ROLES: readonly Role[] = ['client', 'partner', 'operator'];
/** Routes that require no key, with the reason. Any other open route is a defect. */
const OPEN: Readonly<Record<string, string>> = {
  getMessageSchema: 'a published document',
  listMessageSchemas: 'a list of published documents',
  startOperatorSession: 'the key is in the body',
  getSignInMethods: 'the sign-in page reads it; it says whether OpenID Connect is configured',
  startOidcSignIn: 'redirects to the identity provider',
  finishOidcSignIn: 'the code of the identity provider and the cookie of its start are the credentials',
  receiveCarrierEvents: 'the signature is the credential',
  getDocument: 'the signed link is the credential',
  getTrackingPage: 'receivers of packages have no key; it shows no personal data',
  getHealth: 'probes have no key; it says that the process is up',
  getLiveness: 'probes have no key; it says that the process is up',
  getReadiness: 'probes have no key; it says which servers respond',
};

let sql: Sql;
let app: Express;
let routes: Route[];
const accounts = {} as Record<Role, TestAccount>;
const operators = {} as Record<OperatorRole, TestAccount>;

beforeAll(async () => {
  ({ sql } = await testDatabase());
  const deps = await testApiDeps(sql);
  app = createApp(deps, allRoutes(deps));
  routes = [...allRoutes(deps), ...systemRoutes(deps)];
  for (const role of ROLES) accounts[role] = await testAccount(sql, role);
  for (const role of OPERATOR_ROLES) operators[role] = await testAccount(sql, 'operator', role, role);
});

/** Sends a body that no schema accepts. A sender with permission gets a validation error. */
async function knock(route: Route, key?: string): Promise<number> {
  const path = route.path.replace(/\{\w+\}/g, '00000000-0000-0000-0000-000000000000');
  const knocking = request(app)[route.method](path);
  if (key !== undefined) knocking.set('X-API-KEY', key);
  // A stream has no end: its status is the response.
  if (route.contentType === 'text/event-stream') {
    knocking.buffer(true).parse((stream, done) => {
      done(null, {});
      (stream as unknown as Readable).destroy();
    });
  }
  if (route.body !== undefined) knocking.set('Content-Type', 'application/json').send('[0]');
  const { status, body } = await knocking;
  if (status >= 400) expect(JSON.stringify(body)).not.toMatch(/plk_|pls_/);
  return status;
}

const guarded = () => routes.filter(({ access }) => access.credentials !== 'none');
const noKey = (route: Route) => (route.path.startsWith('/procurement/') ? 403 : 401);
const named = (route: Route, status: number) => [route.operationId, status];

test('every route without a key is listed', () => {
  const open = routes.filter(({ access }) => access.credentials === 'none').map((one) => one.operationId);
  expect(open.sort()).toEqual(Object.keys(OPEN).sort());
});

test('every role has routes', () => {
  for (const role of ROLES) {
    const own = guarded().filter(({ access }) => 'roles' in access && access.roles.includes(role));
    expect(own.length).toBeGreaterThan(5);
  }
});

const wrongKeys: readonly (readonly [name: string, key: () => string])[] = [
  ['an empty key', () => ''],
  ['text that is no key', () => 'Bearer abc'],
  ['a key of the right form that nobody has', () => `plk_${'x'.repeat(32)}`],
  ['a key cut short', () => accounts.operator.apiKey.slice(0, -1)],
  ['a key with another case', () => accounts.operator.apiKey.toUpperCase()],
  ['a key with a wrong secret', () => `${accounts.operator.apiKey}:pls_${'x'.repeat(43)}`],
  ['another account’s secret', () => `${accounts.operator.apiKey}:${accounts.client.apiSecret}`],
  ['an empty secret', () => `${accounts.operator.apiKey}:`],
  ['a third part', () => `${accounts.operator.apiKey}:${accounts.operator.apiSecret}:x`],
  ['the secret alone', () => accounts.operator.apiSecret],
  ['two keys', () => `${accounts.operator.apiKey},${accounts.client.apiKey}`],
  ['a key of a hundred thousand characters', () => 'plk_'.padEnd(10_000, 'x')],
];

test('a request without a key is refused on every route', async () => {
  for (const route of guarded()) expect(named(route, await knock(route))).toEqual(named(route, noKey(route)));
});

/** A route for a key, one for a key and its secret, and one of the procurement group. */
const sampled = () =>
  guarded().filter(({ operationId }) => ['listOperators', 'searchOrders', 'listInventory'].includes(operationId));

test.each(wrongKeys)('%s is refused', async (_name, key) => {
  expect(sampled()).toHaveLength(3);
  for (const route of sampled()) expect(named(route, await knock(route, key()))).toEqual(named(route, noKey(route)));
});

test.each(['revoked', 'expired'])('a key that was %s is refused', async (end) => {
  for (const role of ROLES) {
    const { keyId, apiKey, apiSecret } = await issueKey(sql, accounts[role].id);
    if (end === 'revoked') await revokeKey(sql, accounts[role].id, keyId);
    else await sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${keyId}`;
    for (const route of sampled())
      expect(named(route, await knock(route, `${apiKey}:${apiSecret}`))).toEqual(named(route, noKey(route)));
  }
});

test.each(ROLES)('a %s’s key is accepted on the routes of its role only', async (role) => {
  for (const route of guarded()) {
    const { access } = route;
    const admitted = 'roles' in access && access.roles.includes(role);
    const status = await knock(route, `${accounts[role].apiKey}:${accounts[role].apiSecret}`);
    if (admitted) expect([...named(route, status), status === 401 || status === 403]).toContain(false);
    else expect(named(route, status)).toEqual(named(route, 403));
  }
});

test('order routes require the client’s secret', async () => {
  const withSecret = guarded().filter(
    ({ access }) => access.credentials === 'key:secret' && access.roles.includes('client'),
  );
  expect(withSecret.map(({ operationId }) => operationId)).toContain('submitOrder');
  for (const route of withSecret) {
    expect(named(route, await knock(route, accounts.client.apiKey))).toEqual(named(route, 401));
  }
});

const forOperators = () =>
  guarded().flatMap((route) =>
    route.access.credentials !== 'none' && route.access.roles.includes('operator')
      ? [{ route, least: route.access.operatorRole! }]
      : [],
  );

test('every route for operators has the least role that its kind of change needs', () => {
  for (const { route, least } of forOperators()) {
    const { operationId, method } = route;
    const expected = OPERATOR_ROLES.find((role) => role !== 'viewer' && CHANGES[role].includes(operationId));
    expect([operationId, least]).toEqual([operationId, expected ?? 'viewer']);
    if (least === 'viewer' && method !== 'get') expect(VIEWERS_MAY).toContain(operationId);
    if (method === 'get') expect([operationId, least]).toEqual([operationId, 'viewer']);
  }
  const known = forOperators().map(({ route }) => route.operationId);
  expect(known).toEqual(expect.arrayContaining([...CHANGES.operator, ...CHANGES.admin, ...VIEWERS_MAY]));
});

test.each(OPERATOR_ROLES)('an operator with the role %s is refused beyond its permissions', async (role) => {
  const rank = OPERATOR_ROLES.indexOf(role);
  for (const { route, least } of forOperators()) {
    const status = await knock(route, operators[role].apiKey);
    if (OPERATOR_ROLES.indexOf(least) > rank) expect(named(route, status)).toEqual(named(route, 403));
    else expect([...named(route, status), status === 401 || status === 403]).toContain(false);
  }
});

test('the OpenAPI document names the roles of operators that may call a route', () => {
  const { paths } = openApiDocument(routes, 'https://pressline.test') as {
    paths: Record<string, Record<string, { description?: string; 'x-operator-role'?: string }>>;
  };
  const words = { viewer: 'viewer, operator, admin', operator: 'operator, admin', admin: 'admin' };
  for (const route of routes) {
    const { description, 'x-operator-role': named } = paths[route.path]![route.method]!;
    const least = route.access.credentials === 'none' ? undefined : route.access.operatorRole;
    expect([route.operationId, named]).toEqual([route.operationId, least]);
    if (least !== undefined) expect(description).toContain(`operator (${words[least]})`);
  }
});

test('a route for operators without a least role does not start', async () => {
  const deps = await testApiDeps(sql);
  const [first] = forOperators();
  const access = { credentials: 'key', roles: ['operator'] } as const;
  expect(() => createApp(deps, [{ ...first!.route, access }])).toThrow(/needs an operatorRole/);
});
