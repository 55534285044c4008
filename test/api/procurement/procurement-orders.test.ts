import { NativeConnection, Worker } from '@temporalio/worker';
import type { Express } from 'express';
import request from 'supertest';
import { createProcurementActivities } from '../../../activities/procurement';
import { createApp } from '../../../api/app';
import { procurementOrderRoutes } from '../../../api/procurement/procurement-order-routes';
import { procurementRoutes } from '../../../api/procurement/routes';
import { stockRoutes } from '../../../api/procurement/stock-routes';
import { procurementWorkflowId } from '../../../src/platform/domain/workflows';
import { startRelay } from '../../../src/platform/outbox/relay';
import { temporalLanes } from '../../../src/platform/outbox/temporal-delivery';
import type { Sql } from '../../../src/platform/postgres';

import { stockPartner } from '../../src/procurement/stock-fixture';
import { type TestAccount, testAccount, testApiDeps } from '../../support/api-deps';
import { testDatabase } from '../../support/database';
import { keepHistory } from '../../support/histories';
import { testTemporalAddress, workflowBundle } from '../../support/servers';

let sql: Sql;
let app: Express;
let deps: Awaited<ReturnType<typeof testApiDeps>>;
let operator: TestAccount;
const taskQueue = `procurement-${process.pid}-${Date.now()}`;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  ({ sql } = await testDatabase());
  deps = await testApiDeps(sql);
  app = createApp(deps, [...procurementRoutes(deps), ...procurementOrderRoutes(deps), ...stockRoutes(deps)]);
  operator = await testAccount(sql, 'operator');

  const connection = await NativeConnection.connect({ address: testTemporalAddress() });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: workflowBundle(),
    activities: createProcurementActivities({ sql }),
  });
  const running = worker.run();
  const relay = await startRelay({
    sql,
    lanes: temporalLanes({ client: deps.temporal, sql: deps.sql, taskQueue, publicUrl: deps.publicUrl }),
    log: deps.log,
  });
  stops.push(async () => {
    await relay.stop();
    worker.shutdown();
    await running;
    await connection.close();
  });
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

/** Order ids by scenario. test/workflows/replay.test.ts replays their histories. */
const played = new Map<string, number>();
afterEach(async () => {
  if (process.env.RECORD_HISTORIES === undefined) return;
  for (const [scenario, orderId] of played) {
    const run = deps.temporal.workflow.getHandle(procurementWorkflowId(orderId));
    await keepHistory('procurement', scenario, await run.fetchHistory());
  }
  played.clear();
});

const get = (path: string) => request(app).get(path).set(operator.key);
const post = (path: string, body: object, as = operator) => request(app).post(path).set(as.key).send(body);
const order = (orderId: number, rest = '') => `/v1/operator/procurement-orders/${orderId}${rest}`;

/** Returns a partner with a stock item at its minimum and the procurement order for it, whose workflow has started. */
async function raised(): Promise<{ partner: TestAccount; orderId: number }> {
  const partner = await stockPartner(sql);
  await post(`/v1/partners/${partner.id}/stock-items`, {
    items: [
      {
        partnerSku: 'frame',
        productName: 'Frame',
        minStock: 10,
        maxStock: 50,
        openingQuantity: 30,
        supplier: { uid: 'ramy', unitCost: 12.5, currency: 'EUR' },
      },
    ],
  }).expect(200);
  await post(
    '/procurement/v1/inventory/adjust-stock',
    { adjustments: [{ partnerSku: 'frame', adjustmentType: 'consume', quantity: 25 }] },
    partner,
  ).expect(200);
  const { body } = await post('/procurement/v1/order/list', {}, partner).expect(200);
  const { orderId } = body.orders[0];
  const handle = deps.temporal.workflow.getHandle(`procurement-order-${orderId}`);
  for (let tries = 0; tries < 100; tries += 1) {
    const started = await handle.describe().catch(() => undefined);
    if (started !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { partner, orderId };
}

const inventory = async (partner: TestAccount) =>
  (await post('/procurement/v1/inventory/list', {}, partner).expect(200)).body.inventoryItem[0];

it('a procurement order moves from a low stock level to invoiced', async () => {
  const { partner, orderId } = await raised();
  played.set('invoiced', orderId);
  expect(await inventory(partner)).toMatchObject({ quantity: 5, quantityOrdered: 45, alertUid: 'low_stock' });

  const moved = await post(order(orderId, '/transitions'), {
    status: 'confirmed',
    partnerPoNumber: 'PO-7',
    shippingCost: 9.9,
  }).expect(200);
  expect(moved.body).toMatchObject({
    status: 'confirmed',
    partnerPoNumber: 'PO-7',
    shippingCost: 9.9,
    totalCost: 572.4,
    partnerName: partner.name,
    workflowId: `procurement-order-${orderId}`,
  });
  const corrected = { status: 'confirmed', partnerPoNumber: 'PO-8' };
  expect((await post(order(orderId, '/transitions'), corrected).expect(200)).body).toMatchObject({
    ...corrected,
    shippingCost: 9.9,
  });
  await post(order(orderId, '/transitions'), { status: 'in-transit' }).expect(200);

  const part = { receiptId: 'note-1', items: [{ partnerSku: 'frame', quantity: 20 }] };
  await post(order(orderId, '/receipts'), part).expect(200);
  const again = await post(order(orderId, '/receipts'), part).expect(200);
  expect(again.body).toMatchObject({ status: 'in-transit', items: [{ quantityReceived: 20 }] });
  expect(await inventory(partner)).toMatchObject({ quantity: 25, quantityOrdered: 25, alertUid: null });
  const rest = { receiptId: 'note-2', items: [{ partnerSku: 'frame', quantity: 25 }] };
  expect((await post(order(orderId, '/receipts'), rest).expect(200)).body.status).toBe('delivered');

  await post(order(orderId, '/transitions'), { status: 'verified' }).expect(200);
  const early = await post(order(orderId, '/transitions'), { status: 'invoiced' }).expect(409);
  expect(early.body).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('invoice') });
  await post(order(orderId, '/invoices'), {
    url: 'https://supplier.example/i/7.pdf',
    originalFilename: '7.pdf',
    referenceId: 'I-7',
  }).expect(200);
  await post(order(orderId, '/transitions'), { status: 'invoiced' }).expect(200);
  await deps.temporal.workflow.getHandle(`procurement-order-${orderId}`).result();

  const { body } = await get(order(orderId)).expect(200);
  expect(body).toMatchObject({
    status: 'invoiced',
    invoices: [{ referenceId: 'I-7', dueDate: null }],
    items: [{ quantity: 45, quantityReceived: 45 }],
  });
  expect(body.events.map(({ type, actor }: { type: string; actor: string }) => [type, actor])).toEqual([
    ['raised', 'reorder'],
    ['move', operator.name],
    ['move', operator.name],
    ['move', operator.name],
    ['receipt', operator.name],
    ['receipt', operator.name],
    ['move', operator.name],
    ['invoice', operator.name],
    ['move', operator.name],
  ]);
  const finished = await post(order(orderId, '/transitions'), { status: 'invoiced' }).expect(409);
  expect(finished.body.message).toContain('final');
});

it('steps that the status does not allow are refused, and so are unknown orders', async () => {
  const { orderId } = await raised();
  played.set('refused', orderId);
  await post(order(orderId, '/transitions'), { status: 'verified' }).expect(409);
  await post(order(orderId, '/receipts'), {
    receiptId: 'x',
    items: [{ partnerSku: 'frame', quantity: 1 }],
  }).expect(409);
  await post(order(1, '/transitions'), { status: 'confirmed' }).expect(404);
  await get(order(1)).expect(404);
  const { body } = await post(order(orderId, '/invoices'), {
    url: 'http://plain.example/i.pdf',
    dueDate: '31.12.',
  }).expect(400);
  expect(body.errors.map(({ reference }: { reference: string }) => reference).sort()).toEqual([
    'dueDate',
    'originalFilename',
    'url',
  ]);
});

it('equal concurrent receipts count once', async () => {
  const { partner, orderId } = await raised();
  played.set('receipts-at-once', orderId);
  await post(order(orderId, '/transitions'), { status: 'in-transit' }).expect(200);
  const receipt = { receiptId: 'note', items: [{ partnerSku: 'frame', quantity: 11 }] };
  // More updates than a workflow accepts at once: on a busy machine some are 503 and are sent again.
  const received = async () => {
    for (;;) {
      const response = await post(order(orderId, '/receipts'), receipt);
      if (response.status !== 503) return response;
    }
  };
  const responses = await Promise.all(Array.from({ length: 24 }, received));
  expect(responses.map(({ status }) => status)).toEqual(Array(24).fill(200));
  expect(await inventory(partner)).toMatchObject({ quantity: 16 });
});

it('operators list orders by partner, status and attention', async () => {
  const { partner, orderId } = await raised();
  await sql`UPDATE procurement_orders SET attention = 'In status supplier for more than 3 days' WHERE id = ${orderId}`;
  const ids = async (query: string) =>
    (await get(`/v1/operator/procurement-orders?${query}`).expect(200)).body.orders.map(
      (one: { orderId: number }) => one.orderId,
    );
  expect(await ids(`partnerId=${partner.id}`)).toEqual([orderId]);
  expect(await ids(`partnerId=${partner.id}&status=invoiced`)).toEqual([]);
  expect(await ids('attention=true')).toEqual([orderId]);
  expect((await ids('perPage=1')).length).toBe(1);
});

it('operators read stock items and their ledger', async () => {
  const { partner, orderId } = await raised();
  await post(order(orderId, '/transitions'), { status: 'in-transit' }).expect(200);
  await post(order(orderId, '/receipts'), {
    receiptId: 'note',
    items: [{ partnerSku: 'frame', quantity: 11 }],
  }).expect(200);
  const { body } = await get(`/v1/partners/${partner.id}/stock-items?partnerSku=frame,ghost`).expect(200);
  expect(body).toMatchObject({
    items: [
      {
        partnerSku: 'frame',
        quantity: 16,
        reserved: 0,
        backorder: 0,
        supplierUid: 'ramy',
        productUid: 'frame',
      },
    ],
    pagination: { totalItems: 1 },
  });
  const ledger = `/v1/partners/${partner.id}/stock-items/frame/movements`;
  const { movements } = (await get(ledger).expect(200)).body;
  expect(
    movements.map(({ type, quantityDelta }: { type: string; quantityDelta: number }) => [type, quantityDelta]),
  ).toEqual([
    ['receive', 11],
    ['consume', -25],
    ['add', 30],
  ]);
  const older = await get(`${ledger}?before=${movements[1].id}`).expect(200);
  expect(older.body.movements).toEqual([movements[2]]);
  await get('/v1/partners/nobody/stock-items').expect(404);
});

it('a step is 503 while no worker runs', async () => {
  const partner = await stockPartner(sql);
  const [row] = await sql<{ id: string }[]>`
    INSERT INTO procurement_orders (partner_id, supplier_uid, currency) VALUES (${partner.id}, 'ramy', 'EUR') RETURNING id`;
  await sql`
    WITH item AS (
      INSERT INTO stock_items (partner_id, position, partner_sku, product_uid) VALUES (${partner.id}, 1, 'frame', 'frame') RETURNING id
    )
    INSERT INTO procurement_order_items (procurement_order_id, position, stock_item_id, quantity, unit_cost_minor)
    SELECT ${row!.id}, 1, id, 5, 100 FROM item`;
  // No workflow: it is about to start.
  await post(order(Number(row!.id), '/transitions'), { status: 'confirmed' }).expect(503);
  // A workflow without a worker.
  await deps.temporal.workflow.start('procurementOrder', {
    workflowId: `procurement-order-${row!.id}`,
    taskQueue: `${taskQueue}-unserved`,
    args: [{ orderId: Number(row!.id) }],
  });
  const unavailable = await post(order(Number(row!.id), '/transitions'), { status: 'confirmed' }).expect(503);
  expect(unavailable.headers['retry-after']).toBeDefined();
  await deps.temporal.workflow.getHandle(`procurement-order-${row!.id}`).terminate();
});
