import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request } from 'playwright-core';
import { openScreen, openTab } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';
import { goodOrder } from './order-fixture';

/** Signing in and out, and what another site can do in the name of an operator: no change. In a browser. */

let stack: TestStack;
let orderId: string;
/** Another site, with the page that a test gives it. */
let site: Server;
let sitePage = '';

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
  ({ id: orderId } = await goodOrder(stack, 'console-theft'));
  site = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(sitePage);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  site?.close();
});

const notes = () => `/v1/operator/orders/${orderId}/notes`;
const noteTexts = async () =>
  (await stack.operator.listOrderNotes({ params: { orderId } })).notes.map(({ text }) => text);

test.each([
  [
    'a form',
    () => `<form method="post" enctype="text/plain" action="${stack.baseUrl}${notes()}">
     <input name='{"text":"forged","x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
  ],
  [
    'a script',
    () => `<script>fetch(${JSON.stringify(stack.baseUrl + notes())}, { method: 'POST', mode: 'no-cors',
     credentials: 'include', headers: { 'Content-Type': 'text/plain' }, body: '{"text":"forged"}' })</script>`,
  ],
])('%s of another site changes nothing', async (_what, page) => {
  const tab = await openScreen(stack, '/console');
  sitePage = page();
  const other = await tab.context.newPage();
  const isForged = (request: Request) => request.method() === 'POST' && request.url().endsWith(notes());
  // The browser keeps the response from the script.
  const forged = Promise.race([
    other.waitForEvent('requestfinished', isForged),
    other.waitForEvent('requestfailed', isForged),
  ]);
  // The browser takes localhost and 127.0.0.1 for two sites.
  await other.goto(`http://localhost:${(site.address() as AddressInfo).port}/`, { waitUntil: 'commit' });
  expect((await (await forged).allHeaders()).cookie ?? '').not.toContain('pressline_session');
  expect(await noteTexts()).toEqual([]);
});

test('a script in the page cannot read the session, and the page is in no frame of another site', async () => {
  const tab = await openScreen(stack, '/console');
  expect(await tab.page.evaluate('document.cookie')).toBe('');
  expect(await tab.page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
    (await tab.context.cookies())[0]!.value,
  );
  sitePage = `<iframe src="${stack.baseUrl}/console"></iframe>`;
  const other = await tab.context.newPage();
  await other.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  expect(await other.frames()[1]!.getByRole('heading').count()).toBe(0);
});

test('an operator signs in with an API key and signs out', async () => {
  const { page, faults } = await openTab(stack.baseUrl);
  await page.goto('/console/attention');
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  const field = page.getByLabel('API key', { exact: true });
  const button = page.getByRole('button', { name: 'Sign in' });

  await field.fill('not-a-key');
  await button.click();
  await page.getByRole('alert').getByText('This API key is not valid for an operator.').waitFor();

  await field.fill(stack.credentials.client.apiKey);
  await button.click();
  await page.getByRole('alert').getByText('This API key is not valid for an operator.').waitFor();

  await field.fill(stack.credentials.operator.apiKey);
  await button.click();
  await page.getByRole('heading', { level: 1, name: 'Attention' }).waitFor();
  expect(page.url()).toBe(`${stack.baseUrl}/console/attention`);
  const navigation = page.getByRole('navigation', { name: 'Main' });
  expect(await navigation.getByRole('link', { name: 'Attention' }).getAttribute('aria-current')).toBe('page');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
});

test('the color scheme follows the browser until the operator switches it', async () => {
  const { page } = await openTab(stack.baseUrl, { colorScheme: 'dark' });
  await page.goto('/console/attention');
  await page.getByLabel('API key', { exact: true }).fill(stack.credentials.operator.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const scheme = page.getByRole('switch', { name: 'Colour scheme' });
  await scheme.waitFor();
  expect(await scheme.isChecked()).toBe(true);
  const dark = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  await scheme.focus();
  await page.keyboard.press('Space');
  expect(await scheme.isChecked()).toBe(false);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).not.toBe(dark);
});
