import { type TestStack, testStack } from '../support/stack';
import { orderNow, orderUntil } from '../workflows/order-fixture';

const TEE = 'tee-navy-m';

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** An order of navy t-shirts for Ohio to make. */
async function orderTees(orderReferenceId: string, quantity: number): Promise<string> {
  const { id } = await stack.shop.submitOrder({
    body: {
      orderReferenceId,
      currency: 'USD',
      shippingAddress: {
        country: 'US',
        state: 'NY',
        firstName: 'Ada',
        lastName: 'Lovelace',
        addressLine1: '350 5th Avenue',
        city: 'New York',
        postCode: '10118',
        email: 'ada@example.com',
        phone: '+1 212 736 3100',
      },
      items: [
        {
          itemReferenceId: 'tee',
          productUid: 'apparel_product_gca_t-shirt_gsi_m_gco_navy_gpr_4-0',
          quantity,
          files: [{ type: 'default', url: `${stack.sandbox.url}/files/t-shirt-front.png` }],
        },
      ],
    },
  });
  return id;
}

const ohio = () => stack.partner('prints-ohio');
const stock = async () =>
  (await ohio().listInventory({ body: { filterBy: { partnerSku: [TEE] } } })).inventoryItem[0]!;
const consumption = async () =>
  (await ohio().listInventoryConsumption({ body: { filterBy: { partnerSku: [TEE] } } })).items;
const handedOver = (orderId: string) =>
  orderUntil(
    stack,
    orderId,
    ({ printOrderIds, status }) => printOrderIds.length > 0 && status !== 'uploading',
  );

it('reserves stock for a print job, and takes it off the shelf when it is printed', async () => {
  const before = await stock();
  const orderId = await orderTees('printed', 3);
  const { printOrderIds } = await handedOver(orderId);
  expect(await consumption()).toMatchObject([{ partnerSku: TEE, quantity: 3 }]);
  expect(await stock()).toEqual(before);

  const printOrderId = printOrderIds[0]!;
  const tell = (status: 'received' | 'printed') =>
    ohio().postOrderStatus({ body: { timestamp: new Date().toISOString(), orderId: printOrderId, status } });
  await tell('received');
  await tell('printed');
  await tell('printed');
  await orderUntil(stack, orderId, ({ status }) => status === 'printed');
  expect(await stock()).toEqual({ ...before, quantity: before.quantity - 3 });
  expect(await consumption()).toMatchObject([{ quantity: 3 }]);
});

it('gives reserved stock back when the order is cancelled', async () => {
  const before = [await stock(), await consumption()];
  const orderId = await orderTees('cancelled', 2);
  await handedOver(orderId);
  expect(await consumption()).toHaveLength((before[1] as unknown[]).length + 1);
  await stack.operator.repairOrder({
    params: { orderId },
    body: { action: 'cancel', reason: 'changed their mind' },
  });
  await orderUntil(stack, orderId, ({ status }) => status === 'canceled');
  expect([await stock(), await consumption()]).toEqual(before);
});

it('lets a job wait for stock, shows the backorder and buys what is missing', async () => {
  const { quantity } = await stock();
  await ohio().adjustStock({
    body: { adjustments: [{ partnerSku: TEE, adjustmentType: 'consume', quantity: quantity - 1 }] },
  });
  const orderId = await orderTees('waiting', 4);
  await handedOver(orderId);
  expect((await orderNow(stack, orderId)).attention).toBeNull();
  expect(await stock()).toMatchObject({ quantity: 1, alertUid: 'back_order' });
  const { orders } = await ohio().listProcurementOrders({ body: {} });
  expect(orders[0]).toMatchObject({ status: 'supplier', items: [{ partnerSku: TEE }] });
});
