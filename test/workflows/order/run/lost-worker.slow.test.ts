import type { Program } from '../../../cli/stack-process';
import { serveHttp } from '../../../support/other-systems/http-server';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { startWorkerProcess } from '../../../support/worker-process';
import { goodFile } from '../client-orders';
import { operatorHelpers } from '../operator-fixture';
import { is, orderBody, orderLog, orderUntil } from '../order-fixture';

/** Slow: Temporal notices a lost worker after the heartbeat timeout of a step, a minute for print files. */

let stack: TestStack;
let worker: Program;
const { repair, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  await stack.stopWorker();
  await startWorker();
});
afterAll(async () => {
  worker.kill('SIGTERM');
  await worker.exit;
});

async function startWorker(): Promise<void> {
  worker = await startWorkerProcess(stack);
}

test('an order whose step ends the worker twice is parked before the third attempt, cancelled without it, or retried', async () => {
  const requests: string[] = [];
  let kills = true;
  const host = await serveHttp(async (request, response) => {
    requests.push(request.url!);
    if (kills) {
      worker.kill('SIGKILL');
      return;
    }
    const poster = await fetch(goodFile(stack, 'poster-a4.pdf'));
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from(await poster.arrayBuffer()));
  });
  const restarting = (async () => {
    while (kills) {
      await worker.exit;
      if (kills) await startWorker();
    }
  })();
  const submit = async (name: string) => {
    const body = orderBody(stack, name);
    const items = body.items.map((item) => ({ ...item, files: [{ type: 'default', url: `${host.url}/${name}` }] }));
    return (await stack.client.submitOrder({ body: { ...body, items } })).id;
  };
  const [first, second] = [await submit('first'), await submit('second')];
  for (const id of [first, second]) {
    await orderUntil(stack, id, ({ attention }) => attention?.includes('step_fails_process') === true);
    const [flag] = (await orderLog(stack, id, 'flagged')).filter(({ data }) => data.reason === 'step_fails_process');
    expect(flag!.data.message).toBe(
      'fetchOrderFiles: the process of the worker ended, or did not respond, in 2 attempts',
    );
    // The entry of a loss is lost when the other order ends the worker before it is written.
    expect((await orderLog(stack, id, 'step_lost')).at(-1)!.data.times).toBe(2);
  }
  // An attempt that was lost with the other order’s may not have got to its host.
  for (const name of ['/first', '/second'])
    expect(requests.filter((url) => url === name).length).toBeLessThanOrEqual(2);
  const before = requests.length;

  const cancelled = await stack.client.cancelOrder({ params: { orderId: first }, body: { reason: 'ordered twice' } });
  expect(cancelled).toMatchObject({ fulfillmentStatus: 'canceled', cancellation: 'done' });
  expect(requests).toHaveLength(before);

  kills = false;
  await eventually(async () => (await look(second)).run ?? undefined);
  const { items } = await look(second);
  await repair(second, { action: 'retry', itemIds: items.map(({ id }) => id) });
  const planned = await orderUntil(stack, second, ({ printOrderIds }) => printOrderIds.length > 0);
  expect(planned.attention).toBeNull();
  await orderUntil(stack, first, is('canceled'));
  worker.kill('SIGTERM');
  await restarting;
});
