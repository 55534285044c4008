import { flagSilentParcels } from '../../../../src/orders/upkeep/silent-parcels';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { conflict, operatorHelpers } from '../operator-fixture';
import {
  accepted,
  carrierScans,
  deliveredByCarrier,
  handedOver,
  is,
  orderLog,
  orderNow,
  orderUntil,
} from '../order-fixture';

/** Units that arrive damaged, wrong or not at all. The partners of the sandbox send no postbacks on their own. */

let stack: TestStack;
const { say, look, repair, partnerId } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const shown = (orderId: string) => stack.client.getOrder({ params: { orderId } });
const trackingNumbers = async (orderId: string): Promise<string[]> =>
  (await look(orderId)).parcels.map(({ trackingNumber }) => trackingNumber);
const claim = (orderId: string, reason: 'parcel_lost' | 'damaged' | 'wrong_item', quantity: number) =>
  stack.client.makeClaim({
    params: { orderId },
    body: {
      reason,
      items: [{ itemReferenceId: 'poster', quantity }],
      note: 'The neighbour has seen nobody.',
      pictures: ['https://example.com/door.jpg'],
    },
  });
type Decision = Parameters<TestStack['operator']['decideClaim']>[0]['body'];
const decide = (orderId: string, claimId: string, body: Decision, idempotencyKey?: string) =>
  stack.operator.decideClaim(
    { params: { orderId, claimId }, body },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
const amounts = async (orderId: string) =>
  (await shown(orderId)).receipts.map(({ transactionType, items }) => [transactionType, items[0]!.amount]);

/** Makes an order whose parcel is on its way. */
async function inTransit(reference: string, quantity = 1) {
  const order = await handedOver(stack, reference, { quantity });
  await stack.partner('prints-berlin').dispatchOrder({ body: { orderId: order.printOrderId } });
  await say(order, 'shipped');
  await carrierScans(stack, (await trackingNumbers(order.orderId))[0]!, 'in_transit');
  await orderUntil(stack, order.orderId, is('in_transit'));
  return order;
}

describe('a parcel that is lost on its way', () => {
  test('is claimed by the client, and made again by another partner: the order ends with the new parcel', async () => {
    const { orderId, printOrderId } = await inTransit('lost-replaced', 2);
    const made = await claim(orderId, 'parcel_lost', 2);
    expect(made).toMatchObject({
      status: 'open',
      reason: 'parcel_lost',
      items: [{ itemReferenceId: 'poster', quantity: 2 }],
    });
    await orderUntil(stack, orderId, ({ attention }) => attention === 'claim');
    expect(await look(orderId)).toMatchObject({
      nextStep: { who: 'operator' },
      claims: [{ id: made.id, madeBy: 'client', pictures: ['https://example.com/door.jpg'], liable: null }],
    });
    await expect(claim(orderId, 'damaged', 1)).rejects.toMatchObject(conflict(/Only 0 units/));
    await expect(repair(orderId, { action: 'dismiss' })).rejects.toMatchObject(conflict(/still open/));

    const ohio = await partnerId('prints-ohio');
    const decision = { decision: 'replace', liable: 'carrier', partnerId: ohio, reason: 'lost in the depot' } as const;
    // Of two requests at the same moment, one has the units made again.
    const results = await Promise.allSettled([decide(orderId, made.id, decision), decide(orderId, made.id, decision)]);
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await stack.client.getClaim({ params: { orderId, claimId: made.id } })).toMatchObject({
      status: 'replaced',
      replacementOrderId: null,
    });
    await orderUntil(stack, orderId, ({ attention }) => attention === null);
    const { printOrders, claims } = await look(orderId);
    expect(printOrders).toMatchObject([
      { id: printOrderId, jobs: [{ status: 'superseded' }] },
      { partnerUid: 'prints-ohio', reproducesId: printOrderId, jobs: [{ quantity: 2 }] },
    ]);
    expect(printOrders).toHaveLength(2);
    expect(claims).toMatchObject([{ liable: 'carrier', status: 'replaced' }]);
    // Nothing is charged for the second copy, and nothing is refunded.
    expect(await amounts(orderId)).toEqual([['invoice', 2]]);

    const [, second] = printOrders;
    await eventually(async () => ((await look(orderId)).printOrders[1]!.acceptedAt === null ? undefined : true));
    await stack.partner('prints-ohio').dispatchOrder({ body: { orderId: second!.id } });
    const before = await trackingNumbers(orderId);
    await carrierScans(stack, before.at(-1)!, 'delivered');
    await orderUntil(stack, orderId, is('delivered'));
    await stack.services.temporal.workflow.getHandle(`order-${orderId}`).result();
    // The replacement was damaged in turn.
    await claim(orderId, 'damaged', 1);
  });

  test('is refunded as a whole: the order ends as cancelled, without attention, and a late scan changes nothing', async () => {
    const { orderId } = await inTransit('lost-as-a-whole', 2);
    const [number] = await trackingNumbers(orderId);
    await carrierScans(stack, number!, 'shipping_exception');
    await orderUntil(stack, orderId, ({ attention }) => attention === 'parcel_exception');
    // One unit after the other.
    for (const quantity of [1, 1]) {
      const made = await claim(orderId, 'parcel_lost', quantity);
      await decide(orderId, made.id, { decision: 'refund', liable: 'carrier', reason: 'the depot has burnt down' });
    }
    await orderUntil(stack, orderId, is('canceled'));
    await stack.services.temporal.workflow.getHandle(`order-${orderId}`).result();
    expect(await shown(orderId)).toMatchObject({
      fulfillmentStatus: 'canceled',
      financialStatus: 'refunded',
      items: [{ fulfillmentStatus: 'cancelled' }],
    });
    expect(await amounts(orderId)).toEqual([
      ['invoice', 2],
      ['refund', 1],
      ['refund', 1],
    ]);
    await carrierScans(stack, number!, 'delivered');
    await eventually(async () => ((await look(orderId)).parcels[0]!.status === 'delivered' ? true : undefined));
    expect(await orderNow(stack, orderId)).toMatchObject({ status: 'canceled', attention: null });
    expect(await look(orderId)).toMatchObject({ nextStep: { who: 'nobody' } });
  });

  test('is refunded before its order ends, once for the claim', async () => {
    const { orderId, itemIds } = await inTransit('lost-refunded', 3);
    const made = await claim(orderId, 'parcel_lost', 2);
    await orderUntil(stack, orderId, ({ attention }) => attention === 'claim');
    const decision = { decision: 'refund', liable: 'carrier', message: 'We are sorry.', reason: 'lost' } as const;
    await decide(orderId, made.id, decision, 'lost-refunded');
    await decide(orderId, made.id, decision, 'lost-refunded');
    await expect(decide(orderId, made.id, decision)).rejects.toMatchObject(conflict(/is decided: refunded/));
    await orderUntil(stack, orderId, ({ attention }) => attention === null);
    expect(await shown(orderId)).toMatchObject({
      fulfillmentStatus: 'in_transit',
      financialStatus: 'partially_refunded',
    });
    expect(await amounts(orderId)).toEqual([
      ['invoice', 3],
      ['refund', 2],
    ]);
    expect((await stack.client.listClaims({ params: { orderId } })).claims).toMatchObject([
      { status: 'refunded', message: 'We are sorry.' },
    ]);
    // The next record of the run keeps what the claim has done.
    await deliveredByCarrier(stack, orderId);
    expect(await orderNow(stack, orderId)).toMatchObject({ financialStatus: 'partially_refunded', attention: null });
    await expect(
      repair(orderId, { action: 'refund', units: [{ itemId: itemIds[0]!, quantity: 2 }] }),
    ).rejects.toMatchObject(conflict(/Fewer units/));
  });
});

test('a damaged unit of a delivered order is replaced by another order, and the client is notified', async () => {
  const { id: webhookId } = await stack.client.createWebhook({
    body: { url: `${stack.sandbox.url}/nowhere`, events: ['claim_status_updated'] },
  });
  const { orderId } = await inTransit('damaged', 3);
  await deliveredByCarrier(stack, orderId);
  const made = await claim(orderId, 'damaged', 1);
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: 'claim' });
  const decided = await decide(orderId, made.id, { decision: 'replace', liable: 'partner', reason: 'bad packing' });
  expect(decided.replacementOrderId).not.toBeNull();
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: null, status: 'delivered' });
  const replacement = await shown(decided.replacementOrderId!);
  expect(replacement).toMatchObject({ reprintOf: orderId, items: [{ quantity: 1 }] });
  await accepted(stack, decided.replacementOrderId!);
  expect((await shown(decided.replacementOrderId!)).receipts).toMatchObject([{ totalInclVat: 0 }]);
  expect(await orderLog(stack, orderId, 'claim_decided')).toMatchObject([
    { data: { by: 'operator', reason: 'bad packing', outcome: 'replaced', liable: 'partner' } },
  ]);
  const { deliveries } = await stack.client.listWebhookDeliveries({ params: { webhookId } });
  expect(deliveries.map(({ event }) => event)).toEqual(['claim_status_updated', 'claim_status_updated']);

  const today = new Date().toISOString().slice(0, 10);
  const { rows } = await stack.operator.getReport({ query: { from: today, to: today, by: 'partner' } });
  const berlin = await partnerId('prints-berlin');
  expect(rows.find(({ partner }) => partner === berlin)).toMatchObject({ claims: 1 });
});

test('a refused claim changes nothing but its status; units that have not shipped cannot be claimed', async () => {
  const { orderId } = await handedOver(stack, 'not-shipped');
  await expect(claim(orderId, 'damaged', 1)).rejects.toMatchObject(conflict(/Only 0 units of poster have shipped/));
  const { orderId: shippedId } = await inTransit('refused-claim');
  const made = await claim(shippedId, 'wrong_item', 1);
  await decide(shippedId, made.id, {
    decision: 'refuse',
    message: 'The picture shows your item.',
    reason: 'right item',
  });
  await orderUntil(stack, shippedId, ({ attention }) => attention === null);
  expect(await amounts(shippedId)).toEqual([['invoice', 1]]);
  // The units can be claimed again.
  await claim(shippedId, 'damaged', 1);
});

test('a parcel without a scan for ten working days raises attention, until a carrier scans it', async () => {
  const { orderId } = await inTransit('silent');
  const { sql, log } = stack.services;
  const look20 = (days: number) =>
    flagSilentParcels({ sql, log, silentAfterDays: 10 }, new Date(Date.now() + days * 86_400_000));
  await look20(9);
  expect(await orderNow(stack, orderId)).toMatchObject({ attention: null });
  expect((await look20(20)).silent).toBeGreaterThanOrEqual(1);
  await orderUntil(stack, orderId, ({ attention }) => attention === 'parcel_silent');
  await eventually(async () => ((await look(orderId)).run?.attention.includes('parcel_silent') ? true : undefined));
  // Seen from nine days after the scan, the parcel is not silent.
  await look20(9);
  await orderUntil(stack, orderId, ({ attention }) => attention === null);
  await eventually(async () => ((await look(orderId)).run?.attention.length === 0 ? true : undefined));
});
