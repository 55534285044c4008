import request from 'supertest';
import { auditRoute } from '../../../../api/accounts/audit-route';
import { createApp } from '../../../../api/app';
import { endBulkRepair, storeOutcome } from '../../../../src/orders/upkeep/bulk-repair-rows';
import { bulkRepairWorkflowId } from '../../../../src/platform/domain/workflows';
import { type TestAccount, testAccount } from '../../../support/api-deps';
import { fields, type OrdersApi, ordersApi } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

/** Operators repair many orders at once. test/workflows/bulk-repair carries the repairs out. */

const PATH = '/v1/operator/bulk-repairs';
let api: OrdersApi;
let operator: TestAccount;
let viewer: TestAccount;

beforeAll(async () => {
  api = await ordersApi();
  operator = await testAccount(api.sql, 'operator', 'grace', 'operator');
  viewer = await testAccount(api.sql, 'operator', 'viewer', 'viewer');
});
beforeEach(async () => {
  await api.sql`UPDATE orders SET attention = NULL`;
});

const submitted = async (): Promise<string> => (await api.submit(order()).expect(200)).body.id;
const start = (body: object, by = operator) => api.post(PATH, { reason: 'press down', ...body }, by);
const get = (path: string, by = viewer) => request(api.app).get(`${PATH}${path}`).set(by.key);
const needs = (id: string, reason: string) => api.sql`UPDATE orders SET attention = ARRAY[${reason}] WHERE id = ${id}`;
const starts = (id: string) =>
  api.sql`SELECT payload FROM outbox WHERE kind = 'start_workflow' AND target = ${bulkRepairWorkflowId(id)}`;

test('a bulk repair of given orders starts one workflow, and shows its progress', async () => {
  const ids = [await submitted(), await submitted(), await submitted()] as const;
  const { body } = await start({ action: 'hold', orderIds: [...ids, ids[0].toUpperCase()] }).expect(200);
  expect(body).toMatchObject({
    action: 'hold',
    reason: 'press down',
    partnerId: null,
    requestedBy: { id: operator.id, name: 'grace' },
    status: 'running',
    workflowId: bulkRepairWorkflowId(body.id),
    counts: { total: 3, done: 0, refused: 0, failed: 0, canceled: 0, left: 3 },
    endedAt: null,
  });
  expect(await starts(body.id)).toEqual([
    { payload: expect.objectContaining({ workflowType: 'bulkRepair', args: [{ bulkRepairId: body.id }] }) },
  ]);
  await storeOutcome(api.sql, body.id, ids[0], { outcome: 'done', message: null });
  await storeOutcome(api.sql, body.id, ids[1], { outcome: 'refused', message: 'the order has shipped' });
  expect((await get(`/${body.id}`).expect(200)).body).toMatchObject({
    counts: { total: 3, done: 1, refused: 1, left: 1 },
    notRepaired: [{ message: 'the order has shipped', count: 1, orderIds: [ids[1]] }],
  });
  await endBulkRepair(api.sql, body.id);
  expect((await get(`/${body.id}`).expect(200)).body).toMatchObject({
    status: 'ended',
    counts: { done: 1, refused: 1, canceled: 1, left: 0 },
    endedAt: expect.any(String),
  });
  const { bulkRepairs } = (await get('').expect(200)).body;
  expect(bulkRepairs[0]).toMatchObject({ id: body.id, counts: { total: 3, left: 0 } });
});

test('a bulk repair whose orders have left the tables has none, in the audit log too', async () => {
  const orderId = await submitted();
  const { id } = (await start({ action: 'hold', orderIds: [orderId] }).expect(200)).body;
  // As the archive does.
  await api.sql`DELETE FROM orders WHERE id = ${orderId}`;
  expect((await get(`/${id}`).expect(200)).body.counts).toMatchObject({ total: 0, left: 0 });
  expect((await get('').expect(200)).body.bulkRepairs[0]).toMatchObject({ id, counts: { total: 0, left: 0 } });
  const log = await request(createApp(api.deps, [auditRoute(api.deps)]))
    .get(`/v1/operator/audit?object=bulk_repair:${id}`)
    .set(viewer.key)
    .expect(200);
  expect(log.body.entries).toEqual([
    expect.objectContaining({ outcome: expect.objectContaining({ message: '0 of 0 orders repaired' }) }),
  ]);
});

test('a filter takes the orders that need attention and match', async () => {
  const [refused, other] = [await submitted(), await submitted()];
  await submitted();
  await needs(refused, 'partner_refused');
  await needs(other, 'partner_error');
  const total = async (filter: object) =>
    (await start({ action: 'retry', filter, dryRun: true }).expect(200)).body.total;
  expect(await total({})).toBe(2);
  expect(await total({ attention: ['partner_refused'] })).toBe(1);
  expect(await total({ attention: ['partner_refused', 'partner_error'], clientIds: [api.client.id] })).toBe(2);
  expect(await total({ fulfillmentStatuses: ['created'], createdFrom: '2020-01-01T00:00:00Z' })).toBe(2);
  await start({ action: 'retry', filter: { clientIds: [api.other.id] } }).expect(409);
  await start({ action: 'retry', filter: { partnerIds: [api.partner.id] } }).expect(409);
  await start({ action: 'retry', filter: { createdTo: '2020-01-01T00:00:00Z' } }).expect(409);
});

test('a dry run counts what is possible and why the rest is not, and changes nothing', async () => {
  const ids = [await submitted(), await submitted()];
  const ended = await submitted();
  await api.sql`UPDATE orders SET fulfillment_status = 'delivered' WHERE id = ${ended}`;
  const before = (await api.sql`SELECT FROM bulk_repairs`).length;
  const { body } = await start({ action: 'hold', orderIds: [...ids, ended], dryRun: true }).expect(200);
  expect(body).toEqual({
    total: 3,
    checked: 3,
    possible: 2,
    refused: [{ message: 'the order has ended', count: 1, orderIds: [ended] }],
  });
  const release = (await start({ action: 'release', orderIds: ids, dryRun: true }).expect(200)).body;
  expect(release).toMatchObject({
    possible: 0,
    refused: [{ message: 'the order is not on hold', count: 2, orderIds: expect.arrayContaining(ids) }],
  });
  expect(await api.sql`SELECT FROM bulk_repairs`).toHaveLength(before);
});

test('a bulk repair is canceled once it runs, and not after its end', async () => {
  const { id } = (await start({ action: 'hold', orderIds: [await submitted()] }).expect(200)).body;
  const canceled = await api.post(`${PATH}/${id}/cancel`, {}, operator).expect(200);
  expect(canceled.body.status).toBe('canceling');
  await endBulkRepair(api.sql, id);
  await api.post(`${PATH}/${id}/cancel`, {}, operator).expect(409);
  await api.post(`${PATH}/none/cancel`, {}, operator).expect(404);
  const entries = await api.sql`SELECT action FROM audit_log WHERE object_id = ${id} ORDER BY id`;
  expect(entries.map(({ action }) => action)).toEqual(['bulk_repair.start', 'bulk_repair.cancel']);
});

test('bad input is refused', async () => {
  const id = await submitted();
  const refused = async (body: object) => fields((await start(body).expect(400)).body);
  expect(await refused({ action: 'hold' })).toEqual(['VALIDATION_ERROR orderIds']);
  expect(await refused({ action: 'hold', orderIds: [id], filter: {} })).toEqual(['VALIDATION_ERROR orderIds']);
  expect(await refused({ action: 'hold', orderIds: [api.client.id] })).toEqual(['VALIDATION_ERROR orderIds']);
  expect(await refused({ action: 'hold', orderIds: [id], partnerId: api.partner.id })).toEqual([
    'VALIDATION_ERROR partnerId',
  ]);
  expect(await refused({ action: 'reroute', orderIds: [id], partnerId: api.client.id })).toEqual([
    'VALIDATION_ERROR partnerId',
  ]);
  await start({ action: 'explode', orderIds: [id] }).expect(400);
  await start({ action: 'hold', orderIds: [] }).expect(400);
  await start({ action: 'hold', orderIds: Array.from({ length: 10_001 }, () => id) }).expect(400);
  await start({ action: 'hold', reason: ' ', orderIds: [id] }).expect(400);
  await get('/none').expect(404);
});
