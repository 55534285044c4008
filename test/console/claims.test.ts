import { expectAccessible, openScreen } from '../support/browser';
import { repairDialog } from '../support/console-steps';
import { type TestStack, testStack } from '../support/stack';
import { operatorHelpers } from '../workflows/order/operator-fixture';
import { carrierScans, handedOver, is, orderUntil } from '../workflows/order/order-fixture';

/** An operator settles lost and damaged units, in a browser. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const { say, look } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Makes an order whose parcel is on its way. */
async function inTransit(reference: string, quantity: number): Promise<string> {
  const order = await handedOver(stack, reference, { quantity });
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } });
  await say(order, 'shipped');
  const [parcel] = (await look(order.orderId)).parcels;
  await carrierScans(stack, parcel!.trackingNumber, 'in_transit');
  await orderUntil(stack, order.orderId, is('in_transit'));
  return order.orderId;
}

test('a client’s claim appears under Attention, and is decided on the page of its order', async () => {
  const orderId = await inTransit('console-claim', 2);
  await stack.client.makeClaim({
    params: { orderId },
    body: {
      reason: 'damaged',
      items: [{ itemReferenceId: 'poster', quantity: 1 }],
      note: 'The tube was crushed.',
      pictures: ['https://example.com/tube.jpg'],
    },
  });
  const { page, faults } = await openScreen(stack, '/console/attention');
  const row = page.getByRole('row').filter({ hasText: 'console-claim' });
  await row.getByText('Claim', { exact: true }).waitFor();
  await row.getByRole('link', { name: 'console-claim' }).click();
  const claims = page.getByRole('main').getByRole('region', { name: 'Claims' });
  await claims.getByText('Damaged: 1 of 2 × poster').waitFor();
  await claims.getByText('The tube was crushed.').waitFor();
  expect(await claims.getByRole('link', { name: 'Picture 1' }).getAttribute('href')).toBe(
    'https://example.com/tube.jpg',
  );
  await page.getByRole('main').getByLabel('Waits for').getByText('Operator to decide what comes next').waitFor();
  await claims.getByRole('button', { name: /^Decide on the claim/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Decision').selectOption('refund');
  await dialog.getByLabel('Who has to pay').selectOption('partner');
  await dialog.getByLabel('Message to the client').fill('We refund the poster.');
  await dialog.getByLabel('Reason').fill('Bad packing');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Settle claim' }).click();
  await dialog.waitFor({ state: 'detached' });
  await claims.getByText('Refunded').waitFor();
  await claims.getByText('Partner', { exact: true }).waitFor();
  await orderUntil(
    stack,
    orderId,
    ({ attention, financialStatus }) => attention === null && financialStatus === 'partially_refunded',
  );
  expect(faults).toEqual([]);
});

test('an operator has a lost parcel made again in one dialog', async () => {
  const orderId = await inTransit('console-lost', 1);
  const { page, faults } = await openScreen(stack, `/console/orders/${orderId}`);
  const dialog = await repairDialog(page, 'Lost, damaged or wrong');
  await dialog.getByLabel('What happened').fill('The carrier cannot find it');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByLabel('Who has to pay').selectOption('carrier');
  await dialog.getByLabel('Partner').selectOption({ index: 1 });
  await dialog.getByLabel('Reason').fill('Lost in the depot');
  await dialog.getByRole('button', { name: 'Settle claim' }).click();
  await dialog.waitFor({ state: 'detached' });
  const main = page.getByRole('main');
  await main.getByRole('region', { name: 'Claims' }).getByText('Replaced').waitFor();
  expect((await look(orderId)).printOrders).toHaveLength(2);
  expect(faults).toEqual([]);
});
