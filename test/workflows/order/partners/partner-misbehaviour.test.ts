import { createPresslineClient, PresslineError } from '../../../../client/pressline-client';
import type { SeenPrintOrder } from '../../../../sandbox';
import { BEHAVIOURS, type BehaviourName } from '../../../../sandbox/behaviours';
import type { OrderStatus } from '../../../../src/orders/domain/lifecycle/statuses';
import { printOrderProblems } from '../../../support/checks/message-schemas';
import { eventually, type TestStack, testStack } from '../../../support/stack';
import { is, misbehaveOnce, type OrderNow, orderBody, orderUntil, seenPrintOrders, stepsBack } from '../order-fixture';
import { NOT_PROVOKED } from './not-provoked';

/**
 * Every behaviour of the sandbox's partners, end to end on real servers: the order reaches the right end with the right
 * number of print orders and labels, and no status steps back. All orders run at the same time.
 */

/** The pause of a partner that waits for `change`. The test ends it. */
const UNTIL_ACT_MS = 600_000;

interface Case {
  readonly amount?: number;
  readonly items?: 2;
  readonly quantity?: number;
  /** The state that the order reaches without help, when it does not ship. */
  readonly waits?: (now: OrderNow) => boolean;
  /** What an operator or the client then does. */
  readonly change?: (stack: TestStack, orderId: string, now: OrderNow) => Promise<unknown>;
  /** Default: `delivered`. */
  readonly end?: OrderStatus;
  readonly printOrders: number;
  /** Valid and voided labels at the end. */
  readonly labels: number;
  readonly voided?: number;
  /** Attention at the end. */
  readonly attention?: string;
  /** Further checks of the first print order. */
  readonly first?: (seen: SeenPrintOrder) => void;
}

/** A client that repeats requests while the machine is too busy for the order's workflow (503). */
const patient = ({ baseUrl }: TestStack, keys: { apiKey: string; apiSecret?: string }) =>
  createPresslineClient({ baseUrl, ...keys, retries: 20, timeoutMs: 120_000 });

const operator = (
  action: 'retry' | 'reroute' | 'reproduce' | 'cancel',
  quantity?: number,
  force?: true,
): NonNullable<Case['change']> => {
  return (stack, orderId, { items }) =>
    patient(stack, stack.credentials.operator).repairOrder({
      params: { orderId },
      body:
        action === 'reroute' || action === 'reproduce'
          ? { action, itemId: waitingItem(items), quantity, force, reason: 'the partner does not deliver' }
          : { action, reason: 'the partner does not deliver' },
    });
};

/** Returns the item in manual handling, or the first item. */
const waitingItem = (items: OrderNow['items']): string =>
  (items.find(({ status }) => status === 'manual_handling') ?? items[0]!).id;

const moves =
  (reference: string): NonNullable<Case['change']> =>
  (stack, orderId) =>
    patient(stack, stack.credentials.client).updateShipment({
      params: { orderId },
      body: {
        shippingAddress: {
          ...orderBody(stack, reference).shippingAddress,
          addressLine1: 'Invalidenstrasse 2',
        },
      },
    });

/** Moves the order, and waits until its partner has received the order update. */
const updates =
  (reference: string): NonNullable<Case['change']> =>
  async (stack, orderId, now) => {
    await moves(reference)(stack, orderId, now);
    await orderUntil(stack, orderId, ({ printOrderIds }) =>
      seenPrintOrders(stack, printOrderIds).some((seen) => seen.updates.length > 0),
    );
  };

const isOnHold = ({ status }: OrderNow) => status === 'on_hold';
const firstItemWaits = ({ items }: OrderNow) =>
  items[0]!.status === 'manual_handling' && items[1]!.status !== 'in_production' && items[1]!.status !== 'printed';
const responseStatuses = (status: string) => (seen: SeenPrintOrder) =>
  seen.postbacks.filter((postback) => postback.status === status).map(({ responseStatus }) => responseStatus);

const CASES: Record<Exclude<BehaviourName, (typeof NOT_PROVOKED)[number]>, Case> = {
  'well-behaved': { printOrders: 1, labels: 1 },
  slow: { amount: 1_000, printOrders: 1, labels: 1 },
  'fails-first': {
    amount: 1,
    printOrders: 1,
    labels: 1,
    first: ({ responses: given }) => expect(given.slice(0, 2)).toEqual(['500', '200']),
  },
  busy: {
    printOrders: 1,
    labels: 1,
    first: ({ responses: given }) => expect(given.slice(0, 2)).toEqual(['429', '200']),
  },
  refuses: {
    waits: isOnHold,
    change: operator('reroute'),
    printOrders: 2,
    labels: 1,
    first: ({ state, deliveries }) => expect({ state, deliveries }).toEqual({ state: 'not-taken', deliveries: 1 }),
  },
  'odd-words': { printOrders: 1, labels: 1 },
  'odd-refusal': { waits: isOnHold, change: operator('reroute'), printOrders: 2, labels: 1 },
  redirects: { waits: isOnHold, change: operator('reroute'), printOrders: 2, labels: 1 },
  'dead-after-accept': { printOrders: 1, labels: 1 },
  'silent-after-accept': { printOrders: 1, labels: 1 },
  unresponsive: {
    waits: ({ printOrderIds }) => seenPrintOrders(stack, printOrderIds).some(({ deliveries }) => deliveries > 0),
    change: operator('reroute'),
    printOrders: 2,
    labels: 1,
  },
  'no-postbacks': {
    waits: ({ attention }) => attention === 'not_received',
    change: operator('reroute'),
    printOrders: 2,
    labels: 1,
    first: ({ deliveries, cancelOrders }) => {
      // At least one reminder. The operator may be slower than the next one.
      expect(deliveries).toBeGreaterThanOrEqual(2);
      expect(cancelOrders).toMatchObject([{ accepted: true }]);
    },
  },
  'waits-for-reminder': {
    printOrders: 1,
    labels: 1,
    // On a slow machine the next reminder can come before the partner's answer to the first.
    first: ({ deliveries }) => expect(deliveries).toBeGreaterThan(1),
  },
  'stops-after-received': { waits: is('in_production'), change: operator('reroute'), printOrders: 2, labels: 1 },
  'stops-after-printed': { waits: is('printed'), change: operator('reroute'), printOrders: 2, labels: 1 },
  'duplicate-postbacks': {
    printOrders: 1,
    labels: 1,
    first: (seen) => expect(responseStatuses('printed')(seen)).toEqual([200, 200, 200, 200]),
  },
  'reversed-postbacks': { printOrders: 1, labels: 1 },
  'late-postbacks': {
    printOrders: 1,
    labels: 1,
    first: (seen) => expect(responseStatuses('shipped')(seen)).toEqual([200, 200]),
  },
  'faulty-postbacks': {
    printOrders: 1,
    labels: 1,
    first: ({ postbacks }) =>
      expect(
        postbacks.filter(({ status }) => status.startsWith('faulty')).map(({ responseStatus }) => responseStatus),
      ).toEqual([400, 400, 400, 400, 404, 400]),
  },
  'per-item-postbacks': { items: 2, printOrders: 1, labels: 1 },
  'cancels-order': {
    waits: isOnHold,
    change: async (stack, orderId, now) => {
      // The partner cancelled the print order, so a retry is refused.
      await expect(operator('retry')(stack, orderId, now)).rejects.toMatchObject({
        status: 409,
        code: 'CONFLICT',
      });
      await operator('reproduce')(stack, orderId, now);
    },
    printOrders: 2,
    labels: 1,
  },
  'cancels-item': { items: 2, waits: firstItemWaits, change: operator('reproduce'), printOrders: 2, labels: 2 },
  'cancels-quantity': {
    items: 2,
    quantity: 3,
    waits: firstItemWaits,
    // The partner has packed the print order, and refuses to stop the units that it holds.
    change: operator('reproduce', 3, true),
    printOrders: 2,
    labels: 2,
  },
  'error-then-recovers': { printOrders: 1, labels: 1 },
  'error-only': { waits: isOnHold, change: operator('reroute'), printOrders: 2, labels: 1 },
  'ships-without-dispatch': { end: 'shipped', printOrders: 1, labels: 0 },
  'dispatches-often': {
    printOrders: 1,
    labels: 1,
    first: ({ labelsDownloaded, distinctLabels, trackingCodes }) =>
      expect({ labelsDownloaded, distinctLabels, codes: trackingCodes.length }).toEqual({
        labelsDownloaded: 7,
        distinctLabels: 1,
        codes: 1,
      }),
  },
  'replaces-label': {
    printOrders: 1,
    labels: 1,
    first: ({ trackingCodes, distinctLabels }) =>
      expect({ codes: trackingCodes.length, distinctLabels }).toEqual({ codes: 2, distinctLabels: 2 }),
  },
  'refuses-cancel': {
    amount: UNTIL_ACT_MS,
    waits: is('in_production'),
    change: async (stack, orderId) => {
      const { fulfillmentStatus } = await patient(stack, stack.credentials.client).cancelOrder({
        params: { orderId },
        body: {},
      });
      // Production continues meanwhile.
      expect(['in_production', 'printed']).toContain(fulfillmentStatus);
      await orderUntil(stack, orderId, ({ attention }) => attention === 'cancel_refused');
    },
    printOrders: 1,
    labels: 1,
  },
  'prints-slowly': {
    amount: UNTIL_ACT_MS,
    waits: is('in_production'),
    change: async (stack, orderId) => {
      const client = patient(stack, stack.credentials.client);
      // A response waits five seconds for the partner. On a busy machine a repeated request says that the order is canceled.
      await eventually(async () => {
        const { fulfillmentStatus } = await client.cancelOrder({ params: { orderId }, body: {} });
        return fulfillmentStatus === 'canceled' ? true : undefined;
      });
    },
    end: 'canceled',
    printOrders: 1,
    labels: 0,
  },
  'waits-after-dispatch': {
    amount: UNTIL_ACT_MS,
    waits: ({ shipments }) => shipments.bought === 1,
    change: async (stack, orderId, now) => {
      await moves('waits-after-dispatch')(stack, orderId, now);
      await orderUntil(stack, orderId, ({ shipments }) => shipments.voided === 1);
    },
    printOrders: 1,
    labels: 1,
    voided: 1,
    first: ({ distinctLabels, trackingCodes }) =>
      expect({ distinctLabels, codes: trackingCodes.length }).toEqual({ distinctLabels: 2, codes: 2 }),
  },
  // A voided label becomes valid again when a carrier scans it, so that the client can follow the parcel.
  'ships-old-label': {
    amount: UNTIL_ACT_MS,
    waits: ({ shipments }) => shipments.bought === 1,
    change: async (stack, orderId, now) => {
      await moves('ships-old-label')(stack, orderId, now);
      await orderUntil(stack, orderId, ({ shipments }) => shipments.voided === 1);
    },
    printOrders: 1,
    labels: 1,
    attention: 'voided_label',
  },
  // The label of the dispatch has the new address, so the partner needs no update any more.
  'refuses-updates': {
    amount: UNTIL_ACT_MS,
    waits: is('in_production'),
    change: async (stack, orderId, now) => {
      await moves('refuses-updates')(stack, orderId, now);
      await orderUntil(stack, orderId, ({ attention }) => attention === 'partner_not_updated');
    },
    printOrders: 1,
    labels: 1,
    first: ({ updates }) => expect(updates).toMatchObject([{ revision: 2, response: '422' }]),
  },
  'misses-updates': {
    amount: UNTIL_ACT_MS,
    waits: is('in_production'),
    change: updates('misses-updates'),
    printOrders: 1,
    labels: 1,
    // A slow machine ends the order after the first retry.
    first: ({ updates }) => {
      expect(updates.length).toBeGreaterThan(0);
      for (const update of updates) expect(update).toMatchObject({ revision: 2, response: 'silence' });
    },
  },
  'delays-updates': {
    amount: UNTIL_ACT_MS,
    waits: is('in_production'),
    change: updates('delays-updates'),
    printOrders: 1,
    labels: 1,
    first: ({ updates }) =>
      expect(updates).toMatchObject([{ revision: 2, addressLine1: 'Invalidenstrasse 2', response: '200' }]),
  },
  'ships-to-old-address': {
    amount: UNTIL_ACT_MS,
    waits: is('in_production'),
    change: updates('ships-to-old-address'),
    end: 'shipped',
    printOrders: 1,
    labels: 0,
    attention: 'old_address_shipped',
  },
  // The carrier knows the parcel, so the order is delivered without a label of ours.
  'ships-with-known-carrier': {
    printOrders: 1,
    labels: 0,
    first: ({ postbacks }) => expect(postbacks.at(-1)).toMatchObject({ status: 'shipped', responseStatus: 200 }),
  },
  'cancels-shipping-order': {
    printOrders: 1,
    labels: 1,
    first: ({ shippingOrders }) =>
      expect(shippingOrders).toMatchObject([{ status: 'canceled', trackingNumbers: [expect.any(String)] }]),
  },
  'parcel-returned': { end: 'returned', printOrders: 1, labels: 1, attention: 'order_returned' },
  'parcel-troubled': { printOrders: 1, labels: 1 },
  'parcel-events-disordered': { printOrders: 1, labels: 1 },
  'parcel-odd-words': { printOrders: 1, labels: 1 },
};

let stack: TestStack;
const runs = new Map<string, Promise<{ orderId: string; end: OrderNow }>>();

async function play(name: BehaviourName, { amount, change, ...wanted }: Case) {
  await misbehaveOnce(stack, 'prints-berlin', name, name, amount);
  const { id: orderId } = await stack.client.submitOrder({
    body: orderBody(stack, name, {
      ...(wanted.items === undefined ? {} : { items: wanted.items }),
      ...(wanted.quantity === undefined ? {} : { quantity: wanted.quantity }),
    }),
  });
  if (change !== undefined) await change(stack, orderId, await orderUntil(stack, orderId, wanted.waits!));
  const end = await orderUntil(stack, orderId, (now) => {
    if (amount === UNTIL_ACT_MS) for (const id of now.printOrderIds) stack.sandbox.endPause(id);
    return is(wanted.end ?? 'delivered')(now);
  });
  return { orderId, end };
}

beforeAll(async () => {
  stack = await testStack({ config: { RECEIVED_DEADLINE: 4_000 } });
  for (const [name, wanted] of Object.entries(CASES)) {
    const run = play(name as BehaviourName, wanted);
    run.catch(() => undefined);
    runs.set(name, run);
  }
});

test('the table has every behaviour', () => {
  expect([...Object.keys(CASES), ...NOT_PROVOKED].sort()).toEqual(Object.keys(BEHAVIOURS).sort());
});

test.each(Object.entries(CASES))('%s', async (name, { printOrders, labels, voided = 0, attention = null, first }) => {
  const { orderId } = await runs.get(name)!.catch((error: unknown) => {
    throw error instanceof PresslineError ? new Error(`${error.message} ${JSON.stringify(error.body)}`) : error;
  });
  // Late postbacks and voids can follow the end.
  const settled = await orderUntil(
    stack,
    orderId,
    (now) =>
      (now.shipments.voided ?? 0) === voided &&
      seenPrintOrders(stack, now.printOrderIds).every(({ state }) => state !== 'taken' || name === 'no-postbacks'),
  );
  const seen = seenPrintOrders(stack, settled.printOrderIds);
  expect(seen.map(({ printOrderId }) => printOrderId).sort()).toEqual([...settled.printOrderIds].sort());
  expect(seen).toHaveLength(printOrders);
  for (const { distinctContents, distinctWebhookIds, reason } of seen) {
    expect({ distinctContents, distinctWebhookIds, reason }).toMatchObject({
      distinctContents: 1,
      distinctWebhookIds: 1,
    });
  }
  expect(settled.shipments).toEqual({
    ...(labels > 0 ? { bought: labels } : {}),
    ...(voided > 0 ? { voided } : {}),
  });
  expect(await stepsBack(stack, orderId)).toEqual([]);
  expect(settled.attention).toBe(attention);
  first?.(seen.find(({ printOrderId }) => printOrderId === settled.printOrderIds[0])!);
});

test('every partner got signed print orders in the form of schema `SentPrintOrder`', () => {
  for (const { badSignatures, malformed } of Object.values(stack.sandbox.seen().partners)) {
    expect({ badSignatures, malformed }).toEqual({ badSignatures: 0, malformed: [] });
  }
});

test('every print order and order update that was sent is valid by the published JSON Schema', async () => {
  const sent = await stack.database.sql<{ body: string }[]>`
    SELECT body FROM print_orders WHERE body IS NOT NULL UNION ALL SELECT body FROM print_order_updates`;
  expect(sent.length).toBeGreaterThan(Object.keys(CASES).length);
  for (const { body } of sent) expect(printOrderProblems(JSON.parse(body))).toEqual([]);
});
