import { expectAccessible, openScreen } from '../support/browser';
import { repairWith } from '../support/console-steps';
import { type TestStack, testStack } from '../support/stack';
import { handedOver } from '../workflows/order/order-fixture';

/** Today shows what is wrong outside orders, and an operator moves the promises that a day off breaks. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

test('Today has one place for alarms, each leads to where it is mended, and promises are moved there', async () => {
  const { sql } = stack.database;
  const { orderId } = await handedOver(stack, 'late');
  const promised = async () => (await stack.operator.getOperatorOrder({ params: { orderId } })).promise!.dispatchDate;
  const before = await promised();
  const [berlin] = (await stack.operator.listPartners({})).partners.filter(({ uid }) => uid === 'prints-berlin');
  const { calendar } = berlin!.capabilities;
  await stack.operator.changePartner({
    params: { partnerId: berlin!.id },
    body: { capabilities: { calendar: { ...calendar, closedDates: [before] } } } as never,
  });
  const { id: endpointId } = await stack.client.createWebhook({ body: { url: 'https://shop.example/notifications' } });
  await sql`UPDATE webhook_endpoints SET is_failing = true WHERE id = ${endpointId}`;

  const { page, faults } = await openScreen(stack, '/console/today');
  const alarms = page.getByRole('region', { name: 'Alarms' });
  const row = (text: string) => alarms.getByRole('row').filter({ hasText: text });
  await row('A day off makes 1 order late').getByRole('link', { name: 'prints-berlin' }).waitFor();
  await row('Endpoint fails').getByRole('link', { name: 'https://shop.example/notifications' }).waitFor();
  await expectAccessible(page);

  await alarms.getByRole('button', { name: 'Move promise, tell clients of prints-berlin' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move promise, tell clients' });
  await dialog.getByText('The order accepts this now.').waitFor();
  await expectAccessible(page);
  await repairWith(dialog, 'Move promise', 'The press is serviced');
  await dialog.getByText('Finished').waitFor();
  // The dialog stays when the alarm has gone.
  await row('A day off').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect((await promised()) > before).toBe(true);

  await row('Endpoint fails').getByRole('link', { name: 'https://shop.example/notifications' }).click();
  await page.waitForURL(`**/console/clients/*?endpoint=${endpointId}`);
  expect(faults).toEqual([]);
});
