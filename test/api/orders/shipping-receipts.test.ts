import { auditMoney } from '../../../bench/faults/money-audit';
import { type TestStack, testStack } from '../../support/stack';
import { addressIn, type Order, poster } from '../../workflows/order/client-orders';
import { accepted, is, orderUntil } from '../../workflows/order/order-fixture';

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const read = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const update = (orderId: string, body: object) =>
  stack.client.updateShipment({ params: { orderId }, body: body as never });
const cents = (amount: number) => Math.round(amount * 100);

/** Submits an order of two posters to Germany and waits until its partner has it. */
async function acceptedOrder(orderReferenceId: string, address: object = {}): Promise<string> {
  const { id } = await stack.client.submitOrder({
    body: {
      orderReferenceId,
      currency: 'EUR',
      shippingAddress: { ...addressIn.DE, ...address },
      items: [poster(stack, { quantity: 2 })],
    } as never,
  });
  await accepted(stack, id);
  return id;
}

/** Returns the total of all receipts in cents. */
const total = ({ receipts }: Order, name: 'shippingPrice' | 'productsPrice' | 'totalVat' | 'totalInclVat') =>
  receipts.reduce((sum, receipt) => sum + cents(receipt[name] as number), 0);

test('a dearer method adds an invoice, a cheaper one a refund; totals and financialStatus follow', async () => {
  const id = await acceptedOrder('dearer-cheaper');
  const planned = await read(id);
  const standard = cents(planned.shipment!.price);

  await update(id, { shipmentMethodUid: 'express' });
  const dearer = await read(id);
  const express = cents(dearer.shipment!.price);
  expect(express).toBeGreaterThan(standard);
  expect(dearer.receipts[0]).toEqual(planned.receipts[0]);
  expect(dearer.receipts.slice(1)).toMatchObject([
    {
      type: 'invoice',
      productsPrice: 0,
      shippingPrice: (express - standard) / 100,
      items: [{ type: 'shipment' }],
    },
  ]);
  expect(total(dearer, 'shippingPrice')).toBe(express);
  expect(total(dearer, 'productsPrice')).toBe(total(planned, 'productsPrice'));
  expect(dearer.financialStatus).toBe('invoiced');

  await stack.operator.recordPayment({ params: { orderId: id }, body: { status: 'paid' } });
  expect((await read(id)).financialStatus).toBe('paid');

  await update(id, { shipmentMethodUid: 'standard' });
  const cheaper = await read(id);
  expect(cheaper.receipts.slice(2)).toMatchObject([
    { type: 'refund', productsPrice: 0, shippingPrice: (standard - express) / 100 },
  ]);
  expect(total(cheaper, 'totalInclVat')).toBe(total(planned, 'totalInclVat'));
  expect(cheaper.financialStatus).toBe('partially_refunded');

  await update(id, { shipmentMethodUid: 'standard' });
  expect((await read(id)).receipts).toHaveLength(3);
});

test('a change responds with the new price and its difference; a dry run does so and changes nothing', async () => {
  const id = await acceptedOrder('priced-change', { companyName: 'Ada GmbH', isBusiness: true, federalTaxId: 'DE1' });
  const planned = await read(id);
  const change = { shipmentMethodUid: 'express', shippingAddress: addressIn.FR };
  const eventLog = () => stack.operator.getOrderTimeline({ params: { orderId: id } });
  const audited = () => stack.services.sql`SELECT count(*) FROM audit_log WHERE object_id = ${id}`;
  const before = [await eventLog(), await audited()];

  const tried = await update(id, { ...change, dryRun: true });
  expect(tried.shippingAddress).toMatchObject({ country: 'FR', city: 'Paris' });
  expect(tried.shipment).toMatchObject({ serviceType: 'express', packageCount: 1 });
  const { shipment, shippingAddress, receipts, updatedAt } = planned;
  expect(await read(id)).toMatchObject({ shipment, shippingAddress, receipts, updatedAt });
  expect([await eventLog(), await audited()]).toEqual(before);
  expect(await stack.services.sql`SELECT FROM shipping_changes WHERE order_id = ${id}`).toHaveLength(0);

  const made = await update(id, change);
  const { price } = made;
  // The company is gone, and the first dates stay. Only the id of the address is made with the change.
  const { id: addressId } = made.shippingAddress;
  expect({ ...tried, shippingAddress: { ...tried.shippingAddress, id: addressId } }).toEqual(made);
  expect(made.shippingAddress).toMatchObject({ companyName: null, isBusiness: false, federalTaxId: null });
  const changed = await read(id);
  expect(cents(price.totalInclVat)).toBe(total(changed, 'totalInclVat'));
  expect(cents(price.totalVat)).toBe(total(changed, 'totalVat'));
  expect(cents(price.differenceInclVat!)).toBe(total(changed, 'totalInclVat') - total(planned, 'totalInclVat'));
  expect(price.difference).toBeGreaterThan(0);

  const refused = { ...change, shipmentMethodUid: 'fed_ex_2_day', dryRun: true };
  await expect(update(id, refused)).rejects.toMatchObject({
    status: 400,
    body: { errors: [{ reference: 'shipmentMethodUid' }] },
  });
});

test('another VAT country adds a refund of the whole and a new invoice', async () => {
  const id = await acceptedOrder('vat-country');
  const german = await read(id);
  expect(total(german, 'totalVat')).toBeGreaterThan(0);

  await update(id, { shippingAddress: addressIn.FR });
  const french = await read(id);
  const [first, refund, invoice] = french.receipts;
  expect(french.receipts).toHaveLength(3);
  expect(first).toEqual(german.receipts[0]);
  expect(refund).toMatchObject({
    type: 'refund',
    productsPrice: -(first!.productsPrice as number),
    shippingPrice: -(first!.shippingPrice as number),
    totalInclVat: -(first!.totalInclVat as number),
  });
  expect(invoice).toMatchObject({
    type: 'invoice',
    productsPrice: first!.productsPrice,
    shippingPrice: french.shipment!.price,
    // 20 % in France.
    productsPriceVat: Math.round(cents(first!.productsPrice as number) * 0.2) / 100,
  });
  expect(french.financialStatus).toBe('invoiced');
});

test('a cancellation after shipping changes refunds everything that is open', async () => {
  const id = await acceptedOrder('changed-cancelled');
  await update(id, { shipmentMethodUid: 'express' });
  await update(id, { shippingAddress: addressIn.FR });
  const { items } = await read(id);
  const itemIds = [items[0]!.id];
  const cancel = () =>
    stack.operator.repairOrder({
      params: { orderId: id },
      body: { action: 'cancel', itemIds, reason: 'test' } as never,
    });
  await cancel();
  // The partner does not respond in this mode, so the second request cancels without its consent.
  await cancel().catch(() => undefined);
  await orderUntil(stack, id, is('canceled'));
  const order = await read(id);
  for (const name of ['shippingPrice', 'productsPrice', 'totalVat', 'totalInclVat'] as const) {
    expect([name, total(order, name)]).toEqual([name, 0]);
  }
  expect(order.financialStatus).toBe('refunded');
});

test('VAT is rounded over the whole shipping price, whatever its methods were, as the audit of fault runs says', async () => {
  const id = await acceptedOrder('rounded');
  for (const method of ['tern_parcel_domestic', 'corvid_post_parcel']) await update(id, { shipmentMethodUid: method });
  // 19 % of 6.19 is 1.18, and of 1.86 alone 0.35.
  expect((await read(id)).receipts).toMatchObject([
    { shippingPrice: 3.89, shippingPriceVat: 0.74 },
    { shippingPrice: 0.44, shippingPriceVat: 0.08 },
    { shippingPrice: 1.86, shippingPriceVat: 0.36 },
  ]);
  expect(await auditMoney(stack.services.sql, new Map())).toEqual([]);
});
