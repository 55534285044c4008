import type { ServerResponse } from 'node:http';
import { createPresslineClient } from '../../../../client/pressline-client';
import { samplePdf } from '../../../../packages/file-reader/test/samples';
import { limitStartedRuns } from '../../../../src/orders/run/started-runs';
import { fileQueueOf, orderWorkflowId } from '../../../../src/platform/domain/workflows';
import { startRelay } from '../../../../src/platform/outbox/relay';
import { temporalLanes } from '../../../../src/platform/outbox/temporal-delivery';
import { testAccount } from '../../../support/api-deps';
import { serveHttp } from '../../../support/other-systems/http-server';
import { eventually, type TestClient, type TestStack, testStack } from '../../../support/stack';
import { addressIn, poster } from '../client-orders';
import { orderBody, orderNow, orderUntil, seenPrintOrders } from '../order-fixture';

/** The host of one client, or one partner, keeps every request open. Orders of others are handed over meanwhile. */

/** Fewer than orders, so that without shares all slots would be held. One client or partner gets half of them. */
const SLOTS = 8;
const ORDERS = 24;
/** Fewer than the share of the slots that the partner could have. */
const PARTNER_CALLS = 3;
/** Far more workflows than a worker begins at once. */
const BACKLOG = 72;
/** Orders of a client that wait for their workflow. */
const WAITING = 200;

/** A server that keeps requests open until the test responds. */
async function hangingServer(respond: (response: ServerResponse) => void) {
  const open = new Set<ServerResponse>();
  let responds = false;
  let most = 0;
  const ids: string[] = [];
  const server = await serveHttp((request, response) => {
    ids.push(String(request.headers['webhook-id']));
    request.resume();
    if (responds) {
      respond(response);
      return;
    }
    open.add(response);
    most = Math.max(most, open.size);
    response.on('close', () => open.delete(response));
  });
  return {
    url: `${server.url}/`,
    /** `webhook-id` of every request. */
    ids,
    open: () => open.size,
    /** Most requests open at one time. */
    most: () => most,
    /** Responds to the open requests, and from now on to every one. */
    respondToAll() {
      responds = true;
      for (const response of open) respond(response);
    },
  };
}

let stack: TestStack;
/** Another client than the one whose orders wait. */
let other: TestClient;

beforeAll(async () => {
  stack = await testStack({
    mode: 'manual',
    config: { WORKER_ACTIVITY_SLOTS: SLOTS, WORKER_FILE_SLOTS: SLOTS, PARTNER_CALLS },
  });
  const { apiKey, apiSecret } = await testAccount(stack.services.sql, 'client');
  other = createPresslineClient({ baseUrl: stack.baseUrl, apiKey, apiSecret, retries: 0 });
});

/** Waits until the partner in Berlin has the print order of the other client. */
async function othersOrderArrives(reference: string): Promise<void> {
  const { id } = await other.submitOrder({ body: orderBody(stack, reference) });
  const { printOrderIds } = await orderUntil(stack, id, ({ status }) => status === 'passed');
  await eventually(async () => (seenPrintOrders(stack, printOrderIds).length === 1 ? true : undefined));
}

/** Returns how many print orders of these orders their partner has accepted. */
async function accepted(orderIds: readonly string[]): Promise<number> {
  const [found] = await stack.services.sql<{ count: number }[]>`
    SELECT count(*)::int FROM print_orders WHERE order_id = ANY(${[...orderIds]}::uuid[]) AND status = 'accepted'`;
  return found!.count;
}

/** Returns what Temporal stores of the first schedule of an activity in one of the orders that has it. */
async function scheduled(orderIds: readonly string[], type: string) {
  const { workflow } = stack.services.temporal;
  const histories = await Promise.all(orderIds.map((id) => workflow.getHandle(orderWorkflowId(id)).fetchHistory()));
  const found = histories
    .flatMap(({ events }) => events!.map((event) => event.activityTaskScheduledEventAttributes))
    .find((scheduled) => scheduled?.activityType?.name === type)!;
  return { queue: found.taskQueue?.name, fairnessKey: found.priority?.fairnessKey };
}

/** Points. */
const A4: [number, number] = [595, 842];

test('orders of a client whose file host sends nothing hold no slot that another client needs', async () => {
  const pdf = await samplePdf(A4);
  const host = await hangingServer((response) => response.end(pdf));
  const ids = await Promise.all(
    Array.from({ length: ORDERS }, async (_, index) => {
      const body = orderBody(stack, `silent-host-${index}`);
      const files = [{ type: 'default', url: `${host.url}${index}.pdf` }];
      return (
        await stack.client.submitOrder({
          body: { ...body, items: [poster(stack, { files, retailPriceInclVat: 20 })] },
        })
      ).id;
    }),
  );
  await eventually(async () => (host.open() === SLOTS / 2 ? true : undefined));
  await othersOrderArrives('beside-silent-host');
  const states = await Promise.all(ids.map((id) => orderNow(stack, id)));
  expect(new Set(states.map(({ printOrderIds }) => printOrderIds.length))).toEqual(new Set([0]));
  expect(host.most()).toBe(SLOTS / 2);

  host.respondToAll();
  for (const id of ids) await orderUntil(stack, id, ({ status }) => status === 'passed');
  const [account] = await stack.services.sql<{ clientId: string }[]>`
    SELECT client_id::text FROM orders WHERE id = ${ids[0]!}`;
  expect(await scheduled(ids, 'fetchOrderFiles')).toEqual({
    queue: fileQueueOf(stack.services.config.TEMPORAL_TASK_QUEUE),
    fairnessKey: account!.clientId,
  });
});

test('print orders beyond the calls that a hanging partner may have wait, and hold no slot that another partner needs', async () => {
  const partner = await hangingServer((response) => response.end('{}'));
  await stack.services.sql`
    UPDATE partners SET order_submit_url = ${partner.url} WHERE uid = 'prints-ohio'`;
  const ids = await Promise.all(
    Array.from({ length: ORDERS }, async (_, index) => {
      const body = orderBody(stack, `hanging-partner-${index}`, { address: addressIn.US });
      return (await stack.client.submitOrder({ body: body as never })).id;
    }),
  );
  await eventually(async () => (partner.open() === PARTNER_CALLS ? true : undefined));
  for (const id of ids) await orderUntil(stack, id, ({ printOrderIds }) => printOrderIds.length === 1);
  await othersOrderArrives('beside-hanging-partner');
  expect(await accepted(ids)).toBe(0);
  expect(partner.most()).toBe(PARTNER_CALLS);
  // An operator's test message is one call more. Between two attempts, the partner has fewer calls.
  await eventually(async () => (partner.open() === PARTNER_CALLS ? true : undefined));
  const { partners } = await stack.operator.listPartners({});
  const { id: partnerId } = partners.find(({ uid }) => uid === 'prints-ohio')!;
  await expect(stack.operator.pingPartner({ params: { partnerId } })).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('prints-ohio has not responded to the calls that are under way'),
  });

  partner.respondToAll();
  await eventually(async () => ((await accepted(ids)) === ORDERS ? true : undefined));
  // What waited for a slot has sent nothing: each print order was sent once, unless the partner's time was over.
  const sent = await stack.services.sql<{ outcome: string; count: number }[]>`
    SELECT outcome, count(*)::int FROM partner_requests r JOIN partners p ON p.account_id = r.partner_id
    WHERE p.uid = 'prints-ohio' GROUP BY outcome`;
  const count = (outcome: string) => sent.find((row) => row.outcome === outcome)?.count ?? 0;
  expect(count('accepted')).toBe(ORDERS);
  expect(partner.ids).toHaveLength(ORDERS + count('retry'));
  expect(new Set(partner.ids).size).toBe(ORDERS);
  // The partner and a part of the client's id: clients have their turns at each partner.
  const { fairnessKey } = await scheduled(ids, 'deliverPrintOrder');
  expect(fairnessKey).toMatch(/^[0-9a-f]{12}:prints-ohio$/);
});

test('the order of a client is begun before the backlog of a client with many orders', async () => {
  const { sql, temporal, config, log, publicUrl } = stack.services;
  // Given workflows of both clients that wait for a worker, those of the busy client first
  await stack.stopWorker();
  const submit = async (client: TestClient, reference: string) =>
    (await client.submitOrder({ body: orderBody(stack, reference) })).id;
  const busy = await Promise.all(Array.from({ length: BACKLOG }, (_, index) => submit(stack.client, `busy-${index}`)));
  const { TEMPORAL_TASK_QUEUE: taskQueue } = config;
  const relay = await startRelay({ sql, log, lanes: temporalLanes({ client: temporal, sql, taskQueue, publicUrl }) });
  const areStarted = async () =>
    (await sql`SELECT FROM outbox WHERE kind = 'start_workflow'`).length === 0 ? true : undefined;
  await eventually(areStarted);
  const single = await submit(other, 'beside-busy-client');
  await eventually(areStarted);
  await relay.stop();

  await stack.startWorker();
  for (const id of [single, ...busy]) await orderUntil(stack, id, ({ status }) => status === 'passed');

  const begun = await Promise.all(
    [single, ...busy].map(async (id) => {
      const { events } = await temporal.workflow.getHandle(orderWorkflowId(id)).fetchHistory();
      const { eventTime } = events!.find(({ workflowTaskStartedEventAttributes: started }) => started != null)!;
      return { id, at: Number(eventTime!.seconds) + eventTime!.nanos! / 1e9 };
    }),
  );
  const earlier = begun.filter(({ at }) => at < begun[0]!.at);
  expect(earlier.length).toBeLessThan(BACKLOG / 2);
});

test('the backlog of a client waits in the outbox while no worker runs, and the order of another client starts', async () => {
  const { sql, temporal, config, log, publicUrl } = stack.services;
  await stack.stopWorker();
  const busy = await Promise.all(
    Array.from({ length: BACKLOG }, (_, index) =>
      stack.client.submitOrder({ body: orderBody(stack, `held-${index}`) }),
    ),
  );
  const { TEMPORAL_TASK_QUEUE: taskQueue } = config;
  const startedWorkflows = limitStartedRuns(sql, 3);
  const lanes = temporalLanes({ client: temporal, sql, taskQueue, publicUrl, startedWorkflows });
  const relay = await startRelay({ sql, log, lanes });
  const waiting = async (ids: readonly string[]) => {
    const targets = ids.map(orderWorkflowId);
    return (await sql`SELECT FROM outbox WHERE kind = 'start_workflow' AND target = ANY(${targets})`).length;
  };
  const ids = busy.map(({ id }) => id);
  await eventually(async () => ((await waiting(ids)) < BACKLOG ? true : undefined));
  const { id: single } = await other.submitOrder({ body: orderBody(stack, 'beside-held') });
  await eventually(async () => ((await waiting([single])) === 0 ? true : undefined));
  expect(await waiting(ids)).toBeGreaterThan(BACKLOG / 2);

  // Runs that nobody begins do not hold the others for ever.
  const { perClient } = startedWorkflows;
  await eventually(async () => ((await waiting(ids)) <= BACKLOG - 3 * perClient ? true : undefined));
  await relay.stop();
  await stack.startWorker();
  for (const id of [single, ...ids]) await orderUntil(stack, id, ({ status }) => status === 'passed');
});

test('the order of a client is planned before the waiting orders of a client with many orders', async () => {
  // Given 200 orders of one client, then one of another, all of which wait for a worker
  await stack.stopWorker();
  const { createdAt: createdFrom } = await stack.client.submitOrder({ body: orderBody(stack, 'waiting-0') });
  for (let index = 1; index < WAITING; index += 1)
    await stack.client.submitOrder({ body: orderBody(stack, `waiting-${index}`) });
  const { id: orderId } = await other.submitOrder({ body: orderBody(stack, 'beside-waiting') });

  await stack.startWorker();
  await eventually(async () => {
    const { fulfillmentStatus } = await other.getOrder({ params: { orderId } });
    return fulfillmentStatus === 'passed' ? true : undefined;
  });

  const { orders } = await stack.client.searchOrders({
    body: { createdFrom, fulfillmentStatuses: ['created', 'uploading'], limit: WAITING },
  });
  expect(orders.length).toBeGreaterThan(WAITING / 2);
});
