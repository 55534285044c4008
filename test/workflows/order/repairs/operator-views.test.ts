import { json } from '../../../../src/platform/postgres';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { conflict, operatorHelpers } from '../operator-fixture';
import {
  carrierScans,
  deliveredByCarrier,
  type HandedOver,
  handedOver,
  is,
  orderNow,
  orderUntil,
} from '../order-fixture';

/** Operators' views of orders and dead messages, repairs that are refused, and dismissal of attention. */

let stack: TestStack;
const { now, repair, say, look, repairs } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

test('the repair dismiss removes the attention reasons of an ended order', async () => {
  const order = await handedOver(stack, 'put-away', { quantity: 3 });
  await expect(repair(order.orderId, { action: 'dismiss' })).rejects.toMatchObject(conflict(/needs no attention/));
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
    data: { by: 'operator', reason: 'agreed by phone', attention: ['short_shipped'] },
  });
  await expect(repair(order.orderId, { action: 'dismiss' })).rejects.toMatchObject(conflict(/needs no attention/));
});

test('an item tells how many of its units have two valid labels', async () => {
  const { orderId, printOrderId, itemIds } = await handedOver(stack, 'two-labels', { quantity: 2 });
  const first = await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: printOrderId } });
  await repair(orderId, { action: 'reroute', itemId: itemIds[0]!, force: true });
  await orderUntil(stack, orderId, ({ shipments }) => shipments.voided === 1);
  const next = (await orderNow(stack, orderId)).printOrderIds.find((id) => id !== printOrderId)!;
  const { partnerUid } = (await look(orderId)).printOrders.find(({ id }) => id === next)!;
  await eventually(async () =>
    (await look(orderId)).printOrders.every(({ acceptedAt }) => acceptedAt !== null) ? true : undefined,
  );
  await stack.partner(partnerUid).dispatchOrder({ body: { orderId: next } });
  expect((await look(orderId)).items).toMatchObject([{ surplusLabels: 0 }]);
  // The first partner ships all the same: its label is valid again.
  await carrierScans(stack, first.documents[0]!.trackingCode, 'in_transit');
  await eventually(async () => ((await look(orderId)).items[0]!.surplusLabels === 2 ? true : undefined));
});

describe('an invalid repair is refused with the field', () => {
  let order: HandedOver;
  beforeAll(async () => {
    order = await handedOver(stack, 'not-meant');
  });
  const unknownId = '01a1fc19-7267-7b2d-8a04-1853788939ca';
  const itemId = () => order.itemIds[0]!;

  test.each([
    ['an unknown action', () => ({ action: 'explode' }), ['action']],
    ['no reason', () => ({ action: 'hold', reason: undefined }), ['reason']],
    ['a blank reason', () => ({ action: 'hold', reason: ' ' }), ['reason']],
    ['no item', () => ({ action: 'reroute' }), ['itemId']],
    ['unknown items', () => ({ action: 'cancel', itemIds: ['1', '2'] }), ['itemIds[0]', 'itemIds[1]']],
    ['no items', () => ({ action: 'cancel', itemIds: [] }), ['itemIds']],
    [
      'too many units for an unknown partner',
      () => ({ action: 'reroute', itemId: itemId(), quantity: 9, partnerId: unknownId }),
      ['quantity', 'partnerId'],
    ],
    ['half a unit', () => ({ action: 'reproduce', itemId: itemId(), quantity: 0.5 }), ['quantity']],
  ])('%s', async (_what, body, references) => {
    const refused = await repair(order.orderId, body() as never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    const { errors } = refused as { errors: { reference: string }[] };
    expect(errors.map(({ reference }) => reference)).toEqual(references);
  });

  test('unknown orders and callers without the role are refused', async () => {
    await expect(repair(unknownId, { action: 'hold' })).rejects.toMatchObject({ status: 404 });
    const body = { action: 'hold', reason: 'no' } as const;
    await expect(stack.client.repairOrder({ params: { orderId: order.orderId }, body })).rejects.toMatchObject({
      status: 403,
    });
    await expect(stack.client.getOperatorOrder({ params: { orderId: order.orderId } })).rejects.toMatchObject({
      status: 403,
    });
  });

  test('an invalid repair writes nothing', async () => {
    expect(await repairs(order.orderId)).toEqual([]);
  });
});

describe('operators’ views', () => {
  test('show an order with print orders, postbacks, labels, routing decisions and run', async () => {
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
      clientName: 'demo-client',
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

  test('show when each deadline is due, at the end of the dispatch date in the partner’s time zone', async () => {
    const order = await handedOver(stack, 'due');
    const { run, printOrders } = await look(order.orderId);
    const [{ dispatchDate, acceptedAt }] = printOrders as [(typeof printOrders)[number]];
    const acceptance = run!.deadlines.find(({ reason }) => reason === 'not_received')!;
    expect(Date.parse(acceptance.dueAt) - Date.parse(acceptedAt!)).toBeGreaterThan(14 * 60_000);
    const dispatch = run!.deadlines.find(({ reason }) => reason === 'not_printed')!;
    expect(dispatch).toMatchObject({ printOrderId: order.printOrderId, passed: false });
    const inBerlin = (at: number) =>
      new Intl.DateTimeFormat('sv-SE', {
        timeZone: 'Europe/Berlin',
        dateStyle: 'short',
        timeStyle: 'medium',
      }).format(at);
    expect(inBerlin(Date.parse(dispatch.dueAt) - 1_000)).toBe(`${dispatchDate} 23:59:59`);
  });

  test('list orders needing attention, newest first, by page and reason', async () => {
    const failed: string[] = [];
    for (const reference of ['need-1', 'need-2', 'need-3']) {
      const order = await handedOver(stack, reference);
      await say(order, 'error', { message: 'no ink' });
      await orderUntil(stack, order.orderId, is('on_hold'));
      failed.unshift(order.orderId);
    }
    const listed: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await stack.operator.listOperatorOrders({
        query: { attention: 'partner_error', limit: 1, ...(cursor === undefined ? {} : { cursor }) },
      });
      listed.push(...page.orders.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(listed).toEqual(failed);
    const { orders } = await stack.operator.listOperatorOrders({ query: { attention: 'any' } });
    expect(orders.slice(0, 3)).toMatchObject(failed.map((id) => ({ id, attention: ['partner_error'] })));
  });

  test('list dead messages, and replay them', async () => {
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
});

/** Returns the ids of the workflows that a visibility query finds. */
async function workflowsWith(query: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of stack.services.temporal.workflow.list({ query })) found.push(workflowId);
  return found;
}

test('an order with two attention reasons is found by each of them, in the API and in Temporal', async () => {
  const order = await handedOver(stack, 'two-reasons', { items: 2 });
  const { orderId, jobIds } = order;
  await say(order, 'error', { orderItemId: jobIds[0], message: 'The press is broken.' });
  await say(order, 'cancelled', { items: [{ orderItemId: jobIds[1] }] });
  await orderUntil(stack, orderId, ({ attention }) => attention === 'partner_cancelled partner_error');

  for (const reason of ['partner_cancelled', 'partner_error'] as const) {
    const { orders } = await stack.operator.listOperatorOrders({ query: { attention: reason } });
    const found = orders.find(({ id }) => id === orderId);
    expect(found).toMatchObject({ attention: ['partner_cancelled', 'partner_error'] });
    const workflows = await eventually(async () => {
      const ids = await workflowsWith(`PresslineAttentionReasons = '${reason}' AND PresslineReference = 'two-reasons'`);
      return ids.length > 0 ? ids : undefined;
    });
    expect(workflows).toEqual([`order-${orderId}`]);
  }
});
