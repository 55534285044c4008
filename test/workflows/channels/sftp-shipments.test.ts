import { channelWorkflowId } from '../../../src/platform/domain/workflows';
import { HEADER, row } from '../../api/channels/channels-api';
import { startFaultySftp } from '../../support/sftp-servers';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { goodFile, POSTER } from '../order/client-orders';
import { operatorHelpers } from '../order/operator-fixture';
import { accepted, orderUntil } from '../order/order-fixture';

/** A channel with an SFTP server and a worker: its files become orders, and their parcels are told once. */

let stack: TestStack;
let server: Awaited<ReturnType<typeof startFaultySftp>>;
let channelId: string;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  server = await startFaultySftp();
  const { host, port, username, folder, hostKey, password } = server;
  const sftp = { host, port, username, folder, hostKey, password };
  channelId = (await stack.client.createChannel({ body: { kind: 'sftp', name: 'server', sftp } })).id;
});
afterAll(async () => await server.close());

let polls = 0;
/** Does what the schedule does. Returns the channel at the end of its run: while it runs, no other one begins. */
async function poll() {
  const { temporal, config } = stack.services;
  const workflowId = `${config.TEMPORAL_TASK_QUEUE}-poll-${++polls}`;
  await temporal.workflow.execute('channelPoll', { workflowId, taskQueue: config.TEMPORAL_TASK_QUEUE, args: [] });
  await temporal.workflow.getHandle(channelWorkflowId(channelId, 'poll')).result();
  return await stack.client.getChannel({ params: { channelId } });
}

test('a file becomes an order, whose parcels are told once, also after a failure', async () => {
  const rows = `${HEADER},retailCurrency,items.retailPriceInclVat,retailShippingPriceInclVat\n${row({ reference: 'told-1', uid: POSTER, url: goodFile(stack, 'poster-a4.pdf') })},EUR,20,5\n`;
  await server.write('in/told.csv', rows);
  await poll();
  await poll();
  const { id } = await eventually(() =>
    stack.client.getOrder({ params: { orderId: 'told-1' } }).catch(() => undefined),
  );
  const { printOrderId } = await accepted(stack, id);
  await poll();
  expect(await server.list('out')).toEqual([]);

  await say({ printOrderId }, 'shipped', { trackingCode: 'RR123456785FR', trackingLink: 'https://track.example/1' });
  await orderUntil(stack, id, ({ items }) => items[0]!.status === 'shipped');
  server.faults.denied = '/out/';
  expect(await poll()).toMatchObject({ failures: 1, lastError: expect.stringContaining('Permission denied') });
  server.faults.denied = undefined;
  expect(await poll()).toMatchObject({ failures: 0, lastError: null });
  expect(await server.read('out', /^shipments-.*\.csv$/)).toMatch(
    /^orderReferenceId,trackingCode,trackingUrl,shipmentMethodUid\ntold-1,RR123456785FR,https:\/\/track\.example\/1,\w+\n$/,
  );
  await poll();
  expect(await server.list('out')).toHaveLength(1);
});
