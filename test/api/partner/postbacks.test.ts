import { type TestStack, testStack } from '../../support/stack';
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

/** Status postbacks over HTTP, with partners that answer nothing by themselves (interface "Events"). */

let stack: TestStack;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
}, 60_000);

interface Sent {
  readonly status: number;
  readonly body: { readonly message?: string; readonly error?: string };
}

async function post(body: object, key?: string): Promise<Sent> {
  const apiKey = key ?? stack.credentials.partners.find(({ name }) => name === 'prints-berlin')!.apiKey;
  const answer = await fetch(`${stack.baseUrl}/v2/order/status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Sent['body'] };
}

async function say({ printOrderId: orderId }: HandedOver, status: string, more: object = {}): Promise<void> {
  const sent = await post({ timestamp: now(), orderId, status, ...more });
  expect(sent).toEqual({ status: 200, body: { message: 'Status accepted.' } });
}

const statuses = ({ items }: OrderNow) => items.map(({ status }) => status);
const itemsAre =
  (...wanted: string[]) =>
  (order: OrderNow) =>
    statuses(order).join() === wanted.join();

describe('a postback that breaks a rule is refused in one sentence and leaves nothing behind', () => {
  let order: HandedOver;
  beforeAll(async () => {
    order = await handedOver(stack, 'broken-rules', { items: 2 });
  });

  const timestamp = '2026-01-05T10:00:00Z';
  test.each([
    ['error without a message', { status: 'error' }, 400, /message.*required/i],
    ['error with a blank message', { status: 'error', message: '  ' }, 400, /message/i],
    ['items with printed', { status: 'printed', items: [{ orderItemId: '1' }] }, 400, /items.*cancelled/i],
    ['items with error', { status: 'error', message: 'x', items: [{ orderItemId: '1' }] }, 400, /items/i],
    ['an empty list of items', { status: 'cancelled', items: [] }, 400, /items/i],
    ['an item of another order', { status: 'cancelled', items: [{ orderItemId: '999' }] }, 400, /999/],
    [
      'a quantity of nothing',
      { status: 'cancelled', items: [{ orderItemId: '1', quantity: 0 }] },
      400,
      /quantity/,
    ],
    [
      'an item id that is no integer',
      { status: 'cancelled', items: [{ orderItemId: 'a' }] },
      400,
      /orderItemId/,
    ],
    ['a postback for an unknown item', { status: 'printed', orderItemId: '999' }, 400, /999/],
    ['a status there is not', { status: 'finished' }, 400, /status/],
    ['a timestamp that is none', { status: 'printed', timestamp: 'yesterday' }, 400, /timestamp/],
    ['no timestamp', { status: 'printed', timestamp: undefined }, 400, /timestamp/],
    ['no print order', { status: 'printed', orderId: undefined }, 400, /orderId/],
    ['a print order there is not', { status: 'printed', orderId: '999999999999' }, 404, /999999999999/],
    ['a print order id that is none', { status: 'printed', orderId: 'abc' }, 404, /abc/],
  ])('%s', async (_what, postback, status, words) => {
    const sent = await post({ timestamp, orderId: order.printOrderId, ...postback });
    expect(sent).toEqual({ status, body: { error: expect.stringMatching(words) } });
  });

  test('items that contradict each other, or the item that the postback is about', async () => {
    const [poster, sticker] = order.jobIds;
    const cancel = (more: object) =>
      post({ timestamp, orderId: order.printOrderId, status: 'cancelled', ...more });
    const one = { orderItemId: poster, quantity: 1 };
    const refused = (words: RegExp) => ({ status: 400, body: { error: expect.stringMatching(words) } });
    expect(await cancel({ items: [one, one] })).toEqual(refused(/listed twice/));
    expect(await cancel({ orderItemId: sticker, items: [one] })).toEqual(refused(/is about item/));
  });

  test('every wrong field is named at once', async () => {
    const { body } = await post({
      orderId: order.printOrderId,
      status: 'error',
      items: [{ orderItemId: 7 }],
    });
    for (const field of ['timestamp', 'message', 'items']) expect(body.error).toContain(field);
  });

  test('another partner’s print order is as good as none; keys of other roles may not', async () => {
    const ohio = stack.credentials.partners.find(({ name }) => name === 'prints-ohio')!.apiKey;
    const postback = { timestamp, orderId: order.printOrderId, status: 'printed' };
    expect((await post(postback, ohio)).status).toBe(404);
    expect((await post(postback, stack.credentials.operator.apiKey)).status).toBe(403);
    expect((await post(postback, 'nonsense')).status).toBe(401);
  });

  afterAll(async () => {
    const { sql } = stack.services;
    expect(await sql`SELECT id FROM postbacks WHERE print_order_id = ${order.printOrderId}`).toHaveLength(0);
    expect(statuses(await orderNow(stack, order.orderId))).toEqual(['passed', 'passed']);
  });
});

test('per item: the order is complete only when every item is covered', async () => {
  const order = await handedOver(stack, 'per-item', { items: 2 });
  const [poster, sticker] = order.jobIds as [string, string];
  for (const [status, item, ordered] of [
    ['received', 'in_production', 'passed'],
    ['printed', 'printed', 'in_production'],
    ['shipped', 'shipped', 'printed'],
  ] as const) {
    await say(order, status, { orderItemId: poster });
    const half = await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === item);
    expect(half.status).toBe(ordered);
    await say(order, status, { orderItemId: sticker });
    const whole = await orderUntil(stack, order.orderId, ({ items }) => items[1]!.status === item);
    expect(whole.status).toBe(item);
  }
  const lines = (await orderLog(stack, order.orderId)).filter(({ type }) => type === 'postback_printed');
  expect(lines.map(({ itemId }) => itemId)).toEqual(order.itemIds);
});

test.each([
  ['colonless', '2026-01-05T10:00:00+0000'],
  ['hours', '2026-01-05T11:00:00+01'],
  ['without', '2026-01-05T10:00:00'],
  ['full', '2026-01-05T07:00:00.000-03:00'],
])('offsets of timestamps, %s: %s is ten o’clock UTC', async (reference, timestamp) => {
  const order = await handedOver(stack, `offset-${reference}`);
  expect((await post({ timestamp, orderId: order.printOrderId, status: 'received' })).status).toBe(200);
  await orderUntil(stack, order.orderId, is('in_production'));
  const line = (await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_received');
  expect(line!.data.at).toBe('2026-01-05T10:00:00.000Z');
});

test('one postback for the whole print order covers every item; its message is kept', async () => {
  const order = await handedOver(stack, 'whole', { items: 2 });
  await say(order, 'received', { message: 'Auftrag angenommen' });
  await orderUntil(stack, order.orderId, itemsAre('in_production', 'in_production'));
  expect(
    (await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_received'),
  ).toMatchObject({
    data: { message: 'Auftrag angenommen' },
  });
});

test('cancelled with items: the listed ones wait for an operator, with the quantity in the log', async () => {
  const order = await handedOver(stack, 'cancelled-items', { items: 2, quantity: 3 });
  const [poster, sticker] = order.jobIds;
  await say(order, 'received');
  await say(order, 'cancelled', { items: [{ orderItemId: poster, quantity: 2 }], message: 'spoiled' });
  const partly = await orderUntil(
    stack,
    order.orderId,
    ({ items }) => items[0]!.status === 'manual_handling',
  );
  expect(statuses(partly)).toEqual(['manual_handling', 'in_production']);
  expect(partly).toMatchObject({ status: 'on_hold', attention: 'partner_cancelled' });

  await say(order, 'cancelled', { items: [{ orderItemId: sticker }] });
  await orderUntil(stack, order.orderId, itemsAre('manual_handling', 'manual_handling'));

  const shown = await stack.shop.getOrder({ params: { orderId: order.orderId } });
  const cancellations = shown.items.map(({ eventLog }) =>
    eventLog.filter(({ type }) => type === 'postback_cancelled').map(({ data }) => data),
  );
  expect(cancellations).toMatchObject([[{ quantity: 2, message: 'spoiled' }], [{}]]);
  expect(cancellations[1]![0]).not.toHaveProperty('quantity');
});

test('cancelled without items: everything but what has shipped waits for an operator', async () => {
  const order = await handedOver(stack, 'cancelled-whole', { items: 2 });
  await say(order, 'shipped', { orderItemId: order.jobIds[0] });
  await say(order, 'cancelled');
  const { attention } = await orderUntil(stack, order.orderId, itemsAre('shipped', 'manual_handling'));
  expect(attention).toBe('partner_cancelled');
});

test('an error puts items in manual handling; progress reported later takes them out again', async () => {
  const order = await handedOver(stack, 'error');
  await say(order, 'error', { message: 'The artwork cannot be opened' });
  const stuck = await orderUntil(stack, order.orderId, is('on_hold'));
  expect(stuck).toMatchObject({ attention: 'partner_error', items: [{ status: 'manual_handling' }] });
  await say(order, 'received');
  const again = await orderUntil(stack, order.orderId, is('in_production'));
  expect(again.attention).toBeNull();
});

test('tracking code and link are kept when dispatch is not used, with any status', async () => {
  const order = await handedOver(stack, 'own-carrier');
  await say(order, 'printed', { trackingCode: 'OWN-EARLY' });
  const link = 'https://couriers.example/track/OWN-1';
  await say(order, 'shipped', { trackingCode: 'OWN-1', trackingLink: link });
  await orderUntil(stack, order.orderId, is('shipped'));
  const { shipment } = await stack.shop.getOrder({ params: { orderId: order.orderId } });
  expect(shipment).toMatchObject({ packages: [{ trackingCode: 'OWN-1', trackingUrl: link }] });
});

test('postbacks in reverse, and late: recorded, and nothing goes back', async () => {
  const order = await handedOver(stack, 'reverse');
  const [received, printed, shipped, late] = [now(), now(), now(), now()];
  const tell = (status: string, timestamp: string) =>
    post({ timestamp, orderId: order.printOrderId, status });
  await tell('shipped', shipped);
  await orderUntil(stack, order.orderId, is('shipped'));
  await tell('printed', printed);
  await tell('received', received);
  await tell('shipped', late);
  await post({ timestamp: late, orderId: order.printOrderId, status: 'error', message: 'too late' });
  await orderLogHas(order.orderId, 'postback_error');
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

async function orderLogHas(orderId: string, type: string): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    if ((await orderLog(stack, orderId)).some((line) => line.type === type)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no ${type} in the order's log`);
}

test('a hundred equal postbacks at once are one: all answered, one transition', async () => {
  const order = await handedOver(stack, 'hundred');
  const postback = { timestamp: now(), orderId: order.printOrderId, status: 'printed' };
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(postback)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers.filter(({ body }) => body.message === 'Status accepted.')).toHaveLength(1);
  await orderUntil(stack, order.orderId, is('printed'));
  await say(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  const log = await orderLog(stack, order.orderId);
  expect(log.filter(({ type }) => type === 'postback_printed')).toHaveLength(1);
  expect(log.filter(({ type, data }) => type === 'status' && data.status === 'printed')).toHaveLength(1);
  const { sql } = stack.services;
  expect(await sql`SELECT id FROM postbacks WHERE print_order_id = ${order.printOrderId}`).toHaveLength(2);
});
