import type { z } from 'zod';
import type { Route } from '../../../api/http/route';
import { allRoutes } from '../../../api/routes';
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS } from '../../../src/accounts/audit-actions';
import type { auditEntrySchema } from '../../../src/accounts/audit-log';
import { fuzzSubject, type Sender, type Subject } from '../../fuzz/subject';
import { sessionOf } from '../../fuzz/subject-objects';
import { validBodies } from '../../fuzz/valid-bodies';
import { testAccount } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { everyPage } from '../../support/every-page';

/** Changing routes that write no audit row, with the reason. Any other changing route must declare its actions. */
const NOT_AUDITED: Readonly<Record<string, string>> = {
  submitOrder: 'a submission',
  deleteDraft: 'a draft is a submission in progress',
  createShippingOrder: 'a submission',
  searchOrders: 'reads',
  quoteOrder: 'reads',
  previewProductModel: 'is rolled back',
  previewRefund: 'reads',
  preflightFile: 'checks a file and changes nothing',
  testChannel: 'tests a connection and changes nothing',
  quoteShippingMethods: 'reads',
  searchShippingOrders: 'reads',
  listProcurementOrders: 'reads',
  listInventory: 'reads',
  listInventoryConsumption: 'reads',
  encodePayloads: 'reads',
  endOperatorSession: 'a sign-out; the log of the process has it',
  testWebhook: 'sends a test event; the delivery log has it',
  redeliverWebhookDelivery: 'sends a notification again; the delivery log has it',
  redeliverDeadWebhookDeliveries: 'sends notifications again; the delivery log has them',
  testClientWebhook: 'sends a test event; the delivery log has it',
  testOperatorWebhook: 'sends a test event; the delivery log has it',
  redeliverOperatorWebhookDelivery: 'sends a notification again; the delivery log has it',
  redeliverDeadOperatorWebhookDeliveries: 'sends notifications again; the delivery log has them',
  postOrderStatus: 'a postback; the inbox has it',
  dispatchOrder: 'production; the event log of the order has it',
  reportStockStatus: 'a report of levels, which is stored as such',
  adjustStock: 'the stock ledger has each movement',
  receiveCarrierEvents: 'checkpoints of carriers',
  moveProcurementOrder: 'the events of the procurement order have it',
  receiveProcurementOrder: 'the events of the procurement order have it',
  attachProcurementInvoice: 'the events of the procurement order have it',
  setSandboxBehaviour: 'a command for the sandbox, which runs in demos only',
  clearSandboxBehaviours: 'a command for the sandbox, which runs in demos only',
  setSandboxFileFault: 'a command for the sandbox, which runs in demos only',
  clearSandboxFileFault: 'a command for the sandbox, which runs in demos only',
  setSandboxLabelFault: 'a command for the sandbox, which runs in demos only',
  clearSandboxLabelFault: 'a command for the sandbox, which runs in demos only',
  sendSandboxPostback: 'the sandbox sends it as a partner; the inbox has it',
  requestSandboxDispatch: 'the sandbox sends it as a partner; the event log of the order has it',
  sendSandboxCarrierEvent: 'the sandbox sends it as a carrier; the tracking has it',
};
/**
 * Actions that need Temporal: those on orders with a workflow, which
 * test/workflows/order/repairs/audited-changes.test.ts calls, and those on jobs. A ping needs a partner that responds:
 * test/api/operator/partners/partner-health.test.ts calls it.
 */
const NEEDS_WORKER = [
  'erasePersonalData',
  'cancelOrder',
  // test/workflows/order/repairs/operator-changes.test.ts
  'requestFile',
  'updateShipment',
  'repairOrder',
  'orderAgain',
  'reprintOrder',
  'confirmServers',
  'recordPayment',
  'cancelShippingOrder',
  'runJob',
  'pingPartner',
  // test/api/operator/partners/partner-conformance.test.ts
  'checkPartnerConformance',
  // test/workflows/order/retail-prices.test.ts
  'patchOrder',
  // test/api/channels/files.test.ts
  'uploadChannelFile',
  // test/workflows/order/file-checks.test.ts
  'replaceFile',
  // test/workflows/order/repairs/claims.test.ts
  'makeClaim',
  'decideClaim',
  // test/workflows/order/repairs/revive.test.ts
  'reviveOrder',
  // test/workflows/order/repairs/uploads.test.ts
  'uploadOrderFile',
];
/** Routes that a browser opens by its address, and that change something. */
const AUDITED_READS = ['finishOidcSignIn'];
/** Acts of the command line. */
const NO_ROUTE = ['archive.restore', 'catalog.import'];

type Entry = z.output<typeof auditEntrySchema>;
interface Page {
  readonly entries: Entry[];
  readonly nextCursor: string | null;
}

let subject: Subject;
let routes: Route[];

beforeAll(async () => {
  subject = await fuzzSubject();
  routes = allRoutes(subject.deps);
});
afterAll(() => subject.stop());

const changing = () => routes.filter(({ method }) => method !== 'get');
const audited = () => changing().filter((route) => route.audits !== undefined);

async function call(route: Route, sender: Sender, path: string, body?: object) {
  const response = await fetch(`${subject.server.url}${path}`, {
    method: route.method.toUpperCase(),
    headers: {
      ...subject.headers[sender],
      'X-Request-Id': `audit-${route.operationId}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const read = async (query: string, sender: Sender = 'operator') => {
  const response = await fetch(`${subject.server.url}/v1/operator/audit${query}`, {
    headers: subject.headers[sender],
  });
  return { status: response.status, body: (await response.json()) as Page };
};

test('every changing route declares its audit actions or is listed as not audited', () => {
  const undeclared = changing()
    .filter((route) => route.audits === undefined)
    .map(({ operationId }) => operationId);
  expect(undeclared.sort()).toEqual(Object.keys(NOT_AUDITED).sort());
  const auditedReads = routes.filter(({ method, audits }) => method === 'get' && audits !== undefined);
  expect(auditedReads.map(({ operationId }) => operationId)).toEqual(AUDITED_READS);
});

test('every audit action of the table belongs to a route', () => {
  const declared = new Set(routes.flatMap(({ audits = [], alsoAudits = [] }) => [...audits, ...alsoAudits]));
  expect([...declared, ...NO_ROUTE].sort()).toEqual([...AUDIT_ACTION_NAMES].sort());
});

test('each changing route writes one row with its actor, request and change, and without secrets', async () => {
  const bodies = validBodies(subject);
  const seen: string[] = [];
  let modelId = '';
  let webhookId = '';
  for (const route of audited().sort(byEffect)) {
    const { operationId, access } = route;
    if (NEEDS_WORKER.includes(operationId) || access.credentials === 'none') continue;
    const sender = access.roles.includes('operator') ? 'operator' : access.roles[0]!;
    // The change of the operator's role has ended the other ones.
    const sessionId =
      operationId === 'endSession'
        ? await sessionOf(subject.sql, { id: subject.ids.operator.operatorId![0]! })
        : undefined;
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (sessionId !== undefined) return sessionId;
      if (operationId === 'updateProductModel') return modelId;
      if (operationId.includes('OperatorWebhook')) return webhookId;
      const ids = subject.ids[sender];
      return encodeURIComponent((ids[`${operationId} ${name}`] ?? ids[name])![0]!);
    });
    const body = route.body === undefined ? undefined : (bodies[operationId]?.[0] ?? {});
    const before = (await read('?limit=250')).body.entries.length;
    const response = await call(route, sender, path, body);
    expect([operationId, response.status, response.text]).toEqual([operationId, 200, expect.any(String)]);
    if (operationId === 'createOperatorWebhook') webhookId = JSON.parse(response.text).id;
    if (operationId === 'createProductModel') modelId = JSON.parse(response.text).id;
    const { entries } = (await read('?limit=250')).body;
    expect([operationId, entries.length]).toEqual([operationId, before + 1]);
    const entry = entries[0]!;
    expect(route.audits).toContain(entry.action);
    expect(entry).toMatchObject({
      actor: { role: sender === 'operator' ? 'admin' : sender },
      object: { type: AUDIT_ACTIONS[entry.action] },
      requestId: `audit-${operationId}`,
      address: '127.0.0.1',
    });
    expect([operationId, entry.before, entry.after]).not.toEqual([operationId, null, null]);
    for (const [secret] of response.text.matchAll(/(plk|pls|whsec)_[\w+/=-]{20,}/g)) {
      expect(JSON.stringify(entry)).not.toContain(secret);
    }
    seen.push(operationId);
  }
  expect(seen).toEqual(expect.arrayContaining(['createPartner', 'subscribePartner', 'deleteWebhook']));
  const rows = await subject.sql`SELECT audit_log::text AS row FROM audit_log`;
  for (const { row } of rows) expect(row).not.toMatch(/plk_\w{20}|pls_\w|whsec_\w/);
});

/** Sorts deletions and revocations last, so that each route finds its object. */
function byEffect(a: Route, b: Route): number {
  const rank = ({ operationId }: Route) => Number(/^(delete|revoke)/.test(operationId));
  return rank(a) - rank(b);
}

test('a change shows the changed fields only, before and after', async () => {
  const { connectorId } = subject.ids.operator;
  const route = routes.find(({ operationId }) => operationId === 'changeClient')!;
  const path = `/v1/connectors/${connectorId![0]}`;
  await call(route, 'operator', path, { channel: 'first', brandedPackaging: 'box' });
  await call(route, 'operator', path, { channel: 'second' });
  const [entry] = (await read('?action=client.change&limit=1')).body.entries;
  expect(entry).toMatchObject({ before: { channel: 'first' }, after: { channel: 'second' } });
  expect(Object.keys(entry!.after!)).toEqual(['channel']);
});

test('a change of members that every object inherits shows what was stored', async () => {
  const sender = 'operator';
  const path = `/v1/partners/${subject.ids.operator.partnerId![0]}/stock-items`;
  const route = routes.find(({ operationId }) => operationId === 'setUpStockItems')!;
  const item = (partnerSku: string) => ({ partnerSku, productName: 'Frame', minStock: 1, maxStock: 5 });
  expect(await call(route, sender, path, { items: [item('__proto__')] })).toMatchObject({ status: 400 });
  expect(await call(route, sender, path, { items: [item('frame-wood-black-a4'), item('constructor')] })).toMatchObject({
    status: 200,
  });
  const [entry] = (await read('?action=stock.set_up&limit=1')).body.entries;
  expect(Object.keys(entry!.before!)).not.toContain('constructor');
  expect(entry!.after!.constructor).toMatchObject({ productName: 'Frame' });
});

test('two changes of an order with one request id have the reason and the outcome of their own events', async () => {
  const { sql, server, foreign, headers } = subject;
  const orderId = foreign.orderId![0]!;
  const dismiss = async (reason: string) => {
    await sql`UPDATE orders SET fulfillment_status = 'returned', attention = '{returned}' WHERE id = ${orderId}`;
    const response = await fetch(`${server.url}/v1/operator/orders/${orderId}/repairs`, {
      method: 'POST',
      headers: { ...headers.operator, 'X-Request-Id': 'used-twice', 'Content-Type': 'application/json' },
      body: JSON.stringify({ action: 'dismiss', reason }),
    });
    expect(response.status).toBe(200);
  };
  await dismiss('sent again');
  await dismiss('given away');
  const { entries } = (await read(`?object=order:${orderId}&action=order.dismiss`)).body;
  expect(entries).toMatchObject([
    { requestId: 'used-twice', reason: 'given away', outcome: { state: 'done' } },
    { requestId: 'used-twice', reason: 'sent again', outcome: { state: 'done' } },
  ]);
});

test('a refused change and a replayed response write no row', async () => {
  const route = routes.find(({ operationId }) => operationId === 'createClient')!;
  const total = async () => (await subject.sql`SELECT 1 FROM audit_log`).length;
  const before = await total();
  await call(route, 'operator', route.path, { name: ' ' });
  await call(route, 'operator', route.path, { name: 'prey' });
  expect(await total()).toBe(before);
  const send = () =>
    fetch(`${subject.server.url}${route.path}`, {
      method: 'POST',
      headers: {
        ...subject.headers.operator,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'audited-once',
      },
      body: JSON.stringify({ name: 'audited-once' }),
    });
  expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  expect(await total()).toBe(before + 1);
});

test('the log is filtered by actor, action, object and time, and paged', async () => {
  const { operatorId } = subject.ids.operator;
  const all = (await read('?limit=250')).body.entries;
  const matching = async (query: string) => (await read(`?limit=250&${query}`)).body.entries;
  const newest = all[0]!;
  for (const actor of [newest.actor.id, newest.actor.name]) {
    const expected = all.filter((entry) => entry.actor.id === newest.actor.id);
    expect(await matching(`actor=${actor}`)).toEqual(expected);
  }
  const ofOperator = all.filter((entry) => entry.object.id === operatorId![0]);
  expect(ofOperator.length).toBeGreaterThan(1);
  expect(await matching(`object=${operatorId![0]}`)).toEqual(ofOperator);
  expect(await matching(`object=operator:${operatorId![0]}`)).toEqual(ofOperator);
  expect(await matching(`object=partner:${operatorId![0]}`)).toEqual([]);
  expect(await matching('object=endpoint')).toEqual(all.filter((entry) => entry.object.type === 'endpoint'));
  expect(await matching('actor=nobody')).toEqual([]);
  expect(await matching(`from=${encodeURIComponent('2100-01-01T00:00:00Z')}`)).toEqual([]);
  expect(await matching(`to=${encodeURIComponent('2100-01-01T00:00:00Z')}`)).toEqual(all);
  expect((await read('?action=nonsense')).status).toBe(400);
  expect((await read('?cursor=nonsense')).status).toBe(400);

  const page = async (cursor: object) => ({
    ...(await read(`?${new URLSearchParams({ limit: '4', ...cursor })}`)).body,
  });
  expect(await everyPage(page, 'entries')).toEqual(all);
});

test.each(['viewer', 'operator'] as const)(
  'an operator with the role %s reads the log, and cannot export it',
  async (role) => {
    const { key } = await testAccount(subject.sql, 'operator', `auditor-${role}`, role);
    const get = (query: string) => fetch(`${subject.server.url}/v1/operator/audit${query}`, { headers: key });
    expect((await get('?limit=1')).status).toBe(200);
    expect((await get('?format=csv')).status).toBe(403);
  },
);

test('a row can neither be changed nor deleted, and the table cannot be emptied', async () => {
  const { sql, owner } = await testDatabase();
  for (const statement of [
    `UPDATE audit_log SET actor_name = 'nobody'`,
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
  ]) {
    await expect(owner.unsafe(statement)).rejects.toThrow('audit_log is append-only');
    await expect(sql.unsafe(statement)).rejects.toThrow('permission denied for table audit_log');
  }
});

test('a field of more than 16 KiB is stored as its size and hash', async () => {
  const route = routes.find(({ operationId }) => operationId === 'createCustomerProduct')!;
  const body = {
    ...(validBodies(subject).createCustomerProduct![0] as object),
    customerIds: Array.from({ length: 900 }, (_, n) => `customer-${n}-${'x'.repeat(20)}`),
  };
  const response = await call(route, 'client', route.path, body);
  expect([response.status, response.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  const [entry] = (await read('?action=customer_product.create&limit=1')).body.entries;
  const stored = entry!.after!.customerIds as { bytes: number };
  expect(stored).toEqual({
    bytes: expect.any(Number),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(stored.bytes).toBeGreaterThan(16 * 1_024);
});
