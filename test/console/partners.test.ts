import { expectAccessible, openScreen } from '../support/browser';
import { LEEDS_SENDER } from '../support/rows/partner-setup';
import { eventually, type TestStack, testStack } from '../support/stack';

/** Print partners: health, test ping, keys and details, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

test('an operator finds a partner, reads its figures and sends a test ping', async () => {
  const { page, faults } = await openScreen(stack, '/console/partners');
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
  await dialog.getByRole('group', { name: 'Response' }).getByText('pong').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await requests.getByRole('row', { name: /Ping.*Accepted · 200/ }).waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

test('an admin adds a key, which is shown once, revokes it, and edits the details', async () => {
  const { id } = (await stack.operator.listPartners({})).partners.find(({ uid }) => uid === 'prints-ohio')!;
  const { page, context, faults } = await openScreen(stack, `/console/partners/${id}`);

  await page.getByRole('button', { name: 'Add key' }).click();
  const adding = page.getByRole('dialog', { name: 'Add key' });
  await adding.getByLabel('Name').fill('press room');
  await adding.getByRole('button', { name: 'Add key' }).click();
  const apiKey = await adding.getByLabel('API key', { exact: true }).innerText();
  expect(apiKey).toMatch(/^plk_/);
  const authenticated = () =>
    context.request.get('/v2/orders', { headers: { 'X-API-KEY': apiKey } }).then((response) => response.ok());
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
  expect(faults).toEqual([]);
});

test('an admin adds a partner, whose key is shown once', async () => {
  const { page, context, faults } = await openScreen(stack, '/console/partners');
  await page.getByRole('button', { name: 'Add partner' }).click();
  const adding = page.getByRole('dialog', { name: 'Add partner' });
  await expectAccessible(page);
  const add = () => adding.getByRole('button', { name: 'Add partner' }).click();
  await adding.getByLabel('Partner id').fill('prints-leeds');
  await adding.getByLabel('Currency').fill('gbp');
  await adding.getByLabel(/^Name/).fill('Prints Leeds');
  await adding.getByLabel('Time zone').fill('Europe/London');
  await adding.getByLabel('Public holidays of country').fill('GB');
  await adding.getByRole('button', { name: 'Add model' }).click();
  await adding.getByLabel('Product model, row 1').selectOption('flat_product');
  await adding.getByLabel(/^Unit price.*row 1$/).fill('2.90');
  await adding.getByLabel(/^Lead time.*row 1$/).fill('2');
  const { country, ...sender } = LEEDS_SENDER;
  const address = adding.getByRole('group', { name: 'Sender address of parcels' });
  for (const [name, value] of Object.entries({ ...sender, country: 'Atlantis' }))
    await address.locator(`[name="senderAddress.${name}"]`).fill(value);
  await adding.getByLabel('Time zone').fill('Europe/Londinium');
  await adding.getByLabel('Ships to').fill('GB, XX');
  for (const weekday of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])
    await adding.getByLabel(weekday).uncheck();
  await adding.getByLabel(/^Lead time.*row 1$/).fill('61');
  await add();
  // Each error stands at its field, and the first one is in view.
  const timeZone = adding.getByLabel('Time zone');
  for (const [field, fault] of [
    [timeZone, 'Must be an IANA time zone such as Europe/Berlin'],
    [adding.getByLabel('Ships to'), 'Entry 2: Must be an ISO 3166-1 alpha-2 country code.'],
    [address.getByLabel('Country'), 'Must be an ISO 3166-1 alpha-2 country code.'],
  ] as const) {
    await adding.getByText(fault, { exact: true }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
  }
  const group = (name: string) => adding.getByRole('group', { name });
  await group('Working days').getByText('Must have at least 1 entry, not 0.').waitFor();
  await group('Product models').getByText('flat_product.leadDays: Must be at most 60, not 61.').waitFor();
  expect(await adding.getByRole('alert').innerText()).not.toContain('senderAddress');
  const focused = adding.locator(':focus');
  expect(await focused.getAttribute('name')).toBe('capabilities.countriesServed');
  const box = (await focused.boundingBox())!;
  expect(box.y).toBeGreaterThan(0);
  expect(box.y + box.height).toBeLessThan(page.viewportSize()!.height);
  await expectAccessible(page);
  await timeZone.fill('Europe/London');
  await adding.getByLabel('Ships to').fill('GB, IE');
  for (const weekday of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])
    await adding.getByLabel(weekday).check();
  await adding.getByLabel(/^Lead time.*row 1$/).fill('2');
  await address.getByLabel('Country').fill(country);
  await add();
  const apiKey = await adding.getByLabel('API key', { exact: true }).innerText();
  const response = await context.request.get('/v2/orders', { headers: { 'X-API-KEY': apiKey } });
  expect(response.status()).toBe(200);
  await adding.getByRole('button', { name: 'Register addresses' }).click();
  const registering = page.getByRole('dialog', { name: 'Register addresses' });
  const save = () => registering.getByRole('button', { name: 'Save addresses' }).click();
  await registering.getByLabel(/^Print orders/).fill('https://leeds.example/orders');
  await registering.getByLabel('Cancellations').fill('leeds');
  await save();
  await registering.locator('[name=orderCancelUrl][aria-invalid=true]').waitFor();
  await expectAccessible(page);
  await registering.getByLabel('Cancellations').fill('https://leeds.example/cancellations');
  await save();
  expect(await registering.getByLabel('Signing secret', { exact: true }).innerText()).toMatch(/^whsec_/);
  await expectAccessible(page);
  await registering.getByRole('button', { name: 'Close' }).click();
  await adding.getByRole('link', { name: 'Open prints-leeds' }).click();
  await page.getByRole('heading', { level: 1, name: 'prints-leeds' }).waitFor();
  await page.getByRole('region', { name: 'Subscription' }).getByText('https://leeds.example/orders').waitFor();

  const { partners } = await stack.operator.listPartners({});
  expect(partners.find(({ uid }) => uid === 'prints-leeds')).toMatchObject({
    currency: 'GBP',
    country: 'GB',
    enabled: true,
    subscription: {
      orderSubmitUrl: 'https://leeds.example/orders',
      orderCancelUrl: 'https://leeds.example/cancellations',
      inventoryUrl: null,
      version: null,
    },
    capabilities: {
      models: { flat_product: { unitPriceMinor: 290, leadDays: 2 } },
      calendar: { timeZone: 'Europe/London', workingDays: [1, 2, 3, 4, 5], holidays: { country: 'GB' } },
    },
  });
  await page.goto('/console/partners');
  await page
    .getByRole('row', { name: /prints-leeds/ })
    .getByText('Gets orders')
    .waitFor();
  expect(faults).toEqual([]);
});
