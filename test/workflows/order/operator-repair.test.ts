import { json } from '../../../src/platform/postgres';
import { eventually, type TestStack, testStack } from '../../support/stack';
import {
  deliveredByCarrier,
  type HandedOver,
  handedOver,
  is,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  partnerClock,
  seenPrintOrders,
} from './order-fixture';

/** What operators see of runs and do to them. Partners answer nothing by themselves. */

let stack: TestStack;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
}, 60_000);

type Body = Parameters<TestStack['operator']['repairOrder']>[0]['body'];
type WithoutReason<T> = T extends unknown ? Omit<T, 'reason'> : never;

const repair = (orderId: string, act: WithoutReason<Body>, idempotencyKey?: string) =>
  stack.operator.repairOrder(
    { params: { orderId }, body: { reason: 'told by phone', ...act } as Body },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
const say = ({ printOrderId }: Pick<HandedOver, 'printOrderId'>, status: string, more: object = {}) =>
  stack
    .partner('prints-berlin')
    .postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status, ...more } as never });
const look = (orderId: string) => stack.operator.getOperatorOrder({ params: { orderId } });
const conflict = (words: RegExp) => ({
  status: 409,
  code: 'CONFLICT',
  body: { message: expect.stringMatching(words) },
});

async function partnerId(uid: string): Promise<string> {
  const { partners } = await stack.operator.listPartners();
  return partners.find((partner) => partner.uid === uid)!.id;
}

/** Acts of operators in the order's log. */
const acts = async (orderId: string) =>
  (await orderLog(stack, orderId))
    .filter(({ data }) => data.by !== undefined)
    .map(({ type, data }) => ({ type, by: data.by, reason: data.reason }));
const audited = (type: string) => ({ type, by: 'operator', reason: 'told by phone' });

describe('hold and release', () => {
  test('what is on hold is not handed over until it is released', async () => {
    const body = orderBody(stack, 'hold-early');
    const slow = `${stack.sandbox.url}/faulty-files/slow.pdf?ms=1500`;
    const { id } = await stack.shop.submitOrder({
      body: { ...body, items: [{ ...body.items[0]!, files: [{ type: 'default', url: slow }] }] },
    });
    await orderUntil(stack, id, is('uploading'));
    expect(await repair(id, { action: 'hold' })).toMatchObject({ fulfillmentStatus: 'on_hold' });
    await expect(repair(id, { action: 'hold' })).rejects.toMatchObject(conflict(/on hold already/));
    await expect(repair(id, { action: 'retry' })).rejects.toMatchObject(conflict(/release it first/));
    const planned = await orderUntil(stack, id, ({ printOrderIds }) => printOrderIds.length === 1);
    expect(planned.status).toBe('on_hold');
    expect(seenPrintOrders(stack, planned.printOrderIds)).toEqual([]);

    await repair(id, { action: 'release' });
    await orderUntil(stack, id, is('passed'));
    await eventually(async () => seenPrintOrders(stack, planned.printOrderIds)[0]);
    await expect(repair(id, { action: 'release' })).rejects.toMatchObject(conflict(/not on hold/));
    expect(await acts(id)).toEqual([audited('hold'), audited('release')]);
  });

  test('a partner’s work on a held order shows after its release', async () => {
    const order = await handedOver(stack, 'hold-late');
    await repair(order.orderId, { action: 'hold' });
    await say(order, 'printed');
    await eventually(async () =>
      (await orderLog(stack, order.orderId)).find(({ type }) => type === 'postback_printed'),
    );
    expect((await orderNow(stack, order.orderId)).status).toBe('on_hold');
    expect(await repair(order.orderId, { action: 'release' })).toMatchObject({
      fulfillmentStatus: 'printed',
    });
  });
});

test('a parked order is planned again on retry', async () => {
  const berlin = await partnerId('prints-berlin');
  const ohio = await partnerId('prints-ohio');
  const enable = async (enabled: boolean) => {
    for (const id of [berlin, ohio])
      await stack.operator.changePartner({ params: { partnerId: id }, body: { enabled } });
  };
  await enable(false);
  const { id } = await stack.shop.submitOrder({ body: orderBody(stack, 'parked') });
  expect(await orderUntil(stack, id, is('on_hold'))).toMatchObject({ attention: 'no_partner' });
  const { orders } = await stack.operator.listOrdersNeedingAttention({ query: { reason: 'no_partner' } });
  expect(orders.map((order) => order.id)).toEqual([id]);
  await enable(true);
  await repair(id, { action: 'retry' });
  expect(await orderUntil(stack, id, is('passed'))).toMatchObject({ attention: null });
  expect(await acts(id)).toEqual([audited('retry')]);
});

test('retry sends the same message again', async () => {
  const order = await handedOver(stack, 'again');
  await expect(repair(order.orderId, { action: 'retry' })).rejects.toMatchObject(conflict(/tried again/));
  await say(order, 'error', { message: 'Lost it' });
  await orderUntil(stack, order.orderId, is('on_hold'));
  expect(await repair(order.orderId, { action: 'retry' })).toMatchObject({
    fulfillmentStatus: 'passed',
    attention: [],
  });
  const seen = await eventually(async () =>
    seenPrintOrders(stack, [order.printOrderId]).find(({ deliveries }) => deliveries === 2),
  );
  expect(seen).toMatchObject({ distinctContents: 1, distinctWebhookIds: 1 });
});

describe('reroute', () => {
  test('the whole item goes to another partner, and the first is told', async () => {
    const order = await handedOver(stack, 'elsewhere');
    await say(order, 'received');
    const [itemId] = order.itemIds as [string];
    await repair(order.orderId, { action: 'reroute', itemId });
    const { printOrders } = await look(order.orderId);
    expect(printOrders).toMatchObject([
      { partnerUid: 'prints-berlin', status: 'cancelled', jobs: [{ status: 'superseded' }] },
      { partnerUid: 'prints-ohio', reproducesId: order.printOrderId, jobs: [{ quantity: 1 }] },
    ]);
    await eventually(async () => seenPrintOrders(stack, [order.printOrderId])[0]!.cancelOrders[0]);
    await expect(
      stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } }),
    ).rejects.toMatchObject({ status: 409 });
    const ids = printOrders.map(({ id }) => id);
    const seen = await eventually(async () => {
      const both = seenPrintOrders(stack, ids);
      return both.length === 2 ? both : undefined;
    });
    expect(new Set(seen.map(({ distinctContents }) => distinctContents))).toEqual(new Set([1]));
  });

  test('some units go to a partner that is named; the rest stay', async () => {
    const order = await handedOver(stack, 'divided', { quantity: 3 });
    const [itemId] = order.itemIds as [string];
    const ohio = await partnerId('prints-ohio');
    await repair(order.orderId, { action: 'reroute', itemId, quantity: 2, partnerId: ohio });
    expect((await look(order.orderId)).printOrders).toMatchObject([
      { partnerUid: 'prints-berlin', status: 'accepted', jobs: [{ quantity: 1 }] },
      { partnerUid: 'prints-ohio', jobs: [{ quantity: 2 }] },
    ]);
  });

  test('not across a customs border without retail prices', async () => {
    const { retailCurrency: _currency, ...body } = orderBody(stack, 'no-prices');
    const { id } = await stack.shop.submitOrder({ body });
    const { items } = await orderUntil(stack, id, is('passed'));
    await expect(repair(id, { action: 'reroute', itemId: items[0]!.id })).rejects.toMatchObject(
      conflict(/customs border/),
    );
    expect((await orderNow(stack, id)).printOrderIds).toHaveLength(1);
  });

  test('five at once make one print order; a repeated key makes none', async () => {
    const order = await handedOver(stack, 'five');
    const [itemId] = order.itemIds as [string];
    const ohio = await partnerId('prints-ohio');
    const act = { action: 'reroute', itemId, partnerId: ohio } as const;
    const first = await repair(order.orderId, act, 'reroute-once');
    expect(await repair(order.orderId, act, 'reroute-once')).toEqual(first);
    expect((await orderNow(stack, order.orderId)).printOrderIds).toHaveLength(2);

    // Of five operators who cancel it at once one is heard.
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => repair(order.orderId, { action: 'cancel', itemIds: [itemId] })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ status: 409, code: 'CONFLICT' });
    }
    expect((await acts(order.orderId)).map(({ type }) => type)).toEqual(['reroute', 'cancel_items']);
  });

  test('five with keys of their own at once: each asks for the item where it is not, and only one finds it so', async () => {
    const order = await handedOver(stack, 'five-keys');
    const [itemId] = order.itemIds as [string];
    await say(order, 'cancelled');
    await orderUntil(stack, order.orderId, is('on_hold'));
    const ohio = await partnerId('prints-ohio');
    await Promise.all(
      Array.from({ length: 5 }, () =>
        repair(order.orderId, { action: 'reroute', itemId, partnerId: ohio }).catch((error: unknown) => {
          expect(error).toMatchObject({ status: 409, code: 'CONFLICT' });
        }),
      ),
    );
    const open = (await look(order.orderId)).printOrders.filter(({ status }) => status !== 'cancelled');
    expect(open).toHaveLength(1);
  });
});

describe('reproduce', () => {
  test('two items at once become two print orders, one each', async () => {
    const order = await handedOver(stack, 'both-again', { items: 2 });
    await say(order, 'cancelled');
    await orderUntil(stack, order.orderId, is('on_hold'));
    await Promise.all(order.itemIds.map((itemId) => repair(order.orderId, { action: 'reproduce', itemId })));
    const { printOrders } = await look(order.orderId);
    expect(printOrders).toHaveLength(3);
    expect(
      printOrders
        .slice(1)
        .flatMap(({ jobs }) => jobs.map(({ itemId }) => itemId))
        .sort(),
    ).toEqual([...order.itemIds].sort());
  });

  test('a unit that was spoiled after shipping is made in addition; the order ends when both have arrived', async () => {
    const order = await handedOver(stack, 'one-more', { quantity: 3 });
    const [itemId] = order.itemIds as [string];
    await say(order, 'shipped');
    await orderUntil(stack, order.orderId, is('shipped'));
    await repair(order.orderId, { action: 'reproduce', itemId, quantity: 1 });
    const { printOrders, fulfillmentStatus } = await look(order.orderId);
    expect(fulfillmentStatus).toBe('shipped');
    expect(printOrders).toMatchObject([
      { jobs: [{ quantity: 3, status: 'shipped' }] },
      { jobs: [{ quantity: 1 }], reproducesId: order.printOrderId },
    ]);
  });

  test('the missing unit of a short shipment', async () => {
    const order = await handedOver(stack, 'short', { quantity: 3 });
    const [itemId] = order.itemIds as [string];
    await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 1 }] });
    await say(order, 'shipped');
    expect(await orderUntil(stack, order.orderId, is('shipped'))).toMatchObject({
      attention: 'short_shipped',
    });
    expect(await repair(order.orderId, { action: 'reproduce', itemId })).toMatchObject({ attention: [] });
    expect((await look(order.orderId)).printOrders).toMatchObject([
      { jobs: [{ quantity: 2 }] },
      { jobs: [{ quantity: 1 }] },
    ]);
  });
});

test('cancel: refunded, the partner told, the rest goes on', async () => {
  const order = await handedOver(stack, 'let-go', { items: 2 });
  const [poster] = order.itemIds as [string];
  const after = await repair(order.orderId, { action: 'cancel', itemIds: [poster] });
  expect(after).toMatchObject({ fulfillmentStatus: 'passed' });
  const shown = await stack.shop.getOrder({ params: { orderId: order.orderId } });
  expect(shown).toMatchObject({
    financialStatus: 'partially_refunded',
    items: [{ fulfillmentStatus: 'cancelled' }, { fulfillmentStatus: 'passed' }],
  });
  expect(shown.receipts).toHaveLength(2);
  const seen = await eventually(async () => seenPrintOrders(stack, [order.printOrderId])[0]!.cancelOrders[0]);
  expect(seen.itemIds).toEqual([order.jobIds[0]]);
  await say(order, 'shipped', { orderItemId: order.jobIds[1] });
  await orderUntil(stack, order.orderId, is('shipped'));
  await expect(repair(order.orderId, { action: 'cancel', itemIds: [poster] })).rejects.toMatchObject(
    conflict(/cancelled/),
  );
  await expect(repair(order.orderId, { action: 'cancel' })).rejects.toMatchObject(conflict(/shipped/));
  expect(await acts(order.orderId)).toEqual([audited('cancel_items')]);
});

test('cancel that the partner refuses: the item goes on, flagged; cancelled once more it is cancelled', async () => {
  const order = await handedOver(stack, 'kept', {
    items: 2,
    address: { addressLine2: 'sandbox:refuses-cancel' },
  });
  const [poster, sticker] = order.itemIds as [string, string];
  expect(await repair(order.orderId, { action: 'cancel', itemIds: [poster] })).toMatchObject({
    fulfillmentStatus: 'passed',
    attention: ['cancel_refused'],
  });
  expect((await stack.shop.getOrder({ params: { orderId: order.orderId } })).receipts).toHaveLength(1);
  await repair(order.orderId, { action: 'cancel', itemIds: [poster] });
  expect(await look(order.orderId)).toMatchObject({
    attention: [],
    items: [{ fulfillmentStatus: 'cancelled' }, { fulfillmentStatus: 'passed' }],
  });
  expect((await stack.shop.getOrder({ params: { orderId: order.orderId } })).receipts).toHaveLength(2);
  await repair(order.orderId, { action: 'cancel', itemIds: [sticker] });
  await say(order, 'shipped', { orderItemId: order.jobIds[1] });
  expect(await orderUntil(stack, order.orderId, is('shipped'))).toMatchObject({
    financialStatus: 'partially_refunded',
    items: [{ status: 'cancelled' }, { status: 'shipped' }],
  });
});

test('of an order split over two partners one print order is given up, and the other goes on', async () => {
  const body = orderBody(stack, 'split');
  const file = (name: string) => `${stack.sandbox.url}/files/${name}`;
  const item = { quantity: 1, retailPriceInclVat: 25 };
  const framed = {
    ...item,
    itemReferenceId: 'framed',
    productUid: 'framed_poster_product_mf_300x400-mm_fr_wood-black_pt_200-gsm-uncoated_ver',
    files: [{ type: 'default', url: file('frame-poster-30x40.jpg') }],
  };
  const tShirt = {
    ...item,
    itemReferenceId: 't-shirt',
    productUid: 'apparel_product_gca_t-shirt_gsi_xl_gco_white_gpr_4-0',
    files: [{ type: 'front', url: file('t-shirt-front.png') }],
  };
  const { id } = await stack.shop.submitOrder({ body: { ...body, items: [framed, tShirt] } });
  const { items } = await orderUntil(
    stack,
    id,
    (now) => seenPrintOrders(stack, now.printOrderIds).length === 2 && now.status === 'passed',
  );
  const { printOrders } = await look(id);
  expect(printOrders.map(({ partnerUid }) => partnerUid).sort()).toEqual(['prints-berlin', 'prints-ohio']);
  await repair(id, { action: 'cancel', itemIds: [items[1]!.id] });
  const ohio = printOrders.find(({ partnerUid }) => partnerUid === 'prints-ohio')!;
  await eventually(async () => seenPrintOrders(stack, [ohio.id])[0]!.cancelOrders[0]);
  await say(
    { printOrderId: printOrders.find(({ partnerUid }) => partnerUid !== 'prints-ohio')!.id },
    'shipped',
  );
  expect(await orderUntil(stack, id, is('shipped'))).toMatchObject({
    financialStatus: 'partially_refunded',
    items: [{ status: 'shipped' }, { status: 'cancelled' }],
  });
});

test('dismiss puts away what an order that has ended wants attention for', async () => {
  const order = await handedOver(stack, 'put-away', { quantity: 3 });
  await expect(repair(order.orderId, { action: 'dismiss' })).rejects.toMatchObject(
    conflict(/needs no attention/),
  );
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0], quantity: 1 }] });
  await orderUntil(stack, order.orderId, is('on_hold'));
  await expect(repair(order.orderId, { action: 'dismiss' })).rejects.toMatchObject(conflict(/still open/));
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } });
  await say(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  await deliveredByCarrier(stack, order.orderId);
  expect(await orderNow(stack, order.orderId)).toMatchObject({ attention: 'short_shipped' });

  expect(await repair(order.orderId, { action: 'dismiss' })).toMatchObject({
    fulfillmentStatus: 'delivered',
    attention: [],
  });
  expect((await look(order.orderId)).events.at(-1)).toMatchObject({
    type: 'dismiss',
    data: { by: 'operator', reason: 'told by phone', attention: ['short_shipped'] },
  });
  await expect(repair(order.orderId, { action: 'dismiss' })).rejects.toMatchObject(
    conflict(/needs no attention/),
  );
});

test('a refused order is past repair', async () => {
  const body = orderBody(stack, 'refused');
  const missing = `${stack.sandbox.url}/faulty-files/missing.pdf`;
  const items = body.items.map((item) => ({ ...item, files: [{ type: 'default', url: missing }] }));
  const { id } = await stack.shop.submitOrder({ body: { ...body, items } });
  await orderUntil(stack, id, is('failed'));
  await expect(repair(id, { action: 'retry' })).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
  expect(await look(id)).toMatchObject({ refusal: { code: 'file_not_found' }, printOrders: [] });
});

describe('an act that cannot be meant is refused with the field', () => {
  let order: HandedOver;
  beforeAll(async () => {
    order = await handedOver(stack, 'not-meant');
  });
  const nobody = '01a1fc19-7267-7b2d-8a04-1853788939ca';
  const itemId = () => order.itemIds[0]!;

  test.each([
    ['an unknown action', () => ({ action: 'explode' }), ['action']],
    ['no reason', () => ({ action: 'hold', reason: undefined }), ['reason']],
    ['a blank reason', () => ({ action: 'hold', reason: ' ' }), ['reason']],
    ['no item', () => ({ action: 'reroute' }), ['itemId']],
    ['items there are not', () => ({ action: 'cancel', itemIds: ['1', '2'] }), ['itemIds[0]', 'itemIds[1]']],
    ['no items', () => ({ action: 'cancel', itemIds: [] }), ['itemIds']],
    [
      'too many units of an item for a partner there is not',
      () => ({ action: 'reroute', itemId: itemId(), quantity: 9, partnerId: nobody }),
      ['quantity', 'partnerId'],
    ],
    ['half a unit', () => ({ action: 'reproduce', itemId: itemId(), quantity: 0.5 }), ['quantity']],
  ])('%s', async (_what, body, references) => {
    const refused = await repair(order.orderId, body() as never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    const { errors } = refused as { errors: { reference: string }[] };
    expect(errors.map(({ reference }) => reference)).toEqual(references);
  });

  test('orders that are not there, and callers that may not', async () => {
    await expect(repair(nobody, { action: 'hold' })).rejects.toMatchObject({ status: 404 });
    const body = { action: 'hold', reason: 'no' } as const;
    await expect(stack.shop.repairOrder({ params: { orderId: order.orderId }, body })).rejects.toMatchObject({
      status: 403,
    });
    await expect(stack.shop.getOperatorOrder({ params: { orderId: order.orderId } })).rejects.toMatchObject({
      status: 403,
    });
  });

  test('nothing was written', async () => {
    expect(await acts(order.orderId)).toEqual([]);
  });
});

describe('what operators see', () => {
  test('an order with its print orders, postbacks, labels, decisions and run', async () => {
    const order = await handedOver(stack, 'looked-into');
    await say(order, 'printed', { message: 'all fine' });
    await orderUntil(stack, order.orderId, is('printed'));
    const { trackingCode } = await stack
      .partner('prints-berlin')
      .dispatchOrder({ body: { orderId: order.printOrderId } });
    const seen = await stack.operator.getOperatorOrder({ params: { orderId: 'looked-into' } });
    expect(seen).toMatchObject({
      id: order.orderId,
      workflowId: `order-${order.orderId}`,
      clientName: 'demo-shop',
      printOrders: [
        {
          messageId: expect.stringMatching(/^msg_/),
          acceptedAt: expect.any(String),
          postbacks: [{ status: 'printed', message: 'all fine', handledAt: expect.any(String) }],
          shipments: [{ status: 'bought', trackingNumbers: [trackingCode] }],
        },
      ],
      routing: [
        {
          decision: {
            ok: true,
            explanation: [
              {
                alternatives: [
                  { partnerUid: 'prints-berlin', verdict: 'chosen' },
                  { partnerUid: 'prints-ohio', verdict: expect.stringMatching(/dearer|rejected/) },
                ],
              },
            ],
          },
        },
      ],
      run: {
        phase: 'running',
        held: false,
        printOrders: [{ delivery: 'accepted', jobs: [{ progress: 2 }] }],
      },
    });
  });

  test('orders in need, newest first, page by page and by reason', async () => {
    const failed: string[] = [];
    for (const reference of ['need-1', 'need-2', 'need-3']) {
      const order = await handedOver(stack, reference);
      await say(order, 'error', { message: 'no ink' });
      await orderUntil(stack, order.orderId, is('on_hold'));
      failed.unshift(order.orderId);
    }
    const listed: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await stack.operator.listOrdersNeedingAttention({
        query: { reason: 'partner_error', limit: 1, ...(cursor === undefined ? {} : { cursor }) },
      });
      listed.push(...page.orders.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(listed).toEqual(failed);
    const { orders } = await stack.operator.listOrdersNeedingAttention();
    expect(orders.slice(0, 3)).toMatchObject(failed.map((id) => ({ id, attention: ['partner_error'] })));
    await expect(stack.operator.listOrdersNeedingAttention({ query: { cursor: 'x' } })).rejects.toMatchObject(
      {
        status: 400,
        errors: [{ reference: 'cursor' }],
      },
    );
    await expect(
      stack.operator.listOrdersNeedingAttention({ query: { reason: 'boredom' as never } }),
    ).rejects.toMatchObject({
      status: 400,
      errors: [{ reference: 'reason' }],
    });
  });

  test('messages that were given up, and sends them again', async () => {
    const order = await handedOver(stack, 'given-up');
    const { sql } = stack.services;
    const event = {
      type: 'postback',
      eventId: '999999999999',
      printOrderId: order.printOrderId,
      status: 'received',
      at: now(),
      message: null,
      jobId: null,
      items: null,
      trackingCode: null,
      trackingLink: null,
    };
    const payload = { signal: 'postback', args: [event] };
    await sql`
      INSERT INTO outbox (kind, target, payload, attempts, last_error, dead_at)
      VALUES ('signal_workflow', ${`order-${order.orderId}`}, ${json(sql, payload)}, 8, 'no such run', now()),
        ('notification', 'nobody', '{}', 10, 'gone', now())`;
    const { messages, nextCursor } = await stack.operator.listDeadMessages({ query: { limit: 1 } });
    expect(messages).toMatchObject([{ kind: 'notification', lastError: 'gone', attempts: 10 }]);
    const rest = await stack.operator.listDeadMessages({ query: { limit: 1, cursor: nextCursor! } });
    expect(rest).toMatchObject({ messages: [{ target: `order-${order.orderId}` }], nextCursor: null });
    expect(await stack.operator.replayDeadMessages({ body: { kind: 'signal_workflow' } })).toEqual({
      replayed: 1,
    });
    await orderUntil(stack, order.orderId, is('in_production'));
    expect((await stack.operator.listDeadMessages()).messages).toHaveLength(1);
  });

  test('without a worker the page shows what Postgres has', async () => {
    const order = await handedOver(stack, 'no-worker');
    await stack.stopWorker();
    expect(await look(order.orderId)).toMatchObject({ run: null, printOrders: [{ status: 'accepted' }] });
    await stack.startWorker();
    expect(await look(order.orderId)).toMatchObject({ run: { phase: 'running' } });
  });
});
