import { readFile } from 'node:fs/promises';
import { testAccount } from '../support/api-deps';
import { expectAccessible, openScreen, openTab, signIn } from '../support/browser';
import { eventually, type TestStack, testStack } from '../support/stack';

/** Operators, their keys and the audit log, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
});

test('an admin adds an operator, whose key is shown once, changes the role and revokes the operator', async () => {
  const { page, context, faults } = await openScreen(stack, '/console/team');
  await page.getByRole('button', { name: 'Add operator' }).click();
  const adding = page.getByRole('dialog', { name: 'Add operator' });
  await adding.getByRole('textbox', { name: 'Name', exact: true }).fill('ada');
  await adding.getByLabel('Role').selectOption('operator');
  await adding.getByRole('button', { name: 'Add operator' }).click();
  const apiKey = await adding.getByLabel('API key', { exact: true }).innerText();
  const status = async () => (await context.request.post('/v1/operator/session', { data: { apiKey } })).status();
  const other = await openScreen(stack, '/console/team', apiKey);
  await adding.getByRole('button', { name: 'Close' }).click();
  expect(await page.getByText(apiKey).count()).toBe(0);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'ada', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
  await page.getByRole('button', { name: 'Change role' }).click();
  const changing = page.getByRole('dialog', { name: 'Change role' });
  await changing.getByLabel('Role').selectOption('viewer');
  await changing.getByRole('button', { name: 'Save role' }).click();
  await page.getByRole('group', { name: 'Role' }).getByText('Viewer').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Revoke operator' }).click();
  const revoking = page.getByRole('dialog', { name: 'Revoke operator' });
  await revoking.getByRole('button', { name: 'Revoke operator' }).click();
  await page.getByRole('group', { name: 'State' }).getByText('Revoked').waitFor();
  await eventually(async () => ((await status()) === 401 ? true : undefined));
  await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
});

test('an operator reaches the own sessions by the name in the header and ends another one; an admin ends those of others', async () => {
  const viewer = await testAccount(stack.database.sql, 'operator', 'with-sessions', 'viewer');
  const [own, lost] = [await openTab(stack.baseUrl), await openTab(stack.baseUrl)];
  for (const tab of [own, lost]) await signIn(tab, viewer.apiKey, '/console/team');
  const rowsIn = (tab: typeof own) =>
    tab.page.getByRole('table', { name: 'Sessions' }).getByRole('row', { name: 'API key' });
  const end = async (tab: typeof own) => {
    await rowsIn(tab).getByRole('button', { name: 'End session' }).first().click();
    await tab.page.getByRole('dialog', { name: 'End session' }).getByRole('button', { name: 'End session' }).click();
  };

  await own.page.getByRole('banner').getByRole('link', { name: viewer.name }).click();
  await own.page.waitForURL(`**/console/team/${viewer.id}`);
  await eventually(async () => ((await rowsIn(own).count()) === 2 ? true : undefined));
  expect(await rowsIn(own).getByText('This session').count()).toBe(1);
  await expectAccessible(own.page);
  await end(own);
  await lost.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await eventually(async () => ((await rowsIn(own).count()) === 1 ? true : undefined));

  const admin = await openScreen(stack, `/console/team/${viewer.id}`);
  await end(admin);
  await own.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await admin.page.getByText('No session').waitFor();
  await admin.page.getByRole('link', { name: 'Audit log of this operator' }).click();
  await admin.page.waitForURL(`**/console/team?actor=${viewer.id}`);
});

test('the audit log is filtered in the address and exported', async () => {
  const { id } = (await stack.operator.listClients({})).connectors[0]!;
  await stack.operator.changeClient({ params: { connectorId: id }, body: { channel: 'audited' } });
  const { page } = await openScreen(stack, '/console/team');
  const log = page.getByRole('table', { name: 'Audit log' });
  await log.getByRole('cell', { name: 'Sign in to the console' }).first().waitFor();

  await page.getByLabel('Action', { exact: true }).selectOption('client.change');
  await page.getByLabel('Object', { exact: true }).fill(`client:${id}`);
  await page.getByRole('button', { name: 'Apply filters' }).click();
  await page.waitForURL(`**/console/team?action=client.change&object=client*${id}`);
  const row = log.getByRole('row', { name: /Change the settings of a client/ });
  await row.getByRole('link', { name: 'Client demo-client' }).waitFor();
  await log.getByRole('cell', { name: 'Sign in to the console' }).waitFor({ state: 'detached' });
  await row.getByRole('button', { name: 'Show change' }).click();
  await row.getByText('"channel": "audited"').waitFor();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('region', { name: 'Audit log' }).getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('client.change');
});
