import { type TestStack, testStack } from '../../support/stack';
import { is, orderBody, orderUntil } from '../../workflows/order/order-fixture';

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Submits an order whose print file takes five seconds to download, so that it is not planned yet. */
async function unplanned(reference: string, over: object = {}): Promise<string> {
  const body = orderBody(stack, reference);
  const url = `${stack.sandbox.url}/faulty-files/slow.pdf?ms=5000`;
  const items = body.items.map((item) => ({ ...item, files: [{ type: 'default', url }] }));
  const { id } = await stack.shop.submitOrder({ body: { ...body, items, ...over } as never });
  await orderUntil(stack, id, is('uploading'));
  return id;
}

const update = (id: string, body: object) =>
  stack.shop.updateShipment({ params: { orderId: id }, body: body as never });

test('before the order is planned, the response has the shipment that the plan then has', async () => {
  const id = await unplanned('early-change');
  const { shippingAddress } = orderBody(stack, 'early-change');
  const address = { ...shippingAddress, country: 'FR', city: 'Paris', postCode: '75001' };
  const answer = await update(id, { shippingAddress: address, shipmentMethodUid: 'express' });
  expect(answer.shippingAddress).toMatchObject({ country: 'FR', city: 'Paris' });
  expect(answer.shipment).toMatchObject({
    fulfillmentCountry: 'DE',
    packageCount: 1,
    serviceType: 'express',
  });

  await orderUntil(stack, id, is('passed'));
  const planned = await stack.shop.getOrder({ params: { orderId: id } });
  expect(planned.shipment).toMatchObject(answer.shipment);
});

test('a change with which no method carries the order is refused before the order is planned', async () => {
  const id = await unplanned('early-refusal');
  await expect(update(id, { shipmentMethodUid: 'fed_ex_2_day' })).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ code: 'VALIDATION_ERROR', reference: 'shipmentMethodUid' }] },
  });
  const order = await stack.shop.getOrder({ params: { orderId: id } });
  expect(order.shipmentMethodUid).toBeNull();
});

test('a change to an address across a customs border needs retail prices, also before the plan', async () => {
  const id = await unplanned('early-border', { retailCurrency: null });
  const { shippingAddress } = orderBody(stack, 'early-border');
  const address = { ...shippingAddress, country: 'CH', city: 'Zürich', postCode: '8001' };
  await expect(update(id, { shippingAddress: address })).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ reference: 'shippingAddress.country' }] },
  });
});

test('an order that no partner can make now has the shipment of the time when one can', async () => {
  const { sql } = stack.services;
  await sql`UPDATE partners SET enabled = false`;
  try {
    const { id } = await stack.shop.submitOrder({ body: orderBody(stack, 'parked-change') });
    await orderUntil(stack, id, is('on_hold'));
    const { shipment } = await update(id, { shipmentMethodUid: 'express' });
    expect(shipment).toMatchObject({ fulfillmentFacilityId: 'prints-berlin', serviceType: 'express' });
  } finally {
    await sql`UPDATE partners SET enabled = true`;
  }
});
