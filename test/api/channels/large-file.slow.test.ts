import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import request from 'supertest';
import { order } from '../orders/sample-orders';
import { type ChannelsApi, channelsApi, csv, type Row } from './channels-api';

/** A file of 10,000 orders with 3 % faults: in constant memory, while another client's orders go on. */

const ORDERS = 10_000;
const MIB = 1_048_576;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns the MiB that are in use after a garbage collection. */
function memoryInUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

const FAULTS: readonly Partial<Row>[] = [{ email: 'nobody' }, { sku: 'UNKNOWN' }, { url: '' }];
const rowOf = (index: number): Row => ({
  reference: `large-${index}`,
  ...(index % 100 < FAULTS.length ? FAULTS[index % 100] : {}),
});

let api: ChannelsApi;

beforeAll(async () => {
  api = await channelsApi();
});

test('a file of 10,000 orders is imported in constant memory, and another client’s orders go on meanwhile', async () => {
  const channelId = await api.create();
  const content = csv(...Array.from({ length: ORDERS }, (_, index) => rowOf(index)));
  const { body } = await request(api.app)
    .post(`/v1/channels/${channelId}/files`)
    .set(api.client.keyAndSecret)
    .set('Content-Type', 'text/csv')
    .send(content)
    .expect(200);
  expect(body.state).toBe('processing');

  let isDone = false;
  let others = 0;
  let batches = 0;
  const memory: number[] = [];
  const importing = api
    .run(channelId, () => {
      batches += 1;
      if (batches % 10 === 0) memory.push(memoryInUse());
    })
    .finally(() => {
      isDone = true;
    });
  while (!isDone) {
    await api.call('post', '/v1/orders', order(), api.other).expect(200);
    others += 1;
  }
  await importing;

  const { body: file } = await api.call('get', `/v1/channels/${channelId}/files/${body.id}`).expect(200);
  const faults = (ORDERS / 100) * FAULTS.length;
  expect(file).toMatchObject({
    state: 'done',
    counts: { rows: ORDERS, orders: ORDERS, submitted: ORDERS - faults, waiting: faults, unchanged: 0 },
  });
  expect(file.findings).toHaveLength(faults);
  const [stored] =
    await api.sql`SELECT count(*)::int AS orders, count(DISTINCT order_reference_id)::int AS names FROM orders
    WHERE client_id = ${api.client.id}`;
  expect(stored).toEqual({ orders: ORDERS - faults, names: ORDERS - faults });
  // It had turns all the time: more than one for each batch of the import.
  expect(others).toBeGreaterThan(ORDERS / 50);
  expect(memory.length).toBeGreaterThan(10);
  expect(Math.max(...memory) - memory[1]!).toBeLessThan(50);
}, 1_200_000);
