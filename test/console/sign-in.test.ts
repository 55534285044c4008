import { testAccount } from '../support/api-deps';
import { openTab } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';

/** Signing in and out, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
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

test('a session that is ended elsewhere ends in the page', async () => {
  const operator = await testAccount(stack.database.sql, 'operator');
  const { page, context } = await openTab(stack.baseUrl);
  await page.goto('/console/attention');
  await page.getByLabel('API key', { exact: true }).fill(operator.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Attention' }).waitFor();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: 'pressline_session', httpOnly: true, sameSite: 'Strict' });
  await stack.database.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${operator.id}`;
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
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
