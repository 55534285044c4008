import type { Page } from 'playwright-core';
import { expectAccessible, openScreen } from '../support/browser';
import { repairDialog, repairWith, replacementDialog } from '../support/console-steps';
import { eventually, type TestStack, testStack } from '../support/stack';
import { address, faultyFile, goodFile, poster } from '../workflows/order/client-orders';
import { misbehaveOnce } from '../workflows/order/order-fixture';
import { hasStatus, orderWith } from './order-fixture';

/** What an operator does for a recipient: another address, some units less, the goods again, another file. In a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
});

const faults: (readonly string[])[] = [];

/** Opens the page of an order. */
async function openOrder(orderId: string): Promise<Page> {
  const tab = await openScreen(stack.baseUrl, stack.credentials.operator.apiKey, `/console/orders/${orderId}`);
  faults.push(tab.faults);
  return tab.page;
}

afterAll(() => {
  expect(faults.flat()).toEqual([]);
});

test('the address and the method of an order are changed, with the price before it is done', async () => {
  const { id } = await orderWith(stack, 'console-moved', { marker: 'sandbox:prints-slowly=120000' });
  await hasStatus(stack, id, 'in_production');
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Change address or method');
  await dialog.getByLabel('Address line 1').fill('Chausseestr. 2');
  await dialog.getByLabel('Method').selectOption('express');
  await dialog.getByRole('button', { name: 'Check the price' }).click();
  await dialog.getByText(/in total, a difference of €\d/).waitFor();
  await expectAccessible(page);
  await repairWith(dialog, 'Change shipping', 'The customer moves');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Delivery' }).getByText('Chausseestr. 2').waitFor();
  const { shippingAddress } = await stack.client.getOrder({ params: { orderId: id } });
  expect(shippingAddress).toMatchObject({ addressLine1: 'Chausseestr. 2', city: 'Berlin', isBusiness: false });
});

test('some units of an order are cancelled', async () => {
  const { id } = await orderWith(stack, 'console-fewer', { marker: 'sandbox:prints-slowly=120000', quantity: 3 });
  await hasStatus(stack, id, 'in_production');
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Cancel');
  await dialog.getByText('Cancels and refunds 3 × poster.').waitFor();
  await dialog.getByLabel('poster').fill('1');
  await dialog.getByText('Cancels and refunds 1 of 3 × poster.').waitFor();
  await expectAccessible(page);
  await repairWith(dialog, 'Cancel order', 'One is enough');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => {
    const { receipts } = await stack.client.getOrder({ params: { orderId: id } });
    return receipts.some(({ transactionType }) => transactionType === 'refund') ? true : undefined;
  });
});

test('one unit of a delivered order is made again without charge, and shipped to another address', async () => {
  const { id } = await orderWith(stack, 'console-again', { quantity: 2 });
  await hasStatus(stack, id, 'delivered');
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Reprint');
  await dialog.getByText('Makes 2 × poster, no charge.').waitFor();
  await dialog.getByLabel('poster').fill('1');
  await dialog.getByText('Makes 1 of 2 × poster, no charge.').waitFor();
  await dialog.getByLabel('Ship to another address').check();
  await dialog.getByLabel('Address line 1').fill('Chausseestr. 2');
  await expectAccessible(page);
  await repairWith(dialog, 'Reprint order', 'One was damaged');
  await dialog.getByRole('link', { name: 'Open the new order console-again' }).click();
  await page.getByRole('region', { name: 'Delivery' }).getByText('Chausseestr. 2').waitFor();
  const again = page.url().split('/').at(-1)!;
  const order = await stack.client.getOrder({ params: { orderId: again } });
  expect(order).toMatchObject({ reprintOf: id, items: [{ quantity: 1 }] });
});

test('one unit of a delivered order is refunded, which nobody has cancelled', async () => {
  const { id } = await orderWith(stack, 'console-refunded', { quantity: 3 });
  await hasStatus(stack, id, 'delivered');
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Refund');
  await dialog.getByText('Refunds nothing.').waitFor();
  await dialog.getByLabel('poster').fill('1');
  await dialog.getByText('Refunds 1 of 3 × poster.').waitFor();
  await expectAccessible(page);
  await repairWith(dialog, 'Refund units', 'A corner was bent');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('status', { name: 'Latest change' }).getByText('Done').waitFor();
  const { financialStatus, receipts } = await stack.client.getOrder({ params: { orderId: id } });
  expect(financialStatus).toBe('partially_refunded');
  expect(receipts.at(-1)).toMatchObject({ transactionType: 'refund', items: [{ amount: 1 }] });
});

test('a print order that its partner refused is sent again', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'refuses', 'console-retried');
  const { id } = await orderWith(stack, 'console-retried', { address: { ...address, lastName: 'console-retried' } });
  await hasStatus(stack, id, 'on_hold');
  await stack.operator.clearSandboxBehaviours({ params: { partnerName: 'prints-berlin' } });
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Retry');
  await dialog.getByText('Retry: 1 × poster.').waitFor();
  await repairWith(dialog, 'Retry order', 'The press runs again');
  await dialog.waitFor({ state: 'detached' });
  await hasStatus(stack, id, 'delivered');
  const outcome = page.getByRole('status', { name: 'Latest change' });
  await outcome.getByText('Retry by operator').waitFor();
  await outcome.getByText('Done').waitFor();
});

test('the client is asked for another file, and the partner that has the order gets it', async () => {
  const { id } = await orderWith(stack, 'console-handed-over', { marker: 'sandbox:prints-slowly=120000' });
  await hasStatus(stack, id, 'in_production');
  const page = await openOrder(id);
  await page.getByRole('button', { name: 'Ask for a new file default of poster' }).click();
  const request = page.getByRole('dialog', { name: 'Ask for a new file' });
  await request.getByLabel('What is wrong with the file').fill('The photo is too dark');
  await expectAccessible(page);
  await request.getByRole('button', { name: 'Ask the client' }).click();
  await request.getByText('The client has no endpoint for this notification.').waitFor();
  await request.getByRole('button', { name: 'Close' }).click();
  const outcome = page.getByRole('status', { name: 'Latest change' });
  await outcome.getByText('Waiting').waitFor();
  await page.getByRole('region', { name: 'Timeline' }).getByText('The photo is too dark').waitFor();

  const dialog = await replacementDialog(page, `${goodFile(stack, 'poster-a4.pdf')}?again`);
  await repairWith(dialog, 'Replace file', 'The customer sent a brighter one');
  await dialog.waitFor({ state: 'detached' });
  await outcome.getByText('Done').waitFor();
  const order = await stack.client.getOrder({ params: { orderId: id } });
  expect(order.items[0]!.files).toMatchObject([{ url: expect.stringContaining('?again'), replacement: null }]);
});

test('an order that failed for its file is made with another file', async () => {
  const url = faultyFile(stack, 'missing.pdf');
  const { id } = await orderWith(stack, 'console-failed', {
    items: [poster(stack, { files: [{ type: 'default', url }] })],
  });
  await hasStatus(stack, id, 'failed');
  const page = await openOrder(id);
  const items = page.getByRole('region', { name: 'Items' });
  await items.getByText('Not stored').waitFor();
  await items.getByText(url).waitFor();
  const dialog = await repairDialog(page, 'Reprint');
  await dialog.getByText('Makes 1 × poster, charged to the client.').waitFor();
  await dialog.getByLabel('Address of the file default of poster').fill(goodFile(stack, 'poster-a4.pdf'));
  await repairWith(dialog, 'Reprint order', 'The customer sent the file');
  await dialog.getByRole('link', { name: 'Open the new order console-failed' }).click();
  await hasStatus(stack, page.url().split('/').at(-1)!, 'delivered');
});

test('a file that does not fit is replaced, and the order goes on', async () => {
  const url = faultyFile(stack, 'wrong-size.pdf');
  const { id } = await orderWith(stack, 'console-unfit', {
    items: [poster(stack, { files: [{ type: 'default', url }] })],
  });
  await hasStatus(stack, id, 'on_hold');
  const page = await openOrder(id);
  await page
    .getByLabel('What is wrong')
    .getByText(/Page 1 is 105 × 148 mm/)
    .waitFor();
  const dialog = await replacementDialog(page, goodFile(stack, 'poster-a4.pdf'));
  await expectAccessible(page);
  await repairWith(dialog, 'Replace file', 'The customer sent the right one');
  await dialog.waitFor({ state: 'detached' });
  await hasStatus(stack, id, 'delivered');
});
