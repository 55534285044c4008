import { once } from 'node:events';
import type { CarrierAdapter } from '../../../src/carriers/carrier';
import { dispatchPrintOrder } from '../../../src/orders/production/dispatch';
import { eventually, type TestStack, testStack } from '../../support/stack';
import {
  type HandedOver,
  handedOver,
  is,
  orderBody,
  orderLog,
  orderNow,
  orderUntil,
  partnerClock,
  seenPrintOrders,
} from '../../workflows/order/order-fixture';

/** Dispatch over HTTP, and the labels of an order that changes (operation `dispatchOrder`). */

let stack: TestStack;
const now = partnerClock();

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

interface Documents {
  readonly documents: readonly {
    readonly type: string;
    readonly contentType: string;
    readonly url: string;
    readonly trackingCode: string;
  }[];
  readonly trackingCode: string;
  readonly trackingLink: string;
}

async function dispatch(orderId: string): Promise<{ status: number; body: Documents & { error?: string } }> {
  const response = await askForDocuments(orderId);
  return { status: response.status, body: (await response.json()) as Documents };
}

async function askForDocuments(orderId: string): Promise<Response> {
  const { apiKey } = stack.credentials.partners.find(({ name }) => name === 'prints-berlin')!;
  return await fetch(`${stack.baseUrl}/v2/order/dispatch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ orderId }),
  });
}

const postStatus = async ({ printOrderId: orderId }: HandedOver, status: string) => {
  await stack.partner('prints-berlin').postOrderStatus({ body: { timestamp: now(), orderId, status } as never });
};

const changedAddress = (reference: string, addressLine1: string) => ({
  shippingAddress: { ...orderBody(stack, reference).shippingAddress, addressLine1 },
});

test('twenty concurrent requests get one label; a repeated request returns the same shipment with working links', async () => {
  const order = await handedOver(stack, 'twenty');
  const responses = await Promise.all(Array.from({ length: 20 }, () => dispatch(order.printOrderId)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const codes = new Set(responses.map(({ body }) => body.trackingCode));
  expect(codes.size).toBe(1);
  expect((await orderNow(stack, order.orderId)).shipments).toEqual({ bought: 1 });
  const { sql } = stack.services;
  const [purchases] = await sql<{ n: number }[]>`
    SELECT count(*)::int AS n FROM carrier_purchases p JOIN shipments s ON p.idempotency_key LIKE s.id || ':%'
    WHERE s.order_id = ${order.orderId}`;
  expect(purchases).toEqual({ n: 1 });

  const again = (await dispatch(order.printOrderId)).body;
  expect(codes).toEqual(new Set([again.trackingCode]));
  expect(again.documents.map(({ type }) => type)).toContain('label');
  for (const { url, contentType } of again.documents) {
    const document = await fetch(url);
    expect(document.status).toBe(200);
    expect(document.headers.get('content-type')).toBe(contentType);
    expect(Buffer.from(await document.arrayBuffer()).toString('latin1', 0, 5)).toBe('%PDF-');
  }
});

test('the shipment is still returned after the order run has completed', async () => {
  const order = await handedOver(stack, 'after-the-end');
  const { trackingCode } = (await dispatch(order.printOrderId)).body;
  await postStatus(order, 'shipped');
  const { carrierUid } = (await (
    await fetch(`${stack.baseUrl}/v1/tracking/${trackingCode}`, {
      headers: { 'x-api-key': stack.credentials.client.apiKey },
    })
  ).json()) as { carrierUid: string };
  const scan = { id: 'scan-1', trackingNumber: trackingCode, statusUid: 'delivered', message: 'Delivered' };
  await fetch(`${stack.sandbox.controlUrl}/carriers/${carrierUid}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ events: [{ ...scan, location: 'Berlin', createdAt: new Date().toISOString() }] }),
  });
  await orderUntil(stack, order.orderId, is('delivered'));
  expect(await dispatch(order.printOrderId)).toMatchObject({ status: 200, body: { trackingCode } });
});

describe('a refused dispatch has an error message and buys no label', () => {
  test.each([
    ['unknown', '999999999999', 404],
    ['no id', 'abc', 404],
    ['blank', ' ', 400],
    ['missing', undefined, 400],
  ])('%s', async (_what, id, status) => {
    expect(await dispatch(id as string)).toEqual({ status, body: { error: expect.any(String) } });
  });

  test('a print order that is not confirmed yet is refused', async () => {
    const { id: orderId } = await stack.client.submitOrder({
      body: orderBody(stack, 'unconfirmed', { address: { addressLine2: 'sandbox:fails-first=9' } }),
    });
    const { printOrderIds } = await orderUntil(
      stack,
      orderId,
      (now) => seenPrintOrders(stack, now.printOrderIds).length === 1,
    );
    expect(await dispatch(printOrderIds[0]!)).toEqual({
      status: 409,
      body: { error: expect.stringMatching(/not confirmed/) },
    });
    // The postback shows that the partner has the print order.
    await postStatus({ printOrderId: printOrderIds[0]! } as HandedOver, 'received');
    await orderUntil(stack, orderId, is('in_production'));
    expect((await dispatch(printOrderIds[0]!)).status).toBe(200);
  });

  test('a print order that the client has cancelled is refused', async () => {
    const order = await handedOver(stack, 'cancelled');
    await stack.client.cancelOrder({ params: { orderId: order.orderId }, body: {} });
    await orderUntil(stack, order.orderId, is('canceled'));
    expect(await dispatch(order.printOrderId)).toEqual({
      status: 409,
      body: { error: expect.stringMatching(/is cancelled/) },
    });
    expect((await orderNow(stack, order.orderId)).shipments).toEqual({});
  });

  test('a dispatch that was accepted before its units were cancelled buys nothing and ends', async () => {
    const { orderId, printOrderId, itemIds } = await handedOver(stack, 'cancelled-before-purchase');
    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, is('canceled'));
    const jobs = itemIds.map((itemId) => ({ itemId, quantity: 1 }));
    expect(await dispatchPrintOrder(stack.services, { orderId, printOrderId, revision: 0, jobs })).toMatchObject({
      ok: false,
      refusal: { code: 'NOTHING_TO_SHIP' },
    });
    expect((await orderNow(stack, orderId)).shipments).toEqual({});
  });

  test('labels of an attempt that was killed are void when their units were cancelled before the next one', async () => {
    const { orderId, printOrderId, itemIds } = await handedOver(stack, 'cancelled-after-purchase');
    const { asOwner } = stack.database;
    const { sql } = stack.services;
    const jobs = itemIds.map((itemId) => ({ itemId, quantity: 1 }));
    const attempt = () => dispatchPrintOrder(stack.services, { orderId, printOrderId, revision: 0, jobs });
    await asOwner(`
      CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''killed''; END';
      CREATE TRIGGER killed BEFORE INSERT ON shipment_packages FOR EACH ROW EXECUTE FUNCTION killed();`);
    await expect(attempt()).rejects.toThrow('killed');
    await asOwner('DROP FUNCTION killed CASCADE');
    const purchases = async () => {
      const rows = await sql<{ isVoid: boolean }[]>`
        SELECT c.voided_at IS NOT NULL AS is_void FROM carrier_purchases c
        JOIN shipments s ON c.idempotency_key LIKE s.id || ':%' WHERE s.order_id = ${orderId}`;
      return rows.map(({ isVoid }) => isVoid);
    };
    expect(await purchases()).toEqual([false]);

    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, is('canceled'));
    expect(await attempt()).toMatchObject({ ok: false, refusal: { code: 'NOTHING_TO_SHIP' } });
    expect(await purchases()).toEqual([true]);
  });

  test('an attempt after a purchase that was recorded names its shipment, whose units were cancelled meanwhile', async () => {
    const { orderId, printOrderId, itemIds } = await handedOver(stack, 'cancelled-after-record');
    const jobs = itemIds.map((itemId) => ({ itemId, quantity: 1 }));
    const attempt = () => dispatchPrintOrder(stack.services, { orderId, printOrderId, revision: 0, jobs });
    const bought = await attempt();
    expect(bought).toMatchObject({ ok: true });
    await stack.client.cancelOrder({ params: { orderId }, body: {} });
    await orderUntil(stack, orderId, is('canceled'));
    expect(await attempt()).toEqual(bought);
  });

  test('a print order that the partner has cancelled is refused', async () => {
    const order = await handedOver(stack, 'given-back');
    await postStatus(order, 'cancelled');
    await orderUntil(stack, order.orderId, is('on_hold'));
    expect(await dispatch(order.printOrderId)).toEqual({
      status: 409,
      body: { error: expect.stringMatching(/cancelled/) },
    });
  });

  test('a print order on hold is refused until an operator releases it', async () => {
    const order = await handedOver(stack, 'held');
    const repair = (action: 'hold' | 'release') =>
      stack.operator.repairOrder({
        params: { orderId: order.orderId },
        body: { action, reason: 'the client asked to wait' },
      });
    await repair('hold');
    expect(await dispatch(order.printOrderId)).toEqual({
      status: 409,
      body: { error: expect.stringMatching(/on hold/) },
    });
    await repair('release');
    expect((await dispatch(order.printOrderId)).status).toBe(200);
  });
});

test('a new address voids the label; the next dispatch buys another', async () => {
  const order = await handedOver(stack, 'moved');
  const before = (await dispatch(order.printOrderId)).body.trackingCode;
  const { shippingAddress } = await stack.client.updateShipment({
    params: { orderId: order.orderId },
    body: changedAddress('moved', 'Invalidenstrasse 2'),
  });
  expect(shippingAddress.addressLine1).toBe('Invalidenstrasse 2');
  await orderUntil(stack, order.orderId, ({ shipments }) => shipments.voided === 1);

  const responses = await Promise.all(Array.from({ length: 5 }, () => dispatch(order.printOrderId)));
  const after = new Set(responses.map(({ body }) => body.trackingCode));
  expect(after.size).toBe(1);
  expect(after).not.toContain(before);
  expect((await orderNow(stack, order.orderId)).shipments).toEqual({ bought: 1, voided: 1 });

  await postStatus(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  await expect(
    stack.client.updateShipment({
      params: { orderId: order.orderId },
      body: changedAddress('moved', 'Chausseestrasse 3'),
    }),
  ).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
  expect((await orderNow(stack, order.orderId)).shipments).toEqual({ bought: 1, voided: 1 });
});

test('a label that the carrier does not void blocks nothing and is logged in the order events', async () => {
  const order = await handedOver(stack, 'not-taken-back');
  const first = (await dispatch(order.printOrderId)).body.trackingCode;
  const { sql, carriers } = stack.services;
  const [bought] = await sql<{ methodUid: string }[]>`
    SELECT method_uid FROM shipments WHERE order_id = ${order.orderId}`;
  const refusing = jest
    .spyOn(carriers.forMethod(bought!.methodUid)!, 'void')
    .mockResolvedValue({ ok: false, reason: 'the parcel was scanned' });
  try {
    await stack.client.updateShipment({
      params: { orderId: order.orderId },
      body: changedAddress('not-taken-back', 'Invalidenstrasse 2'),
    });
    const event = await eventually(async () =>
      (await orderLog(stack, order.orderId)).find(({ type }) => type === 'label_not_voided'),
    );
    expect(event.data).toMatchObject({ message: 'the parcel was scanned' });
  } finally {
    refusing.mockRestore();
  }
  expect((await dispatch(order.printOrderId)).body.trackingCode).not.toBe(first);
  await postStatus(order, 'shipped');
  await orderUntil(stack, order.orderId, is('shipped'));
  expect(await orderNow(stack, order.orderId)).toMatchObject({ shipments: { bought: 2 }, attention: null });
});

test('one label remains, for the last address, when the address changes while labels are bought', async () => {
  const order = await handedOver(stack, 'restless');
  const change = (line: string) =>
    stack.client.updateShipment({
      params: { orderId: order.orderId },
      body: changedAddress('restless', line),
    });
  const [asked] = await Promise.all([
    dispatch(order.printOrderId),
    change('Ackerstrasse 1'),
    dispatch(order.printOrderId),
    change('Ackerstrasse 2'),
    dispatch(order.printOrderId),
  ]);
  expect([200, 409]).toContain(asked.status);
  const last = await change('Ackerstrasse 3');
  expect(last.shippingAddress.addressLine1).toBe('Ackerstrasse 3');
  const { trackingCode } = (await dispatch(order.printOrderId)).body;
  await orderUntil(stack, order.orderId, ({ shipments }) => shipments.bought === 1 && !shipments.buying);
  const { sql } = stack.services;
  const [remaining] = await sql<{ line: string; code: string }[]>`
    SELECT s.consignment -> 'receiver' ->> 'addressLine1' AS line, p.tracking_number AS code
    FROM shipments s JOIN shipment_packages p ON p.shipment_id = s.id
    WHERE s.order_id = ${order.orderId} AND s.status = 'bought'`;
  expect(remaining).toEqual({ line: 'Ackerstrasse 3', code: trackingCode });
});

describe('a dispatch of more than 50 parcels', () => {
  const PARCELS = 60;
  let order: HandedOver;
  let carrier: CarrierAdapter;

  beforeAll(async () => {
    order = await handedOver(stack, 'large', { quantity: PARCELS * 10 });
    const { sql, carriers } = stack.services;
    const [planned] = await sql<{ methodUid: string }[]>`
      SELECT shipment_method_uid AS method_uid FROM planned_shipments WHERE print_order_id = ${order.printOrderId}`;
    carrier = carriers.forMethod(planned!.methodUid)!;
  });

  /** Repeats the request until its response is not 202. */
  const ended = () =>
    eventually(async () => {
      const response = await dispatch(order.printOrderId);
      return response.status === 202 ? undefined : response;
    });

  async function expectPending(): Promise<void> {
    const response = await askForDocuments(order.printOrderId);
    expect([response.status, response.headers.get('retry-after')]).toEqual([202, '5']);
    expect(await response.json()).toEqual({ message: expect.stringMatching(/being made/) });
  }

  test('gets 202 and then the carrier’s refusal, once', async () => {
    const refusal = { code: 'CLOSED', message: 'The carrier sells nothing today.' };
    const refusing = jest.spyOn(carrier, 'buy').mockResolvedValue({ ok: false, refusal });
    await expectPending();
    expect(await ended()).toMatchObject({ status: 400, body: { error: expect.stringMatching(/sells nothing today/) } });
    refusing.mockRestore();
  });

  test('gets 202 and then the documents. Each label is bought once, also when a worker is lost meanwhile', async () => {
    const { buy } = carrier;
    let bought = 0;
    const halting = jest.spyOn(carrier, 'buy').mockImplementation(async (request) => {
      if (++bought <= PARCELS / 2) return await buy(request);
      const { signal } = request;
      await once(signal!, 'abort');
      throw signal!.reason;
    });
    await expectPending();
    await eventually(async () => bought > PARCELS / 2 || undefined);
    await expectPending();
    await stack.stopWorker();
    halting.mockRestore();
    await stack.startWorker();

    const { status, body } = await ended();
    expect(status).toBe(200);
    const labels = body.documents.filter(({ type }) => type === 'label');
    expect(new Set(labels.map(({ trackingCode }) => trackingCode)).size).toBe(PARCELS);
    expect(labels).toHaveLength(PARCELS);
    // The documents exist before the run records the dispatch, which ends the attention for the refusal.
    await orderUntil(stack, order.orderId, ({ attention, shipments }) => attention === null && shipments.bought === 1);
    const { sql } = stack.services;
    const [purchases] = await sql<{ live: number }[]>`
      SELECT count(*)::int AS live FROM carrier_purchases p JOIN shipments s ON p.idempotency_key LIKE s.id || ':%'
      WHERE s.order_id = ${order.orderId} AND p.voided_at IS NULL`;
    expect(purchases).toEqual({ live: PARCELS });
  });

  test('gets 202 while its papers are made again after a change', async () => {
    const { sql, objects } = stack.services;
    await sql`UPDATE shipments SET documents_outdated = true WHERE order_id = ${order.orderId}`;
    const { put } = objects;
    let store: () => void;
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const slow = jest.spyOn(objects, 'put').mockImplementation(async (...object) => {
      await stored;
      return await put(...object);
    });
    await expectPending();
    store!();
    const { status, body } = await ended();
    slow.mockRestore();
    expect([status, body.documents.length]).toEqual([200, 2 * PARCELS]);
  });
});
