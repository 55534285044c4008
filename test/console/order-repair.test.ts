import type { Page } from 'playwright-core';
import { expectAccessible, openScreen } from '../support/browser';
import { repairDialog, repairWith, replacementDialog } from '../support/console-steps';
import { eventually, type TestStack, testStack } from '../support/stack';
import { address, goodFile } from '../workflows/order/client-orders';
import { misbehaveOnce } from '../workflows/order/order-fixture';
import { hasStatus, orderWith, refusedOrder } from './order-fixture';

/**
 * An operator finds an order that needs attention and repairs it, and helps its recipient: another address, some units less,
 * the goods again, another file. In a browser.
 */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
});

test('an order whose address has findings shows them, and goes on when its operator accepts the address', async () => {
  const found = { ...address, postCode: '1011', phone: '030 901820', addressLine1: 'Torstraße' };
  const { id } = await orderWith(stack, 'console-address', { address: found });
  await hasStatus(stack, id, 'on_hold');
  const { page, faults } = await openScreen(stack, `/console/orders/${id}`);
  const main = page.getByRole('main');
  for (const line of [
    'No post code of Germany has this form. Correct it.',
    'The street has no house number. Ask the recipient for it.',
    'As sent: 030 901820',
  ])
    await main.getByText(line).first().waitFor();
  await expectAccessible(page);
  await repairWith(await repairDialog(page, 'Accept address'), 'Accept address', 'The carrier knows the house');
  await hasStatus(stack, id, 'delivered');
  await main.getByText('Accepted as it is').waitFor();
  expect(faults).toEqual([]);
});

test('a refused order appears under Attention, is rerouted and delivered', async () => {
  const { page, faults } = await openScreen(stack, '/console/attention');
  await page.getByText('No order needs attention').waitFor();

  const { id } = await refusedOrder(stack, 'console-refused');
  await hasStatus(stack, id, 'on_hold');
  // The list follows without a reload.
  const row = page.getByRole('row').filter({ hasText: 'console-refused' });
  await row.getByText('Partner refused').waitFor();
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(
    expect.arrayContaining(['Reason', 'Order', 'Client', 'Partner', 'Age']),
  );
  await expectAccessible(page);

  await page.keyboard.press('j');
  await page.locator('tr[aria-current="true"]').waitFor();
  const box = page.getByLabel('Select console-refused');
  await page.keyboard.press('x');
  await page.getByText('1 order selected').waitFor();
  expect(await box.isChecked()).toBe(true);
  await page.keyboard.press('x');
  await page.getByText('order selected').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1, name: 'Order console-refused' }).waitFor();
  expect(page.url()).toBe(`${stack.baseUrl}/console/orders/${id}`);
  const status = main.getByLabel('Status', { exact: true });
  await status.getByText('On hold').waitFor();
  await main.getByLabel('Waits for').getByText('Operator to repair the order').waitFor();
  await main.getByLabel('What is wrong').getByText('prints-berlin says').waitFor();

  const fold = main.getByRole('button', { name: /not possible now$/ });
  await fold.click();
  expect(await main.getByRole('button', { name: 'Refund' }).isDisabled()).toBe(true);
  await main.getByText('partners have cancelled no units of these items').waitFor();
  await expectAccessible(page);
  await fold.click();

  const dialog = await repairDialog(page, 'Reroute');
  await dialog.getByText(/^Reroute: 1 × .+ \(poster\)\.$/).waitFor();
  await dialog.getByText(/^The new promise is .+, the old one .+\./).waitFor();
  await dialog.getByLabel('Reason').fill('The press in Berlin is broken');
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  await hasStatus(stack, id, 'delivered');
  await status.getByText('Delivered').waitFor();
  const outcome = main.getByRole('status', { name: 'Latest change' });
  await outcome.getByText('Reroute by operator').waitFor();
  await outcome.getByText('Done').waitFor();

  const timeline = main.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('The press in Berlin is broken').first().waitFor();
  await main.getByRole('button', { name: 'Reroute', exact: true }).waitFor({ state: 'detached' });

  // On a narrow screen the timeline is a tab.
  await page.setViewportSize({ width: 800, height: 900 });
  await timeline.waitFor({ state: 'detached' });
  await main.getByRole('tab', { name: 'Notes and timeline' }).click();
  await timeline.getByText('The press in Berlin is broken').first().waitFor();
  await main.getByRole('region', { name: 'Notes' }).waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

const faults: (readonly string[])[] = [];

/** Opens the page of an order. */
async function openOrder(orderId: string): Promise<Page> {
  const tab = await openScreen(stack, `/console/orders/${orderId}`);
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
  await dialog.getByText(/^Cancels and refunds 3 × .+ \(poster\)\.$/).waitFor();
  await dialog.getByLabel('poster').fill('1');
  await dialog.getByText(/^Cancels and refunds 1 of 3 × .+ \(poster\)\.$/).waitFor();
  await dialog.getByText(/^The client gets back €\d+\.\d\d, with €\d+\.\d\d of tax\.$/).waitFor();
  await dialog.getByText('prints-berlin gets a request to cancel the items, with your reason.').waitFor();
  // The button is red, and disabled with its reason.
  const submit = dialog.getByRole('button', { name: 'Cancel order' });
  expect(await submit.getAttribute('title')).toBe('Give a reason first.');
  await dialog.getByLabel('poster').fill('0');
  await dialog.getByText('Choose at least one unit.').waitFor();
  await dialog.getByLabel('poster').fill('1');
  await expectAccessible(page);
  await repairWith(dialog, 'Cancel order', 'One is enough');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => {
    const { receipts } = await stack.client.getOrder({ params: { orderId: id } });
    return receipts.some(({ transactionType }) => transactionType === 'refund') ? true : undefined;
  });
});

test('one unit of a delivered order is refunded, which nobody has cancelled', async () => {
  const { id } = await orderWith(stack, 'console-refunded', { quantity: 3 });
  await hasStatus(stack, id, 'delivered');
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Refund');
  await dialog.getByText('Refunds nothing.').waitFor();
  await dialog.getByLabel('poster').fill('1');
  await dialog.getByText(/^Refunds 1 of 3 × .+ \(poster\)\.$/).waitFor();
  const shown = await dialog.getByText(/^The client gets back €/).textContent();
  await expectAccessible(page);
  await repairWith(dialog, 'Refund units', 'A corner was bent');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('status', { name: 'Latest change' }).getByText('Done').waitFor();
  const { financialStatus, receipts } = await stack.client.getOrder({ params: { orderId: id } });
  expect(financialStatus).toBe('partially_refunded');
  expect(receipts.at(-1)).toMatchObject({ transactionType: 'refund', items: [{ amount: 1 }] });
  expect(shown).toContain(`€${Math.abs(receipts.at(-1)!.totalInclVat).toFixed(2)}, with`);
});

test('a print order that its partner refused is sent again', async () => {
  await misbehaveOnce(stack, 'prints-berlin', 'refuses', 'console-retried');
  const { id } = await orderWith(stack, 'console-retried', { address: { ...address, lastName: 'console-retried' } });
  await hasStatus(stack, id, 'on_hold');
  await stack.operator.clearSandboxBehaviours({ params: { partnerName: 'prints-berlin' } });
  const page = await openOrder(id);
  const dialog = await repairDialog(page, 'Retry');
  await dialog.getByText(/^Retry: 1 × .+ \(poster\)\.$/).waitFor();
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
  await expectAccessible(page);
  await repairWith(dialog, 'Replace file', 'The customer sent a brighter one');
  await dialog.waitFor({ state: 'detached' });
  await outcome.getByText('Done').waitFor();
  const order = await stack.client.getOrder({ params: { orderId: id } });
  expect(order.items[0]!.files).toMatchObject([{ url: expect.stringContaining('?again'), replacement: null }]);
});
