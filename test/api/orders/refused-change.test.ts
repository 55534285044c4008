import request from 'supertest';
import { type OrdersApi, ordersApi, subscribedPartners } from './orders-api';
import { address, order } from './sample-orders';

let api: OrdersApi;
beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

test('a change of an order that does not start is refused for now, and nothing is written', async () => {
  const { body } = await api.submit(order()).expect(200);
  // Any written row would fail the request with 500.
  await api.database.asOwner('ALTER TABLE shipping_changes ADD CONSTRAINT not_written CHECK (false)');
  const refused = await request(api.app)
    .put(`/v1/orders/${body.id}/shipment`)
    .set(api.client.keyAndSecret)
    .send({ shippingAddress: address({ city: 'Hamburg' }) })
    .expect(503);
  expect(refused.headers['retry-after']).toBeDefined();
  expect(refused.body.message).toBe('The order has not started yet. Try again shortly.');
});
