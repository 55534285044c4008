import { checkServers } from '../../src/orders/upkeep/known-servers';
import { RECONCILIATION } from '../../src/platform/domain/periodic-jobs';
import { ensureSchedule, scheduleId } from '../../src/platform/temporal/periodic-jobs';
import { testAccount } from '../support/api-deps';
import { openScreen } from '../support/browser';
import { type TestStack, testStack } from '../support/stack';

/** Operators replay messages of the outbox and run jobs, in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'off' });
});

const tabAt = (path: string) => openScreen(stack, path);

/** Inserts dead letters to a workflow that does not exist. Returns their ids. */
async function deadLetters(targets: readonly string[]): Promise<string[]> {
  const rows = await stack.database.sql<{ id: string }[]>`
    INSERT INTO outbox (kind, target, payload, attempts, last_error, dead_at)
    SELECT 'signal_workflow', target, '{"signal": "postback", "args": []}', 8, 'no such workflow', now()
    FROM unnest(${[...targets]}::text[]) AS t (target) RETURNING id`;
  return rows.map(({ id }) => id);
}

test('selected dead letters are replayed with a reason', async () => {
  const [one, two, kept] = await deadLetters(['shipping-order-a', 'shipping-order-b', 'shipping-order-c']);
  const { page, faults } = await tabAt('/console/outbox?state=dead&kind=signal_workflow');
  await page.getByRole('heading', { level: 1, name: 'Outbox' }).waitFor();
  const table = page.getByRole('table', { name: 'Outbox' });
  await table.getByText('no such workflow').first().waitFor();
  for (const id of [one, two]) await page.getByLabel(`Select message ${id}`).check();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay' });
  const button = dialog.getByRole('button', { name: 'Replay 2 messages' });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason').fill('the receiver is repaired');
  await button.click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByLabel(`Select message ${one}`).waitFor({ state: 'detached' });
  expect(await page.getByLabel(`Select message ${kept}`).count()).toBe(1);

  const { entries } = await stack.operator.listAuditLog({ query: { action: 'outbox.replay' } });
  expect(entries[0]).toMatchObject({
    after: { ids: expect.arrayContaining([one, two]), replayed: 2, reason: 'the receiver is repaired' },
  });
  expect(faults).toEqual([]);
});

test('every dead letter that matches the filter is replayed, not only those that are loaded', async () => {
  const targets = Array.from({ length: 60 }, (_, index) => `shipping-order-many-${index}`);
  await deadLetters(targets);
  await deadLetters(Array(60).fill('shipping-order-one'));
  const { page, faults } = await tabAt('/console/outbox?state=dead&target=shipping-order-one');
  await page.getByRole('button', { name: 'Load more' }).waitFor();
  await page.getByLabel('Select all').check();
  await page.getByText('All 50 messages that are loaded are selected.').waitFor();
  await page.getByRole('button', { name: 'Select everything that matches' }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay' });
  await dialog.getByLabel('Reason').fill('the target is repaired');
  await dialog.getByRole('button', { name: 'Replay everything that matches' }).click();
  await page.getByText('No message is dead').waitFor();
  const [left] = await stack.database.sql`
    SELECT count(*)::int AS many FROM outbox WHERE dead_at IS NOT NULL AND target LIKE 'shipping-order-many-%'`;
  expect(left).toEqual({ many: 60 });
  await stack.database.sql`DELETE FROM outbox WHERE target LIKE 'shipping-order-many-%'`;
  expect(faults).toEqual([]);
});

test('the counts by kind lead to their lists, which are exported as CSV', async () => {
  await deadLetters(['shipping-order-d']);
  const { page } = await tabAt('/console/outbox');
  const counts = page.getByRole('table', { name: 'Messages by kind' });
  await counts
    .getByRole('row', { name: /Notification/ })
    .getByRole('link')
    .last()
    .click();
  await page.waitForURL('**/console/outbox?state=dead&kind=notification');
  await page.getByText('No message is dead').waitFor();
  await page.getByLabel('Kind', { exact: true }).selectOption('signal_workflow');
  await page.waitForURL('**/console/outbox?state=dead&kind=signal_workflow');
  await page.getByText('shipping-order-d').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('outbox.csv');
});

test('a message links to what it is about', async () => {
  const { sql } = stack.database;
  const shippingOrder = '01a20f2c-d22a-7812-81d6-916d5a2fafed';
  await deadLetters([`shipping-order-${shippingOrder}`, 'procurement-order-7']);
  const [client] = await sql<{ id: string }[]>`SELECT id FROM accounts WHERE role = 'client' LIMIT 1`;
  const [endpoint] = await sql<{ id: string }[]>`
    INSERT INTO webhook_endpoints (id, client_id, url, events, secret)
    VALUES (gen_random_uuid(), ${client!.id}, 'https://shop.example/hooks', '{}', 'x') RETURNING id`;
  await sql`
    WITH sent AS (
      INSERT INTO webhook_deliveries (id, message_id, endpoint_id, event, body)
      VALUES (gen_random_uuid(), gen_random_uuid(), ${endpoint!.id}, 'test', '{}') RETURNING id)
    INSERT INTO outbox (kind, target, payload, dead_at)
    SELECT 'notification', ${endpoint!.id}, jsonb_build_object('deliveryId', id), now() FROM sent`;
  const { page, faults } = await tabAt('/console/outbox?state=dead');
  const table = page.getByRole('table', { name: 'Outbox' });
  const leads = async (name: string | RegExp, url: string) =>
    expect(await table.getByRole('link', { name }).getAttribute('href')).toBe(`/console${url}`);
  await table.getByRole('link', { name: 'Endpoint of the client' }).waitFor();
  await leads('Endpoint of the client', `/clients/${client!.id}`);
  await leads(`Shipping order ${shippingOrder}`, `/shipments?q=${shippingOrder}`);
  await leads('Procurement order 7', '/stock?procurementOrder=7');
  await sql`DELETE FROM outbox WHERE dead_at IS NOT NULL`;
  expect(faults).toEqual([]);
});

test('an admin confirms the servers with a reason, and a viewer only reads why no workflow starts', async () => {
  const { sql, temporal } = stack.services;
  // Stores the servers, as the first start of a workflow does.
  await checkServers(sql, temporal);
  await sql`UPDATE known_servers SET hold = 'outdated_postgres', held_at = now(), restarts_from = now()`;
  const viewer = await testAccount(stack.database.sql, 'operator', 'servers-viewer', 'viewer');
  const viewed = await openScreen(stack, '/console/system', viewer.apiKey);
  await viewed.page.getByText('No workflow starts').waitFor();
  expect(await viewed.page.getByRole('button', { name: 'Confirm the servers' }).count()).toBe(0);

  const { page, faults } = await tabAt('/console/system');
  await page.getByRole('button', { name: 'Confirm the servers' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm the servers' });
  await dialog.getByLabel('Reason').fill('No partner knows these orders.');
  await dialog.getByRole('button', { name: 'Confirm the servers' }).click();
  await page.getByText('No workflow starts').waitFor({ state: 'detached' });
  expect(await stack.operator.getSystem({})).toMatchObject({ starts: { hold: null, restartsFrom: null } });
  expect(faults).toEqual([]);
});

test('a job is run now, and the page says how it ended', async () => {
  const { temporal, config } = stack.services;
  // Its own time does not come during the test.
  await ensureSchedule(temporal, config, { ...RECONCILIATION, everyMs: 24 * 3_600_000 });
  const { page, faults } = await tabAt('/console/system');
  const row = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /^reconcile / });
  await row.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('status').getByText('The job reconcile succeeded.').waitFor();
  await row.getByText('Succeeded').waitFor();
  await page.getByRole('table', { name: 'Reconciliation' }).waitFor();
  await page.getByRole('table', { name: 'Workers' }).getByRole('row').nth(1).waitFor();
  await page.getByRole('group', { name: 'Postgres' }).waitFor();

  await page.getByLabel('Search variables').fill('secret_keys');
  const variables = page.getByRole('table', { name: 'Configuration' });
  await variables
    .getByRole('row', { name: /SECRET_KEYS/ })
    .first()
    .waitFor();
  expect(faults).toEqual([]);
  await temporal.schedule.getHandle(scheduleId(config, RECONCILIATION)).delete();
});
