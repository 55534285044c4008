import request from 'supertest';
import { type OrdersApi, ordersApi } from './orders-api';
import { address, order } from './sample-orders';

let api: OrdersApi;
beforeAll(async () => {
  api = await ordersApi();
});

test('an address that the run refuses is not kept', async () => {
  // Given an order whose run has not begun, so that nothing can be changed
  const { body } = await api.submit(order()).expect(200);
  await request(api.app)
    .put(`/v1/orders/${body.id}/shipment`)
    .set(api.shop.keyAndSecret)
    .send({ shippingAddress: address({ city: 'Hamburg' }) })
    .expect(409);
  expect(await api.sql`SELECT 1 FROM shipping_changes`).toHaveLength(0);
});
