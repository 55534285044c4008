import { openTab, signIn } from '../support/browser';
import { eventually, type TestStack, testStack } from '../support/stack';
import { actWith, refusedOrder } from './order-fixture';

/** An operator repairs many orders at once, in a browser. */

const ORDERS = 50;

let stack: TestStack;

// Steps wait for the browser, the workflow and the sandbox, beside other load.
jest.setTimeout(600_000);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Returns the orders that need attention. */
const needingAttention = async () =>
  (await stack.operator.listOrdersNeedingAttention({ query: { limit: 250 } })).orders.length;

test('50 refused orders are rerouted with one reason', async () => {
  for (let index = 0; index < ORDERS; index += 1) await refusedOrder(stack, `bulk-${index}`);
  const many = 300_000;
  await eventually(async () => ((await needingAttention()) === ORDERS ? true : undefined), many);

  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await signIn(tab, stack.credentials.operator.apiKey, '/console/attention?sort=newest');
  const table = page.getByRole('table', { name: 'Attention' });
  await table.getByRole('link', { name: 'bulk-0', exact: true }).waitFor();
  await page.getByLabel('Select bulk-0', { exact: true }).check();
  await page.getByText('1 order selected').waitFor();
  await page.getByLabel('Select all').check();
  await page.getByText(`${ORDERS} orders selected`).waitFor();

  await page.getByRole('main').getByRole('button', { name: 'Reroute', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Reroute' });
  await dialog.getByText(`All ${ORDERS} orders accept this now.`).waitFor();
  await actWith(dialog, `Reroute ${ORDERS} orders`, 'The press in Berlin is broken');
  await dialog.getByText('Finished').waitFor({ timeout: many });
  await dialog.getByText(`${ORDERS} of ${ORDERS} repaired`, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await eventually(async () => ((await needingAttention()) === 0 ? true : undefined), many);
  await page.getByText('No order needs attention').waitFor();
  const [row] = await stack.database.sql<{ orders: string }[]>`
    SELECT count(DISTINCT order_id) AS orders FROM order_events
    WHERE type = 'reroute' AND data ->> 'reason' = 'The press in Berlin is broken'`;
  expect(Number(row!.orders)).toBe(ORDERS);
  expect(tab.faults).toEqual([]);
});
