import { openTab, signIn } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';
import { goodOrder } from './order-fixture';

/** The console follows what changes, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const LOST = 'Connection lost. Reconnecting…';

test('a list says that the connection is lost, and follows when it is back', async () => {
  const tab = await openTab(stack.baseUrl);
  const { page, context } = tab;
  const opened = page.waitForResponse('**/v1/operator/stream');
  await signIn(tab, stack.credentials.operator.apiKey, '/console/orders');
  expect((await opened).status()).toBe(200);
  await goodOrder(stack, 'stream-before');
  await page.getByRole('link', { name: 'stream-before' }).waitFor();
  expect(await page.getByText(LOST).count()).toBe(0);

  await context.setOffline(true);
  await page.getByRole('status').getByText(LOST).waitFor();
  await goodOrder(stack, 'stream-meanwhile');
  expect(await page.getByRole('link', { name: 'stream-meanwhile' }).count()).toBe(0);
  await context.setOffline(false);
  await page.getByText(LOST).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'stream-meanwhile' }).waitFor();
  expect(tab.faults).toEqual([]);
});

test('lists follow without the stream too', async () => {
  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await page.route('**/v1/operator/stream', (route) => route.fulfill({ status: 429 }));
  await signIn(tab, stack.credentials.operator.apiKey, '/console/orders');
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await goodOrder(stack, 'stream-none');
  await page.getByRole('link', { name: 'stream-none' }).waitFor();
  expect(await page.getByText(LOST).count()).toBe(0);
});
