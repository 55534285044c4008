import { expectAccessible, openTab, signIn } from '../support/browser';
import { repairDialog } from '../support/console-steps';
import { type TestStack, testStack } from '../support/stack';
import { hasStatus, refusedOrder } from './order-fixture';

/** An operator finds an order that needs attention and repairs it, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
});

test('a refused order appears under Attention, is rerouted and delivered', async () => {
  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await signIn(tab, stack.credentials.operator.apiKey, '/console/attention');
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
  await page.getByText('0 orders selected').waitFor();
  await page.keyboard.press('Enter');
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1, name: 'Order console-refused' }).waitFor();
  expect(page.url()).toBe(`${stack.baseUrl}/console/orders/${id}`);
  const status = main.getByLabel('Status', { exact: true });
  await status.getByText('On hold').waitFor();
  await main.getByLabel('Waits for').getByText('Operator to repair the order').waitFor();
  await main.getByLabel('What is wrong').getByText('prints-berlin says').waitFor();

  const dialog = await repairDialog(page, 'Reroute');
  await dialog.getByText('Reroute: 1 × poster.').waitFor();
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
  expect(tab.faults).toEqual([]);
});
