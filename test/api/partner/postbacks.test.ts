import { FAILURE_LIMITS } from '../../../api/http/request-limits';
import { LISTED_POSTBACKS } from '../../../src/orders/reading/operator-order-schemas';
import { eventually, type TestStack, testStack } from '../../support/stack';
import {
  type HandedOver,
  handedOver,
  is,
  type OrderNow,
  orderLog,
  orderNow,
  orderUntil,
  partnerClock,
  stepsBack,
} from '../../workflows/order/order-fixture';

/** Status postbacks over HTTP, with sandbox partners that send none (operation `postOrderStatus`). */

let stack: TestStack;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

interface Sent {
  readonly status: number;
  readonly body: { readonly message?: string; readonly error?: string };
  readonly retryAfter?: number;
}

const post = (body: object) => send('/v2/order/status', body);

async function send(path: string, body: object): Promise<Sent> {
  const { apiKey } = stack.credentials.partners.find(({ name }) => name === 'prints-berlin')!;
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(body),
  });
  const retryAfter = response.headers.get('retry-after');
  return {
    ...{ status: response.status, body: (await response.json()) as Sent['body'] },
    ...(retryAfter && { retryAfter: Number(retryAfter) }),
  };
}

async function postStatus({ printOrderId: orderId }: HandedOver, status: string, more: object = {}): Promise<void> {
  const sent = await post({ timestamp: now(), orderId, status, ...more });
  expect(sent).toEqual({ status: 200, body: { message: 'Status accepted.' } });
}

const statuses = ({ items }: OrderNow) => items.map(({ status }) => status);
const itemsAre =
  (...wanted: string[]) =>
  (order: OrderNow) =>
    statuses(order).join() === wanted.join();

describe('an invalid postback has an error message and is not stored', () => {
  let order: HandedOver;
  beforeAll(async () => {
    order = await handedOver(stack, 'broken-rules', { items: 2 });
  });

  const timestamp = '2026-01-05T10:00:00Z';
  test.each<[what: string, postback: object, status: number, words: RegExp]>([
    ['error without a message', { status: 'error' }, 400, /message.*required/i],
    ['error with a blank message', { status: 'error', message: '  ' }, 400, /message/i],
    ['items with printed', { status: 'printed', items: [{ orderItemId: '1' }] }, 400, /items.*cancelled/i],
    ['items with error', { status: 'error', message: 'x', items: [{ orderItemId: '1' }] }, 400, /items/i],
    ['an empty list of items', { status: 'cancelled', items: [] }, 400, /items/i],
    ['an item of another order', { status: 'cancelled', items: [{ orderItemId: '999' }] }, 400, /999/],
    ['a quantity of 0', { status: 'cancelled', items: [{ orderItemId: '1', quantity: 0 }] }, 400, /quantity/],
    ['an item id that is not an integer', { status: 'cancelled', items: [{ orderItemId: 'a' }] }, 400, /orderItemId/],
    ['a postback for an unknown item', { status: 'printed', orderItemId: '999' }, 400, /999/],
    ['an unknown status', { status: 'finished' }, 400, /status/],
    ['an invalid timestamp', { status: 'printed', timestamp: 'yesterday' }, 400, /timestamp/],
    ['no timestamp', { status: 'printed', timestamp: undefined }, 400, /timestamp/],
    ['no print order', { status: 'printed', orderId: undefined }, 400, /orderId/],
    ['an unknown print order', { status: 'printed', orderId: '999999999999' }, 404, /999999999999/],
    ...[
      'javascript:alert(1)',
      'ftp://couriers.example/1',
      'couriers.example/1',
      'https://user:secret@couriers.example/1',
    ].map(
      (trackingLink) =>
        [trackingLink, { status: 'printed', trackingLink }, 400, /trackingLink/] as [string, object, number, RegExp],
    ),
    ['an invalid print order id', { status: 'printed', orderId: 'abc' }, 404, /abc/],
  ])('%s', async (_what, postback, status, words) => {
    const sent = await post({ timestamp, orderId: order.printOrderId, ...postback });
    expect(sent).toEqual({ status, body: { error: expect.stringMatching(words) } });
  });

  test('items that are listed twice or differ from orderItemId are refused', async () => {
    const [poster, sticker] = order.jobIds;
    const cancel = (more: object) => post({ timestamp, orderId: order.printOrderId, status: 'cancelled', ...more });
    const one = { orderItemId: poster, quantity: 1 };
    const refused = (words: RegExp) => ({ status: 400, body: { error: expect.stringMatching(words) } });
    expect(await cancel({ items: [one, one] })).toEqual(refused(/listed twice/));
    expect(await cancel({ orderItemId: sticker, items: [one] })).toEqual(refused(/is about item/));
  });

  test('a partner cannot cancel more units than the print order has, and reads it once', async () => {
    const items = [{ orderItemId: order.jobIds[0], quantity: 99 }];
    const { body } = await post({ timestamp, orderId: order.printOrderId, status: 'cancelled', items });
    const said = `items[0].quantity: The print order has 1 of item ${order.jobIds[0]}.`;
    expect(body).toEqual({ error: `The submitted data has errors. ${said}` });
  });

  test('the error names every invalid field', async () => {
    const { body } = await post({
      orderId: order.printOrderId,
      status: 'error',
      items: [{ orderItemId: 7 }],
    });
    for (const field of ['timestamp', 'message', 'items']) expect(body.error).toContain(field);
  });

  afterAll(async () => {
    const { sql } = stack.services;
    expect(await sql`SELECT id FROM postbacks WHERE print_order_id = ${order.printOrderId}`).toHaveLength(0);
    expect(statuses(await orderNow(stack, order.orderId))).toEqual(['passed', 'passed']);
  });
});

test('with postbacks per item, the order is complete only after every item is covered', async () => {
  const order = await handedOver(stack, 'per-item', { items: 2 });
  const [poster, sticker] = order.jobIds as [string, string];
  for (const [status, item, ordered] of [
    ['received', 'in_production', 'passed'],
    ['printed', 'printed', 'in_production'],
    ['shipped', 'shipped', 'printed'],
  ] as const) {
    await postStatus(order, status, { orderItemId: poster });
    const half = await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === item);
    expect(half.status).toBe(ordered);
    await postStatus(order, status, { orderItemId: sticker });
    const whole = await orderUntil(stack, order.orderId, ({ items }) => items[1]!.status === item);
    expect(whole.status).toBe(item);
  }
  const events = (await orderLog(stack, order.orderId)).filter(({ type }) => type === 'postback_printed');
  expect(events.map(({ itemId }) => itemId)).toEqual(order.itemIds);
});

test.each([
  ['colonless', '2026-01-05T10:00:00+0000'],
  ['hours', '2026-01-05T11:00:00+01'],
  ['without', '2026-01-05T10:00:00'],
  ['full', '2026-01-05T07:00:00.000-03:00'],
])('the timestamp with offset (%s) %s is 10:00 UTC', async (reference, timestamp) => {
  const order = await handedOver(stack, `offset-${reference}`);
  expect((await post({ timestamp, orderId: order.printOrderId, status: 'received' })).status).toBe(200);
  await orderUntil(stack, order.orderId, is('in_production'));
  const event = (await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_received');
  expect(event!.data.at).toBe('2026-01-05T10:00:00.000Z');
});

test('a postback for the whole print order covers every item, and its message is stored', async () => {
  const order = await handedOver(stack, 'whole', { items: 2 });
  await postStatus(order, 'received', { message: 'Auftrag angenommen' });
  await orderUntil(stack, order.orderId, itemsAre('in_production', 'in_production'));
  expect((await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_received')).toMatchObject({
    data: { message: 'Auftrag angenommen' },
  });
});

test('a cancelled with items moves these items to manual_handling and logs the quantity', async () => {
  const order = await handedOver(stack, 'cancelled-items', { items: 2, quantity: 3 });
  const [poster, sticker] = order.jobIds;
  await postStatus(order, 'received');
  await postStatus(order, 'cancelled', { items: [{ orderItemId: poster, quantity: 2 }], message: 'spoiled' });
  const partly = await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'manual_handling');
  expect(statuses(partly)).toEqual(['manual_handling', 'in_production']);
  expect(partly).toMatchObject({ status: 'on_hold', attention: 'partner_cancelled' });

  await postStatus(order, 'cancelled', { items: [{ orderItemId: sticker }] });
  await orderUntil(stack, order.orderId, itemsAre('manual_handling', 'manual_handling'));

  const shown = await stack.client.getOrder({ params: { orderId: order.orderId } });
  const cancellations = shown.items.map(({ eventLog }) =>
    eventLog.filter(({ type }) => type === 'postback_cancelled').map(({ data }) => data),
  );
  expect(cancellations).toMatchObject([[{ quantity: 2 }], [{}]]);
  // The partner's text is internal.
  expect(cancellations[0]![0]).not.toHaveProperty('message');
  expect(cancellations[1]![0]).not.toHaveProperty('quantity');
});

describe('a cancellation of units that the partner sends again', () => {
  const cancelled = (order: HandedOver, more: object = {}) =>
    post({
      timestamp: now(),
      orderId: order.printOrderId,
      status: 'cancelled',
      items: [{ orderItemId: order.jobIds[0], quantity: 1 }],
      ...more,
    });
  const known = { status: 200, body: { message: 'Status known already.' } };
  const accepted = { status: 200, body: { message: 'Status accepted.' } };
  const cancelledUnits = async ({ jobIds: [jobId] }: HandedOver) => {
    const [job] = await stack.services.sql<{ cancelledQuantity: number }[]>`
      SELECT cancelled_quantity FROM print_jobs WHERE id = ${jobId!}`;
    return job!.cancelledQuantity;
  };
  const untilCancelled = (order: HandedOver, units: number) =>
    eventually(async () => ((await cancelledUnits(order)) === units ? true : undefined));
  const refund = ({ orderId, itemIds }: HandedOver) =>
    stack.operator.repairOrder({
      params: { orderId },
      body: { action: 'refund', itemIds: [itemIds[0]!], reason: 'x' },
    });

  test('counts once, whenever it is sent, and is noted on the timeline', async () => {
    const order = await handedOver(stack, 'repeated-units', { items: 2, quantity: 5 });
    const together = await Promise.all([cancelled(order), cancelled(order), cancelled(order)]);
    expect(together.map(({ body }) => body.message).sort()).toEqual(
      [accepted, known, known].map((each) => each.body.message),
    );
    await untilCancelled(order, 1);
    // Something has happened to the other item.
    await postStatus(order, 'printed', { orderItemId: order.jobIds[1] });
    await orderUntil(stack, order.orderId, itemsAre('manual_handling', 'printed'));
    expect(await cancelled(order, { message: 'no response came' })).toEqual(known);
    // Listed with units of another item, it is left out.
    const items = order.jobIds.map((orderItemId) => ({ orderItemId, quantity: 1 }));
    expect(await cancelled(order, { items })).toEqual(accepted);
    await orderUntil(stack, order.orderId, itemsAre('manual_handling', 'manual_handling'));
    expect(await cancelledUnits(order)).toBe(1);
    const { entries } = await stack.operator.getOrderTimeline({ params: { orderId: order.orderId } });
    const notes = entries.filter(({ type }) => type === 'cancel_repeated');
    expect(notes).toHaveLength(4);
    expect(notes[0]).toMatchObject({
      printOrderId: order.printOrderId,
      data: { itemId: order.itemIds[0], quantity: 1 },
    });

    await refund(order);
    const { receipts } = await stack.client.getOrder({ params: { orderId: order.orderId } });
    const refunded = receipts.flatMap(({ type, items }) => (type === 'refund' ? items : []));
    expect(refunded).toMatchObject([{ referenceId: 'poster', amount: 1 }]);
  });

  test('counts as another one after something has happened to the item, with other units, or with an eventId', async () => {
    const order = await handedOver(stack, 'further-units', { quantity: 9 });
    await cancelled(order);
    expect(await cancelled(order, { eventId: 'second' })).toEqual(accepted);
    await untilCancelled(order, 2);
    expect(await cancelled(order, { eventId: 'second' })).toEqual(known);
    expect(await cancelled(order, { items: [{ orderItemId: order.jobIds[0], quantity: 2 }] })).toEqual(accepted);
    await untilCancelled(order, 4);
    await postStatus(order, 'received');
    expect(await cancelled(order, { items: [{ orderItemId: order.jobIds[0], quantity: 2 }] })).toEqual(accepted);
    await untilCancelled(order, 6);
    await refund(order);
    await untilCancelled(order, 0);
    expect(await cancelled(order, { items: [{ orderItemId: order.jobIds[0], quantity: 2 }] })).toEqual(accepted);
    await untilCancelled(order, 2);
  });
});

test('a cancelled without items moves all items that have not shipped to manual_handling', async () => {
  const order = await handedOver(stack, 'cancelled-whole', { items: 2 });
  await postStatus(order, 'shipped', { orderItemId: order.jobIds[0] });
  await postStatus(order, 'cancelled');
  const { attention } = await orderUntil(stack, order.orderId, itemsAre('shipped', 'manual_handling'));
  expect(attention).toBe('partner_cancelled');
});

test('an error moves items to manual_handling; later progress moves them on', async () => {
  const order = await handedOver(stack, 'error');
  await postStatus(order, 'error', { message: 'The artwork cannot be opened' });
  const stuck = await orderUntil(stack, order.orderId, is('on_hold'));
  expect(stuck).toMatchObject({ attention: 'partner_error', items: [{ status: 'manual_handling' }] });
  await postStatus(order, 'received');
  const again = await orderUntil(stack, order.orderId, is('in_production'));
  expect(again.attention).toBeNull();
});

test('a message of any length is taken, and cut at 2,000 characters when stored', async () => {
  const order = await handedOver(stack, 'long-message');
  await postStatus(order, 'error', { message: `The press stopped. ${'x'.repeat(500_000)}` });
  await orderUntil(stack, order.orderId, is('on_hold'));
  const entry = (await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_error');
  const message = entry!.data.message as string;
  expect(message).toHaveLength(2_000);
  expect(message.startsWith('The press stopped. xxx')).toBe(true);
  expect(message.endsWith('x[…]')).toBe(true);
});

test('an empty tracking code or link changes nothing', async () => {
  const order = await handedOver(stack, 'empty-code');
  await postStatus(order, 'printed', { trackingCode: 'OWN 7', trackingLink: 'https://carrier.example/7' });
  await orderUntil(stack, order.orderId, is('printed'));
  await postStatus(order, 'shipped', { trackingCode: ' ', trackingLink: '' });
  await orderUntil(stack, order.orderId, is('shipped'));
  const { shipment } = await stack.client.getOrder({ params: { orderId: order.orderId } });
  expect(shipment?.packages).toMatchObject([{ trackingCode: 'OWN 7', trackingUrl: 'https://carrier.example/7' }]);
});

test('tracking code and link are stored with any status when dispatch is not used', async () => {
  const order = await handedOver(stack, 'own-carrier');
  await postStatus(order, 'printed', { trackingCode: 'OWN-EARLY' });
  const link = 'https://couriers.example/track/OWN-1';
  await postStatus(order, 'shipped', { trackingCode: 'OWN-1', trackingLink: link });
  await orderUntil(stack, order.orderId, is('shipped'));
  const shown = async () =>
    (await stack.client.getOrder({ params: { orderId: order.orderId } })).shipment!.packages.map(
      ({ trackingCode, trackingUrl }) => [trackingCode, trackingUrl],
    );
  const first = ['OWN-1', link];
  expect(await shown()).toEqual([first]);
  // Another code is another parcel, whose link is not that of the first. The same code with spaces is the same parcel.
  await postStatus(order, 'shipped', { trackingCode: 'OWN-2 A' });
  await postStatus(order, 'shipped', { trackingCode: 'OWN-2A', trackingLink: `${link}/2` });
  const second = ['OWN-2 A', `${link}/2`];
  await eventually(async () => ((await shown()).join() === [first, second].join() ? true : undefined));
  // A link without a code could be that of either parcel.
  await postStatus(order, 'shipped', { trackingLink: `${link}/3` });
  await postStatus(order, 'error', { message: 'the last postback' });
  await eventually(async () => (await orderLog(stack, order.orderId, 'postback_error'))[0]);
  expect(await shown()).toEqual([first, second]);
});

test('late and out-of-order postbacks are logged and never move a status back', async () => {
  const order = await handedOver(stack, 'reverse');
  const [received, printed, shipped, late] = [now(), now(), now(), now()];
  const postAt = (status: string, timestamp: string) => post({ timestamp, orderId: order.printOrderId, status });
  await postAt('shipped', shipped);
  await orderUntil(stack, order.orderId, is('shipped'));
  await postAt('printed', printed);
  await postAt('received', received);
  await postAt('shipped', late);
  await post({ timestamp: late, orderId: order.printOrderId, status: 'error', message: 'too late' });
  await eventually(async () => (await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_error'));
  const log = await orderLog(stack, order.orderId);
  expect(log.filter(({ type }) => type.startsWith('postback_')).map(({ type }) => type)).toEqual([
    'postback_shipped',
    'postback_printed',
    'postback_received',
    'postback_shipped',
    'postback_error',
  ]);
  expect(await stepsBack(stack, order.orderId)).toEqual([]);
  expect((await orderNow(stack, order.orderId)).status).toBe('shipped');
});

test('a print order takes 3,000 different postbacks, and repetitions of them', async () => {
  const order = await handedOver(stack, 'talkative');
  const postback = { timestamp: now(), orderId: order.printOrderId, status: 'received' };
  await stack.services.sql`
    INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, handled_at)
    SELECT partner_id, order_id, id, sha256(n::text::bytea), '{}', now()
    FROM print_orders, generate_series(1, 2_999) n WHERE id = ${order.printOrderId}`;
  expect((await post(postback)).status).toBe(200);
  expect(await post({ ...postback, message: 'news' })).toEqual({
    status: 409,
    body: { error: expect.stringContaining('The print order has 3,000 postbacks, and takes no more.') },
  });
  expect(await post(postback)).toEqual({ status: 200, body: { message: 'Status known already.' } });
});

test('a hundred equal concurrent postbacks all get a response and cause one transition', async () => {
  const order = await handedOver(stack, 'hundred');
  const postback = { timestamp: now(), orderId: order.printOrderId, status: 'printed' };
  const responses = await Promise.all(Array.from({ length: 100 }, () => post(postback)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(responses.filter(({ body }) => body.message === 'Status accepted.')).toHaveLength(1);
  await orderUntil(stack, order.orderId, is('printed'));
  await postStatus(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  const log = await orderLog(stack, order.orderId);
  expect(log.filter(({ type }) => type === 'postback_printed')).toHaveLength(1);
  expect(log.filter(({ type, data }) => type === 'status' && data.status === 'printed')).toHaveLength(1);
  const { sql } = stack.services;
  const stored = await sql`
    SELECT repetitions FROM postbacks WHERE print_order_id = ${order.printOrderId} ORDER BY id`;
  expect(stored).toEqual([{ repetitions: 99 }, { repetitions: 0 }]);
});

test.each([
  {
    kind: 'postback',
    within: 'within a minute',
    waitsAtLeast: 1,
    about: (orderId: string) => post({ timestamp: now(), orderId, status: 'received' }),
  },
  {
    kind: 'dispatch',
    within: 'within an hour',
    waitsAtLeast: 3_000,
    about: (orderId: string) => send('/v2/order/dispatch', { orderId }),
  },
] as const)(
  'a partner with requests of kind $kind about one print order without end is refused, and others are not',
  async ({ kind, within, waitsAtLeast, about }) => {
    for (let left = FAILURE_LIMITS[kind].limit; left > 0; left -= 20) {
      const sent = await Promise.all(Array.from({ length: 20 }, () => about('flood')));
      expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([404]));
    }
    const refused = await about('flood');
    expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining(within) } });
    expect(refused.retryAfter).toBeGreaterThanOrEqual(waitsAtLeast);
    expect((await about('another')).status).toBe(404);
  },
);

test('the answers about an order with 10,843 postbacks have the latest of them', async () => {
  const order = await handedOver(stack, 'ten-thousand');
  const { sql } = stack.services;
  await sql`
    INSERT INTO postbacks (partner_id, order_id, print_order_id, fingerprint, body, handled_at)
    SELECT partner_id, order_id, id, sha256(n::text::bytea), jsonb_build_object('status', 'error', 'at', now(),
      'message', n || repeat('x', 2000), 'jobId', NULL, 'items', NULL, 'trackingCode', NULL, 'trackingLink', NULL), now()
    FROM print_orders, generate_series(1, 10843) n WHERE id = ${order.printOrderId}`;
  await sql`
    INSERT INTO order_events (order_id, order_item_id, print_order_id, type, data)
    SELECT i.order_id, i.id, ${order.printOrderId}, 'postback_error', jsonb_build_object('at', now(), 'message', n || repeat('x', 2000))
    FROM order_items i, generate_series(1, 10843) n WHERE i.order_id = ${order.orderId}`;
  const seen = await stack.operator.getOperatorOrder({ params: { orderId: order.orderId } });
  const [printOrder] = seen.printOrders;
  expect(printOrder!.postbackCount).toBe(10_843);
  expect(printOrder!.postbacks).toHaveLength(LISTED_POSTBACKS);
  expect(printOrder!.postbacks.at(-1)!.message).toMatch(/^10843x/);
  expect(seen.events.filter(({ type }) => type === 'postback_error')).toHaveLength(10);
  expect(JSON.stringify(seen).length).toBeLessThan(300_000);
  const retrieved = await stack.client.getOrder({ params: { orderId: order.orderId } });
  expect(retrieved.items[0]!.eventLog.filter(({ type }) => type === 'postback_error')).toHaveLength(10);
  expect(retrieved.items[0]!.eventLog.some(({ type }) => type === 'status')).toBe(true);
  expect(JSON.stringify(retrieved).length).toBeLessThan(30_000);
});
