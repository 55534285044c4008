import request from 'supertest';
import { type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { address, order } from './sample-orders';

let api: OrdersApi;
beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

test('an address that the workflow refuses is not stored', async () => {
  // The order's workflow has not started, so it refuses changes.
  const { body } = await api.submit(order()).expect(200);
  await request(api.app)
    .put(`/v1/orders/${body.id}/shipment`)
    .set(api.shop.keyAndSecret)
    .send({ shippingAddress: address({ city: 'Hamburg' }) })
    .expect(409);
  expect(await api.sql`SELECT 1 FROM shipping_changes`).toHaveLength(0);
});
