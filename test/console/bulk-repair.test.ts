import { expectAccessible, openScreen } from '../support/browser';
import { repairDialog, repairWith } from '../support/console-steps';
import { eventually, type TestStack, testStack } from '../support/stack';
import { refusedOrder } from './order-fixture';

/** An operator repairs many orders at once, in a browser. */

const ORDERS = 12;

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Returns the number of orders that need attention, up to 250. */
const needingAttention = async () =>
  (await stack.operator.listOperatorOrders({ query: { attention: 'any', limit: 250 } })).orders.length;

test('twelve refused orders are rerouted with one reason', async () => {
  for (let index = 0; index < ORDERS; index += 1) await refusedOrder(stack, `bulk-${index}`);
  await eventually(async () => ((await needingAttention()) === ORDERS ? true : undefined));

  const { page, faults } = await openScreen(stack, '/console/attention?sort=newest');
  const table = page.getByRole('table', { name: 'Attention' });
  await table.getByRole('link', { name: 'bulk-0', exact: true }).waitFor();
  await page.getByLabel('Select bulk-0', { exact: true }).check();
  await page.getByText('1 order selected').waitFor();
  await page.getByLabel('Select all').check();
  await page.getByText(`${ORDERS} orders selected`).waitFor();

  const dialog = await repairDialog(page, 'Reroute');
  await dialog.getByText(`All ${ORDERS} orders accept this now.`).waitFor();
  await repairWith(dialog, `Reroute ${ORDERS} orders`, 'The press in Berlin is broken');
  await dialog.getByText('Finished').waitFor();
  await dialog.getByText(`${ORDERS} of ${ORDERS} repaired`, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await eventually(async () => ((await needingAttention()) === 0 ? true : undefined));
  await page.getByText('No order needs attention').waitFor();
  const [row] = await stack.database.sql<{ orders: string }[]>`
    SELECT count(DISTINCT order_id) AS orders FROM order_events
    WHERE type = 'reroute' AND data ->> 'reason' = 'The press in Berlin is broken'`;
  expect(Number(row!.orders)).toBe(ORDERS);

  // The audit log has one entry for all of them, with the reason and the outcome, and none for the dry run.
  await page.goto('/console/team');
  const entries = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
  const entry = entries.filter({ hasText: 'Repair many orders' });
  await entry.getByText('The press in Berlin is broken').waitFor();
  await entry.getByText(`${ORDERS} of ${ORDERS} orders repaired`).waitFor();
  expect(await entry.count()).toBe(1);
  expect(await entries.filter({ hasText: 'Order bulk-' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('every order that matches the filter is selected, not only those that are loaded', async () => {
  const { sql } = stack.database;
  const { id } = await refusedOrder(stack, 'copied');
  await eventually(async () => ((await needingAttention()) === 1 ? true : undefined));
  // The repair is not carried out: the copies have no workflow.
  await stack.stopWorker();
  const copies = 1_233;
  await sql`
    INSERT INTO orders
    SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'order_reference_id', 'copy-' || n))).*
    FROM orders o, generate_series(1, ${copies}::int) n WHERE o.id = ${id}`;
  await sql`
    UPDATE orders SET attention = '{not_printed}' WHERE order_reference_id IN ('copy-1', 'copy-2')`;

  const { page, faults } = await openScreen(stack, '/console/attention?reason=partner_refused');
  const main = page.getByRole('main');
  await page.getByRole('button', { name: 'Load more' }).waitFor();
  await page.getByLabel('Select all').check();
  await page.getByText('All 100 orders that are loaded are selected.').waitFor();
  await page.getByRole('button', { name: 'Select all 1,232 that match' }).click();
  await page.getByText('All 1,232 orders that match are selected.').waitFor();
  await main.getByText('1,232 orders selected').waitFor();
  await expectAccessible(page);

  // Another filter is another selection.
  await page.getByLabel('Reason').selectOption('not_printed');
  await page.getByRole('link', { name: 'copy-1', exact: true }).waitFor();
  await main.getByText('orders selected').waitFor({ state: 'detached' });
  await page.getByLabel('Reason').selectOption('');
  await page.getByRole('button', { name: 'Load more' }).waitFor();
  await page.getByLabel('Select all').check();
  await page.getByRole('button', { name: 'Select all 1,234 that match' }).click();

  // Without one row, the selection has the loaded rows again.
  const row = main.getByRole('checkbox', { name: /^Select co/ }).first();
  await row.uncheck();
  await main.getByText('99 orders selected').waitFor();
  await row.check();
  await page.getByRole('button', { name: 'Select all 1,234 that match' }).click();
  const dialog = await repairDialog(page, 'Hold');
  await dialog.getByText(/of 1,000 orders accept this now. The other 234 are checked/).waitFor();
  await repairWith(dialog, 'Hold 1,234 orders', 'The printers are broken');
  await dialog.getByText('0 of 1,234 repaired', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Stop' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  const { bulkRepairs } = await stack.operator.listBulkRepairs({});
  expect(bulkRepairs[0]).toMatchObject({ action: 'hold', counts: { total: copies + 1 } });
  expect(faults).toEqual([]);
});
