import { readFile } from 'node:fs/promises';
import { testAccount } from '../support/api-deps';
import { expectAccessible, openScreen, openTab, signIn } from '../support/browser';
import { goTo, repairDialog, repairWith } from '../support/console-steps';
import { eventually, type TestStack, testStack } from '../support/stack';
import { goodOrder, hasStatus, refusedOrder } from './order-fixture';

/** Operators find and read orders, and their lists follow what changes, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
});

/** Names of buttons that change something. */
const CHANGES =
  /^(Retry|Reroute|Cancel|Hold|Add |Edit|Revoke|Send test|Register addresses|Replay|Run now|Change |Set behaviour|Report scan)/;

test('a viewer reads every screen, and has no button or checkbox with which an admin changes something', async () => {
  const { sql } = stack.database;
  const { id } = await refusedOrder(stack, 'console-viewer');
  await hasStatus(stack, id, 'on_hold');
  await sql`
    INSERT INTO outbox (kind, target, payload, dead_at)
    VALUES ('signal_workflow', 'shipping-order-x', '{"signal": "x", "args": []}', now())`;
  const viewer = await testAccount(sql, 'operator', 'console-viewer', 'viewer');
  const { page } = await openScreen(stack, '/console/today', viewer.apiKey);
  const main = page.getByRole('main');
  const [client] = (await stack.operator.listClients({})).connectors;
  const [partner] = (await stack.operator.listPartners({})).partners;
  for (const [path, name] of [
    [`orders/${id}`, 'Items'],
    ['attention', 'Attention'],
    [`clients/${client!.id}`, 'Deliveries'],
    ['partners', 'Partners'],
    [`partners/${partner!.id}`, 'Keys'],
    ['outbox?state=dead', 'Outbox'],
    ['system', 'Jobs'],
    ['catalog', 'Product models'],
    ['team', 'Audit log'],
    [`team/${viewer.id}`, 'Keys'],
    ['sandbox', 'prints-berlin'],
  ] as const) {
    await page.goto(`/console/${path}`);
    await page.getByRole('table', { name }).or(page.getByRole('region', { name })).first().waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
    const changing = main.getByRole('button', { name: CHANGES }).or(main.getByRole('checkbox'));
    expect([path, await changing.count()]).toEqual([path, 0]);
  }
  await sql`DELETE FROM outbox WHERE target = 'shipping-order-x'`;
});

test('an order is found by each of its ids, and the list is exported', async () => {
  const { id } = await goodOrder(stack, 'console-found');
  await hasStatus(stack, id, 'delivered');
  const { printOrders, parcels } = await eventually(async () => {
    const order = await stack.operator.getOperatorOrder({ params: { orderId: id } });
    return order.parcels.length > 0 ? order : undefined;
  });
  const ids = [id, 'console-found', printOrders[0]!.id, printOrders[0]!.jobs[0]!.id, parcels[0]!.trackingNumber];
  const { page } = await openScreen(stack, '/console/orders');
  const rows = page.getByRole('table', { name: 'Orders' }).getByRole('row');
  for (const text of ids) {
    await page.getByLabel('Search orders').fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('q') === text);
    await page.getByRole('link', { name: 'console-found' }).waitFor();
    await eventually(async () => ((await rows.count()) === 2 ? true : undefined));
  }
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    // The first one selects all.
    ...['', 'Reference', 'Status', 'Reason', 'Client', 'Partner', 'Recipient', 'Country', 'Amount', 'Created'],
  ]);
  await expectAccessible(page);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('orders.csv');
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(new RegExp(`^${id},console-found,[^,]+,demo-client,delivered,`));

  // Both orders have the address of the recipient.
  await page.getByLabel('Search orders').fill('ada@example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'console-viewer' }).waitFor();
  await page.getByRole('link', { name: 'console-found' }).waitFor();
});

test('the dialog "Go to" opens screens and finds orders', async () => {
  const { page, faults } = await openScreen(stack, '/console/today');
  // The dialog hides the navigation from screen readers.
  const navigation = page.locator('nav > a');
  const dialog = page.getByRole('dialog', { name: 'Go to' });
  const field = dialog.getByLabel('Go to', { exact: true });

  await page.keyboard.press('Control+k');
  await field.waitFor();
  await eventually(async () => {
    const screens = await navigation.allTextContents();
    const hits = await dialog.getByRole('link').allTextContents();
    return hits.length > 0 && hits.join() === screens.join() ? true : undefined;
  });
  await field.fill('atten');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Attention' }).waitFor();

  await goTo(page, 'console-found');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Order console-found' }).waitFor();

  const { orders } = await stack.operator.listOperatorOrders({ query: { q: 'console-found' } });
  const { id } = orders[0]!;
  const { receipts } = await stack.operator.getOrder({ params: { orderId: id } });
  const { parcels } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
  const { trackingNumber } = parcels[0]!;
  // The beginning of its id, its workflow, invoice and parcel, its reference in another case, its recipient and e-mail.
  const several = ['lovelace', 'Ada@example.com'];
  for (const text of [
    ...[id.slice(0, 28), `order-${id}`, receipts[0]!.receiptNumber, trackingNumber, 'Console-FOUND'],
    ...several,
  ]) {
    await goTo(page, String(text));
    const hit = dialog.getByRole('link', { name: 'Order console-found' });
    await hit.waitFor();
    if (several.includes(String(text))) await hit.click();
    else await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/orders/${id}`);
    await page.goto('/console/today');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  }

  await stack.client.createCustomerProduct({
    body: { name: 'Harbour at dawn', productModelId: 'poster', variantOptions: [] } as never,
  });
  for (const [text, hit, url] of [
    ['harbour', 'Product Harbour at dawn', '**/console/catalog?q=Harbour*'],
    ['demo-cl', 'Client demo-client', '**/console/clients/*'],
    ['framed-pos', 'Product model Framed poster', '**/console/catalog?model=framed-poster'],
    // The uid by which partners and routing know it.
    ['mug_product', 'Product model Mug', '**/console/catalog?model=mug'],
  ] as const) {
    await goTo(page, text);
    await dialog.getByRole('link', { name: hit }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(url);
  }

  await goTo(page, 'berlin');
  await dialog.getByRole('link', { name: 'Partner prints-berlin' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/partners/*');

  await goTo(page, 'nothing has this name');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/orders?q=nothing*');
  expect(faults).toEqual([]);
});

test('the figures of Today lead to their lists', async () => {
  const { page } = await openScreen(stack, '/console/today');
  const region = (name: string) => page.getByRole('main').getByRole('region', { name, exact: true });
  for (const [name, link, path, list] of [
    ['Attention', /^1$/, '/console/attention?reason=partner_refused', 'Attention'],
    ['Orders by stage', /^On hold/, '/console/orders?status=on_hold', 'Orders'],
    ['Outbox', /^0$/, '/console/outbox?kind=', 'Outbox'],
    ['Jobs', /^reconcile$/, '/console/system', 'System'],
  ] as const) {
    await page.goto('/console/today');
    await region(name).getByRole('link', { name: link }).first().click();
    await page.getByRole('heading', { level: 1, name: list, exact: true }).waitFor();
    expect(page.url()).toContain(path);
  }
});

test('a report by client has a chart, a row with the name of the client, and files', async () => {
  const { id } = await goodOrder(stack, 'console-report');
  await hasStatus(stack, id, 'delivered');
  const { page, faults } = await openScreen(stack, '/console/reports');
  await page.getByLabel('By', { exact: true }).selectOption('Client');
  await page.getByLabel('Chart', { exact: true }).selectOption('Units');
  await page.waitForURL((url) => url.searchParams.get('by') === 'client' && url.searchParams.get('chart') === 'units');
  const { from, to } = Object.fromEntries(new URL(page.url()).searchParams) as { from: string; to: string };
  const { rows } = await stack.operator.getReport({ query: { from, to, by: 'client' } });
  const { orders, units } = rows.find(({ currency }) => currency === 'EUR')!;
  expect(units).toBeGreaterThan(0);
  const row = page.getByRole('table', { name: 'Reports' }).getByRole('row', { name: /^demo-client EUR/ });
  await row.waitFor();
  expect((await row.getByRole('cell').allTextContents()).slice(0, 3)).toEqual(['demo-client', 'EUR', String(orders)]);
  await page.getByRole('img', { name: `Units, ${from} – ${to}` }).waitFor();
  const total = rows.reduce((sum, { units }) => sum + units, 0);
  await page.getByText(`Units: ${total} in all, ${total} at the highest bar`).waitFor();
  await expectAccessible(page);
  for (const [role, name, file] of [
    ['button', 'Export CSV', 'report.csv'],
    ['link', 'Export Parquet', 'report.parquet'],
  ] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole(role, { name }).click();
    expect((await download).suggestedFilename()).toBe(file);
  }

  // Rows have the names of products and carriers.
  await page.getByLabel('By', { exact: true }).selectOption('Product');
  await page
    .getByRole('row', { name: /^Poster flat_product_/ })
    .first()
    .getByRole('link', { name: 'Poster' })
    .waitFor();
  await page.getByLabel('By', { exact: true }).selectOption('Carrier');
  const carriers = await stack.operator.getReport({ query: { from, to, by: 'carrier' } });
  const { carrier } = carriers.rows.find((each) => each.carrier !== null)!;
  await page
    .getByRole('row', { name: `${carrier!.replaceAll('_', ' ')} EUR` })
    .first()
    .waitFor();
  // A number of orders leads to these orders.
  await page.getByLabel('By', { exact: true }).selectOption('Day');
  await page
    .getByRole('row', { name: `${to} EUR` })
    .getByRole('link', { name: String(orders) })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Orders', exact: true }).waitFor();
  const listed = new URL(page.url()).searchParams;
  expect(listed.get('createdFrom')).toBe(`${to}T00:00:00.000Z`);
  expect(Date.parse(listed.get('createdTo')!) - Date.parse(listed.get('createdFrom')!)).toBe(86_400_000);
  await page.getByRole('link', { name: 'console-report', exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('twenty orders are on one screen; filters are chips, and a list with its filters is a view under its name', async () => {
  const { id } = await goodOrder(stack, 'listed');
  await hasStatus(stack, id, 'delivered');
  // Long names are cut off in their line.
  await stack.database.sql`
    INSERT INTO orders
    SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'order_reference_id', repeat('listed-', 8) || n))).*
    FROM orders o, generate_series(10, 34) n WHERE o.id = ${id}`;
  const { page, faults } = await openScreen(stack, '/console/orders');
  await page.setViewportSize({ width: 1360, height: 860 });
  const rows = page.getByRole('table', { name: 'Orders' }).locator('tbody tr');
  await rows.nth(20).waitFor();
  const bottom = await rows.nth(19).evaluate((row) => row.getBoundingClientRect().bottom);
  expect(bottom).toBeLessThanOrEqual(860);

  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Status', { exact: true }).selectOption('delivered');
  await page.getByLabel('Country').fill('de, ch');
  await page.waitForURL((url) => url.searchParams.get('country') === 'DE,CH');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove the filter Country: DE,CH' }).waitFor();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name of the view').fill('Arrived here');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove the filter Status: Delivered' }).click();
  await page.waitForURL((url) => !url.searchParams.has('status'));
  await page.goto('/console/today');
  await page.getByRole('link', { name: 'Arrived here' }).click();
  await page.waitForURL((url) => url.search === '?status=delivered&country=DE%2CCH');
  await page.getByRole('button', { name: 'Remove the filter Status: Delivered' }).waitFor();
  await expectAccessible(page);

  // What is typed is searched without Enter.
  await page.getByLabel('Search orders').fill('of no order');
  await page.getByText('Nothing matches these filters').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await rows.nth(20).waitFor();
  await page.getByRole('button', { name: 'Remove the view Arrived here' }).click();
  await page.getByRole('link', { name: 'Arrived here' }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Recipient').uncheck();
  await page.keyboard.press('Escape');
  await page.reload();
  await rows.nth(20).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Recipient' }).count()).toBe(0);
  const references = page.getByRole('table', { name: 'Orders' }).locator('tbody tr td:nth-child(2)');
  await page.getByRole('columnheader', { name: 'Reference' }).getByRole('button').click();
  const ascending = await references.allTextContents();
  expect(ascending).toEqual(ascending.toSorted((a, b) => a.localeCompare(b)));
  await page.getByRole('columnheader', { name: 'Reference' }).getByRole('button').click();
  expect(await references.allTextContents()).toEqual(ascending.toReversed());
  expect(faults).toEqual([]);
  await stack.database.sql`DELETE FROM orders WHERE order_reference_id LIKE 'listed-%'`;
});

test('orders that are selected in the list are rerouted together', async () => {
  for (const name of ['held-1', 'held-2']) {
    const { id } = await refusedOrder(stack, name);
    await hasStatus(stack, id, 'on_hold');
  }
  const { page, faults } = await openScreen(stack, '/console/orders');
  for (const name of ['held-1', 'held-2']) await page.getByLabel(`Select ${name}`).check();
  const dialog = await repairDialog(page, 'Reroute');
  await dialog.getByText('All 2 orders accept this now.').waitFor();
  await repairWith(dialog, 'Reroute 2 orders', 'The press is broken');
  await dialog.getByText('2 of 2 repaired', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('orders selected').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
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
