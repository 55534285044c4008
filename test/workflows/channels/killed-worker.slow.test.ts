import { csv } from '../../api/channels/channels-api';
import { eventually, testStack } from '../../support/stack';
import { startWorkerProcess } from '../../support/worker-process';

/** Slow: Temporal notices a killed worker after the heartbeat timeout of the import, a minute. */

const ORDERS = 400;

test('a worker that is killed in the middle of a file, which is uploaded again, makes each order once', async () => {
  const stack = await testStack({ mode: 'manual' });
  const { sql } = stack.services;
  await stack.stopWorker();
  const { id: channelId } = await stack.client.createChannel({ body: { kind: 'csv', name: 'killed' } });
  const content = csv(...Array.from({ length: ORDERS }, (_, index) => ({ reference: `kill-${index}` })));
  const upload = () => stack.client.uploadChannelFile({ params: { channelId }, query: {}, body: content });
  const made = async () => {
    const [count] = await sql<{ orders: number; references: number }[]>`
      SELECT count(*)::int AS orders, count(DISTINCT order_reference_id)::int AS references FROM orders
      WHERE order_reference_id LIKE 'kill-%'`;
    return count!;
  };
  const worker = await startWorkerProcess(stack);
  const uploaded = upload();
  await eventually(async () => ((await made()).orders > 0 ? true : undefined));
  worker.kill('SIGKILL');
  expect(await worker.exit).toBe('SIGKILL');
  const { orders } = await made();
  expect(orders).toBeLessThan(ORDERS);

  const other = await startWorkerProcess(stack);
  expect((await upload()).id).toBe((await uploaded).id);
  await eventually(async () => ((await made()).orders === ORDERS ? true : undefined));
  expect(await made()).toEqual({ orders: ORDERS, references: ORDERS });
  const file = await stack.client.getChannelFile({ params: { channelId, fileId: (await uploaded).id } });
  expect(file.counts).toMatchObject({ orders: ORDERS, waiting: 0, ignored: 0, unchanged: 0 });
  other.kill('SIGTERM');
  await other.exit;
}, 600_000);
