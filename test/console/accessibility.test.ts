import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../../src/platform/project-root';
import { type ConsoleTab, expectAccessible, openScreen, openTab } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';
import { refusedOrder } from './order-fixture';

/** axe-core finds nothing serious on any screen of the console, light and dark. */

let stack: TestStack;
let orderId: string;
let tab: ConsoleTab;

beforeAll(async () => {
  stack = await testStack({ mode: 'auto' });
  ({ id: orderId } = await refusedOrder(stack, 'console-accessible'));
  await stack.database.sql`
    INSERT INTO outbox (kind, target, payload, attempts, last_error, dead_at)
    VALUES ('signal_workflow', 'shipping-order-x', '{"signal": "x", "args": []}', 8, 'no such workflow', now())`;
  tab = await openScreen(stack, '/console/today');
});

/** The addresses of the main navigation. The module itself needs a browser. */
const SCREENS = [
  ...readFileSync(join(projectRoot(), 'console/src/shell/navigation.ts'), 'utf8').matchAll(/to: '(\/[a-z-]+)'/g),
].map(([, path]) => path!);

/** Waits until the screen shows what it has read. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
}

test('the navigation has the screens that this file tests', async () => {
  const links = tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  await links.first().waitFor();
  const addresses = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(SCREENS).toEqual(
    expect.arrayContaining(addresses.map((address) => address!.slice('/console'.length).split('?')[0])),
  );
});

test.each(SCREENS)('the screen %s is accessible', async (path) => {
  await tab.page.goto(`/console${path}`);
  await settled(tab.page);
  expect(await tab.page.getByRole('main').count()).toBe(1);
  expect(await tab.page.getByRole('heading', { level: 1 }).count()).toBe(1);
  await expectAccessible(tab.page);
  expect(tab.faults).toEqual([]);
});

/** The pages of one thing, by its kind. */
const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  client: async () => `/clients/${(await stack.operator.listClients({})).connectors[0]!.id}`,
  partner: async () => `/partners/${(await stack.operator.listPartners()).partners[0]!.id}`,
  'product model': async () => '/catalog/models/poster',
  channel: async () =>
    `/channels/${(await stack.client.createChannel({ body: { kind: 'csv', name: 'accessible' } })).id}`,
  operator: async () => `/team/${(await stack.operator.listOperators({})).operators[0]!.id}`,
};

test.each(Object.keys(PAGES))('the page is accessible: %s', async (kind) => {
  await tab.page.goto(`/console${await PAGES[kind]!()}`);
  await settled(tab.page);
  await expectAccessible(tab.page);
  expect(tab.faults).toEqual([]);
});

test('the page of an order and the dialog of a repair are accessible', async () => {
  await tab.page.goto(`/console/orders/${orderId}`);
  await settled(tab.page);
  await expectAccessible(tab.page);
  await tab.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await tab.page.getByRole('dialog', { name: 'Cancel' }).getByLabel('Reason').waitFor();
  await expectAccessible(tab.page);
});

test('the sign-in page is accessible', async () => {
  const { page } = await openTab(stack.baseUrl);
  await page.goto('/console/today');
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await expectAccessible(page);
});
