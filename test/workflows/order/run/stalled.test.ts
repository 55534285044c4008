import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWorker } from '../../../../cli/run-worker';
import { s10 } from '../../../../src/carriers/domain/tracking-numbers';
import { flagOrder } from '../../../../src/orders/run/flags';
import { orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { serveHttp } from '../../../support/other-systems/http-server';
import { workflowBundle } from '../../../support/servers';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { operatorHelpers } from '../operator-fixture';
import {
  accepted,
  carrierScans,
  currentDetails,
  type HandedOver,
  handedOver,
  is,
  misbehaveOnce,
  type OrderNow,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
} from '../order-fixture';

/** No order stands still without a flag: a step that does not succeed, and what was found outside the workflow. */

let stack: TestStack;
const { repair, say, look, enablePartners } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { STALL_AFTER: 3_000 } });
});

const isStalled = ({ attention }: OrderNow) => attention?.split(' ').includes('stalled') ?? false;
const isFine = ({ attention }: OrderNow) => attention === null;

const submit = async (reference: string) => (await stack.client.submitOrder({ body: orderBody(stack, reference) })).id;

/** Returns the messages of the flags in the order's log. */
const flagsOf = async (orderId: string) =>
  (await orderLog(stack, orderId)).filter(({ type }) => type === 'flagged').map(({ data }) => String(data.message));

/** Waits until the order is flagged by a step. */
async function untilFlagged(orderId: string, step: RegExp): Promise<void> {
  await orderUntil(stack, orderId, isStalled);
  await eventually(async () => ((await flagsOf(orderId)).some((message) => step.test(message)) ? true : undefined));
}

/** Waits until the order is flagged by a step, and its run knows it. */
async function untilStalledBy(orderId: string, step: RegExp): Promise<void> {
  await untilFlagged(orderId, step);
  await orderUntil(stack, orderId, isStalled);
  // The run has the flag once it has handled the signal.
  await eventually(async () => (await look(orderId)).run?.stalled);
}

/** Makes changes of an order's rows fail until the returned function is called, as a bug would. */
async function breakTable(table: string, when: 'INSERT' | 'UPDATE', orderId: string, bug = 'a bug in a step') {
  const { asOwner } = stack.database;
  await asOwner(`
    CREATE OR REPLACE FUNCTION break_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.order_id = '${orderId}' THEN RAISE EXCEPTION '${bug}'; END IF;
      RETURN NEW;
    END $$;
    CREATE OR REPLACE TRIGGER break_${table} BEFORE ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION break_${table}();`);
  return () => asOwner(`DROP TRIGGER break_${table} ON ${table}; DROP FUNCTION break_${table};`);
}

/** Starts a server that accepts connections and does not respond until `respond` is called. Then it responds 200. */
async function hangingServer(body: string | Buffer = '{}') {
  let hangs = true;
  const called = Promise.withResolvers<void>();
  const server = await serveHttp((request, response) => {
    called.resolve();
    request.resume().on('end', () => hangs || response.end(body));
  });
  return {
    url: `${server.url}/`,
    /** Resolves at the first request. */
    called: called.promise,
    respond() {
      hangs = false;
      server.closeAllConnections();
    },
  };
}

const setCancelUrl = (url: string) =>
  stack.services.sql`UPDATE partners SET order_cancel_url = ${url} WHERE uid = 'prints-berlin'`;

/** Requests dispatch as the partner. The response is not awaited: it comes late while the step does not succeed. */
const dispatch = ({ printOrderId }: HandedOver) =>
  stack
    .partner('prints-berlin')
    .dispatchOrder({ body: { orderId: printOrderId } as never })
    .then(
      () => 'dispatched',
      () => 'unavailable',
    );

test('an order is stalled while its partner does not accept the print order; it clears when the partner does', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'fails-first', 'stalled-delivery', 2);
  const id = await submit('stalled-delivery');
  await untilStalledBy(id, /^deliverPrintOrder: .*500/);
  const { orders } = await stack.operator.listOperatorOrders({ query: { attention: 'stalled' } });
  expect(orders.map((order) => order.id)).toContain(id);
  expect(await currentDetails(stack, id)).toContain('The step that has not succeeded: deliverPrintOrder: ');
  await orderUntil(stack, id, isFine);
  await accepted(stack, id);
});

test('an operator can cancel a stalled order', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'fails-first', 'stalled-and-cancelled', 100);
  const id = await submit('stalled-and-cancelled');
  await untilStalledBy(id, /^deliverPrintOrder: /);
  await stack.client.cancelOrder({ params: { orderId: id }, body: {} });
  expect(await orderUntil(stack, id, is('canceled'))).toMatchObject({ attention: null });
});

test('an order that ends while its partner hangs at the print order is not stalled by what its run left behind', async () => {
  const { sql } = stack.services;
  const [{ url }] = await sql<[{ url: string }]>`
    SELECT order_submit_url AS url FROM partners WHERE uid = 'prints-berlin'`;
  const partner = await hangingServer();
  const setUrl = (to: string) => sql`UPDATE partners SET order_submit_url = ${to} WHERE uid = 'prints-berlin'`;
  await setUrl(partner.url);
  try {
    const id = await submit('ended-while-it-hangs');
    const printOrderId = await eventually(async () => (await orderNow(stack, id)).printOrderIds[0]);
    await partner.called;
    const trackingCode = s10('R', 6_001, 'FR');
    await say(printOrderId, 'shipped', { trackingCode });
    await orderUntil(stack, id, is('shipped'));
    await carrierScans(stack, trackingCode, 'delivered');
    await orderUntil(stack, id, is('delivered'));
    // The step's time is over when an order that came later is stalled by the same step.
    await untilFlagged(await submit('hangs-too'), /^deliverPrintOrder: /);
    expect(await orderNow(stack, id)).toMatchObject({ status: 'delivered', attention: null });
  } finally {
    partner.respond();
    await setUrl(url);
  }
});

test('an order whose record meets a bug is stalled, and continues after the fix', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'stalled-record');
  const fix = await breakTable('order_items', 'UPDATE', orderId);
  await say({ printOrderId }, 'received');
  await untilFlagged(orderId, /^recordRun: .*a bug in a step/);
  await fix();
  const order = await orderUntil(stack, orderId, (now) => is('in_production')(now) && isFine(now));
  expect(order.items).toEqual([expect.objectContaining({ status: 'in_production' })]);
});

test('a flag from outside belongs to the run: the next record keeps it, and an operator dismisses it', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'flagged');
  expect(await flagOrder(stack.services.sql, orderId, 'out_of_step', 'found by a test')).toBe(true);
  expect(await flagOrder(stack.services.sql, orderId, 'out_of_step', 'found again')).toBe(false);
  const flagInstead = (message: string, text: string, olderThanMs: number) =>
    flagOrder(stack.services.sql, orderId, 'out_of_step', message, { replaces: { text, olderThanMs } });
  const HOUR_MS = 3_600_000;
  expect(await flagInstead('says more', 'found by a test', HOUR_MS)).toBe(true);
  expect(await flagInstead('and again', 'found by a test', HOUR_MS)).toBe(false);
  expect(await flagInstead('says more', 'found by a test', 0)).toBe(false);
  expect(await flagInstead('is later', 'found by a test', 0)).toBe(true);
  expect(await flagsOf(orderId)).toEqual(['found by a test', 'says more', 'is later']);
  await say({ printOrderId }, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  await say({ printOrderId }, 'printed');
  await orderUntil(stack, orderId, is('printed'));
  expect((await orderNow(stack, orderId)).attention).toBe('out_of_step');
  await repair(orderId, { action: 'dismiss' });
  await orderUntil(stack, orderId, isFine);
});

test('a cancellation that arrives after a waiting `shipped` is refused', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'shipped-before-cancel');
  const fix = await breakTable('order_items', 'UPDATE', orderId);
  await say(printOrderId, 'received');
  await untilFlagged(orderId, /^recordRun: /);
  // The run decides both after the record that fails now.
  await say(printOrderId, 'shipped');
  const handle = stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
  const events = async () => (await handle.fetchHistory()).events ?? [];
  await eventually(async () =>
    (await events()).filter((event) => event.workflowExecutionSignaledEventAttributes).length >= 3 ? true : undefined,
  );
  const cancelled = stack.client.cancelOrder({ params: { orderId }, body: {} }).then(
    () => 'cancelled',
    (error: unknown) => error,
  );
  await eventually(async () =>
    (await events()).some((event) => event.workflowExecutionUpdateAcceptedEventAttributes) ? true : undefined,
  );
  await fix();
  expect(await cancelled).toMatchObject({ status: 409, code: 'CONFLICT' });
  expect(await orderUntil(stack, orderId, is('shipped'))).toMatchObject({ financialStatus: 'invoiced' });
});

test('an order whose partner hangs at the cancel request is stalled, and is cancelled when the partner responds', async () => {
  const order = await handedOver(stack, 'stalled-cancel');
  const [{ url }] = await stack.services.sql<[{ url: string }]>`
    SELECT order_cancel_url AS url FROM partners WHERE uid = 'prints-berlin'`;
  const partner = await hangingServer();
  await setCancelUrl(partner.url);
  const { cancellation } = await stack.client.cancelOrder({ params: { orderId: order.orderId }, body: {} });
  expect(cancellation).toBe('requested');
  await untilStalledBy(order.orderId, /^cancelAtPartner: /);
  // A second attempt fails with the timeout of the partner.
  await untilStalledBy(order.orderId, /^cancelAtPartner: .*127\.0\.0\.1/);
  await repair(order.orderId, { action: 'hold' });
  await repair(order.orderId, { action: 'release' });
  partner.respond();
  expect(await orderUntil(stack, order.orderId, is('canceled'))).toMatchObject({ attention: null });
  await setCancelUrl(url);
});

test('an order whose file host hangs is stalled, and continues when the host responds', async () => {
  const file = await fetch(`${stack.sandbox.url}/files/poster-a4.pdf`);
  const host = await hangingServer(Buffer.from(await file.arrayBuffer()));
  const body = orderBody(stack, 'stalled-files');
  const items = body.items.map((item) => ({ ...item, files: [{ type: 'default', url: `${host.url}poster.pdf` }] }));
  const { id } = await stack.client.submitOrder({ body: { ...body, items } });
  await untilStalledBy(id, /^fetchOrderFiles: /);
  host.respond();
  await accepted(stack, id);
  expect(await orderUntil(stack, id, isFine)).toMatchObject({ status: 'passed' });
});

test('an order whose partner names a later time for the next attempt is stalled at once', async () => {
  const partner = await serveHttp((request, response) => {
    request.resume().on('end', () => response.writeHead(503, { 'retry-after': '3600' }).end());
  });
  const order = await handedOver(stack, 'stalled-tomorrow');
  const { sql } = stack.services;
  const [{ url }] = await sql<[{ url: string }]>`
    SELECT order_cancel_url AS url FROM partners WHERE uid = 'prints-berlin'`;
  await setCancelUrl(partner.url);
  await stack.client.cancelOrder({ params: { orderId: order.orderId }, body: {} });
  await untilStalledBy(order.orderId, /^cancelAtPartner: HTTP 503/);
  expect((await look(order.orderId)).run!.stalled!.message).toMatch(/^cancelAtPartner: HTTP 503/);
  await setCancelUrl(url);
});

test('an order whose reroute meets a bug is stalled; other repairs apply, and it is rerouted after the fix', async () => {
  const { orderId, itemIds } = await handedOver(stack, 'stalled-reroute');
  const fix = await breakTable('print_orders', 'INSERT', orderId);
  const rerouted = repair(orderId, { action: 'reproduce', itemId: itemIds[0]!, quantity: 1 }).then(
    () => true,
    () => false,
  );
  await untilStalledBy(orderId, /^planReroute: .*a bug in a step/);
  await repair(orderId, { action: 'hold' });
  expect((await look(orderId)).fulfillmentStatus).toBe('on_hold');
  await repair(orderId, { action: 'release' });
  await fix();
  await rerouted;
  await orderUntil(stack, orderId, ({ printOrderIds }) => printOrderIds.length === 2);
  await orderUntil(stack, orderId, isFine);
});

test('an order whose shipments are replanned and meet a bug is stalled with its latest error; repairs apply meanwhile', async () => {
  const { orderId } = await handedOver(stack, 'stalled-replan', { quantity: 5 });
  const plannedGrams = async () => {
    const [row] = await stack.services.sql<{ grams: number }[]>`
      SELECT total_weight_grams::int AS grams FROM planned_shipments WHERE order_id = ${orderId}`;
    return row!.grams;
  };
  const planned = await plannedGrams();
  await breakTable('planned_shipments', 'UPDATE', orderId);
  const cancelled = { items: [{ itemReferenceId: 'poster', quantity: 4 }], reason: 'fewer guests' };
  await stack.operator.cancelOrder({ params: { orderId }, body: cancelled });
  await untilStalledBy(orderId, /^replanShipments: .*a bug in a step/);
  const fix = await breakTable('planned_shipments', 'UPDATE', orderId, 'another bug');
  await eventually(
    async () => /^replanShipments: .*another bug/.test((await look(orderId)).run?.stalled?.message ?? '') || undefined,
  );
  // A slow step is flagged before its first error.
  const flags = (await flagsOf(orderId)).filter((message) => !message.endsWith('it has not ended yet'));
  expect(flags).toEqual(
    ['a bug in a step', 'another bug'].map((bug) => expect.stringMatching(`^replanShipments: .*${bug}`)),
  );
  await repair(orderId, { action: 'hold' });
  expect((await look(orderId)).fulfillmentStatus).toBe('on_hold');
  await repair(orderId, { action: 'release' });
  await fix();
  await orderUntil(stack, orderId, isFine);
  expect(await plannedGrams()).toBeLessThan(planned);
});

test('a parked order whose next plan meets a bug is stalled, and is planned after the fix', async () => {
  await enablePartners(false);
  const id = await submit('stalled-parked');
  expect(await orderUntil(stack, id, is('on_hold'))).toMatchObject({ attention: 'no_partner' });
  const fix = await breakTable('print_orders', 'INSERT', id);
  await enablePartners(true);
  await repair(id, { action: 'retry' });
  await untilFlagged(id, /^prepareOrder: .*a bug in a step/);
  await fix();
  await accepted(stack, id);
  await orderUntil(stack, id, isFine);
});

test('an order whose dispatch meets a bug is stalled, and gets its label after the fix', async () => {
  const order = await handedOver(stack, 'stalled-dispatch');
  await say(order, 'received');
  await say(order, 'printed');
  await orderUntil(stack, order.orderId, is('printed'));
  const fix = await breakTable('shipments', 'INSERT', order.orderId);
  const requested = dispatch(order);
  await untilStalledBy(order.orderId, /^dispatchPrintOrder: .*a bug in a step/);
  await fix();
  await requested;
  await orderUntil(stack, order.orderId, (now) => now.shipments.bought === 1 && isFine(now));
  expect(await dispatch(order)).toBe('dispatched');
});

test('an order whose workflow task always fails is stalled, and continues with a worker that does not fail', async () => {
  const order = await handedOver(stack, 'stalled-task');
  await stack.stopWorker();
  const folder = await mkdtemp(join(tmpdir(), 'pressline-bundle-'));
  const code = await readFile(workflowBundle().codePath, 'utf8');
  const broken = code.replace('return await run.run();', "throw new Error('a bug in workflow code');");
  expect(broken).not.toBe(code);
  const codePath = join(folder, 'workflows.js');
  await writeFile(codePath, broken);
  const worker = await runWorker(stack.services, { codePath });
  try {
    await say(order, 'received');
    const { temporal, config } = stack.services;
    await eventually(async () => {
      await temporal.workflow.execute('reconcile', {
        workflowId: `reconcile-${randomUUID()}`,
        taskQueue: config.TEMPORAL_TASK_QUEUE,
      });
      return isStalled(await orderNow(stack, order.orderId)) ? true : undefined;
    });
    expect(await flagsOf(order.orderId)).toEqual([expect.stringMatching(/^workflow task: attempt \d+ after failures/)]);
  } finally {
    await worker.stop();
    await rm(folder, { recursive: true, force: true });
  }
  await stack.startWorker();
  await orderUntil(stack, order.orderId, (now) => is('in_production')(now) && isFine(now));
});
