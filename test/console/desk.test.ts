import { expectAccessible, openScreen } from '../support/browser';
import { repairDialog } from '../support/console-steps';
import { eventually, type TestStack, testStack } from '../support/stack';
import { faultyFile, goodFile, poster } from '../workflows/order/client-orders';
import { operatorHelpers } from '../workflows/order/operator-fixture';
import { carrierScans, handedOver, is, orderUntil } from '../workflows/order/order-fixture';
import { orderWith } from './order-fixture';

/** An operator settles lost and damaged units, in a browser. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const { say, look, partnerId } = operatorHelpers(() => stack);

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
  await claims.getByText(/^Damaged: 1 of 2 × .+ \(poster\)$/).waitFor();
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
  const picture = { name: 'doorstep.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('a picture') };
  await dialog.locator('input[type="file"]').setInputFiles(picture);
  await eventually(async () =>
    /^https?:\S+$/.test(await dialog.getByLabel('Addresses of pictures').inputValue()) ? true : undefined,
  );
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByLabel('Who has to pay').selectOption('carrier');
  await dialog.getByLabel('Partner').selectOption({ index: 1 });
  await dialog.getByLabel('Reason').fill('Lost in the depot');
  await dialog.getByRole('button', { name: 'Settle claim' }).click();
  await dialog.waitFor({ state: 'detached' });
  const main = page.getByRole('main');
  const claims = main.getByRole('region', { name: 'Claims' });
  await claims.getByText('Replaced').waitFor();
  const stored = await fetch((await claims.getByRole('link', { name: 'Picture 1' }).getAttribute('href'))!);
  expect(await stored.text()).toBe('a picture');
  expect((await look(orderId)).printOrders).toHaveLength(2);
  expect(faults).toEqual([]);
});

test('a partner that cancelled the only copy can make it again: its words are shown, and Reproduce comes first', async () => {
  const ohio = await partnerId('prints-ohio');
  const order = await handedOver(stack, 'console-cancelled');
  await stack.operator.changePartner({ params: { partnerId: ohio }, body: { enabled: false } });
  try {
    await say(order, 'cancelled', { message: 'The paper is used up until noon' });
    await orderUntil(stack, order.orderId, is('on_hold'));
    const { page, faults } = await openScreen(stack, `/console/orders/${order.orderId}`);
    const main = page.getByRole('main');
    await main.getByLabel('What is wrong').getByText('The paper is used up until noon').waitFor();
    await main.getByRole('button', { name: 'Reroute', exact: true }).waitFor();
    const repairs = main.getByRole('button', { name: /^(Reproduce|Refund|Reroute|Cancel)$/ });
    expect((await repairs.allTextContents())[0]).toBe('Reproduce');

    // Nobody else can make it: the dialog says why, and its button is disabled.
    const dialog = await repairDialog(page, 'Reroute');
    await dialog.getByText(/^No other partner can make the item\./).waitFor();
    await dialog.getByLabel('Reason').fill('elsewhere');
    expect(await dialog.getByRole('button', { name: 'Reroute order' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    expect(faults).toEqual([]);
  } finally {
    await stack.operator.changePartner({ params: { partnerId: ohio }, body: { enabled: true } });
  }
});

test('a returned order leaves Attention with its reprint; both pages link, and the list marks the reprint', async () => {
  const orderId = await inTransit('console-returned', 1);
  const [parcel] = (await look(orderId)).parcels;
  await carrierScans(stack, parcel!.trackingNumber, 'returned');
  await orderUntil(stack, orderId, ({ attention }) => attention === 'order_returned');
  const { page, faults } = await openScreen(stack, `/console/orders/${orderId}`);
  const main = page.getByRole('main');
  const dialog = await repairDialog(page, 'Reprint');
  expect(await dialog.getByLabel('Charge the client').isChecked()).toBe(false);
  // The focus starts at the first field.
  await dialog.locator('input[type="number"]:focus').waitFor();
  await dialog.getByLabel('Reason').fill('Wrong house number');
  await dialog.getByRole('button', { name: 'Reprint order' }).click();
  await dialog.getByRole('link', { name: /^Open the new order/ }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await orderUntil(stack, orderId, ({ attention }) => attention === null);

  // A second reprint of the same units asks first.
  const again = await repairDialog(page, 'Reprint');
  await again.getByLabel('Reason').fill('Once more');
  await again.getByRole('button', { name: 'Reprint order' }).click();
  await again.getByText('The units were reprinted before.').waitFor();
  await again.getByLabel(/^Make units once more that a reprint has made/).waitFor();
  await again.getByRole('button', { name: 'Close' }).click();

  await main.getByRole('link', { name: 'Open reprint 1' }).click();
  await main.getByRole('link', { name: 'Open the first order' }).waitFor();
  await page.goto(`${stack.baseUrl}/console/orders`);
  const rows = main.getByRole('row').filter({ hasText: 'console-returned' });
  await rows.first().waitFor();
  expect(await rows.getByText('Reprint', { exact: true }).count()).toBe(1);
  expect(faults).toEqual([]);
});

test('an order is made again in another size, with its price and date before, and the first one is cancelled', async () => {
  const { orderId } = await handedOver(stack, 'console-again');
  const { page, faults } = await openScreen(stack, `/console/orders/${orderId}`);
  const dialog = await repairDialog(page, 'Order again');
  await dialog.getByLabel('Units').fill('2');
  await dialog.getByLabel('Another product or size').check();
  await dialog.getByRole('radio', { name: 'Poster', exact: true }).check();
  await dialog.getByLabel('Paper format').selectOption('a2');
  await dialog.getByLabel(/^Address of the file default/).fill(goodFile(stack, 'poster-a2.pdf'));
  await dialog.getByRole('radio', { name: 'Is cancelled' }).check();
  await dialog.getByRole('button', { name: 'Show price and date' }).click();
  await dialog.getByText(/^Costs .+ with VAT, .+ of it shipping without VAT\. Arrives \d{4}-\d\d-\d\d/).waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').fill('The client has called');
  await dialog.getByRole('button', { name: 'Submit order' }).click();
  await dialog.getByRole('link', { name: /^Open the new order/ }).click();
  await page.waitForURL((url) => !url.pathname.includes(orderId));
  const made = await stack.client.getOrder({ params: { orderId: page.url().split('/').at(-1)! } });
  expect(made.items).toMatchObject([{ productUid: expect.stringContaining('_a2_'), quantity: 2 }]);
  await orderUntil(stack, orderId, ({ status }) => status === 'canceled');
  // The pages of both orders lead to each other.
  for (const id of [orderId, made.id]) {
    await page.getByRole('link', { name: 'Open the other order' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(id));
  }
  expect(faults).toEqual([]);
});

test('a file from the operator’s computer is checked in the dialog, and replaces one that cannot be fetched', async () => {
  const items = [poster(stack, { files: [{ type: 'default', url: faultyFile(stack, 'broken.pdf') }] })];
  const { id } = await orderWith(stack, 'console-upload', { items });
  const { page, faults } = await openScreen(stack, `/console/orders/${id}`);
  const dialog = await repairDialog(page, 'Replace the file default of poster', { title: 'Replace' });
  const choose = async (name: string, buffer: Buffer) =>
    await dialog.locator('input[type="file"]').setInputFiles({ name, mimeType: 'application/pdf', buffer });
  await choose('notes.pdf', Buffer.from('This is no print file.'));
  await dialog.getByText(/^The type of the file is not supported/).waitFor();
  const response = await fetch(goodFile(stack, 'poster-a4.pdf'));
  await choose('poster.pdf', Buffer.from(await response.arrayBuffer()));
  await dialog.getByText('The file fits its product.').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Reason').fill('Sent by mail');
  await dialog.getByRole('button', { name: 'Replace file' }).click();
  await dialog.waitFor({ state: 'detached' });
  await orderUntil(stack, id, is('passed'));
  expect(faults).toEqual([]);
});
