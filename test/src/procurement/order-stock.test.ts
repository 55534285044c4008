import { eventually, type TestStack, testStack } from '../../support/stack';
import { addressIn, goodFile, orderOf, tShirt } from '../../workflows/order/client-orders';
import { accepted, orderNow, orderUntil } from '../../workflows/order/order-fixture';

const TEE = 'tee-navy-m';

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Submits an order of navy t-shirts for the partner in Ohio. */
async function orderTees(orderReferenceId: string, quantity: number): Promise<string> {
  const productUid = 'apparel_product_gca_t-shirt_gsi_m_gco_navy_gpr_4-0';
  const files = [{ type: 'default', url: goodFile(stack, 't-shirt-front.png') }];
  const body = orderOf(stack, {
    orderReferenceId,
    shippingAddress: addressIn.US,
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 5,
    items: [tShirt(stack, { productUid, quantity, files, retailPriceInclVat: 20 })],
  });
  const { id } = await stack.client.submitOrder({ body });
  return id;
}

const ohio = () => stack.partner('prints-ohio');
const stock = async () => (await ohio().listInventory({ body: { filterBy: { partnerSku: [TEE] } } })).inventoryItem[0]!;
const consumption = async () =>
  (await ohio().listInventoryConsumption({ body: { filterBy: { partnerSku: [TEE] } } })).items;
/** Returns the available pieces. */
async function freeStock(): Promise<number> {
  const { items } = await stack.operator.listStockItems({
    params: { partnerId: await partnerId('prints-ohio') },
    query: { partnerSku: TEE },
  });
  return items[0]!.quantity - items[0]!.reserved;
}
async function partnerId(uid: string): Promise<string> {
  const [partner] = await stack.services.sql<
    { id: string }[]
  >`SELECT account_id AS id FROM partners WHERE uid = ${uid}`;
  return partner!.id;
}

it('an order reserves stock for a print job, and consumes it when the job is printed', async () => {
  const before = await stock();
  const orderId = await orderTees('printed', 3);
  const { printOrderId } = await accepted(stack, orderId);
  expect(await consumption()).toMatchObject([{ partnerSku: TEE, quantity: 3 }]);
  expect(await stock()).toEqual(before);

  const post = (status: 'received' | 'printed') =>
    ohio().postOrderStatus({ body: { timestamp: new Date().toISOString(), orderId: printOrderId, status } });
  await post('received');
  await post('printed');
  await post('printed');
  await orderUntil(stack, orderId, ({ status }) => status === 'printed');
  expect(await stock()).toEqual({ ...before, quantity: before.quantity - 3 });
  expect(await consumption()).toMatchObject([{ quantity: 3 }]);
});

it('a canceled order releases its reserved stock', async () => {
  const before = [await stock(), await consumption()];
  const orderId = await orderTees('cancelled', 2);
  await accepted(stack, orderId);
  expect(await consumption()).toHaveLength((before[1] as unknown[]).length + 1);
  await stack.operator.repairOrder({
    params: { orderId },
    body: { action: 'cancel', reason: 'the customer canceled' },
  });
  await orderUntil(stack, orderId, ({ status }) => status === 'canceled');
  expect([await stock(), await consumption()]).toEqual(before);
});

it('an order consumes less stock when the partner makes fewer units', async () => {
  const before = await stock();
  const orderId = await orderTees('fewer', 5);
  const { printOrderId } = await accepted(stack, orderId);
  const [job] = await consumption();
  const post = (body: object) =>
    ohio().postOrderStatus({
      body: { timestamp: new Date().toISOString(), orderId: printOrderId, status: 'received', ...body },
    });
  await post({});
  await post({ status: 'cancelled', items: [{ orderItemId: String(job!.printJobId), quantity: 2 }] });
  await orderUntil(stack, orderId, ({ items }) => items[0]!.status === 'manual_handling');
  expect(await stock()).toEqual(before);
  await post({ status: 'printed' });
  await eventually(async () => ((await stock()).quantity < before.quantity ? true : undefined));
  expect(await stock()).toEqual({ ...before, quantity: before.quantity - 3 });
  expect(await consumption()).toContainEqual({ ...job, quantity: 3 });
});

it('a print job that brings the available stock to the minimum raises a procurement order', async () => {
  const { minStock, maxStock } = await stock();
  const free = await freeStock();
  await ohio().adjustStock({
    body: { adjustments: [{ partnerSku: TEE, adjustmentType: 'consume', quantity: free - minStock - 2 }] },
  });
  const ours = async () =>
    (await ohio().listProcurementOrders({ body: {} })).orders.filter(({ items }) =>
      items.some(({ partnerSku }) => partnerSku === TEE),
    );
  await accepted(stack, await orderTees('nearly', 1));
  expect(await ours()).toEqual([]);
  await accepted(stack, await orderTees('at the minimum', 1));
  expect(await ours()).toMatchObject([
    { status: 'supplier', items: [{ partnerSku: TEE, quantity: maxStock - minStock, quantityReceived: 0 }] },
  ]);
  expect(await stock()).toMatchObject({ alertUid: 'low_stock', quantityOrdered: maxStock - minStock });
});

it('a job waits for stock when the item allows backorders, and the backorder is shown', async () => {
  const free = await freeStock();
  await ohio().adjustStock({
    body: { adjustments: [{ partnerSku: TEE, adjustmentType: 'consume', quantity: free - 1 }] },
  });
  const orderId = await orderTees('waiting', 4);
  await accepted(stack, orderId);
  expect((await orderNow(stack, orderId)).attention).toBeNull();
  expect(await stock()).toMatchObject({ alertUid: 'back_order' });
  // The waiting job gets the new pieces.
  await ohio().adjustStock({
    body: { adjustments: [{ partnerSku: TEE, adjustmentType: 'add', quantity: 3 }] },
  });
  expect(await stock()).toMatchObject({ alertUid: 'out_of_stock' });
});

it('a job goes to another partner when the item does not allow backorders', async () => {
  const { sql } = stack.services;
  const [ohioId, berlinId] = [await partnerId('prints-ohio'), await partnerId('prints-berlin')];
  const item = { partnerSku: TEE, minStock: 0, maxStock: 0 };
  await stack.operator.setUpStockItems({
    params: { partnerId: ohioId },
    body: { items: [{ ...item, allowBackorder: false }] },
  });
  await stack.operator.setUpStockItems({
    params: { partnerId: berlinId },
    body: { items: [{ ...item, openingQuantity: 10 }] },
  });
  await sql`
    UPDATE partners SET capabilities = jsonb_set(jsonb_set(capabilities, '{productKinds}', '["print", "mounted", "apparel"]'),
      '{models,apparel_product}', (SELECT capabilities #> '{models,apparel_product}' FROM partners WHERE uid = 'prints-ohio'))
    WHERE uid = 'prints-berlin'`;
  const orderId = await orderTees('elsewhere', 2);
  await accepted(stack, orderId);
  const [made] = await sql`
    SELECT p.uid FROM print_orders o JOIN partners p ON p.account_id = o.partner_id WHERE o.order_id = ${orderId}`;
  expect(made).toEqual({ uid: 'prints-berlin' });
  const berlin = await stack.operator.listStockItems({
    params: { partnerId: berlinId },
    query: { partnerSku: TEE },
  });
  expect(berlin.items).toMatchObject([{ quantity: 10, reserved: 2 }]);
});
