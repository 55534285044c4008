import type { Page } from 'playwright-core';
import { testAccount } from '../support/api-deps';
import { accessibilityFaults, openTab, signIn } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';
import { address, poster } from '../workflows/order/shop';

/** Operators find and read orders, in a browser. */

let stack: TestStack;

// Steps wait for the browser, the workflow and the sandbox, beside other load.
jest.setTimeout(240_000);

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
});

/** Submits an order that prints-berlin refuses. */
const refusedOrder = (orderReferenceId: string) =>
  stack.shop.submitOrder({
    body: {
      orderReferenceId,
      currency: 'EUR',
      shippingAddress: { ...address, addressLine2: 'sandbox:prints-berlin/refuses' },
      items: [poster(stack)],
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

test('a viewer reads an order and cannot act, neither in the page nor by the API', async () => {
  const { id } = await refusedOrder('console-viewer');
  const operator = await openTab(stack.baseUrl);
  await signIn(operator, stack.credentials.operator.apiKey, `/console/orders/${id}`);
  await operator.page.getByRole('button', { name: 'Retry', exact: true }).waitFor();

  const viewer = await testAccount(stack.database.sql, 'operator', 'console-viewer', 'viewer');
  const tab = await openTab(stack.baseUrl);
  await signIn(tab, viewer.apiKey, `/console/orders/${id}`);
  await tab.page.getByRole('table', { name: 'Items' }).waitFor();
  for (const name of ['Retry', 'Reroute', 'Cancel', 'Hold'])
    expect(await tab.page.getByRole('button', { name, exact: true }).count()).toBe(0);

  const repairs = `/v1/operator/orders/${id}/repairs`;
  const data = { action: 'cancel', reason: 'not mine to decide' };
  const { csrfToken } = await (await tab.context.request.get('/v1/operator/session')).json();
  const refused = await tab.context.request.post(repairs, { data, headers: { 'X-CSRF-Token': csrfToken } });
  expect(refused.status()).toBe(403);
  // Another site can make the browser send the cookie's owner's request, but does not know the token.
  expect((await operator.context.request.post(repairs, { data })).status()).toBe(403);
});

test('an order is found by its reference and by its id', async () => {
  const { id } = await refusedOrder('console-found');
  const tab = await openTab(stack.baseUrl);
  await signIn(tab, stack.credentials.operator.apiKey, '/console/orders');
  const { page } = tab;
  for (const text of ['console-found', id]) {
    await page.getByLabel('Search orders').fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/orders?q=${text}`);
    await page.getByRole('link', { name: 'console-found' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  }
  await expectAccessible(page);

  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  await dialog.getByLabel('Go to', { exact: true }).fill('atten');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Attention' }).waitFor();
});
