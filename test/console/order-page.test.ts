import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectAccessible, openScreen, openTab, signIn } from '../support/browser';
import { eventually, type TestStack, testStack } from '../support/stack';
import { goodOrder, hasStatus, orderWith, refusedOrder, twoItemOrder } from './order-fixture';

/** The page of one order, in a browser. */

let stack: TestStack;
/** An endpoint of the client, and the status that it responds with. */
let status = 200;
const endpoint = createServer((request, response) => {
  request.resume();
  response.writeHead(status).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  stack = await testStack({ mode: 'auto', config: { TEMPORAL_UI_URL: 'http://temporal.example:8233' } });
});
afterAll(() => {
  endpoint.close();
});

const REGIONS = [
  ...['Delivery', 'Timeline', 'Items', 'Print orders', 'Parcels', 'Documents', 'Receipts', 'Notifications', 'Notes'],
];

test('the page shows everything about an order that was delivered', async () => {
  const { id } = await twoItemOrder(stack, 'console-page');
  await hasStatus(stack, id, 'delivered');
  const tab = await openTab(stack.baseUrl);
  const { page, context } = tab;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(tab, stack.credentials.operator.apiKey, `/console/orders/${id}`);
  const main = page.getByRole('main');
  await main.getByRole('heading', { level: 1, name: 'console-page' }).waitFor();
  for (const name of REGIONS) await main.getByRole('region', { name, exact: true }).waitFor();
  await main.getByLabel('Status', { exact: true }).getByText('Delivered').waitFor();

  const temporal = main.getByRole('link', { name: 'Open in Temporal' });
  expect(await temporal.getAttribute('href')).toContain(`order-${id}`);
  // It shows for a second, so the page is watched from before the click.
  const copied = main.getByRole('button', { name: 'Copied' }).waitFor();
  await main.getByRole('button', { name: 'Copy link' }).click();
  await copied;
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${stack.baseUrl}/console/orders/${id}`);

  const delivery = main.getByRole('region', { name: 'Delivery' });
  for (const line of ['Ada Lovelace', 'Germany', 'Recipient', 'Stages'])
    await delivery.getByText(line).first().waitFor();
  const stages = await delivery.getByRole('listitem').allTextContents();
  expect(stages.map((text) => text.split(/\d/)[0])).toEqual(
    expect.arrayContaining(['Created', 'Passed', 'Printed', 'Shipped', 'Delivered']),
  );
  expect(stages.at(-1)).toMatch(/^Delivered\d/);

  const isDrawn = (image: { readonly naturalWidth: number }) => image.naturalWidth > 0;
  const items = main.getByRole('region', { name: 'Items' });
  const preview = items.getByRole('img', { name: 'Preview of poster' });
  await eventually(async () => ((await preview.evaluate(isDrawn)) ? true : undefined));
  await items.getByText(/application\/pdf · \d+ kB/).waitFor();
  await items.getByText(/image\/png · \d+ kB · \d+ × \d+ px · 300 dpi/).waitFor();
  await items.getByText('Paper format: A4').waitFor();
  await items.getByRole('button', { name: 'Show page of the file default' }).first().click();
  const proof = page.getByRole('dialog', { name: /First page of default/ });
  await proof.getByText(/trim, 210 × 297 mm.*bleed of 3 mm.*safe area, 3 mm/).waitFor();
  const drawn = await proof
    .locator('svg rect')
    .evaluateAll((rects: readonly { getAttribute(name: string): string | null }[]) =>
      rects.map((rect) => ['x', 'y', 'width', 'height'].map((name) => Math.round(Number(rect.getAttribute(name))))),
    );
  expect(drawn).toEqual([
    [0, 0, 216, 303],
    [3, 3, 210, 297],
    [6, 6, 204, 291],
  ]);
  await page.keyboard.press('Escape');
  await proof.waitFor({ state: 'detached' });

  const parcels = main.getByRole('region', { name: 'Parcels' });
  const label = parcels.getByRole('img', { name: /Label of/ }).first();
  await eventually(async () => ((await label.evaluate(isDrawn)) ? true : undefined));
  for (const [name, type] of [
    ['PDF', 'application/pdf'],
    ['ZPL', /zpl|octet-stream|text/],
  ] as const) {
    const href = await parcels.getByRole('link', { name, exact: true }).first().getAttribute('href');
    const file = await context.request.get(href!);
    expect(file.status()).toBe(200);
    expect(file.headers()['content-type']).toMatch(type);
  }
  await parcels.getByRole('cell', { name: 'Delivered' }).first().waitFor();
  await parcels.getByRole('cell', { name: '1 × poster' }).first().waitFor();

  // What is in order is folded.
  const scans = parcels.getByRole('button', { name: /^\d+ scans of / }).first();
  expect(await scans.getAttribute('aria-expanded')).toBe('false');
  await scans.click();
  await parcels.getByRole('cell', { name: 'Out for delivery' }).first().waitFor();
  for (const name of ['Print orders', 'Documents', 'Receipts', 'Notifications']) {
    const heading = main.getByRole('button', { name, exact: true });
    expect(await heading.getAttribute('aria-expanded')).toBe('false');
    await heading.click();
  }
  await main.getByRole('region', { name: 'Documents' }).getByText('Packing list').first().waitFor();
  const receipts = main.getByRole('region', { name: 'Receipts' });
  const rows = await receipts.getByRole('row').allTextContents();
  const cents = (await receipts.getByRole('row').all()).slice(1);
  const totals = await Promise.all(
    cents.map(async (row) => {
      const cells = await row.getByRole('cell').allTextContents();
      return Math.round(Number(cells.at(-1)!.replace(/[^\d.]/g, '')) * 100);
    }),
  );
  expect(rows.at(-1)).toMatch(/^Total/);
  expect(totals.at(-1)).toBe(totals.slice(0, -1).reduce((sum, each) => sum + each, 0));

  const timeline = main.getByRole('region', { name: 'Timeline' });
  const entries = timeline.getByRole('listitem');
  const once = await entries.allTextContents();
  // Each thing once: one scan of each delivered parcel and no status beside it, and no notification that was delivered.
  const ends = once.filter((text) => /delivered/i.test(text));
  expect(ends).toEqual(Array.from(new Set(ends)));
  expect(ends.filter((text) => !text.startsWith('Corvid Post reported: delivered'))).toEqual([]);
  expect(once.filter((text) => text.includes('Print order sent to prints-berlin'))).toHaveLength(1);
  expect(await timeline.getByRole('img', { name: 'Notification' }).count()).toBe(0);
  await timeline.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitem', { name: 'Everything' }).click();
  await timeline.getByText('Now delivered').first().waitFor();
  expect(await entries.count()).toBeGreaterThan(once.length);
  await timeline.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitem', { name: 'Postbacks' }).click();
  await timeline.getByText('prints-berlin reported: printed').waitFor();
  await timeline.getByRole('button', { name: 'Show JSON' }).click();
  await timeline.getByText('"kind": "postback"').first().waitFor();

  const notes = main.getByRole('region', { name: 'Notes' });
  await notes.getByLabel('New note').fill('The customer called');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await notes.getByText('The customer called', { exact: true }).first().waitFor();
  await expectAccessible(page);
  expect(tab.faults).toEqual([]);
});

test('the timeline keeps its entries when older ones are loaded, and has its filter in the address', async () => {
  const { id } = await goodOrder(stack, 'console-pages');
  await hasStatus(stack, id, 'delivered');
  // The first page ends between a change of status and the postback that brought it.
  await stack.database.sql`
    INSERT INTO order_events (order_id, type, data, at)
    SELECT ${id}, 'payment', jsonb_build_object('message', 'payment ' || n), printed.at - n * interval '1 microsecond'
    FROM (SELECT max(at) AS at FROM order_events WHERE order_id = ${id} AND type = 'status' AND data ->> 'status' = 'printed') AS printed,
      generate_series(1, 120) AS n`;
  const { page, faults } = await openScreen(stack, `/console/orders/${id}`);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const entries = timeline.getByRole('listitem');
  await timeline.getByText('Now printed').waitFor();
  const first = await entries.allTextContents();
  await timeline.getByRole('button', { name: 'Load more' }).click();
  await timeline.getByText('prints-berlin reported: printed').waitFor();
  expect((await entries.allTextContents()).slice(0, first.length)).toEqual(first);

  await timeline.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitem', { name: 'Postbacks' }).click();
  await page.waitForURL(/timeline=postback/);
  await page.reload();
  await timeline.getByText('prints-berlin reported: printed').waitFor();
  for (const text of await entries.allTextContents()) expect(text).toMatch(/^prints-berlin reported: /);
  await page.goBack();
  await timeline.getByText('Now printed').waitFor();
  expect(faults).toEqual([]);
});

test('the page of a returned order says that an operator decides, and folds what went well', async () => {
  const { id } = await orderWith(stack, 'console-back', { marker: 'sandbox:parcel-returned' });
  await hasStatus(stack, id, 'returned');
  const { page, faults } = await openScreen(stack, `/console/orders/${id}`);
  const main = page.getByRole('main');
  await main.getByRole('group', { name: 'Waits for' }).getByText('Operator to decide what comes next').waitFor();
  await main.getByRole('button', { name: /^\d+ scans of / }).waitFor();
  for (const name of ['Print orders', 'Documents', 'Receipts', 'Notifications'])
    expect(await main.getByRole('button', { name, exact: true }).getAttribute('aria-expanded')).toBe('false');
  expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(2_400);
  expect(faults).toEqual([]);
});

test('the timeline of a refused order names the partner, and says once that the order stopped', async () => {
  const { id } = await refusedOrder(stack, 'console-stopped');
  await hasStatus(stack, id, 'on_hold');
  const { page, faults } = await openScreen(stack, `/console/orders/${id}`);
  const entries = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
  await entries.getByText('Print order refused: prints-berlin').waitFor();
  const texts = await entries.allTextContents();
  expect(texts.filter((text) => /refused|manual handling|on hold/i.test(text))).toHaveLength(1);
  // Each print order that is not made has its attempts in view.
  await page.getByRole('table', { name: /^Attempts/ }).waitFor();
  expect(faults).toEqual([]);
});

test('a dead notification is delivered again', async () => {
  const { port } = endpoint.address() as AddressInfo;
  const { id: webhookId } = await stack.client.createWebhook({
    body: { url: `http://127.0.0.1:${port}/hooks`, events: ['order_status_updated'] },
  });
  // An endpoint that responds with 410 gets nothing more.
  status = 410;
  const { id } = await goodOrder(stack, 'console-dead');
  const tab = await openScreen(stack, `/console/orders/${id}`);
  const notifications = tab.page.getByRole('main').getByRole('region', { name: 'Notifications' });
  const dead = notifications.getByRole('row').filter({ hasText: 'Dead' });
  await dead.first().waitFor();
  await dead.first().getByText(/410/).waitFor();

  status = 200;
  await stack.client.changeWebhook({ params: { webhookId }, body: { enabled: true } });
  await dead.first().getByRole('button', { name: 'Redeliver' }).click();
  const delivered = notifications.getByRole('row').filter({ hasText: '410' }).filter({ hasText: 'Delivered' });
  await delivered.first().getByText(/200/).waitFor();
  expect(tab.faults).toEqual([]);
});
