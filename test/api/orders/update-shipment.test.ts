import { facilityOf } from '../../support/rows/partner-setup';
import { type TestStack, testStack } from '../../support/stack';
import { addressIn } from '../../workflows/order/client-orders';
import { fileHost } from '../../workflows/order/file-host';
import {
  handedOver,
  is,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
  withBerlin,
} from '../../workflows/order/order-fixture';

let stack: TestStack;
const files = fileHost();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const update = (id: string, body: object) =>
  stack.client.updateShipment({ params: { orderId: id }, body: body as never });

test('before the order is planned, the response has the shipment that the plan then has', async () => {
  const { id, send } = await files.submit(stack, 'early-change');
  const { shippingAddress } = orderBody(stack, 'early-change');
  const address = { ...shippingAddress, country: 'FR', city: 'Paris', postCode: '75001' };
  const response = await update(id, { shippingAddress: address, shipmentMethodUid: 'express' });
  expect(response.shippingAddress).toMatchObject({ country: 'FR', city: 'Paris' });
  expect(response.shipment).toMatchObject({
    fulfillmentCountry: 'DE',
    packageCount: 1,
    serviceType: 'express',
  });

  send();
  await orderUntil(stack, id, is('passed'));
  const planned = await stack.client.getOrder({ params: { orderId: id } });
  expect(planned.shipment).toMatchObject(response.shipment);
  const { total, totalInclVat, difference } = response.price;
  expect(planned.receipts).toMatchObject([{ total, totalInclVat }]);
  expect(difference).toBeGreaterThan(0);
});

test('address and method of an order change a hundred times', async () => {
  const { orderId } = await handedOver(stack, 'restless-change');
  await stack.services.sql`UPDATE orders SET shipping_revision = 99 WHERE id = ${orderId}`;
  await update(orderId, { shipmentMethodUid: 'express' });
  await expect(update(orderId, { shippingAddress: addressIn.FR })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('The address or method was changed 100 times, and cannot change again.'),
  });
});

test('a repeated change is made once: the label stays, and the partner gets one update', async () => {
  const { orderId, printOrderId } = await handedOver(stack, 'repeated-change');
  const change = { shippingAddress: addressIn.FR, shipmentMethodUid: 'express' };
  const [made, together] = await Promise.all([update(orderId, change), update(orderId, change)]);
  expect(together.shippingAddress).toEqual(made.shippingAddress);
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  const repeated = await update(orderId, change);
  expect(repeated).toEqual({
    ...made,
    price: { ...made.price, difference: 0, differenceVat: 0, differenceInclVat: 0 },
  });
  await stack.operator.updateShipment({ params: { orderId }, body: { ...change, reason: 'asked' } });

  expect(await orderNow(stack, orderId)).toMatchObject({ shipments: { bought: 1 } });
  expect(seenPrintOrders(stack, [printOrderId])[0]!.updates).toMatchObject([{ revision: 2 }]);
  const { eventLog } = await stack.client.getOrder({ params: { orderId } });
  const changes = eventLog.filter(({ type }) => /shipping_changed|order_update/.test(type));
  // The log counts as the messages do.
  expect(changes.map(({ type, data }) => [type, data])).toEqual([
    ['shipping_changed', {}],
    ['order_update_accepted', { revision: 2 }],
  ]);
  expect(await orderLog(stack, orderId, 'change_shipping')).toEqual([]);
});

describe('a draft', () => {
  const draftOf = async (reference: string, over: object = {}) => {
    const body = { ...orderBody(stack, reference), orderType: 'draft', ...over };
    return (await stack.client.submitOrder({ body: body as never })).id;
  };

  test('gets the address and method, and later the shipment and price that the response expects', async () => {
    const id = await draftOf('draft-change');
    const { shippingAddress } = orderBody(stack, 'draft-change');
    const change = {
      shippingAddress: { ...shippingAddress, country: 'FR', city: 'Paris', postCode: '75001' },
      shipmentMethodUid: 'express',
    };
    const tried = await update('draft-change', { ...change, dryRun: true });
    expect((await stack.client.getOrder({ params: { orderId: id } })).shippingAddress.city).toBe(shippingAddress.city);

    const response = await update('draft-change', change);
    expect(response).toEqual(tried);
    expect(response.shippingAddress).toMatchObject({ orderId: id, country: 'FR', city: 'Paris' });
    expect(response.shipment).toMatchObject({ fulfillmentCountry: 'DE', serviceType: 'express' });
    expect(response.price.difference).toBeGreaterThan(0);
    const draft = await stack.client.getOrder({ params: { orderId: id } });
    expect(draft).toMatchObject({ orderType: 'draft', fulfillmentStatus: 'draft', shipmentMethodUid: 'express' });
    expect(draft.shippingAddress).toEqual(response.shippingAddress);

    await stack.client.patchOrder({ params: { orderId: id }, body: { orderType: 'order' } });
    await orderUntil(stack, id, is('passed'));
    const planned = await stack.client.getOrder({ params: { orderId: id } });
    expect(planned.shipment).toMatchObject(response.shipment);
    expect(planned.receipts).toMatchObject([{ totalInclVat: response.price.totalInclVat }]);
  });

  test('does not get an address with which a submission is refused', async () => {
    const id = await draftOf('draft-border', { retailCurrency: null });
    const { shippingAddress } = orderBody(stack, 'draft-border');
    const swiss = { ...shippingAddress, country: 'CH', city: 'Zürich', postCode: '8001' };
    await expect(update(id, { shippingAddress: swiss })).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ reference: 'shippingAddress.country', message: expect.stringContaining('retailCurrency') }] },
    });
    expect((await stack.client.getOrder({ params: { orderId: id } })).shippingAddress.country).toBe('DE');
  });
});

test('a change with which no method carries the order is refused before the order is planned', async () => {
  const { id } = await files.submit(stack, 'early-refusal');
  await expect(update(id, { shipmentMethodUid: 'fed_ex_2_day' })).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ code: 'VALIDATION_ERROR', reference: 'shipmentMethodUid' }] },
  });
  const order = await stack.client.getOrder({ params: { orderId: id } });
  expect(order.shipmentMethodUid).toBeNull();
});

describe('an address with which a submission is refused', () => {
  const swiss = { country: 'CH', city: 'Zürich', postCode: '8001' };

  /** Returns why a submission with the address is refused. */
  async function refusalOfSubmission(over: object): Promise<string> {
    const { shippingAddress, ...body } = orderBody(stack, 'refused');
    const submitted = { ...body, ...over, shippingAddress: { ...shippingAddress, ...swiss } };
    const { id } = await stack.client.submitOrder({ body: submitted as never });
    await orderUntil(stack, id, is('failed'));
    return (await stack.client.getOrder({ params: { orderId: id } })).refusalReason!;
  }

  /** Tries to change the address before the plan and after it, as the client and as an operator. */
  async function expectRefusals(reference: string, over: object, reason: string): Promise<void> {
    const { id: early } = await files.submit(stack, `${reference}-early`, over);
    const { id: planned } = await stack.client.submitOrder({
      body: { ...orderBody(stack, `${reference}-planned`), ...over } as never,
    });
    await orderUntil(stack, planned, is('passed'));
    for (const orderId of [early, planned]) {
      const { shippingAddress } = orderBody(stack, reference);
      const body = { shippingAddress: { ...shippingAddress, ...swiss } };
      const refused = { status: 400, body: { errors: [{ message: reason, reference: 'shippingAddress.country' }] } };
      await expect(update(orderId, body)).rejects.toMatchObject(refused);
      const byOperator = stack.operator.updateShipment({ params: { orderId }, body: { ...body, reason: 'asked' } });
      await expect(byOperator).rejects.toMatchObject(refused);
      expect((await stack.client.getOrder({ params: { orderId } })).shippingAddress.country).toBe('DE');
    }
  }

  test.each([
    ['currency', { retailCurrency: null }],
    ['shipping price', { retailShippingPriceInclVat: null }],
  ])('is refused with the same words when the retail %s is missing', async (name, over) => {
    const reason = await refusalOfSubmission(over);
    expect(reason).toContain('crosses a customs border');
    await expectRefusals(`no-${name}`, over, reason);
  });

  test('is refused with the same words when no partner ships to its country', async () => {
    const { sql } = stack.services;
    const served = (countries: string[]) => sql`
      UPDATE partners SET capabilities = jsonb_set(capabilities, '{countriesServed}', ${sql.json(countries)})`;
    await served(['DE', 'FR', 'US']);
    try {
      const reason = await refusalOfSubmission({});
      expect(reason).toContain('the product is not shipped to this country');
      await expectRefusals('unserved', {}, reason);
    } finally {
      await served(['*']);
    }
  });

  test('names the items that lack a retail price by their place in the order, also after an item was cancelled', async () => {
    const { items } = orderBody(stack, 'cancelled-item', { items: 2 });
    const unpriced = items.map(({ retailPriceInclVat: _price, ...item }) => item);
    const { id } = await stack.client.submitOrder({
      body: { ...orderBody(stack, 'cancelled-item'), items: unpriced },
    });
    await orderUntil(stack, id, is('passed'));
    const cancelled = [{ itemReferenceId: unpriced[0]!.itemReferenceId }];
    await stack.client.cancelOrder({ params: { orderId: id }, body: { items: cancelled } });
    await orderUntil(stack, id, ({ items: [first] }) => first?.status === 'cancelled');
    const { shippingAddress } = orderBody(stack, 'cancelled-item');
    const refusal = update(id, { shippingAddress: { ...shippingAddress, ...swiss } });
    await expect(refusal).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.stringMatching(/prices: items\[1\]\.retailPriceInclVat\.$/) }] },
    });
  });

  test('is refused when a reroute waits whose partner does not ship to its country', async () => {
    const { sql } = stack.services;
    const order = await handedOver(stack, 'waiting-reroute');
    const ohioServes = (countries: string[]) => sql`
      UPDATE partners SET capabilities = jsonb_set(capabilities, '{countriesServed}', ${sql.json(countries)})
      WHERE uid = 'prints-ohio'`;
    const { shippingAddress } = orderBody(stack, 'waiting-reroute');
    const french = { shippingAddress: { ...shippingAddress, country: 'FR', city: 'Paris', postCode: '75001' } };
    // Without a cancel URL, the reroute waits for a postback of the first partner.
    await withBerlin(stack, 'order_cancel_url', null, async () => {
      const repaired = await stack.operator.repairOrder({
        params: { orderId: order.orderId },
        body: { action: 'reroute', itemId: order.itemIds[0]!, reason: 'test' },
      });
      expect(repaired.waitsForPartner).toBe(true);
      await ohioServes(['DE', 'US']);
      await expect(update(order.orderId, french)).rejects.toMatchObject({
        status: 400,
        body: {
          errors: [{ reference: 'shippingAddress.country', message: expect.stringContaining('not shipped to this') }],
        },
      });
      await ohioServes(['*']);
      const { price } = await update(order.orderId, french);
      // The reroute costs the client nothing: both receipts are those of the first partner's print order.
      const { receipts } = await stack.client.getOrder({ params: { orderId: order.orderId } });
      const total = receipts.reduce((sum, receipt) => sum + receipt.totalInclVat, 0);
      expect(total).toBeCloseTo(price.totalInclVat, 2);
    }).finally(() => ohioServes(['*']));
  });
});

test('an order that no partner can make now has the shipment of the time when one can', async () => {
  const { sql } = stack.services;
  await sql`UPDATE partners SET enabled = false`;
  try {
    const { id } = await stack.client.submitOrder({ body: orderBody(stack, 'parked-change') });
    await orderUntil(stack, id, is('on_hold'));
    const { shipment } = await update(id, { shipmentMethodUid: 'express' });
    expect(shipment).toMatchObject({
      fulfillmentFacilityId: await facilityOf(stack.services.sql, 'prints-berlin'),
      serviceType: 'express',
    });
  } finally {
    await sql`UPDATE partners SET enabled = true`;
  }
});
