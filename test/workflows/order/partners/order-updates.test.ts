import { createOrderPartnerActivities } from '../../../../activities/order-run';
import { type PartnerServer, partnerServer } from '../../../support/other-systems/partner-server';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { faultyFile, goodFile, read } from '../client-orders';
import { fileHost } from '../file-host';
import { operatorHelpers } from '../operator-fixture';
import {
  type HandedOver,
  handedOver,
  is,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  seenPrintOrders,
  withBerlin,
} from '../order-fixture';

/**
 * Order updates: after a change of address, method or a print file, the partner gets the whole print order again. The partners of the
 * sandbox send no postbacks on their own.
 */

let stack: TestStack;
const files = fileHost();
const { repair, say } = operatorHelpers(() => stack);

let partner: PartnerServer;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  partner = await partnerServer();
});

/** Runs work while prints-berlin gets its order updates at the test's server. @param statuses of its first responses */
async function received(
  statuses: number[],
  work: (updates: PartnerServer['received']) => Promise<void>,
): Promise<void> {
  partner.restart(...statuses);
  await withBerlin(stack, 'order_update_url', partner.url, () => work(partner.received));
}
/** What is equal in repeated deliveries of one message. */
const message = ({ headers, body }: PartnerServer['received'][number]) => [headers['webhook-id'], body];
const withoutUpdates = (work: () => Promise<void>) => withBerlin(stack, 'order_update_url', null, work);

const moveTo = (orderId: string, reference: string, addressLine1: string) =>
  stack.client.updateShipment({
    params: { orderId },
    body: { shippingAddress: { ...orderBody(stack, reference).shippingAddress, addressLine1 } },
  });

const updatesOf = ({ printOrderId }: Pick<HandedOver, 'printOrderId'>) =>
  seenPrintOrders(stack, [printOrderId])[0]?.updates ?? [];
const untilUpdated = (order: HandedOver, count: number) =>
  eventually(async () => {
    const updates = updatesOf(order);
    return updates.length >= count ? updates : undefined;
  });

const logged = async (orderId: string, type: string) => (await orderLog(stack, orderId, type)).map(({ data }) => data);
const needs = (reason: string | null) => (now: { attention: string | null }) => now.attention === reason;

describe('a partner that has the print order', () => {
  test('gets it again with each change, with a revision that counts from 2', async () => {
    const order = await handedOver(stack, 'moved-twice');
    await moveTo(order.orderId, 'moved-twice', 'Invalidenstrasse 2');
    await untilUpdated(order, 1);
    await stack.client.updateShipment({
      params: { orderId: order.orderId },
      body: { shipmentMethodUid: 'express' },
    });
    const updates = await untilUpdated(order, 2);
    expect(updates).toMatchObject([
      { revision: 2, addressLine1: 'Invalidenstrasse 2', response: '200' },
      { revision: 3, addressLine1: 'Invalidenstrasse 2', response: '200' },
    ]);
    expect(updates[1]!.shipmentMethodUid).not.toBe(updates[0]!.shipmentMethodUid);
    expect(updates[1]!.webhookId).not.toBe(updates[0]!.webhookId);
    await eventually(async () =>
      (await logged(order.orderId, 'order_update_accepted')).length === 2 ? true : undefined,
    );
    expect(await orderNow(stack, order.orderId)).toMatchObject({ attention: null });
    expect(seenPrintOrders(stack, [order.printOrderId])[0]).toMatchObject({
      distinctContents: 1,
      deliveries: 1,
    });
  });

  test('gets the whole print order: only address, method, links and revision differ from the first delivery', async () => {
    await received([500], async (updates) => {
      const order = await handedOver(stack, 'whole', { items: 2 });
      await moveTo(order.orderId, 'whole', 'Invalidenstrasse 3');
      await eventually(async () => (updates.length >= 2 ? true : undefined));
      // The retry after the 500 repeats the same bytes under the same webhook-id.
      expect(message(updates[1]!)).toEqual(message(updates[0]!));
      const [first] = await stack.services.sql<{ body: string }[]>`
        SELECT body FROM print_orders WHERE id = ${order.printOrderId}`;
      const before = JSON.parse(first!.body);
      const after = JSON.parse(updates[0]!.body);
      expect(before).not.toHaveProperty('revision');
      const [sender, delivery] = before.shipping.address;
      expect(after).toEqual({
        ...before,
        revision: 2,
        items: before.items.map((item: { assets: { report?: object }[] }) => ({
          ...item,
          assets: item.assets.map((asset) => ({
            ...asset,
            url: expect.any(String),
            ...(asset.report === undefined ? {} : { report: { ...asset.report, url: expect.any(String) } }),
          })),
        })),
        shipping: {
          ...before.shipping,
          address: [sender, { ...delivery, addressLine1: 'Invalidenstrasse 3' }],
        },
      });
    });
  });
});

test('an order update after the partner has cancelled units states the units that are still wanted', async () => {
  await received([], async (updates) => {
    const order = await handedOver(stack, 'still-wanted', { quantity: 5 });
    const countAfter = async (line: string) => {
      const before = updates.length;
      await moveTo(order.orderId, 'still-wanted', line);
      const { body } = await eventually(async () => updates[before]);
      return JSON.parse(body).items.map(({ count }: { count: number }) => count);
    };
    await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 2 }] });
    await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'manual_handling');

    expect(await countAfter('Invalidenstrasse 4')).toEqual([3]);
    await repair(order.orderId, { action: 'refund', itemIds: [...order.itemIds] });
    expect(await countAfter('Invalidenstrasse 5')).toEqual([3]);
    // The rest is cancelled as well.
    await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 1 }] });
    await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'manual_handling');
    expect(await countAfter('Invalidenstrasse 6')).toEqual([2]);
  });
});

test('a repeated delivery of the print order is followed by the latest update, each with its own bytes', async () => {
  await received([], async (updates) => {
    const order = await handedOver(stack, 'reminded');
    await moveTo(order.orderId, 'reminded', 'Invalidenstrasse 8');
    await moveTo(order.orderId, 'reminded', 'Invalidenstrasse 9');
    const { sql } = stack.services;
    await eventually(async () => {
      const [accepted] = await sql`
        SELECT 1 FROM print_order_updates
        WHERE print_order_id = ${order.printOrderId} AND revision = 3 AND accepted_at IS NOT NULL`;
      return accepted;
    });
    const sent = updates.map(message);
    const { services } = stack;
    await createOrderPartnerActivities(services).deliverPrintOrder({
      orderId: order.orderId,
      requestId: 'reminder',
      printOrderId: order.printOrderId,
    });
    expect(updates.slice(sent.length).map(message)).toEqual(sent.slice(-1));
    expect(seenPrintOrders(stack, [order.printOrderId])[0]).toMatchObject({
      deliveries: 2,
      distinctContents: 1,
      distinctWebhookIds: 1,
    });
  });
});

describe('a change before the partner has accepted the print order', () => {
  test('repeats the first message unchanged during its delivery, and an update follows', async () => {
    const reference = 'moved-in-delivery';
    const { id: orderId } = await stack.client.submitOrder({
      body: orderBody(stack, reference, { address: { addressLine2: 'sandbox:fails-first=1' } }),
    });
    const { printOrderIds } = await orderUntil(
      stack,
      orderId,
      (now) => seenPrintOrders(stack, now.printOrderIds).length === 1,
    );
    await moveTo(orderId, reference, 'Invalidenstrasse 4');
    const order = { orderId, printOrderId: printOrderIds[0]! } as HandedOver;
    expect(await untilUpdated(order, 1)).toMatchObject([{ revision: 2, addressLine1: 'Invalidenstrasse 4' }]);
    expect(seenPrintOrders(stack, printOrderIds)[0]).toMatchObject({
      responses: ['500', '200'],
      distinctContents: 1,
      distinctWebhookIds: 1,
    });
  });

  test('is in the first message when it was not delivered yet, and there is no update', async () => {
    const { id, send } = await files.submit(stack, 'moved-before');
    await repair(id, { action: 'hold' });
    send();
    const { printOrderIds } = await orderUntil(stack, id, (now) => now.printOrderIds.length === 1);
    await moveTo(id, 'moved-before', 'Invalidenstrasse 5');
    await repair(id, { action: 'release' });
    await orderUntil(stack, id, is('passed'));
    await eventually(async () => seenPrintOrders(stack, printOrderIds)[0]);
    const [row] = await stack.services.sql<{ body: string }[]>`
      SELECT body FROM print_orders WHERE id = ${printOrderIds[0]!}`;
    expect(row!.body).toContain('Invalidenstrasse 5');
    await say({ printOrderId: printOrderIds[0]! }, 'received');
    await orderUntil(stack, id, is('in_production'));
    expect(updatesOf({ printOrderId: printOrderIds[0]! })).toEqual([]);
  });
});

describe('a print file that is replaced when a partner has the item', () => {
  const replaceWith = (orderId: string, url: string) =>
    stack.client.replaceFile({ params: { orderId, itemReferenceId: 'poster', type: 'default' }, body: { url } });
  const fileOf = async (orderId: string) => (await read(stack.client, orderId)).items[0]!.files[0]!;
  const untilEnded = (orderId: string) =>
    eventually(async () => {
      const file = await fileOf(orderId);
      return file.replacement === null || file.replacement.state === 'refused' ? file : undefined;
    });
  /** The key of the stored file that a link leads to. */
  const storedKey = (url: string): string =>
    JSON.parse(Buffer.from(new URL(url).pathname.split('/')[2]!.split('.')[0]!, 'base64url').toString()).k;
  const newFile = () => `${goodFile(stack, 'poster-a4.pdf')}?new`;

  test('is sent to the partner, and takes the place of the former one', async () => {
    await received([], async (updates) => {
      const order = await handedOver(stack, 'file-replaced');
      const { orderId } = order;
      const before = await fileOf(orderId);
      expect(before.replacement).toBeNull();
      const answered = await replaceWith(orderId, newFile());
      expect(answered.items[0]!.files).toMatchObject([{ id: before.id, replacement: { url: newFile() } }]);
      const after = await untilEnded(orderId);
      expect(after).toMatchObject({ url: newFile(), checks: [], replacement: null, facts: { complete: true } });
      expect(after.id).not.toBe(before.id);
      expect(updates).toHaveLength(1);
      const { revision, items } = JSON.parse(updates[0]!.body);
      expect({ revision, counts: items.map(({ count }: { count: number }) => count) }).toEqual({
        revision: 2,
        counts: [1],
      });
      // The link leads to the new file, and the report to its findings.
      const [asset] = items[0].assets;
      const stored = await fetch(asset.url);
      const ordered = await fetch(newFile());
      expect(Buffer.from(await stored.arrayBuffer())).toEqual(Buffer.from(await ordered.arrayBuffer()));
      expect((await fetch(asset.report.url)).status).toBe(200);
      const { eventLog } = (await read(stack.client, orderId)).items[0]!;
      const ofFile = eventLog.filter(({ type }) => type.startsWith('file_'));
      expect(ofFile.map(({ type, data }) => [type, data])).toEqual([
        ['file_replacement_requested', { type: 'default' }],
        ['file_replaced', { type: 'default' }],
      ]);
      expect(await orderNow(stack, orderId)).toMatchObject({ attention: null });
      // A later change of the address keeps it.
      await moveTo(orderId, 'file-replaced', 'Invalidenstrasse 12');
      const later = await eventually(async () => updates[1]);
      expect(storedKey(JSON.parse(later.body).items[0].assets[0].url)).toBe(storedKey(asset.url));
    });
  });

  test('is printed as before when the partner refuses the new one', async () => {
    await received([422], async (updates) => {
      const { orderId } = await handedOver(stack, 'file-not-taken');
      const before = await fileOf(orderId);
      await replaceWith(orderId, newFile());
      const message = 'The print partner did not take the new file. It prints the former one.';
      expect(await untilEnded(orderId)).toMatchObject({
        id: before.id,
        url: before.url,
        replacement: { url: newFile(), state: 'refused', message, checks: [] },
      });
      await orderUntil(stack, orderId, needs('partner_not_updated'));
      expect(await logged(orderId, 'partner_not_updated')).toMatchObject([
        { outcome: 'refused', message: expect.stringContaining('HTTP 422') },
      ]);
      // A change of the address has the former file. It is accepted.
      await moveTo(orderId, 'file-not-taken', 'Invalidenstrasse 13');
      await eventually(async () => updates[1]);
      await orderUntil(stack, orderId, needs(null));
      const assets = updates.map(({ body }) => JSON.parse(body).items[0].assets[0].url);
      expect(storedKey(assets[0])).not.toBe(storedKey(assets[1]));
      expect(storedKey(assets[1])).toContain(before.id);
    });
  });

  test.each([
    ['does not fit the product', 'wrong-size.pdf', 'Page 1 is 105 × 148 mm; the poster is 210 × 297 mm.'],
    ['cannot be fetched', 'missing.pdf', 'There is no file at this URL: the host responded with 404.'],
  ])('is printed as before when the new one %s, and the partner hears nothing of it', async (_what, name, message) => {
    const order = await handedOver(stack, `file-${name}`);
    const before = await fileOf(order.orderId);
    await replaceWith(order.orderId, faultyFile(stack, name));
    expect(await untilEnded(order.orderId)).toMatchObject({
      id: before.id,
      replacement: { state: 'refused', message },
    });
    const [stored] = await stack.services.sql<{ keys: number }[]>`
      SELECT count(object_key)::int AS keys FROM order_files
      WHERE replacement = 'refused' AND order_item_id = ${order.itemIds[0]!}`;
    expect(stored).toEqual({ keys: 0 });
    // What the partner gets next is the change of the address.
    await moveTo(order.orderId, `file-${name}`, 'Invalidenstrasse 14');
    expect(await untilUpdated(order, 1)).toMatchObject([{ revision: 2, addressLine1: 'Invalidenstrasse 14' }]);
  });

  test('is refused with 429 and not kept when too many files of the account are being checked', async () => {
    const { orderId } = await handedOver(stack, 'many-checks');
    const { sql } = stack.services;
    const ids = await sql<{ id: string }[]>`
      INSERT INTO preflights (id, account_id, url, subject)
      SELECT gen_random_uuid(), client_id, 'https://files.example/a.pdf', '{}' FROM orders, generate_series(1, 20)
      WHERE id = ${orderId} RETURNING id`;
    await expect(replaceWith(orderId, newFile())).rejects.toMatchObject({ status: 429 });
    expect(await fileOf(orderId)).toMatchObject({ replacement: null });
    await sql`DELETE FROM preflights WHERE id = ANY(${ids.map(({ id }) => id)}::uuid[])`;
    await replaceWith(orderId, newFile());
    expect(await untilEnded(orderId)).toMatchObject({ url: newFile(), replacement: null });
  });

  test('is refused with 409 when the partner takes no updates', async () => {
    await withoutUpdates(async () => {
      const { orderId } = await handedOver(stack, 'no-file-updates');
      await expect(replaceWith(orderId, newFile())).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('takes no changed files'),
      });
      expect(await fileOf(orderId)).toMatchObject({ replacement: null });
    });
  });
});

describe('a partner that does not get the update', () => {
  test('the order needs attention until an operator dismisses it when the partner has no address for updates', async () => {
    await withoutUpdates(async () => {
      const order = await handedOver(stack, 'no-update-address');
      await moveTo(order.orderId, 'no-update-address', 'Invalidenstrasse 6');
      await orderUntil(stack, order.orderId, needs('partner_not_updated'));
      expect(await logged(order.orderId, 'partner_not_updated')).toMatchObject([
        { outcome: 'no_address', message: 'prints-berlin has no orderUpdateUrl' },
      ]);
      expect(await repair(order.orderId, { action: 'dismiss' })).toMatchObject({ attention: [] });
      expect(await logged(order.orderId, 'dismiss')).toMatchObject([
        { by: 'operator', attention: ['partner_not_updated'] },
      ]);
    });
  });
});
