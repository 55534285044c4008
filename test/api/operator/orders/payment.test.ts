import { fields, type OrdersApi, ordersApi } from '../../orders/orders-api';
import { order } from '../../orders/sample-orders';

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
});

/** Submits an order with a financial status. Returns its id. */
async function orderWith(financialStatus: string): Promise<string> {
  const { id } = (await api.submit(order()).expect(200)).body;
  await api.sql`UPDATE orders SET financial_status = ${financialStatus} WHERE id = ${id}`;
  return id;
}

const pay = (id: string, body: object) => api.post(`/v1/operator/orders/${id}/payment`, body, api.operator);

test.each(['paid', 'refused'])('status %s sets the financial status that the client reads', async (status) => {
  const id = await orderWith('invoiced');
  const { body } = await pay(id, { status, reference: 'bank-42' }).expect(200);
  expect(body).toMatchObject({ id, financialStatus: status });
  const read = (await api.get(id).expect(200)).body;
  expect(read.financialStatus).toBe(status);
  expect(read.eventLog).toContainEqual(
    expect.objectContaining({ type: 'payment', data: { status, reference: 'bank-42' } }),
  );
  const found = (await api.post('/v1/orders/search', { financialStatuses: [status] }).expect(200)).body;
  expect(found.orders.map((each: { id: string }) => each.id)).toContain(id);
});

test('an order is found by its reference; the operator’s log has the operator’s name', async () => {
  const id = await orderWith('partially_refunded');
  const { orderReferenceId } = (await api.get(id).expect(200)).body;
  await pay(orderReferenceId, { status: 'paid' }).expect(200);
  const { events } = (await api.list(`/v1/operator/orders/${id}`).expect(200)).body;
  expect(events.at(-1)).toMatchObject({ type: 'payment', data: { status: 'paid', by: api.operator.name } });
});

test.each(['draft', 'pending', 'canceled', 'refunded'])('a payment of a %s order gets 409', async (status) => {
  const id = await orderWith(status);
  expect((await pay(id, { status: 'paid' }).expect(409)).body.code).toBe('CONFLICT');
  expect((await api.get(id).expect(200)).body.financialStatus).toBe(status);
});

test('another status gets 400, an unknown order 404', async () => {
  const id = await orderWith('invoiced');
  expect(fields((await pay(id, { status: 'refunded' }).expect(400)).body)).toEqual(['NO_SUCH_CHOICE_ERROR status']);
  await pay('no-such-order', { status: 'paid' }).expect(404);
});
