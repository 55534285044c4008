import request from 'supertest';
import { createApp } from '../../../api/app';
import { clientRoutes } from '../../../api/clients';
import { type OrdersApi, ordersApi } from './orders-api';
import { order } from './sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

const setChannel = (channel: string | null) =>
  request(createApp(api.deps, clientRoutes(api.deps)))
    .patch(`/v1/connectors/${api.client.id}`)
    .set(api.operator.key)
    .send({ channel })
    .expect(200);
const submitted = async (by = api.client) => (await api.submit(order(), by).expect(200)).body.id as string;
const channelOf = async (id: string, by = api.client) => (await api.get(id, by).expect(200)).body.channel;

test('an order has the channel of its client at the time of its submission', async () => {
  const before = await submitted();
  expect((await setChannel('etsy')).body.channel).toBe('etsy');
  const during = await submitted();
  const [first, second] = await Promise.all([submitted(), submitted(api.other)]);
  await setChannel(null);
  const after = await submitted();
  expect(await Promise.all([before, during, first, after].map((id) => channelOf(id)))).toEqual([
    'api',
    'etsy',
    'etsy',
    'api',
  ]);
  expect(await channelOf(second, api.other)).toBe('api');
  const found = (await api.post('/v1/orders/search', { channels: ['etsy'] }).expect(200)).body.orders;
  expect(found.map(({ id }: { id: string }) => id).sort()).toEqual([during, first].sort());
});
