import { testAccount } from '../support/api-deps';
import { expectAccessible, openTab, signIn } from '../support/browser';
import { eventually, type TestStack, testStack } from '../support/stack';

/** Print partners: health, test ping, keys and details, in a browser. */

let stack: TestStack;

// Steps wait for the browser and the sandbox, beside other load.
jest.setTimeout(240_000);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

test('an operator finds a partner, reads its figures and sends a test ping', async () => {
  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await signIn(tab, stack.credentials.operator.apiKey, '/console/partners');
  const row = page.getByRole('row', { name: /prints-berlin/ });
  await row.getByText('Gets orders').waitFor();
  await expectAccessible(page);

  await row.getByRole('link', { name: 'prints-berlin' }).click();
  await page.getByRole('heading', { level: 1, name: 'prints-berlin' }).waitFor();
  await page.getByRole('region', { name: 'Health' }).getByText('0 of 0 print orders').waitFor();
  const requests = page.getByRole('region', { name: 'Requests' });
  await requests.getByText('No request yet').waitFor();

  await page.getByRole('button', { name: 'Send test ping' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send test ping' });
  await dialog.getByRole('button', { name: 'Send ping' }).click();
  // The sandbox accepts a ping only with a valid signature.
  await dialog.getByRole('group', { name: 'Result' }).getByText('Accepted').waitFor();
  await dialog.getByRole('group', { name: 'Answer' }).getByText('pong').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await requests.getByRole('row', { name: /Ping.*Accepted · 200/ }).waitFor();
  await expectAccessible(page);
  expect(tab.faults).toEqual([]);
});

test('an admin adds a key, which is shown once, revokes it, and edits the details', async () => {
  const { id } = (await stack.operator.listPartners({})).partners.find(({ uid }) => uid === 'prints-ohio')!;
  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await signIn(tab, stack.credentials.operator.apiKey, `/console/partners/${id}`);

  await page.getByRole('button', { name: 'Add key' }).click();
  const adding = page.getByRole('dialog', { name: 'Add key' });
  await adding.getByLabel('Name').fill('press room');
  await adding.getByRole('button', { name: 'Add key' }).click();
  const apiKey = await adding.getByLabel('API key', { exact: true }).innerText();
  expect(apiKey).toMatch(/^plk_/);
  const authenticated = () =>
    tab.context.request.get('/v2/orders', { headers: { 'X-API-KEY': apiKey } }).then((answer) => answer.ok());
  expect(await authenticated()).toBe(true);
  await adding.getByRole('button', { name: 'Close' }).click();

  const key = page.getByRole('table', { name: 'Keys' }).getByRole('row', { name: /press room/ });
  await key.getByText('Works').waitFor();
  await key.getByRole('button', { name: 'Revoke press room' }).click();
  await page.getByRole('dialog', { name: 'Revoke' }).getByRole('button', { name: 'Revoke key' }).click();
  await key.getByText('Revoked').waitFor();
  // Every process refuses a revoked key within a second.
  await eventually(async () => ((await authenticated()) ? undefined : true));

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const editing = page.getByRole('dialog', { name: 'Edit' });
  await expectAccessible(page);
  await editing.getByLabel('Capacity (units a day)').fill('321');
  await editing.getByRole('button', { name: 'Save details' }).click();
  await page.getByRole('group', { name: 'Capacity' }).getByText('321 units a day').waitFor();
  const changed = await stack.operator.getPartner({ params: { partnerId: id } });
  expect(changed.capabilities.capacityPerDay).toBe(321);
  expect(changed.subscription).not.toBeNull();
  expect(tab.faults).toEqual([]);
});

test('a viewer sees a partner and no act', async () => {
  const { id } = (await stack.operator.listPartners({})).partners[0]!;
  const viewer = await testAccount(stack.database.sql, 'operator', 'console-viewer', 'viewer');
  const tab = await openTab(stack.baseUrl);
  const { page } = tab;
  await signIn(tab, viewer.apiKey, `/console/partners/${id}`);
  await page.getByRole('table', { name: 'Keys' }).waitFor();
  for (const name of ['Send test ping', 'Edit', 'Add key', /^Revoke/])
    expect(await page.getByRole('main').getByRole('button', { name }).count()).toBe(0);
});
