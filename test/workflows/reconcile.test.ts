import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { ScheduleOverlapPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createReconcileActivities } from '../../activities/reconcile';
import { writeMark } from '../../src/orders/upkeep/reconciliation';
import { RECONCILIATION } from '../../src/platform/domain/periodic-jobs';
import { ensureSchedule, scheduleId } from '../../src/platform/temporal/periodic-jobs';
import type { Reconciliation } from '../../workflows/reconcile';
import { consignmentTo } from '../src/consignments/sample-consignments';
import { buyShipment } from '../src/shipping/bought-shipment';
import { testTemporalAddress, testTemporalBinary } from '../support/servers';
import { eventually, type TestStack, testStack } from '../support/stack';
import { operatorHelpers } from './order/operator-fixture';
import {
  accepted,
  atRest,
  handedOver,
  is,
  type OrderNow,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
} from './order/order-fixture';

/** Differences between Postgres and Temporal, made by the tests, and repaired by the reconciliation on real servers. */

let stack: TestStack;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  // Parcels that no carrier follows end two seconds after shipping.
  stack = await testStack({ mode: 'manual', config: { UNTRACKED_ORDER_END: 2_000 } });
});

const hasLeft = ({ status }: OrderNow) => ['shipped', 'in_transit', 'delivered'].includes(status);
const runId = (orderId: string) => `order-${orderId}`;
const runOf = (orderId: string) => stack.services.temporal.workflow.getHandle(runId(orderId));

/** Runs one reconciliation that compares everything: there is none before it. */
async function reconcileOnce(): Promise<Reconciliation['found']> {
  const { temporal, config } = stack.services;
  const result: Reconciliation = await temporal.workflow.execute('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
  });
  return result.found;
}

/** Sets an order's last change to an hour ago. */
async function age(orderId: string): Promise<void> {
  await stack.services.sql`
    UPDATE orders SET created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour'
    WHERE id = ${orderId}`;
}

/** Deletes a run, as if Temporal had lost its database. */
async function loseRun(orderId: string): Promise<void> {
  const { workflowService } = stack.services.temporal;
  await workflowService.deleteWorkflowExecution({
    namespace: stack.services.config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId: runId(orderId) },
  });
  await eventually(async () => {
    try {
      await runOf(orderId).describe();
      return undefined;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return true;
      throw error;
    }
  });
}

const restarted = (orderId: string) =>
  eventually(() =>
    runOf(orderId)
      .describe()
      .catch(() => undefined),
  );

/** Loses the run of an order, and reconciles: another run starts. */
async function loseAndStart(orderId: string): Promise<void> {
  await loseRun(orderId);
  await age(orderId);
  expect(await reconcileOnce()).toEqual({ started: 1 });
  await restarted(orderId);
}

/** Dispatches and ships an order. */
async function makeAndShip(orderId: string, printOrderId: string): Promise<void> {
  await say(printOrderId, 'printed');
  await orderUntil(stack, orderId, is('printed'));
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await say(printOrderId, 'shipped');
  await orderUntil(stack, orderId, hasLeft);
}

test('without differences it finds nothing and changes nothing', async () => {
  const { orderId } = await handedOver(stack, 'in-order');
  await age(orderId);
  const before = await orderLog(stack, orderId);
  expect(await reconcileOnce()).toEqual({});
  expect(await orderLog(stack, orderId)).toEqual(before);
});

test('an order whose start never reached Temporal is started once', async () => {
  const { sql } = stack.services;
  await stack.stopWorker();
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, 'never-started') });
  await sql`DELETE FROM outbox WHERE target = ${runId(id)}`;
  await age(id);
  await stack.startWorker();
  expect(await reconcileOnce()).toEqual({ started: 1 });
  expect(await reconcileOnce()).toEqual({});
  await orderUntil(stack, id, is('passed'));
});

test('a start that is still in the outbox is left to the outbox', async () => {
  const { sql } = stack.services;
  await stack.stopWorker();
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, 'on-its-way') });
  await sql`UPDATE outbox SET available_at = now() + interval '1 hour' WHERE target = ${runId(id)}`;
  await age(id);
  await stack.startWorker();
  expect(await reconcileOnce()).toEqual({});
  await sql`UPDATE outbox SET available_at = now() WHERE target = ${runId(id)}`;
  await orderUntil(stack, id, is('passed'));
});

test.each(['passed', 'printed'] as const)(
  'an order whose run is lost at %s continues there, with one print order and one label',
  async (status) => {
    const { orderId, printOrderId } = await handedOver(stack, `lost-${status}`);
    if (status === 'printed') await say(printOrderId, 'printed');
    await orderUntil(stack, orderId, is(status));
    await loseAndStart(orderId);
    await makeAndShip(orderId, printOrderId);
    expect(await orderNow(stack, orderId)).toMatchObject({
      attention: null,
      printOrderIds: [printOrderId],
      shipments: { bought: 1 },
    });
    expect(seenPrintOrders(stack, [printOrderId])).toMatchObject([{ deliveries: 1, distinctContents: 1 }]);
  },
);

test('an order whose run is lost after dispatch ships with the same label', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'lost-labelled');
  await say(printOrderId, 'printed');
  await orderUntil(stack, orderId, is('printed'));
  const partner = stack.partner('prints-berlin');
  const trackingOf = async () => (await partner.dispatchOrder({ body: { orderId: printOrderId } })).trackingCode;
  const before = await trackingOf();
  await loseAndStart(orderId);
  await say(printOrderId, 'shipped');
  await orderUntil(stack, orderId, hasLeft);
  expect(await trackingOf()).toEqual(before);
  expect((await orderNow(stack, orderId)).shipments).toEqual({ bought: 1 });
});

test('an order whose run is lost after an operator’s hold is on hold', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'lost-held');
  const repair = (action: 'hold' | 'release') =>
    stack.operator.repairOrder({ params: { orderId }, body: { action, reason: 'asked by the client' } });
  await repair('hold');
  await orderUntil(stack, orderId, is('on_hold'));
  const possible = async () =>
    (await stack.operator.getOperatorOrder({ params: { orderId } })).possibleRepairs.map(({ action }) => action);
  await loseAndStart(orderId);
  expect(await orderNow(stack, orderId)).toMatchObject({ status: 'on_hold', attention: null });
  expect(await possible()).toEqual(['release', 'cancel', 'change_shipping']);
  await repair('release');
  await makeAndShip(orderId, printOrderId);
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: null, shipments: { bought: 1 } });
});

test('a run that is lost while its print order is being delivered delivers it', async () => {
  const { sql } = stack.services;
  const { id } = await stack.client.submitOrder({
    body: orderBody(stack, 'lost-delivering', { address: { addressLine2: 'sandbox:fails-first=1' } }),
  });
  await eventually(async () => {
    const [pending] = await sql`
      SELECT 1 FROM run_snapshots WHERE order_id = ${id} AND snapshot -> 'pending' @> '[{"type": "deliver_print_order"}]'`;
    return pending;
  });
  await loseAndStart(id);
  await makeAndShip(id, (await accepted(stack, id)).printOrderId);
});

test('the open order of a terminated run is flagged', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'terminated');
  await atRest(stack, orderId);
  await runOf(orderId).terminate('by hand');
  await age(orderId);
  expect(await reconcileOnce()).toEqual({ flagged: 1 });
  expect(await orderNow(stack, orderId)).toMatchObject({ status: 'passed', attention: 'out_of_step' });

  // The operator's steps in docs/operation/backup-and-recovery.md.
  const place = ['--address', testTemporalAddress(), '--workflow-id', runId(orderId)];
  const how = ['--type', 'LastWorkflowTask', '--reason', 'terminated by mistake'];
  await promisify(execFile)(testTemporalBinary(), ['workflow', 'reset', ...place, ...how]);
  await makeAndShip(orderId, printOrderId);
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: null, shipments: { bought: 1 } });
});

test('rows that are behind a completed run are updated', async () => {
  const { sql } = stack.services;
  const { orderId } = await handedOver(stack, 'behind');
  await say((await orderNow(stack, orderId)).printOrderIds[0]!, 'received');
  await orderUntil(stack, orderId, is('in_production'));
  const before = await orderNow(stack, orderId);
  await stack.client.cancelOrder({ params: { orderId }, body: {} });
  await eventually(async () => ((await runOf(orderId).describe()).status.name === 'COMPLETED' ? true : undefined));
  const after = await orderNow(stack, orderId);
  expect(after.status).toBe('canceled');

  await sql`UPDATE orders SET fulfillment_status = ${before.status}, run_version = 3 WHERE id = ${orderId}`;
  await sql`UPDATE order_items SET fulfillment_status = ${before.status} WHERE order_id = ${orderId}`;
  await sql`UPDATE print_orders SET status = 'accepted' WHERE order_id = ${orderId}`;
  await age(orderId);
  expect(await reconcileOnce()).toEqual({ caughtUp: 1 });
  const { status, items } = await orderNow(stack, orderId);
  expect({ status, items }).toEqual({ status: after.status, items: after.items });
  expect([...(await sql`SELECT status FROM print_orders WHERE order_id = ${orderId}`)]).toEqual([
    { status: 'cancelled' },
  ]);
});

describe('postbacks that no run has applied', () => {
  /** Stores a postback in the inbox without its signal. */
  async function undelivered(printOrderId: string, status: string): Promise<void> {
    const { sql } = stack.services;
    await stack.stopWorker();
    await say(printOrderId, status);
    await sql`DELETE FROM outbox WHERE kind = 'signal_workflow'`;
    await sql`UPDATE postbacks SET received_at = received_at - interval '1 hour' WHERE print_order_id = ${printOrderId}`;
    await stack.startWorker();
  }
  const handled = async (printOrderId: string) =>
    (
      await stack.services.sql<{ handled: boolean }[]>`
        SELECT handled_at IS NOT NULL AS handled FROM postbacks WHERE print_order_id = ${printOrderId} ORDER BY id`
    ).map((row) => row.handled);

  test('are signalled again to a running workflow', async () => {
    const { orderId, printOrderId } = await handedOver(stack, 'undelivered');
    await undelivered(printOrderId, 'received');
    expect(await orderNow(stack, orderId)).toMatchObject({ status: 'passed' });
    expect(await reconcileOnce()).toEqual({ redelivered: 1 });
    await orderUntil(stack, orderId, is('in_production'));
    expect(await handled(printOrderId)).toEqual([true]);
    expect(await reconcileOnce()).toEqual({});
  });

  test('wait while an operator can revive the run, and are closed and logged when the order has ended', async () => {
    const { orderId, printOrderId } = await handedOver(stack, 'too-late');
    await atRest(stack, orderId);
    await runOf(orderId).terminate('by hand');
    await undelivered(printOrderId, 'received');
    expect(await reconcileOnce()).toEqual({ undelivered: 1 });
    expect(await handled(printOrderId)).toEqual([false]);
    await stack.services.sql`UPDATE orders SET fulfillment_status = 'canceled' WHERE id = ${orderId}`;
    expect(await reconcileOnce()).toEqual({ late: 1 });
    expect(await handled(printOrderId)).toEqual([true]);
    expect((await orderLog(stack, orderId)).at(-1)).toMatchObject({
      type: 'reconciled',
      data: { found: 'postback_after_end', status: 'received' },
    });
  });

  test('flag the order when they report that cancelled units have shipped, until an operator dismisses it', async () => {
    const { orderId, printOrderId } = await handedOver(stack, 'shipped-after-cancel');
    await stack.client.cancelOrder({ params: { orderId } });
    await orderUntil(stack, orderId, is('canceled'));
    await runOf(orderId).result();
    await undelivered(printOrderId, 'shipped');
    expect(await reconcileOnce()).toEqual({ late: 1 });
    const { attention, events } = await stack.operator.getOperatorOrder({ params: { orderId } });
    expect(attention).toEqual(['cancelled_shipped']);
    expect(events.find(({ type }) => type === 'flagged')).toMatchObject({
      data: { reason: 'cancelled_shipped', message: expect.stringContaining(printOrderId) },
    });

    const body = { action: 'dismiss', reason: 'the carrier returns it' } as const;
    expect(await stack.operator.repairOrder({ params: { orderId }, body })).toMatchObject({ attention: [] });
    expect(await reconcileOnce()).toEqual({});
    expect(await orderNow(stack, orderId)).toMatchObject({ status: 'canceled', attention: null });
  });
});

test('a run without an order and a run of an ended order are reported and left alone', async () => {
  const { sql } = stack.services;
  const orphan = await handedOver(stack, 'no-row');
  const outlived = await handedOver(stack, 'outlived');
  await sql`DELETE FROM orders WHERE id = ${orphan.orderId}`;
  await sql`
    UPDATE orders SET fulfillment_status = 'delivered', updated_at = now() - interval '3 days'
    WHERE id = ${outlived.orderId}`;
  expect(await reconcileOnce()).toEqual({ withoutOrder: 1, lingering: 1 });
  for (const { orderId } of [orphan, outlived]) {
    expect((await runOf(orderId).describe()).status.name).toBe('RUNNING');
    await runOf(orderId).terminate('tidied up');
  }
});

describe('unfinished purchases of labels', () => {
  /** Leaves a purchase as a worker does that is killed after the carrier has sold the label. */
  async function incompletePurchases(owner: { orderId: string; printOrderId: string }, revision: number) {
    const { sql, objects, carriers } = stack.services;
    const key = `order-${owner.orderId}:dispatch:${owner.printOrderId}:${revision}`;
    const consignment = consignmentTo();
    const [quote] = await carriers.quote(consignment);
    const killed = new Error('killed');
    const killedStore = { ...objects, put: () => Promise.reject(killed) };
    await expect(
      buyShipment(
        { sql, objects: killedStore, carriers },
        {
          consignment,
          methodUid: quote!.methodUid,
          idempotencyKey: key,
          owner: { kind: 'print_order', ...owner },
        },
      ),
    ).rejects.toBe(killed);
    const [row] = await sql<{ id: string }[]>`
      UPDATE shipments SET started_at = now() - interval '1 hour' WHERE idempotency_key = ${key} RETURNING id`;
    return row!.id;
  }
  const standing = async (shipmentId: string) => {
    const { sql } = stack.services;
    const [shipment] = await sql`SELECT status FROM shipments WHERE id = ${shipmentId}`;
    const [sold] = await sql`
      SELECT count(*)::int AS labels FROM carrier_purchases
      WHERE idempotency_key LIKE ${`${shipmentId}:%`} AND voided_at IS NULL`;
    return { ...shipment, ...sold };
  };

  test('are left to the next dispatch while the order needs them', async () => {
    const order = await handedOver(stack, 'unfinished-purchase');
    const shipmentId = await incompletePurchases(order, 0);
    expect(await reconcileOnce()).toEqual({ incompletePurchases: 1 });
    await makeAndShip(order.orderId, order.printOrderId);
    expect(await standing(shipmentId)).toEqual({ status: 'bought', labels: 1 });
  });

  test('are voided when the address has changed since', async () => {
    const order = await handedOver(stack, 'unfinished-purchase-2');
    const shipmentId = await incompletePurchases(order, 0);
    const { shippingAddress } = orderBody(stack, 'unfinished-purchase-2', {
      address: { city: 'Potsdam' },
    });
    await stack.client.updateShipment({ params: { orderId: order.orderId }, body: { shippingAddress } });
    expect(await standing(shipmentId)).toEqual({ status: 'buying', labels: 1 });
    expect(await reconcileOnce()).toEqual({ voided: 1 });
    await eventually(async () => ((await standing(shipmentId)).status === 'voided' ? true : undefined));
    expect(await standing(shipmentId)).toEqual({ status: 'voided', labels: 0 });
    expect(await reconcileOnce()).toEqual({});
  });
});

test('dead signals are replayed when their run exists, and others are counted', async () => {
  const { sql } = stack.services;
  const { orderId, printOrderId } = await handedOver(stack, 'given-up');
  const event = { type: 'tracking', eventId: 'x', printOrderId, parcels: [{ number: 'X1', transit: 'in_transit' }] };
  for (const target of [runId(orderId), runId(randomUUID())]) {
    await sql`
      INSERT INTO outbox (kind, target, payload, dead_at)
      VALUES ('signal_workflow', ${target}, ${sql.json({ signal: 'tracking', args: [event] })}, now())`;
  }
  expect(await reconcileOnce()).toEqual({ replayed: 1, dead: 1 });
  await orderUntil(stack, orderId, is('in_transit'));
  await sql`DELETE FROM outbox WHERE dead_at IS NOT NULL`;
});

describe('orders whose run Temporal has deleted after its retention', () => {
  test('are compared no more when they have shipped', async () => {
    const { sql } = stack.services;
    const { orderId } = await handedOver(stack, 'past-retention');
    await loseRun(orderId);
    await sql`
      UPDATE orders SET fulfillment_status = 'shipped', updated_at = now() - interval '86 days' WHERE id = ${orderId}`;
    expect(await reconcileOnce()).toEqual({ settled: 1 });
    expect(await orderNow(stack, orderId)).toMatchObject({ status: 'shipped', attention: null });
    expect((await orderLog(stack, orderId)).at(-1)).toMatchObject({
      type: 'reconciled',
      data: { found: 'tracking_ended' },
    });
    expect(await reconcileOnce()).toEqual({});
  });

  test('get no late postbacks and dead signals once they have ended', async () => {
    const { sql } = stack.services;
    const { orderId, printOrderId } = await handedOver(stack, 'ended-and-deleted');
    await loseRun(orderId);
    await sql`UPDATE orders SET fulfillment_status = 'delivered' WHERE id = ${orderId}`;
    await sql`
      INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, received_at)
      SELECT partner_id, order_id, id, 'late', '{"status": "printed"}', now() - interval '1 hour' FROM print_orders
      WHERE id = ${printOrderId}`;
    await sql`
      INSERT INTO outbox (kind, target, payload, dead_at) VALUES ('signal_workflow', ${runId(orderId)}, '{}', now())`;
    expect(await reconcileOnce()).toEqual({ late: 1 });
    expect([...(await sql`SELECT 1 FROM outbox WHERE dead_at IS NOT NULL`)]).toEqual([]);
    expect(await reconcileOnce()).toEqual({});
  });
});

test('a shipped order whose run has completed as shipped is compared no more', async () => {
  const { sql } = stack.services;
  const { orderId, printOrderId } = await handedOver(stack, 'untracked');
  await say(printOrderId, 'shipped');
  await orderUntil(stack, orderId, is('shipped'));
  expect(await runOf(orderId).result()).toEqual({ fulfillmentStatus: 'shipped' });
  await sql`UPDATE orders SET tracking_ended_at = NULL WHERE id = ${orderId}`;
  await age(orderId);
  expect(await reconcileOnce()).toEqual({ settled: 1 });
  expect(await reconcileOnce()).toEqual({});
});

describe('with many orders', () => {
  /** Inserts orders without items, which no API creates. */
  async function bareOrders(count: number, status: string, ageDays: number): Promise<void> {
    const { sql } = stack.services;
    await sql`
      INSERT INTO orders (id, client_id, order_reference_id, order_type, fulfillment_status, financial_status, currency,
        shipping_address, created_at, updated_at)
      SELECT gen_random_uuid(), client_id, 'bare-' || n, 'order', ${status}, 'invoiced', 'EUR', '{}',
        now() - make_interval(days => ${ageDays}), now() - make_interval(days => ${ageDays})
      FROM generate_series(1, ${count}) AS n, (SELECT client_id FROM orders LIMIT 1) AS c`;
  }

  test('a comparison that is tried again continues after the last batch that it has reported', async () => {
    const { sql } = stack.services;
    const count = 1_200;
    await bareOrders(count, 'shipped', 86);
    const { reconcileOrders } = createReconcileActivities(stack.services);
    const range = { after: '', batches: 10, afterLoss: false };
    const first = new MockActivityEnvironment();
    let reported: unknown;
    first.on('heartbeat', (details) => {
      reported = details;
      first.cancel();
    });
    await expect(first.run(reconcileOrders, range)).rejects.toThrow();
    const [before] = await sql<{ settled: number }[]>`
      SELECT count(*)::int AS settled FROM orders WHERE tracking_ended_at IS NOT NULL AND order_reference_id LIKE 'bare-%'`;
    // Settled orders are not open any more. A comparison that began anew would not count them again.
    expect(before!.settled).toBeGreaterThan(0);
    expect(before!.settled).toBeLessThan(count);
    const second = new MockActivityEnvironment({ heartbeatDetails: reported });
    const { counts, next } = await second.run<
      [typeof range],
      Awaited<ReturnType<typeof reconcileOrders>>,
      typeof reconcileOrders
    >(reconcileOrders, range);
    expect(next).toBe('');
    expect(counts.settled).toBe(count);
    await sql`DELETE FROM orders WHERE order_reference_id LIKE 'bare-%'`;
  });

  test('an order that cannot be compared does not stop the others', async () => {
    const { sql } = stack.services;
    const { orderId } = await handedOver(stack, 'beside-a-broken-one');
    await bareOrders(1, 'passed', 1);
    await loseRun(orderId);
    await age(orderId);
    expect(await reconcileOnce()).toEqual({ started: 1, unchecked: 1 });
    await restarted(orderId);
    await sql`DELETE FROM orders WHERE order_reference_id LIKE 'bare-%'`;
  });
});

describe('scheduled runs', () => {
  let seen = 0;
  const handle = () => {
    const { temporal, config } = stack.services;
    return temporal.schedule.getHandle(scheduleId(config, RECONCILIATION));
  };
  beforeAll(async () => {
    const { temporal, config, sql } = stack.services;
    await sql`DELETE FROM reconciliation`;
    // The schedule must not start runs in between.
    await ensureSchedule(temporal, config, { ...RECONCILIATION, everyMs: 24 * 3_600_000 });
  });
  afterAll(() => handle().delete());

  async function nextRun(): Promise<Reconciliation> {
    // As the schedule itself does. By default a triggered run does not get the result of the run before.
    await handle().trigger(ScheduleOverlapPolicy.SKIP);
    const action = await eventually(async () => {
      const { recentActions, numActionsTaken } = (await handle().describe()).info;
      return numActionsTaken > seen ? recentActions.at(-1) : undefined;
    });
    seen = (await handle().describe()).info.numActionsTaken;
    const { workflowId } = action.action.workflow;
    return (await stack.services.temporal.workflow.getHandle(workflowId).result()) as Reconciliation;
  }

  test('count up, and a lower number in Postgres shows that it was restored', async () => {
    const { sql } = stack.services;
    expect(await nextRun()).toMatchObject({ mark: 1, lost: null });
    expect(await nextRun()).toMatchObject({ mark: 2, lost: null });
    await sql`UPDATE reconciliation SET mark = 1`;
    expect(await nextRun()).toMatchObject({ mark: 3, lost: 'postgres' });
    expect(await nextRun()).toMatchObject({ mark: 4, lost: null });
    await sql`UPDATE reconciliation SET mark = 5`;
    expect(await nextRun()).toMatchObject({ mark: 6, lost: 'temporal' });
    expect(await nextRun()).toMatchObject({ mark: 7, lost: null });
  });

  test('find a missing run and leave running ones alone', async () => {
    const { temporal } = stack.services;
    const [lost, kept] = [await handedOver(stack, 'lost-later'), await handedOver(stack, 'kept')];
    await loseRun(lost.orderId);
    for (const { orderId } of [lost, kept]) await age(orderId);
    await eventually(async () => {
      const { count } = await temporal.workflow.count(`WorkflowId = '${runId(lost.orderId)}'`);
      return count === 0 ? true : undefined;
    });
    expect(await nextRun()).toMatchObject({ lost: null, found: { started: 1 } });
    await restarted(lost.orderId);
    expect((await orderLog(stack, kept.orderId)).some(({ type }) => type === 'reconciled')).toBe(false);
  });
});

test('a mark is written only over the mark that the reconciliation began with', async () => {
  const { sql } = stack.services;
  const markNow = async () => (await sql<{ mark: string }[]>`SELECT mark FROM reconciliation`)[0]?.mark;
  await sql`DELETE FROM reconciliation`;
  expect(await writeMark(sql, 9, 8)).toBe(false);
  expect(await markNow()).toBeUndefined();
  expect(await writeMark(sql, 1, 0)).toBe(true);
  expect(await writeMark(sql, 2, 1)).toBe(true);
  // A retry of the same step.
  expect(await writeMark(sql, 2, 1)).toBe(true);
  expect(await writeMark(sql, 9, 8)).toBe(false);
  expect(await markNow()).toBe('2');
});
