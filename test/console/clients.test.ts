import { createPresslineClient } from '../../client/pressline-client';
import { expectAccessible, openScreen } from '../support/browser';
import { type PartnerServer, partnerServer } from '../support/other-systems/partner-server';
import { type TestStack, testStack } from '../support/stack';
import { faultyFile, isAt, ordered, orderOf, poster } from '../workflows/order/client-orders';

/** Clients: endpoints, deliveries, settings and keys, in a browser. */

let stack: TestStack;
let receiver: PartnerServer;
let clientId: string;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
  receiver = await partnerServer();
  clientId = (await stack.operator.listClients({})).connectors[0]!.id;
});

test('an operator sends a test event and redelivers a dead notification on the page of the client', async () => {
  const { id } = await stack.client.createWebhook({ body: { url: `${receiver.url}/hooks` } });
  const { page, faults } = await openScreen(stack, '/console/clients');
  const { name } = await stack.operator.getClient({ params: { connectorId: clientId } });
  await page.getByRole('row', { name }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();

  // On a screen of 1360 pixels, no button is cut off.
  await page.setViewportSize({ width: 1360, height: 860 });
  const test = page.getByRole('button', { name: /^Send test event/ });
  const { x, width } = (await test.boundingBox())!;
  const frame = (await page.getByRole('region', { name: 'Endpoints' }).boundingBox())!;
  expect(x + width).toBeLessThan(frame.x + frame.width);
  await test.click();
  await page.getByText(/^The test event is delivered: the endpoint responded with 200 in /).waitFor();
  const delivery = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
  await delivery.getByText('Delivered').waitFor();
  expect(receiver.received).toHaveLength(1);
  await stack.database.sql`
    UPDATE webhook_deliveries SET state = 'dead', next_attempt_at = NULL, settled_at = now() WHERE endpoint_id = ${id}`;
  await delivery.getByText('Dead').waitFor();
  await page.getByLabel('State').selectOption('dead');
  await page.waitForURL('**?state=dead');
  await delivery.getByText('1 attempt · 200').click();
  await delivery.getByRole('listitem').waitFor();
  await expectAccessible(page);

  await delivery.getByRole('button', { name: /^Redeliver/ }).click();
  await page.getByText('No delivery').waitFor();
  await page.getByLabel('State').selectOption('');
  await delivery.getByText('Delivered').waitFor();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[1]!.headers['webhook-id']).toBe(receiver.received[0]!.headers['webhook-id']);

  // Nothing is sent to an endpoint that is disabled.
  const endpoint = page.getByRole('table', { name: 'Endpoints' }).getByRole('row').nth(1);
  await endpoint.getByRole('button', { name: /^Disable/ }).click();
  await page.getByRole('dialog', { name: 'Disable' }).getByRole('button', { name: 'Disable endpoint' }).click();
  await endpoint.getByText('Disabled', { exact: true }).waitFor();
  await delivery.getByRole('button', { name: /^Redeliver/ }).waitFor({ state: 'detached' });
  await endpoint.getByRole('button', { name: /^Enable/ }).click();
  await page.getByRole('dialog', { name: 'Enable' }).getByRole('button', { name: 'Enable endpoint' }).click();
  await endpoint.getByText('Enabled', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('an admin adds an endpoint to a client, and a test event says in words that the endpoint refuses it', async () => {
  const { page, faults } = await openScreen(stack, `/console/clients/${clientId}`);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add endpoint' });
  const url = `${stack.baseUrl}/no/such/endpoint-${'of-a-long-name-'.repeat(4)}`;
  await dialog.getByLabel('Webhook address').fill('hooks');
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.getByText('The address is not a valid URL').waitFor();
  await dialog.getByLabel('Webhook address').fill(url);
  await dialog.getByLabel('Tracking code').uncheck();
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  expect(await dialog.getByLabel('Webhook secret', { exact: true }).innerText()).toMatch(/^whsec_/);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: `Send test event to ${url}` }).click();
  await page.getByText(/^The test event is not delivered: 404 after .* It is tried again/).waitFor();
  const { webhooks } = await stack.operator.listClientWebhooks({ params: { connectorId: clientId } });
  const { events } = webhooks.find((each) => each.url === url)!;
  expect(events).toContain('order_status_updated');
  expect(events).not.toContain('order_item_tracking_code_updated');
  expect(faults).toEqual([]);
});

test('the page of a client shows the most frequent faults of its print files, with the latest order', async () => {
  const files = [{ type: 'default', url: faultyFile(stack, 'wrong-size.pdf') }];
  const body = orderOf(stack, { orderReferenceId: 'too-small', items: [poster(stack, { files })] });
  const { id } = await ordered(stack, body, isAt('on_hold'));
  const { page, faults } = await openScreen(stack, `/console/clients/${clientId}`);
  const fault = page.getByRole('table', { name: 'Faults of print files' }).getByRole('row').nth(1);
  await fault.getByText('Page size').waitFor();
  await fault.getByText('Page 1 is 105 × 148 mm; the poster is 210 × 297 mm.').waitFor();
  await expectAccessible(page);
  await fault.getByRole('link', { name: 'too-small' }).click();
  await page.waitForURL(`**/orders/${id}`);
  expect(faults).toEqual([]);
});

test('an admin adds a client and changes its settings', async () => {
  const { page, context } = await openScreen(stack, '/console/clients');
  await page.getByRole('button', { name: 'Add client' }).click();
  const adding = page.getByRole('dialog', { name: 'Add client' });
  await adding.getByRole('textbox', { name: 'Name', exact: true }).fill('card-shop');
  await adding.getByLabel('Channel', { exact: true }).fill('cards');
  await adding.getByRole('button', { name: 'Add client' }).click();
  const [apiKey, apiSecret] = await Promise.all(
    ['API key', 'API secret'].map((label) => adding.getByLabel(label, { exact: true }).innerText()),
  );
  const response = await context.request.get('/v1/webhooks', {
    headers: { 'X-API-KEY': `${apiKey}:${apiSecret}` },
  });
  expect(response.status()).toBe(200);
  // The secret is shown once, so Escape does not close it.
  await page.keyboard.press('Escape');
  await adding.getByLabel('API secret', { exact: true }).waitFor();
  await expectAccessible(page);
  const endpoint = adding.getByLabel('Webhook address');
  const hooks = `${receiver.url}/cards`;
  const addEndpoint = () => adding.getByRole('button', { name: 'Add endpoint' }).click();
  await endpoint.fill('cards');
  await addEndpoint();
  // The API's words stand at the field, and the client's secret stays.
  await adding.getByText('The address is not a valid URL').waitFor();
  expect(await endpoint.getAttribute('aria-invalid')).toBe('true');
  expect(await adding.getByLabel('API secret', { exact: true }).innerText()).toBe(apiSecret);
  await endpoint.fill(hooks);
  await adding.getByLabel('Tracking code').uncheck();
  await addEndpoint();
  const webhookSecret = await adding.getByLabel('Webhook secret', { exact: true }).innerText();
  expect(webhookSecret).toMatch(/^whsec_/);
  expect(await adding.getByLabel('API secret', { exact: true }).innerText()).toBe(apiSecret);
  await adding.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'card-shop' }).click();
  await page.getByRole('table', { name: 'Endpoints' }).getByRole('cell', { name: hooks, exact: true }).waitFor();
  const cards = (await stack.operator.listClients({})).connectors.find(({ name }) => name === 'card-shop')!;
  const { webhooks } = await stack.operator.listClientWebhooks({ params: { connectorId: cards.id } });
  expect(webhooks).toMatchObject([{ url: hooks, enabled: true }]);
  expect(webhooks[0]!.events).toHaveLength(8);
  expect(webhooks[0]!.events).not.toContain('order_item_tracking_code_updated');

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const editing = page.getByRole('dialog', { name: 'Edit' });
  await editing.getByLabel('IOSS number', { exact: true }).fill('not a number');
  await editing.getByRole('button', { name: 'Save settings' }).click();
  await editing.getByText('Not an IOSS number: it is IM and ten digits.', { exact: true }).waitFor();
  expect(await editing.locator(':focus').getAttribute('name')).toBe('iossNumber');
  await editing.getByRole('alert').getByText('Request id').waitFor();
  await editing.getByLabel('IOSS number', { exact: true }).fill('IM0123456789');
  const billing = editing.getByRole('group', { name: /^Billing entity/ });
  await billing.getByLabel('Number', { exact: true }).fill('7');
  await billing.getByLabel('Company', { exact: true }).fill('Card Shop GmbH');
  await billing.getByLabel('More VAT numbers').fill('DE123456789, FR12345678901');
  await editing.getByLabel(/^Address in Peppol/).fill('0208:0403170701');
  await editing.getByLabel('Reference of the buyer').fill('PO 77');
  await editing.getByLabel('Errors in addresses').selectOption('refuse');
  const back = editing.getByRole('group', { name: /^Return address/ });
  for (const [label, value] of [
    ['Address line 1', 'Hauptstrasse 1'],
    ['Postcode', '10115'],
    ['City', 'Berlin'],
    ['Country', 'DE'],
  ] as const)
    await back.getByLabel(label).fill(value);
  await editing.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('group', { name: 'IOSS number' }).getByText('IM0123456789').waitFor();
  const { connectors } = await stack.operator.listClients({});
  expect(connectors.find(({ name }) => name === 'card-shop')).toMatchObject({
    addressChecks: { errors: 'refuse', warnings: 'warn' },
    fileChecks: null,
    billingEntity: {
      id: 7,
      companyName: 'Card Shop GmbH',
      companyVatNumbers: ['DE123456789', 'FR12345678901'],
    },
    eInvoice: { electronicAddress: '0208:0403170701', buyerReference: 'PO 77' },
    returnAddress: { addressLine1: 'Hauptstrasse 1', postCode: '10115', city: 'Berlin', country: 'DE' },
  });

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  for (const label of ['Address line 1', 'Postcode', 'City', 'Country']) await back.getByLabel(label).fill('');
  await editing.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('group', { name: 'E-invoices' }).getByText('0208:0403170701', { exact: true }).waitFor();
  // Fields that are all empty remove the address.
  await page.getByRole('group', { name: 'Return address', exact: true }).getByText('–').waitFor();
  await page.getByRole('group', { name: 'Billing entity', exact: true }).getByText('Card Shop GmbH').waitFor();
});

test('an admin reads what a leaked key did, and disables the endpoints that it set up', async () => {
  const params = { connectorId: clientId };
  const leaked = await stack.operator.rotateClientKey({ params, body: { name: 'leaked', overlapSeconds: 3_600 } });
  const thief = createPresslineClient({
    baseUrl: stack.baseUrl,
    apiKey: leaked.apiKey,
    apiSecret: leaked.apiSecret,
    retries: 0,
  });
  const { id: webhookId } = await thief.createWebhook({ body: { url: 'https://thief.example/orders' } });
  await thief.listWebhooks({});

  const { page, faults } = await openScreen(stack, `/console/clients/${clientId}`);
  await page.getByRole('button', { name: 'Uses of leaked' }).click();
  const dialog = page.getByRole('dialog', { name: 'Uses of leaked' });
  await dialog
    .getByRole('table', { name: 'Operations' })
    .getByRole('row', { name: /^createWebhook 1 / })
    .waitFor();
  await dialog.getByRole('table', { name: 'Addresses' }).getByText('127.0.0.1').waitFor();
  await dialog.getByText('https://thief.example/orders').waitFor();
  await dialog.getByText('Revoke the key to disable its endpoints at once.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Revoke leaked' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByRole('row', { name: /^leaked .* Revoked/ }).waitFor();
  await page.getByRole('button', { name: 'Uses of leaked' }).click();
  await dialog.getByRole('button', { name: 'Disable endpoints' }).click();
  const confirm = page.getByRole('dialog', { name: 'Disable endpoints' });
  await confirm.getByRole('button', { name: 'Disable endpoints' }).click();
  await dialog.getByRole('table', { name: 'Endpoints that it set up' }).getByText('Disabled').waitFor();
  const { webhooks } = await stack.operator.listClientWebhooks({ params });
  expect(webhooks.find(({ id }) => id === webhookId)).toMatchObject({
    enabled: false,
    disabledReason: 'key_revoked',
  });
  expect(faults).toEqual([]);
});
