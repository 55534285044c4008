import type { Page } from 'playwright-core';
import { expectAccessible, openScreen } from '../support/browser';
import { startFaultySftp } from '../support/sftp-servers';
import { eventually, type TestStack, testStack } from '../support/stack';

/** Channels in a browser: a file is imported, and the orders that wait are repaired in the inbox. */

const COLUMNS =
  'orderReferenceId,currency,shippingAddress.fullName,shippingAddress.addressLine1,shippingAddress.city,shippingAddress.postCode,' +
  'shippingAddress.country,shippingAddress.email,shippingAddress.phone,items.sku,items.quantity,items.files.default';

let stack: TestStack;
let clientId: string;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
  clientId = (await stack.operator.listClients({})).connectors[0]!.id;
});

interface Row {
  readonly reference: string;
  readonly sku?: string;
  readonly city?: string;
  readonly quantity?: string;
}

const fileOf = (...rows: readonly Row[]): string => {
  const lines = rows.map(
    ({ reference, sku = 'KNOWN', city = 'Berlin', quantity = '1' }) =>
      `${reference},EUR,Ada Byron,Torstraße 1,${city},10119,DE,ada@example.com,+49 30 901820,${sku},${quantity},${stack.sandbox.url}/files/poster-a3.pdf`,
  );
  return `${[COLUMNS, ...lines].join('\n')}\n`;
};

const POSTER = 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver';

/** Creates a channel that knows one product. Returns its id. */
async function channelOf(name: string): Promise<string> {
  const { id } = await stack.client.createChannel({ body: { kind: 'csv', name } });
  await stack.client.storeChannelMapping({ params: { channelId: id }, body: { sku: 'KNOWN', productUid: POSTER } });
  return id;
}

/** Imports a file, and waits until its orders wait in the inbox. */
async function imported(channelId: string, ...rows: readonly Row[]): Promise<void> {
  const { id: fileId } = await stack.client.uploadChannelFile({
    params: { channelId },
    query: {},
    body: fileOf(...rows),
  });
  await eventually(async () =>
    (await stack.client.getChannelFile({ params: { channelId, fileId } })).state === 'done' ? true : undefined,
  );
}

const submitted = async (reference: string) =>
  await eventually(async () => await stack.client.getOrder({ params: { orderId: reference } }).catch(() => undefined));

const inboxRow = (page: Page, reference: string) =>
  page.getByRole('table', { name: 'Inbox' }).getByRole('row').filter({ hasText: reference });

test('an order that waits for a product is submitted when the product is mapped, with the others that wait for it', async () => {
  const channelId = await channelOf('Map');
  const references = ['map-1', 'map-2', 'map-3'];
  await imported(channelId, ...references.map((reference) => ({ reference, sku: 'POSTER-A3' })), {
    reference: 'map-4',
    sku: 'MUG',
  });
  const { page, faults } = await openScreen(stack, `/console/inbox?channelId=${channelId}`);
  await page.getByText('Unknown product 4').waitFor();
  await inboxRow(page, 'map-1').getByRole('button', { name: 'Map POSTER-A3' }).click();
  const dialog = page.getByRole('dialog', { name: 'Map product' });
  await dialog.getByLabel('Search the catalog').fill('post');
  for (const other of ['Mug', 'Classic tee'])
    await dialog.getByRole('radio', { name: other }).waitFor({ state: 'detached' });
  await dialog.getByRole('radio', { name: 'Poster', exact: true }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Map product' }).click();
  await dialog.getByText('3 orders released').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  for (const reference of references) await submitted(reference);
  await page.getByText('Unknown product 1').waitFor();
  await inboxRow(page, 'map-1').waitFor({ state: 'detached' });
  await inboxRow(page, 'map-4').waitFor();
  expect(faults).toEqual([]);
});

test('the address and the quantity of an order that waits are corrected, and its row is shown as it arrived', async () => {
  const channelId = await channelOf('Correct');
  await imported(channelId, { reference: 'fix-1', city: '', quantity: 'two' });
  const { page, faults } = await openScreen(stack, `/console/inbox?channelId=${channelId}`);
  await page.getByRole('button', { name: 'Correct fix-1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct fix-1' });
  await dialog.getByText('"two" is not a number.').waitFor();
  await dialog.getByRole('row').filter({ hasText: 'shippingAddress.city' }).getByText('empty').waitFor();
  await dialog.getByRole('button', { name: 'As it arrived' }).click();
  await dialog.getByRole('table', { name: 'As it arrived' }).getByText('two', { exact: true }).waitFor();
  await expectAccessible(page);
  expect(await dialog.getByLabel('Last name').inputValue()).toBe('Byron');
  await dialog.getByLabel('City').fill('Potsdam');
  await dialog.getByLabel('Quantity').fill('2');
  await dialog.getByRole('button', { name: 'Correct order' }).click();
  expect(await submitted('fix-1')).toMatchObject({ shippingAddress: { city: 'Potsdam' }, items: [{ quantity: 2 }] });
  await page.getByText('No order waits').waitFor();
  expect(faults).toEqual([]);
});

test('selected orders are ignored together', async () => {
  const channelId = await channelOf('Ignore');
  await imported(channelId, ...['drop-1', 'drop-2', 'keep-1'].map((reference) => ({ reference, sku: 'GONE' })));
  const { page, faults } = await openScreen(stack, `/console/inbox?channelId=${channelId}`);
  for (const reference of ['drop-1', 'drop-2']) await page.getByLabel(`Select ${reference}`).check();
  await page.getByRole('main').getByRole('button', { name: 'Ignore', exact: true }).click();
  await page.getByRole('dialog', { name: 'Ignore' }).getByRole('button', { name: 'Ignore 2 orders' }).click();
  await inboxRow(page, 'drop-1').waitFor({ state: 'detached' });
  await inboxRow(page, 'keep-1').waitFor();
  const { orders } = await stack.client.listChannelOrders({ params: { channelId }, query: { state: 'ignored' } });
  expect(orders.map(({ externalId }) => externalId).sort()).toEqual(['drop-1', 'drop-2']);
  expect(faults).toEqual([]);
});

test('all orders with one reason are tried again, also those of pages that are not loaded', async () => {
  const channelId = await channelOf('Retry');
  const references = Array.from({ length: 103 }, (_, index) => ({ reference: `again-${index}`, city: '' }));
  await imported(channelId, ...references, { reference: 'other-1', sku: 'GONE' });
  const { page, faults } = await openScreen(stack, `/console/inbox?channelId=${channelId}`);
  const rows = page.getByRole('table', { name: 'Inbox' }).getByRole('row');
  const more = page.getByRole('button', { name: 'Load more' });
  await page.getByText('All 104', { exact: true }).waitFor();
  await more.waitFor();
  expect(await rows.count()).toBe(101);
  await more.click();
  await more.waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(105);

  await stack.client.changeChannel({
    params: { channelId },
    body: { settings: { defaults: { 'shippingAddress.city': 'Bonn' } } },
  });
  await page.getByText('Address 103', { exact: true }).click();
  await more.waitFor();
  expect(await rows.count()).toBe(101);
  await inboxRow(page, 'other-1').waitFor({ state: 'detached' });
  await page.getByLabel('Select all').check();
  await page.getByRole('button', { name: 'Select all 103 that match' }).click();
  await page.getByText('All 103 orders that match are selected.').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByRole('dialog', { name: 'Retry' }).getByRole('button', { name: 'Retry 103 orders' }).click();
  await page.getByText('No order waits').waitFor();
  await eventually(async () => {
    const { waiting } = await stack.client.getChannel({ params: { channelId } });
    return waiting === 1 ? true : undefined;
  });
  for (const reference of ['again-0', 'again-102']) await submitted(reference);
  expect(faults).toEqual([]);
});

test('an operator adds a channel to a client, checks a file with errors, imports it and downloads the errors', async () => {
  const { page, faults } = await openScreen(stack, `/console/clients/${clientId}`);
  await page.getByRole('button', { name: 'Add channel' }).click();
  const adding = page.getByRole('dialog', { name: 'Add channel' });
  await adding.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop export');
  await adding.getByRole('button', { name: 'Add default' }).click();
  await adding.getByLabel('Field, row 1').fill('items.colour');
  await adding.getByLabel('Value, row 1').fill('EUR');
  await adding.getByRole('button', { name: 'Add channel' }).click();
  await adding.getByText('Not a field of an order').waitFor();
  await adding.getByLabel('Field, row 1').fill('currency');
  await expectAccessible(page);
  await adding.getByRole('button', { name: 'Add channel' }).click();
  await page.getByRole('link', { name: 'Shop export' }).click();
  await page.getByRole('heading', { level: 1, name: 'Shop export' }).waitFor();
  const channelId = page.url().split('/').at(-1)!;
  await stack.client.storeChannelMapping({ params: { channelId }, body: { sku: 'KNOWN', productUid: POSTER } });

  const main = page.getByRole('main');
  const content = fileOf(
    { reference: 'csv-1' },
    { reference: 'csv-2', quantity: 'two' },
    { reference: 'csv-3', sku: 'NEW' },
  );
  const dropped = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(content)}], 'may.csv', { type: 'text/csv' }));
      return data;
    })()`,
  );
  await main.getByLabel('CSV file').dispatchEvent('drop', { dataTransfer: dropped });
  await main.getByText('Checked 3 rows with 3 orders.').waitFor();
  const errors = main.getByRole('table', { name: 'Errors in the file' });
  const wrong = errors.getByRole('row').filter({ hasText: 'csv-2' });
  await wrong.getByText('two', { exact: true }).waitFor();
  await wrong.getByText('items.quantity: "two" is not a number.').waitFor();
  await wrong.getByText('Torstraße 1').waitFor();
  expect(await errors.getByRole('row').count()).toBe(3);
  await expectAccessible(page);
  expect((await stack.client.listChannelOrders({ params: { channelId }, query: {} })).orders).toEqual([]);

  await main.getByRole('button', { name: 'Import 3 orders' }).click();
  await main.getByText('Imported 3 rows with 3 orders.').waitFor();
  await submitted('csv-1');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main.getByRole('link', { name: 'Download errors of may.csv' }).first().click(),
  ]);
  expect(download.suggestedFilename()).toBe('errors-may.csv');
  const files = main.getByRole('table', { name: 'Files' }).getByRole('row');
  await files.filter({ hasText: '1 submitted, 2 wait in the inbox' }).waitFor();
  await main.getByRole('link', { name: 'Open the inbox' }).click();
  await inboxRow(page, 'csv-3').waitFor();
  expect(faults).toEqual([]);
});

test('a channel is paused and resumed, and its mappings are edited and deleted', async () => {
  const channelId = await channelOf('Mappings');
  const { page, faults } = await openScreen(stack, `/console/channels/${channelId}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog', { name: 'Pause' }).getByRole('button', { name: 'Pause channel' }).click();
  await page.getByText('Resume it to import orders').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('dialog', { name: 'Resume' }).getByRole('button', { name: 'Resume channel' }).click();
  await page.getByLabel('CSV file').waitFor();

  const mappings = page.getByRole('table', { name: 'Product mappings' });
  await mappings.getByRole('button', { name: 'Edit the mapping of KNOWN' }).click();
  const dialog = page.getByRole('dialog', { name: 'Map product' });
  await dialog.getByText(`Now: ${POSTER}`).waitFor();
  await dialog.getByLabel('Search the catalog').fill('tee');
  await dialog.getByRole('radio', { name: 'Mug' }).waitFor({ state: 'detached' });
  await dialog.getByRole('radio', { name: 'Classic tee' }).check();
  await dialog.getByLabel('Color').selectOption('Navy');
  await dialog.getByLabel('Units that one unit of the shop has').fill('10');
  await dialog.getByLabel('Print file of rows that name none').fill('https://files.example.com/tee.pdf');
  await dialog.getByRole('button', { name: 'Map product' }).click();
  await dialog.getByText('No order waits for it').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await mappings.getByText('Classic tee, M, Navy').waitFor();
  const listed = await stack.client.listChannelMappings({ params: { channelId }, query: {} });
  expect(listed.mappings).toMatchObject([
    {
      sku: 'KNOWN',
      productName: 'Classic tee',
      productVariant: { Size: 'M', Color: 'Navy' },
      quantityFactor: 10,
      files: { default: 'https://files.example.com/tee.pdf' },
    },
  ]);
  await expectAccessible(page);
  await mappings.getByRole('button', { name: 'Delete the mapping of KNOWN' }).click();
  await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete mapping' }).click();
  await page.getByText('No mapping').waitFor();
  expect(faults).toEqual([]);
});

test('an SFTP channel is added, tested, pinned to the key of its server, and tested again', async () => {
  const server = await startFaultySftp();
  const { page, faults } = await openScreen(stack, `/console/clients/${clientId}`);
  await page.getByRole('button', { name: 'Add channel' }).click();
  const adding = page.getByRole('dialog', { name: 'Add channel' });
  await adding.getByRole('textbox', { name: 'Name', exact: true }).fill('Shop server');
  for (const [label, value] of [
    ['Host', server.host],
    ['Port', String(server.port)],
    ['User name', server.username],
    ['Folder', server.folder],
    ['Password', server.password],
  ] as const)
    await adding.getByLabel(label, { exact: true }).fill(value);
  await adding.getByRole('button', { name: 'Add channel' }).click();
  await page.getByRole('link', { name: 'Shop server' }).click();
  await page.getByRole('group', { name: 'Host' }).getByText(server.host).waitFor();

  const test = async (text: string) => {
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Test' });
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await dialog.getByText(text).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).click();
  };
  await test(`The server has the key ${server.hostKey}`);
  expect(server.logins).toEqual([]);
  await page.getByRole('button', { name: 'Settings' }).click();
  const editing = page.getByRole('dialog', { name: 'Settings' });
  await editing.getByLabel('Fingerprint of its key').fill(server.hostKey);
  await editing.getByRole('button', { name: 'Save settings' }).click();
  await editing.waitFor({ state: 'detached' });
  await test('The connection works.');
  expect(server.logins).toContain(server.password);
  expect(faults).toEqual([]);
  await server.close();
});
