import { HEADER, type Row, row } from '../../api/channels/channels-api';
import { eventually, type TestStack, testStack } from '../../support/stack';
import { goodFile, POSTER } from '../order/client-orders';
import { operatorHelpers } from '../order/operator-fixture';
import { accepted, orderLog, orderNow, orderUntil } from '../order/order-fixture';

/** Channels with a worker: files become orders, changes reach them, and a killed worker makes no order twice. */

let stack: TestStack;
let channelId: string;
const { say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  channelId = await newChannel('changes');
});

async function newChannel(name: string): Promise<string> {
  return (
    await stack.client.createChannel({ body: { kind: 'csv', name, settings: { columns: { canceled: 'stop' } } } })
  ).id;
}

/** Returns a file whose rows have a print file that the sandbox serves, retail prices, and a column `stop`. */
const fileOf = (...rows: readonly (Row & { readonly stop?: string })[]) =>
  [
    `${HEADER},retailCurrency,items.retailPriceInclVat,retailShippingPriceInclVat,stop`,
    ...rows.map(
      (each) => `${row({ uid: POSTER, ...each, url: goodFile(stack, 'poster-a4.pdf') })},EUR,20,5,${each.stop ?? ''}`,
    ),
    '',
  ].join('\n');

const upload = (id: string, body: string) =>
  stack.client.uploadChannelFile({ params: { channelId: id }, query: {}, body });
const done = (id: string, fileId: string) =>
  eventually(async () => {
    const file = await stack.client.getChannelFile({ params: { channelId: id, fileId } });
    return file.state === 'processing' ? undefined : file;
  });
const imported = async (id: string, body: string) => await done(id, (await upload(id, body)).id);
const orderOf = async (reference: string) => await stack.client.getOrder({ params: { orderId: reference } });

test('a new address and fewer units in a later revision reach an order that is produced', async () => {
  await imported(channelId, fileOf({ reference: 'change-1', item: 'a', quantity: 5, revision: 1 }));
  const { id } = await orderOf('change-1');
  await accepted(stack, id);
  const { counts } = await imported(
    channelId,
    fileOf({ reference: 'change-1', item: 'a', quantity: 3, city: 'Potsdam', postCode: '14467', revision: 2 }),
  );
  expect(counts).toMatchObject({ submitted: 1, waiting: 0 });
  const order = await orderOf('change-1');
  expect(order.shippingAddress).toMatchObject({ city: 'Potsdam', postCode: '14467' });
  expect(order.channelOrder).toEqual({ channel: channelId, externalId: 'change-1', revision: 2 });
  const cancels = await eventually(async () => {
    const events = (await orderLog(stack, id)).filter(({ type }) => type === 'cancel_units');
    return events.length > 0 ? events : undefined;
  });
  expect(cancels).toHaveLength(1);
  expect((await orderNow(stack, id)).attention ?? '').not.toContain('channel_change_missed');
});

test('the parcels of a channel that have left are listed, and downloaded as CSV', async () => {
  const { id: channel } = await stack.client.createChannel({ body: { kind: 'csv', name: 'parcels' } });
  await imported(channel, fileOf({ reference: 'left-1', revision: 1 }, { reference: 'left-2', revision: 1 }));
  const { id } = await orderOf('left-1');
  const { printOrderId } = await accepted(stack, id);
  const list = (query: object = {}) => stack.client.listChannelShipments({ params: { channelId: channel }, query });
  expect((await list()).shipments).toEqual([]);
  const before = new Date().toISOString();
  await say({ printOrderId }, 'shipped', { trackingCode: 'RR123456785FR', trackingLink: 'https://track.example/1' });
  await orderUntil(stack, id, ({ items }) => items[0]!.status === 'shipped');
  // A later revision of the order is no other parcel.
  await imported(channel, fileOf({ reference: 'left-1', city: 'Potsdam', revision: 2 }));
  const { shipments } = await list({ since: before });
  expect(shipments).toEqual([
    {
      orderReferenceId: 'left-1',
      trackingCode: 'RR123456785FR',
      trackingUrl: 'https://track.example/1',
      shipmentMethodUid: expect.any(String),
    },
  ]);
  expect((await list({ since: new Date(Date.now() + 60_000).toISOString() })).shipments).toEqual([]);
  const { apiKey, apiSecret } = stack.credentials.client;
  const headers = { 'X-API-KEY': `${apiKey}:${apiSecret}` };
  const csv = await fetch(`${stack.baseUrl}/v1/channels/${channel}/shipments?format=csv`, { headers });
  expect(await csv.text()).toMatch(
    /^orderReferenceId,trackingCode,trackingUrl,shipmentMethodUid\r\nleft-1,RR123456785FR,https:\/\/track\.example\/1,\w+\r\n$/,
  );
});

test('a cancellation in a later revision cancels the order', async () => {
  await imported(channelId, fileOf({ reference: 'change-2', revision: 1 }));
  const { id } = await orderOf('change-2');
  await imported(channelId, fileOf({ reference: 'change-2', revision: 2, stop: 'yes' }));
  const { status } = await orderUntil(stack, id, (now) => now.status === 'canceled');
  expect(status).toBe('canceled');
});

test('what cannot be changed any more needs attention, in words', async () => {
  await imported(channelId, fileOf({ reference: 'change-3', item: 'a', revision: 1 }));
  const { id } = await orderOf('change-3');
  await accepted(stack, id);
  await imported(
    channelId,
    fileOf(
      { reference: 'change-3', item: 'a', quantity: 2, revision: 2 },
      { reference: 'change-3', item: 'b', revision: 2 },
    ),
  );
  await orderUntil(stack, id, ({ attention }) => attention?.includes('channel_change_missed') ?? false);
  const flagged = (await orderLog(stack, id, 'flagged')).map(({ data }) => data.message);
  expect(flagged).toEqual(['Item a has 1 more units: order them separately. Item b was added: order it separately.']);
  const { orders } = await stack.client.listChannelOrders({
    params: { channelId },
    query: { state: 'submitted', reason: 'change_missed' },
  });
  expect(orders).toMatchObject([{ externalId: 'change-3', revision: 2, state: 'submitted', orderId: id }]);
  await stack.operator.repairOrder({
    params: { orderId: id },
    body: { action: 'dismiss', reason: 'told the shop' } as never,
  });
  await orderUntil(stack, id, ({ attention }) => attention === null);
});

test('a worker that stops in the middle, and another upload, make each order once', async () => {
  const id = await newChannel('stops');
  const references = Array.from({ length: 120 }, (_, index) => `stop-${index}`);
  const content = fileOf(...references.map((reference) => ({ reference })));
  const first = await upload(id, content);
  await eventually(async () => {
    const { counts } = await stack.client.getChannelFile({ params: { channelId: id, fileId: first.id } });
    return counts.submitted > 0 ? true : undefined;
  });
  await stack.stopWorker();
  expect((await upload(id, content)).id).toBe(first.id);
  await stack.startWorker();
  expect((await done(id, first.id)).counts).toMatchObject({ submitted: 120, waiting: 0 });
  const rows = await stack.services.sql<{ reference: string; orders: number }[]>`
    SELECT order_reference_id AS reference, count(*)::int AS orders FROM orders
    WHERE order_reference_id LIKE 'stop-%' GROUP BY 1`;
  expect(rows).toHaveLength(120);
  expect(rows.every(({ orders }) => orders === 1)).toBe(true);
});
