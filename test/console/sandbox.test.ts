import { orderWorkflowId } from '../../src/platform/domain/workflows';
import { expectAccessible, openScreen } from '../support/browser';
import { eventually, type TestStack, testStack } from '../support/stack';
import { poster } from '../workflows/order/client-orders';
import { goodOrder, hasStatus, orderWith } from './order-fixture';

/** The sandbox is controlled in a browser. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Waits until a partner of the sandbox has a print order of an order. Returns the partner and the print order. */
const printOrderOf = (orderId: string) =>
  eventually(async () => {
    const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId } });
    const [first] = printOrders;
    const seen = Object.values(stack.sandbox.seen().partners).flatMap((partner) => partner.printOrders);
    return seen.some(({ printOrderId }) => printOrderId === first?.id) ? first : undefined;
  });

/** Submits an order whose file cannot be fetched. Returns its id after several attempts. */
async function failingOrder(reference: string, url: string): Promise<string> {
  const items = [poster(stack, { retailPriceInclVat: 19.9, files: [{ type: 'default', url }] })];
  const { id } = await orderWith(stack, reference, { items });
  await eventually(async () => {
    const { failingSteps } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
    return (failingSteps ?? []).some(({ attempts, nextAttemptAt }) => attempts > 2 && nextAttemptAt !== null)
      ? true
      : undefined;
  });
  return id;
}

/** Returns the numbers of the attempts with which the files of an order were fetched. A retry of an operator counts from one. */
async function fetchAttempts(orderId: string): Promise<(number | null | undefined)[]> {
  const handle = stack.services.temporal.workflow.getHandle(orderWorkflowId(orderId));
  const { events = [] } = await handle.fetchHistory();
  const fetches = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'fetchOrderFiles',
  );
  return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
    started != null && fetches.some(({ eventId }) => String(eventId) === String(started.scheduledEventId))
      ? [started.attempt]
      : [],
  );
}

test('an operator sets a behaviour, sends postbacks as the partner, and the order follows', async () => {
  const { id } = await goodOrder(stack, 'sandbox-manual');
  const printOrder = (await printOrderOf(id))!;
  const { page, faults } = await openScreen(stack, '/console/orders');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sandbox' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor();
  const partner = page.getByRole('region', { name: printOrder.partnerUid });
  const row = partner.getByRole('row', { name: new RegExp(`^${printOrder.id} `) });
  await row.getByRole('button', { name: `Received: print order ${printOrder.id}` }).click();
  await partner.getByText(`Received: print order ${printOrder.id}: Pressline responded with 200.`).waitFor();
  await eventually(async () => {
    const order = await stack.client.getOrder({ params: { orderId: id } });
    return order.fulfillmentStatus === 'in_production' ? true : undefined;
  });

  // Every carrier refuses labels, so that no dispatch gets one. The next dispatch after the refusals are lifted gets its label.
  const carriers = page.getByRole('region', { name: 'Carriers', exact: true });
  const labelsOf = async (act: string, count: number, message?: string) => {
    for (let left = count; left > 0; left--) {
      await carriers
        .getByRole('button', { name: new RegExp(`^${act}`) })
        .first()
        .click();
      const form = page.getByRole('dialog', { name: act });
      if (message !== undefined) await form.getByLabel('What the carrier says').fill(message);
      await form.getByRole('button', { name: act }).click();
      await form.waitFor({ state: 'hidden' });
    }
  };
  const dispatched = (status: string) =>
    partner.getByText(
      new RegExp(`^Request dispatch: print order ${printOrder.id}: Pressline responded with ${status}`),
    );
  await row.getByRole('button', { name: `Printed: print order ${printOrder.id}` }).click();
  const count = await carriers.getByRole('button', { name: /^Refuse labels/ }).count();
  await labelsOf('Refuse labels', count, 'The depot is full');
  await row.getByRole('button', { name: `Request dispatch: print order ${printOrder.id}` }).click();
  await dispatched('4').waitFor();
  await eventually(async () => {
    const { attention } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
    return attention.includes('dispatch_failed') ? true : undefined;
  });
  const tabOfOrder = await openScreen(stack, `/console/orders/${id}`);
  const problem = tabOfOrder.page.getByLabel('What is wrong');
  await problem.getByText(`No label for the parcel from ${printOrder.partnerUid}. The carrier says`).waitFor();
  await problem.getByText('The depot is full').waitFor();
  await labelsOf('Sell labels', count);
  await row.getByRole('button', { name: `Request dispatch: print order ${printOrder.id}` }).click();
  await dispatched('200').waitFor();

  const goodFiles = page.getByRole('region', { name: 'Print files', exact: true });
  const address = await goodFiles.getByRole('link', { name: /poster-a4\.pdf$/ }).getAttribute('href');
  for (const [act, status] of [
    ['Respond with 500', 500],
    ['Send the file', 200],
  ] as const) {
    await goodFiles.getByRole('button', { name: `${act}: poster-a4.pdf` }).click();
    const form = page.getByRole('dialog', { name: act });
    await form.getByRole('button', { name: act }).click();
    await form.waitFor({ state: 'hidden' });
    expect((await fetch(address!)).status).toBe(status);
  }

  await partner.getByRole('button', { name: /^Set behaviour/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Set behaviour' });
  await dialog.getByLabel('Behaviour', { exact: true }).selectOption('refuses');
  await dialog.getByLabel('Number of print orders (empty: all)').fill('1');
  await dialog.getByRole('button', { name: 'Set behaviour' }).click();
  await partner.getByText('refuses, once').waitFor();
  await partner.getByRole('button', { name: /^Remove rules/ }).click();
  await page.getByRole('dialog', { name: 'Remove rules' }).getByRole('button', { name: 'Remove rules' }).click();
  await partner.getByText('Well-behaved', { exact: true }).waitFor();

  await page.getByRole('region', { name: 'Parcels' }).getByText('No parcel').waitFor();
  await page.getByRole('row', { name: /missing\.pdf Responds with 404\./ }).waitFor();
  await expectAccessible(page);
  expect(faults).toEqual([]);
});

test('a retry of an order fetches a file at once that the host sends again', async () => {
  const fault = (method: 'POST' | 'DELETE') =>
    fetch(`${stack.sandbox.controlUrl}/files/poster-a4.pdf/fault`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify({ status: 500 }) } : {}),
    });
  await fault('POST');
  const id = await failingOrder('sandbox-file', `${stack.sandbox.url}/files/poster-a4.pdf`);
  await fault('DELETE');
  const { items, possibleRepairs } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
  const itemIds = items.map(({ id: itemId }) => itemId);
  expect(possibleRepairs).toContainEqual(expect.objectContaining({ action: 'retry', itemIds }));
  await stack.operator.repairOrder({
    params: { orderId: id },
    body: { action: 'retry', itemIds, reason: 'The host responds again' },
  });
  await hasStatus(stack, id, 'passed');
  // Before it there is the attempt that the retry has cancelled, if one was under way.
  expect((await fetchAttempts(id)).at(-1)).toBe(1);
});
