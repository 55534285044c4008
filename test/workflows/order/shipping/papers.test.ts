import { eventually, type TestStack, testStack } from '../../../support/stack';
import { addressIn, framedPoster, type OrderBody, orderOf, poster, sticker, tShirt } from '../client-orders';
import { operatorHelpers } from '../operator-fixture';
import { accepted, type HandedOver, handedOver, orderBody, orderUntil } from '../order-fixture';
import { downloaded } from './dispatched-order';

/** The papers that travel in parcels: each is about its parcel, with the shop's retail prices or without prices. */

let stack: TestStack;
const { repair, say } = operatorHelpers(() => stack);

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const dispatch = ({ printOrderId: orderId, partner }: HandedOver, orderItemIds?: readonly (string | undefined)[]) =>
  stack.partner(partner).dispatchOrder({
    body: { orderId, ...(orderItemIds && { orderItemIds: orderItemIds.map(String) }) },
  });
type Dispatched = Awaited<ReturnType<typeof dispatch>>;

async function submitted(body: Partial<OrderBody>): Promise<HandedOver> {
  const { id } = await stack.client.submitOrder({ body: orderOf(stack, body) });
  return await accepted(stack, id);
}

/** Texts of the papers that are no labels, in the order of the response. */
const papersOf = async (dispatched: Dispatched) =>
  (await downloaded(dispatched)).filter(({ type }) => type !== 'label').map(({ text }) => text);
const net = (text: string | undefined) => text?.match(/Net ([\d.]+ \w+)/)?.[1];
const numberOf = (text: string | undefined) => text?.match(/Invoice (\S+)/)?.[1];
const priced = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };
/** A poster for 20 and a sticker for 3 that share a parcel. */
const inOnePackage = [
  { packageItems: ['poster', 'sticker'].map((orderItemReferenceId) => ({ orderItemReferenceId, quantity: 1 })) },
];
const sharedParcel = (reference: string) =>
  handedOver(stack, reference, { items: 2, packagingInstructions: inOnePackage });
const labelsOf = ({ documents }: Dispatched) =>
  documents.filter(({ type }) => type === 'label').map(({ packageReferenceId }) => packageReferenceId);
const grams = async ({ printOrderId }: HandedOver) => {
  const rows = await stack.services.sql<{ weight: number }[]>`
    SELECT k.weight_grams::float8 AS weight FROM shipment_packages k JOIN shipments s ON s.id = k.shipment_id
    WHERE s.print_order_id = ${printOrderId} AND k.left_out_at IS NULL ORDER BY k.position`;
  return rows.map(({ weight }) => weight);
};

test('without retail prices, parcels have delivery notes: no paper has the price that the shop pays', async () => {
  const order = await submitted({ items: [poster(stack, { quantity: 2 }), sticker(stack)] });

  const dispatched = await dispatch(order);

  const papers = await papersOf(dispatched);
  expect(dispatched.documents.map(({ type }) => type)).toEqual(['label', 'label', 'invoice', 'invoice']);
  expect(papers[0]).toMatch(/^Delivery note .* Poster, A4, .* poster 2 Items in this package 2/);
  expect(papers[1]).toContain('sticker 1 Items in this package 1');
  const { receipts } = await stack.client.getOrder({ params: { orderId: order.orderId } });
  expect(receipts[0]!.productsPrice).toBeGreaterThan(0);
  for (const text of papers) expect(text).not.toMatch(/EUR|Invoice/);
});

test.each([
  ['at home', addressIn.DE, undefined],
  ['across a border', addressIn.CH, 'tern_parcel_standard'],
] as const)(
  'some items first, then the rest, %s: each invoice is about its parcel, and the first has the shipping price',
  async (_where, shippingAddress, shipmentMethodUid) => {
    const order = await submitted({
      ...priced,
      shippingAddress,
      ...(shipmentMethodUid && { shipmentMethodUid }),
      items: [poster(stack, { retailPriceInclVat: 20 }), sticker(stack, { retailPriceInclVat: 3 })],
    });
    const first = await papersOf(await dispatch(order, [order.jobIds[1]]));
    const rest = await papersOf(await dispatch(order, [order.jobIds[0]]));

    const invoices = [first, rest].map((papers) => papers.filter((text) => text.startsWith('Invoice')));
    expect(invoices.map((texts) => texts.map(net))).toEqual([['8.00 EUR'], ['20.00 EUR']]);
    expect(invoices[0]![0]).not.toContain('poster');
    expect(invoices[1]![0]).not.toMatch(/sticker|Shipping/);
    expect(numberOf(invoices[0]![0])).not.toBe(numberOf(invoices[1]![0]));
    const customs = [first, rest].map((papers) => papers.filter((text) => text.startsWith('Commercial Invoice')));
    expect(customs.map((texts) => texts.map((text) => text.match(/Total value ([\d.]+)/)?.[1]))).toEqual(
      shipmentMethodUid === undefined ? [[], []] : [['3.00'], ['20.00']],
    );
    // The answer for everything repeats the papers of both.
    expect((await papersOf(await dispatch(order))).sort()).toEqual([...first, ...rest].sort());
  },
);

test('items of a shared parcel that leave first get a parcel of their own, packed anew, and the shop pays the same', async () => {
  const whole = await sharedParcel('shared-whole');
  expect(labelsOf(await dispatch(whole))).toEqual(['P-1']);
  const order = await sharedParcel('shared');
  const { receipts: before } = await stack.client.getOrder({ params: { orderId: order.orderId } });

  const first = await dispatch(order, [order.jobIds[1]]);
  const rest = await dispatch(order, [order.jobIds[0]]);

  expect([labelsOf(first), labelsOf(rest)]).toEqual([['P-1'], ['P-2']]);
  expect(rest.voidLabels).toBeUndefined();
  const [stickerGrams, posterGrams] = await grams(order);
  const [wholeGrams] = await grams(whole);
  expect(Math.max(stickerGrams!, posterGrams!)).toBeLessThan(wholeGrams!);
  // Each parcel has packaging of its own.
  expect(stickerGrams! + posterGrams!).toBeGreaterThan(wholeGrams!);
  expect([...(await papersOf(first)), ...(await papersOf(rest))].map(net)).toEqual(['8.00 EUR', '20.00 EUR']);
  const { receipts } = await stack.client.getOrder({ params: { orderId: order.orderId } });
  expect(receipts).toEqual(before);
});

test('a parcel that has its label already is split: its label is void, and both parts have new ones', async () => {
  const order = await sharedParcel('split');
  const { trackingCode } = await dispatch(order);

  const [first, again] = await Promise.all([dispatch(order, [order.jobIds[1]]), dispatch(order, [order.jobIds[1]])]);

  expect(again.trackingCode).toBe(first.trackingCode);
  expect(first.trackingCode).not.toBe(trackingCode);
  expect(first.voidLabels).toEqual([{ packageReferenceId: 'P-1', trackingCode }]);
  const all = await dispatch(order);
  expect(labelsOf(all)).toEqual(['P-1', 'P-2']);
  expect((await papersOf(all)).map(net)).toEqual(['8.00 EUR', '20.00 EUR']);
  const labels = (await downloaded(all)).filter(({ type }) => type === 'label').map(({ text }) => text);
  expect(labels[0]).toContain('1 of 2');
  expect(labels[1]).toContain('2 of 2');
  const { shipment } = await stack.client.getOrder({ params: { orderId: order.orderId } });
  expect(shipment!.packages.map(({ items }) => items.map(({ itemReferenceId }) => itemReferenceId))).toEqual([
    ['sticker'],
    ['poster'],
  ]);
});

const packagesOf = async ({ orderId }: HandedOver) => {
  const { shipment } = await stack.client.getOrder({ params: { orderId } });
  return { count: shipment!.packageCount, grams: shipment!.totalWeight };
};

test.each([
  ['before it has a label', false],
  ['that has its label', true],
])('the order counts both parts of a parcel that is split %s, with their weights', async (_when, isLabelled) => {
  const order = await sharedParcel(`counted-${isLabelled}`);
  expect((await packagesOf(order)).count).toBe(1);
  if (isLabelled) await dispatch(order);
  await dispatch(order, [order.jobIds[1]]);

  const both = await grams(order);
  expect(await packagesOf(order)).toEqual({ count: 2, grams: both[0]! + both[1]! });
});

test('a parcel whose parts the carrier has refused is split by the next request', async () => {
  const order = await sharedParcel('split-refused');
  const { trackingCode } = await dispatch(order);
  const { sql } = stack.services;
  // The carrier does not know the purchase of the first part any more.
  await sql`
    INSERT INTO carrier_purchases (idempotency_key, carrier_uid, voided_at)
    SELECT h.id || ':' || h.attempt || ':0-part-1', h.carrier_uid, now() FROM shipments h
    WHERE h.print_order_id = ${order.printOrderId}`;
  await expect(dispatch(order, [order.jobIds[1]])).rejects.toMatchObject({ status: 409 });
  expect((await dispatch(order)).trackingCode).toBe(trackingCode);

  const first = await dispatch(order, [order.jobIds[1]]);
  expect(first.trackingCode).not.toBe(trackingCode);
  expect(labelsOf(await dispatch(order))).toEqual(['P-1', 'P-2']);
});

test('a shared parcel of which an item has shipped is not split', async () => {
  const order = await sharedParcel('split-late');
  const { trackingCode } = await dispatch(order);
  await say(order, 'shipped', { orderItemId: order.jobIds[1] });
  await orderUntil(stack, order.orderId, ({ items }) => items[1]!.status === 'shipped');

  await expect(dispatch(order, [order.jobIds[0]])).rejects.toMatchObject({ status: 409 });
  expect((await dispatch(order)).trackingCode).toBe(trackingCode);
});

test('a client’s packing slip goes into one part of a parcel, and a delivery note into the other', async () => {
  const slip = { fileUrl: `${stack.sandbox.url}/files/packing-slip.pdf` };
  const packagingInstructions = [{ ...inOnePackage[0]!, packingSlip: slip }];
  const order = await submitted({ items: [poster(stack), sticker(stack)], packagingInstructions });
  const [only] = await papersOf(await dispatch(order));
  expect(only).not.toContain('Delivery note');

  expect(await papersOf(await dispatch(order, [order.jobIds[0]]))).toEqual([only]);
  const [note, ...more] = await papersOf(await dispatch(order, [order.jobIds[1]]));
  expect(more).toEqual([]);
  expect(note).toMatch(/^Delivery note .* sticker 1 Items/);
});

test('the invoice of the rest has the shipping price when the parcel with it is cancelled', async () => {
  const order = await handedOver(stack, 'shipping-moves', { items: 2 });
  expect((await papersOf(await dispatch(order))).map(net)).toEqual(['25.00 EUR', '3.00 EUR']);
  await repair(order.orderId, { action: 'cancel', itemIds: [order.itemIds[0]!] });
  await say(order, 'cancelled', { items: [{ orderItemId: order.jobIds[0] }] });
  await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'cancelled');

  expect((await papersOf(await dispatch(order))).map(net)).toEqual(['8.00 EUR']);
});

test.each([
  ['with', 0, ['3.00 EUR']],
  ['without', 1, ['25.00 EUR']],
] as const)(
  'after a change of address, the rest of an order that left in part %s the shipping price has the other papers',
  async (_which, left, papers) => {
    const reference = `left-${left}`;
    const order = await handedOver(stack, reference, { items: 2 });
    await dispatch(order);
    await say(order, 'shipped', { orderItemId: order.jobIds[left] });
    await orderUntil(stack, order.orderId, ({ items }) => items[left]!.status === 'shipped');
    const { shippingAddress } = orderBody(stack, reference);
    await stack.client.updateShipment({
      params: { orderId: order.orderId },
      body: { shippingAddress: { ...shippingAddress, addressLine1: 'Invalidenstrasse 2' } },
    });

    expect((await papersOf(await dispatch(order))).map(net)).toEqual(papers);
  },
);

test('of two print orders, the one that is dispatched first has the shipping price', async () => {
  const retail = { retailPriceInclVat: 25 };
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, { ...priced, items: [framedPoster(stack, retail), tShirt(stack, retail)] }),
  });
  await accepted(stack, id, 2);
  const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
  const invoices = [];
  for (const { id: orderId, partnerUid } of printOrders.toReversed()) {
    const papers = await papersOf(await stack.partner(partnerUid).dispatchOrder({ body: { orderId } }));
    invoices.push(papers.find((text) => text.startsWith('Invoice')));
  }
  expect(invoices.map(net)).toEqual(['30.00 EUR', '25.00 EUR']);

  // What has left keeps its paper after a change of address.
  const { id: sent, jobs, partnerUid } = printOrders[1]!;
  const status = { timestamp: new Date().toISOString(), orderId: sent, status: 'shipped' as const };
  await stack.partner(partnerUid).postOrderStatus({ body: { ...status, orderItemId: jobs[0]!.id } });
  await orderUntil(stack, id, ({ items }) => items.some((item) => item.status === 'shipped'));
  const { shippingAddress } = orderBody(stack, 'paper-after-change');
  const body = { shippingAddress: { ...shippingAddress, addressLine1: 'Invalidenstrasse 2' } };
  await stack.client.updateShipment({ params: { orderId: id }, body });
  const { id: orderId, partnerUid: rest } = printOrders[0]!;
  const papers = await papersOf(await stack.partner(rest).dispatchOrder({ body: { orderId } }));
  expect(papers.filter((text) => text.startsWith('Invoice')).map(net)).toEqual(['25.00 EUR']);
});

test('of two print orders that are dispatched at the same time, one has the shipping price', async () => {
  const retail = { retailPriceInclVat: 25 };
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, { ...priced, items: [framedPoster(stack, retail), tShirt(stack, retail)] }),
  });
  await accepted(stack, id, 2);
  const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
  const invoices = await Promise.all(
    printOrders.map(async ({ id: orderId, partnerUid }) => {
      const papers = await papersOf(await stack.partner(partnerUid).dispatchOrder({ body: { orderId } }));
      return net(papers.find((text) => text.startsWith('Invoice')));
    }),
  );
  expect(invoices.sort()).toEqual(['25.00 EUR', '30.00 EUR']);
});

test('a shipping price whose parcel is cancelled goes to a paper of another print order that has not left', async () => {
  const retail = { retailPriceInclVat: 25 };
  const items = [
    framedPoster(stack, retail),
    tShirt(stack, retail),
    { ...tShirt(stack, retail), itemReferenceId: 'next' },
  ];
  const { id } = await stack.client.submitOrder({ body: orderOf(stack, { ...priced, items }) });
  await accepted(stack, id, 2);
  const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
  const [first, second] = ['prints-berlin', 'prints-ohio'].map(
    (uid) => printOrders.find(({ partnerUid }) => partnerUid === uid)!,
  );
  const dispatchItem = async (printOrder: typeof first, index: number) => {
    const body = { orderId: printOrder!.id, orderItemIds: [printOrder!.jobs[index]!.id] };
    return (await papersOf(await stack.partner(printOrder!.partnerUid).dispatchOrder({ body })))
      .filter((text) => text.startsWith('Invoice'))
      .map(net);
  };
  expect(await dispatchItem(first, 0)).toEqual(['30.00 EUR']);
  expect(await dispatchItem(second, 0)).toEqual(['25.00 EUR']);
  const { id: orderId, jobs } = second!;
  await stack.partner('prints-ohio').postOrderStatus({
    body: { timestamp: new Date().toISOString(), orderId, status: 'shipped', orderItemId: jobs[0]!.id },
  });
  await orderUntil(stack, id, (order) => order.items[1]!.status === 'shipped');
  await repair(id, { action: 'cancel', itemIds: [first!.jobs[0]!.itemId] });
  await say(first!.id, 'cancelled');
  await orderUntil(stack, id, (order) => order.items[0]!.status === 'cancelled');

  expect(await dispatchItem(second, 0)).toEqual(['25.00 EUR']);
  expect(await dispatchItem(second, 1)).toEqual(['30.00 EUR']);
});

test.each([
  ['has left with a code of its partner', 'shipped', { trackingCode: 'OWN 7' }],
  ['is cancelled after its dispatch', 'cancelled', {}],
] as const)(
  'when the first print order %s, the papers of the second have the shipping price',
  async (_how, status, more) => {
    const retail = { retailPriceInclVat: 25 };
    const { id } = await stack.client.submitOrder({
      body: orderOf(stack, { ...priced, items: [framedPoster(stack, retail), tShirt(stack, retail)] }),
    });
    await accepted(stack, id, 2);
    const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: id } });
    const at = (uid: string) => printOrders.find(({ partnerUid }) => partnerUid === uid)!.id;
    const papersAt = async (uid: string) => {
      const papers = await papersOf(await stack.partner(uid).dispatchOrder({ body: { orderId: at(uid) } }));
      return papers.filter((text) => text.startsWith('Invoice')).map(net);
    };
    if (status === 'cancelled') {
      expect(await papersAt('prints-berlin')).toEqual(['30.00 EUR']);
      expect(await papersAt('prints-ohio')).toEqual(['25.00 EUR']);
      await repair(id, {
        action: 'cancel',
        itemIds: [printOrders.find(({ partnerUid }) => partnerUid === 'prints-berlin')!.jobs[0]!.itemId],
      });
    }
    await say(at('prints-berlin'), status, more);
    await orderUntil(stack, id, ({ items }) => items[0]!.status === status);

    expect(await papersAt('prints-ohio')).toEqual(['30.00 EUR']);
  },
);

test('a replaced label gives the customer’s invoice its number', async () => {
  const order = await handedOver(stack, 'relabelled');
  const { trackingCode } = await dispatch(order);
  const replaced = await stack
    .partner(order.partner)
    .dispatchOrder({ body: { orderId: order.printOrderId, replaceLabels: [trackingCode!] } });

  const [invoice] = await papersOf(replaced);
  expect(numberOf(invoice)).toBe(replaced.trackingCode);
  expect(net(invoice)).toBe('25.00 EUR');
});

test('units that are made in addition are not invoiced to the customer again', async () => {
  const order = await handedOver(stack, 'in-addition');
  await dispatch(order);
  await say(order, 'shipped');
  await orderUntil(stack, order.orderId, ({ items }) => items[0]!.status === 'shipped');
  await repair(order.orderId, { action: 'reproduce', itemId: order.itemIds[0]!, quantity: 1 });
  const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: order.orderId } });
  const { id: printOrderId, partnerUid: partner } = printOrders[1]!;
  await stack.partner(partner).postOrderStatus({
    body: { timestamp: new Date().toISOString(), orderId: printOrderId, status: 'received' },
  });

  const papers = await papersOf(
    await eventually(() => dispatch({ ...order, printOrderId, partner }).catch(() => undefined)),
  );
  expect(papers.filter((text) => /^(Invoice|Delivery note)/.test(text))).toEqual([
    expect.stringMatching(/^Delivery note/),
  ]);
});
