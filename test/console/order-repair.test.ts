import type { Page } from 'playwright-core';
import { accessibilityFaults, openTab, signIn } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';
import { address, poster } from '../workflows/order/shop';

/** An operator finds an order and repairs it, in a browser. */

let stack: TestStack;

// Steps wait for the browser, the workflow and the sandbox, beside other load.
jest.setTimeout(240_000);

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
});

const REGIONS = ['Print orders', 'Items', 'Parcels', 'Receipts', 'Notifications', 'Timeline'];

/** Submits an order that prints-berlin refuses. */
const refusedOrder = (orderReferenceId: string) =>
  stack.shop.submitOrder({
    body: {
      orderReferenceId,
      currency: 'EUR',
      // The other partner ships across a customs border.
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 4.9,
      shippingAddress: { ...address, addressLine2: 'sandbox:prints-berlin/refuses' },
      items: [poster(stack, { retailPriceInclVat: 19.9 })],
    },
  });

/** Checks the page in both color schemes. */
async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  }
}

test('a refused order appears under Attention, is rerouted and delivered', async () => {
  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await signIn(tab, stack.credentials.operator.apiKey, '/console/attention');
  await page.getByText('No order needs attention').waitFor();

  const { id } = await refusedOrder('console-refused');
  // The list follows without a reload.
  const row = page.getByRole('row').filter({ hasText: 'console-refused' });
  await row.getByText('Partner refused').waitFor();
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(
    expect.arrayContaining(['Reason', 'Order', 'Client', 'Age']),
  );
  await expectAccessible(page);
  await row.getByRole('link', { name: 'console-refused' }).click();

  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1, name: 'Order console-refused' }).waitFor();
  expect(page.url()).toBe(`${stack.baseUrl}/console/orders/${id}`);
  const status = main.getByLabel('Status', { exact: true });
  await status.getByText('On hold').waitFor();
  for (const name of REGIONS) await main.getByRole('region', { name, exact: true }).waitFor();
  await main.getByRole('table', { name: 'Items' }).waitFor();
  await expectAccessible(page);

  await main.getByRole('button', { name: 'Reroute', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Reroute' });
  const act = dialog.getByRole('button', { name: 'Reroute order' });
  expect(await act.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill('The press in Berlin is broken');
  await act.click();
  await dialog.waitFor({ state: 'detached' });
  await status.getByText('Delivered').waitFor({ timeout: 60_000 });

  const timeline = main.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('The press in Berlin is broken').first().waitFor();
  await timeline.getByRole('button', { name: 'Show JSON' }).first().click();
  await timeline.getByText('"type":').first().waitFor();
  expect(await main.getByRole('button', { name: 'Reroute', exact: true }).count()).toBe(0);
  expect(tab.faults).toEqual([]);
});
