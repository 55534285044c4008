import { readFile } from 'node:fs/promises';
import { expectAccessible, openScreen } from '../support/browser';
import { BOOKED_AT, BUYER, SELLER } from '../support/rows/receipts-of-month';
import { type TestStack, testStack } from '../support/stack';
import { addressIn, poster } from '../workflows/order/client-orders';
import { accepted } from '../workflows/order/order-fixture';

/** A bookkeeper reads the receipts of a month in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual', config: { SELLER } });
  const { connectors } = await stack.operator.listClients();
  await stack.operator.changeClient({ params: { connectorId: connectors[0]!.id }, body: BUYER as never });
  for (const country of ['DE', 'FR'] as const) {
    const { id } = await stack.client.submitOrder({
      body: {
        orderReferenceId: `books-${country}`,
        currency: 'EUR',
        shippingAddress: addressIn[country],
        items: [poster(stack, { quantity: 2 })],
      } as never,
    });
    await accepted(stack, id);
  }
  await stack.database
    .owner`UPDATE receipt_lines SET created_at = date_trunc('month', ${BOOKED_AT}::timestamptz, 'UTC') - interval '1 hour'`;
});

test('last month’s VAT by country is two clicks away as a file, and a country leads to its lines', async () => {
  const { page, context, faults } = await openScreen(stack, '/console/today');
  await page.clock.setFixedTime(BOOKED_AT);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Receipts' }).click();
  const section = page.getByRole('region', { name: 'VAT by country and rate' });
  const sums = section.getByRole('table');
  await sums.getByRole('row', { name: /^DE Taxed 19 % 1/ }).waitFor();
  const download = page.waitForEvent('download');
  await section.getByRole('button', { name: 'Export CSV' }).click();
  const file = await readFile(await (await download).path(), 'utf8');
  const [names, ...rows] = file.trimEnd().split('\r\n');
  expect(names).toBe('country,treatment,rate,receipts,net,tax,gross,currency');
  expect(rows.map((row) => row.split(',').slice(0, 4))).toEqual([
    ['DE', 'taxed', '0.19', '1'],
    ['FR', 'taxed', '0.2', '1'],
  ]);
  const gross = rows.reduce((sum, row) => sum + Math.round(Number(row.split(',')[6]) * 100), 0);
  await section.getByText(`€${(gross / 100).toFixed(2)} gross`).waitFor();

  const lines = page.getByRole('table', { name: 'Lines of receipts' });
  await lines
    .getByRole('row', { name: /books-DE/ })
    .first()
    .waitFor();
  await expectAccessible(page);
  await sums.getByRole('link', { name: 'FR' }).click();
  await page.waitForURL('**/console/receipts?*country=FR*');
  await lines
    .getByRole('row', { name: /books-FR/ })
    .nth(1)
    .waitFor();
  expect(await lines.getByRole('row', { name: /books-DE/ }).count()).toBe(0);

  // Statements are issued, and lack nothing but what the client has not told.
  await page.getByRole('button', { name: 'Issue statements' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
  const statement = page.getByRole('table', { name: 'Statements' }).getByRole('row', { name: /demo-client Invoice/ });
  await statement.getByText(`€${(gross / 100).toFixed(2)}`).waitFor();
  expect(await statement.getByRole('link', { name: /^UBL/ }).count()).toBe(1);
  const pdf = await context.request.get((await statement.getByRole('link', { name: /^PDF/ }).getAttribute('href'))!);
  expect((await pdf.body()).toString('latin1')).toMatch(/^%PDF-1\.7[\s\S]*factur-x\.xml/);
  await expectAccessible(page);

  await page.getByLabel('Month (UTC)').fill('2020-01');
  await page.getByText('No receipt in this month').first().waitFor();
  expect(faults).toEqual([]);
});
