import { loadImage } from '@napi-rs/canvas';
import { deriveOrderStatus, type ItemStatus } from '../../../src/orders/domain/lifecycle/statuses';
import { facilityOf } from '../../support/rows/partner-setup';
import { eventually, type TestClient, type TestStack, testStack } from '../../support/stack';
import { address, DIE_CUT_STICKER, goodFile, type Order, orderOf, poster, read, readUntil } from './client-orders';
import { fileHost } from './file-host';
import { carrierScans, partnerClock } from './order-fixture';

/**
 * Reads an order of two items after every step of its run. The statuses are derived from the items, and in the end every
 * field of schema `Order` has its value.
 */

let stack: TestStack;
const files = fileHost();
let berlin: TestClient;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  berlin = stack.partner('prints-berlin');
});

const metadata = (value: string) => [{ key: 'shelf', value }];

const twoItems = (posterUrl: string) =>
  orderOf(stack, {
    currency: 'EUR',
    shipmentMethodUid: 'express',
    metadata: metadata('order'),
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 4.5,
    shippingAddress: {
      ...address,
      addressLine2: '2. Hof',
      companyName: 'Analytical Ltd',
      isBusiness: true,
      federalTaxId: 'DE129273398',
    },
    items: [
      poster(stack, {
        quantity: 3,
        retailPriceInclVat: 19.5,
        metadata: metadata('item'),
        files: [{ type: 'default', url: posterUrl, metadata: metadata('file') }],
      }),
      {
        itemReferenceId: 'sticker',
        productUid: DIE_CUT_STICKER,
        quantity: 60,
        retailPriceInclVat: 2,
        customTrim: { widthMm: 60, heightMm: 60 },
        files: [{ type: 'my-own.Name_1', url: goodFile(stack, 'sticker-75.png') }],
      },
    ],
  });

const statuses = ({ fulfillmentStatus, financialStatus, items }: Order) => [
  fulfillmentStatus,
  financialStatus,
  ...items.map((item) => item.fulfillmentStatus),
];

/** Reads until the first item has this status, and checks that the order's status is derived from its items. */
async function readAt(orderId: string, ...expected: string[]): Promise<Order> {
  const order = await readUntil(stack.client, orderId, (seen) => statuses(seen).join() === expected.join()).catch(
    async () => await read(stack.client, orderId),
  );
  expect(statuses(order)).toEqual(expected);
  expect(order.fulfillmentStatus).toBe(
    deriveOrderStatus(order.items.map((item) => item.fulfillmentStatus as ItemStatus)),
  );
  return order;
}

/** Returns the print jobs of the order's one print order, when its partner has accepted it. */
async function jobsOf(orderId: string) {
  const order = await readUntil(
    stack.client,
    orderId,
    ({ items, eventLog }) =>
      items.every(({ printJobs }) => printJobs.length === 1) &&
      eventLog.some(({ type }) => type === 'print_order_accepted' || type === 'handed_over'),
  );
  const [first, second] = order.items.map(({ printJobs }) => printJobs[0]!);
  expect(first!.printOrderId).toBe(second!.printOrderId);
  return { printOrderId: first!.printOrderId, first: first!.id, second: second!.id };
}

const fetched = async (url: string) => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
};

test('an order shows its status at every step of a run, from created to delivered', async () => {
  const now = partnerClock();
  await stack.stopWorker();
  const { url, send } = files.hold(stack);
  const { id } = await stack.client.submitOrder({ body: twoItems(url) });
  const created = await readAt(id, 'created', 'pending', 'created', 'created');
  expect(created).toMatchObject({ shipment: null, receipts: [], eventLog: [] });
  expect(created.items[0]).toMatchObject({
    processedFileUrl: null,
    pageCount: null,
    dpi: null,
    price: null,
    previews: [],
    printJobs: [],
    filesSize: 0,
    files: [{ mimeType: null }],
  });

  await stack.startWorker();
  await readAt(id, 'uploading', 'pending', 'uploading', 'uploading');
  send();
  await readAt(id, 'passed', 'invoiced', 'passed', 'passed');
  const { printOrderId, first, second } = await jobsOf(id);
  await expectOurCopies(printOrderId);
  const say = (status: 'received' | 'printed' | 'shipped', orderItemId: string) =>
    berlin.postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status, orderItemId } });

  await say('received', first);
  await readAt(id, 'passed', 'invoiced', 'in_production', 'passed');
  await say('received', second);
  await readAt(id, 'in_production', 'invoiced', 'in_production', 'in_production');
  await say('printed', second);
  await readAt(id, 'in_production', 'invoiced', 'in_production', 'printed');
  await say('printed', first);
  await readAt(id, 'printed', 'invoiced', 'printed', 'printed');

  const { documents, trackingCode, trackingLink } = await berlin.dispatchOrder({
    body: { orderId: printOrderId },
  });
  expect(documents.map(({ type }) => type)).toEqual(['label', 'label', 'invoice', 'invoice']);
  const dispatched = await readAt(id, 'printed', 'invoiced', 'printed', 'printed');
  expect(dispatched.shipment).toMatchObject({
    status: 'pending',
    packages: [{ trackingCode, trackingUrl: trackingLink }, { trackingUrl: expect.stringContaining('http') }],
  });

  await say('shipped', first);
  await readAt(id, 'printed', 'invoiced', 'shipped', 'printed');
  await say('shipped', second);
  const shipped = await readAt(id, 'shipped', 'invoiced', 'shipped', 'shipped');
  expect(shipped.shipment).toMatchObject({ status: 'shipped' });

  const codes = shipped.shipment!.packages.map((parcel) => parcel.trackingCode);
  for (const code of codes) await carrierScans(stack, code!, 'in_transit');
  const inTransit = await readAt(id, 'in_transit', 'invoiced', 'in_transit', 'in_transit');
  expect(inTransit.shipment).toMatchObject({ status: 'in_transit' });
  for (const code of codes) await carrierScans(stack, code!, 'delivered');
  const delivered = await readAt(id, 'delivered', 'invoiced', 'delivered', 'delivered');

  for (const logged of [delivered, ...delivered.items]) {
    expect(logged.eventLog.flatMap(({ type, data }) => (type === 'status' ? [data.status] : []))).toEqual([
      'uploading',
      'passed',
      'in_production',
      'printed',
      'shipped',
      'in_transit',
      'delivered',
    ]);
  }
  await expectEveryField(delivered);
  await expectFilesAsSent(delivered);
  for (const receipt of delivered.receipts) expectToAddUp(receipt);
});

/** Fields of schema `Order` that are null, as nothing sets them. A response without a field of its schema fails with 500. */
const EMPTY_FIELDS = {
  order: `customerReferenceId refusalReason refusalReasonCode refusalReasonDetails comment storeId orderedByUserId
    paymentMethodType paymentMethodId prepaymentTransactionId returnAddress iossNumber digitizationId replaces reprintOf
    fileDelay channelOrder`,
  shippingAddress: 'addressAsSent state stateTaxId registrationState',
  item: 'storeProductVariantId storeProductId designId',
  file: 'fitMethod fillMethod replacement',
  shipment: 'orderProductId',
  receipt: 'billingTag',
  line: 'pricePlanId',
} as const;

function expectFields(object: object, fields: keyof typeof EMPTY_FIELDS): void {
  const empty = Object.entries(object).flatMap(([name, value]) => (value === null ? [name] : []));
  expect(empty.sort()).toEqual(EMPTY_FIELDS[fields].split(/\s+/).sort());
}

async function expectEveryField(order: Order): Promise<void> {
  const [posters, stickers] = order.items;
  const { shipment, receipts } = order;
  expectFields(order, 'order');
  expectFields(order.shippingAddress, 'shippingAddress');
  // Only images have a resolution. Only the stickers are trimmed.
  expectFields({ ...posters, dpi: 0, customTrim: {} }, 'item');
  expectFields(stickers!, 'item');
  expectFields(posters!.files[0]!, 'file');
  expectFields(shipment!, 'shipment');
  expectFields(receipts[0]!, 'receipt');
  expectFields(receipts[0]!.items[0]!, 'line');
  expect(order).toMatchObject({
    currency: 'EUR',
    channel: 'api',
    orderType: 'order',
    metadata: metadata('order'),
    retailCurrency: 'EUR',
    connectedOrderIds: [],
    shipmentMethodUid: 'express',
    shippingAddress: { companyName: 'Analytical Ltd', addressLine2: '2. Hof', isBusiness: true },
  });
  expect(posters).toMatchObject({
    productUid: posters!.finalProductUid,
    quantity: 3,
    category: 'posters',
    productName: 'Poster',
    pageCount: 1,
    dpi: null,
    customTrim: null,
    price: 17.79,
    retailPriceInclVat: 19.5,
    productFileMimeType: 'application/pdf',
    metadata: metadata('item'),
    files: [{ type: 'default', url: posters!.fileUrl, mimeType: 'application/pdf', metadata: metadata('file') }],
    printJobs: [{ quantity: 3, status: 'delivered' }],
  });
  expect(posters!.files[0]!.facts).toMatchObject({
    complete: true,
    // A4 with a bleed of 3 mm.
    boxes: [{ pages: { count: 1 }, trimBox: [8.504, 8.504, 603.78, 850.394], bleedBox: [0, 0, 612.283, 858.898] }],
    colors: [{ model: 'rgb', space: 'DeviceRGB' }],
    fonts: [{ embedded: true }, { embedded: true }],
    images: [],
  });
  expect(posters!.attributes[0]).toEqual({
    name: 'paper_format',
    title: 'Paper format',
    value: 'a4',
    formattedValue: 'A4',
  });
  // 75 mm at 300 dpi, printed 60 mm wide.
  expect(stickers).toMatchObject({
    pageCount: 1,
    dpi: 375,
    customTrim: { widthMm: 60, heightMm: 60 },
    price: 54,
    files: [{ facts: { complete: true, pdf: null, image: { widthPx: 886, heightPx: 886, alpha: true } } }],
  });

  expect(shipment).toMatchObject({
    shippingAddressId: order.shippingAddress.id,
    packageCount: 2,
    isCheapest: false,
    minDeliveryDate: shipment!.initialMinDeliveryDate,
    maxDeliveryDate: shipment!.initialMaxDeliveryDate,
    status: 'delivered',
    fulfillmentCountry: 'DE',
    fulfillmentFacilityId: await facilityOf(stack.services.sql, 'prints-berlin'),
    retailShippingPriceInclVat: 4.5,
    serviceType: 'express',
    speedType: 'express',
  });
  const today = Date.parse(order.createdAt.slice(0, 10));
  for (const [date, days] of [
    [shipment!.minDeliveryDate, shipment!.minDeliveryDays],
    [shipment!.maxDeliveryDate, shipment!.maxDeliveryDays],
  ] as const) {
    // The order's date and the partner's date can differ around midnight.
    expect(Math.abs((Date.parse(date) - today) / 86_400_000 - days)).toBeLessThanOrEqual(1);
    expect([1, 2, 3, 4, 5]).toContain(new Date(date).getUTCDay());
    expect(date > posters!.printJobs[0]!.dispatchDate).toBe(true);
  }

  const [receipt] = receipts;
  expect(receipts).toHaveLength(1);
  expect(receipt).toMatchObject({
    orderId: order.id,
    type: 'invoice',
    currency: 'EUR',
    productsPrice: 71.79,
    shippingPrice: shipment!.price,
    billingEntity: order.billingEntity,
  });
  expect(
    receipt!.items.map(({ type, referenceId, amount, vat, price }) => [type, referenceId, amount, vat, price]),
  ).toEqual([
    ['product', 'poster', 3, 3.38, 17.79],
    ['product', 'sticker', 60, 10.26, 54],
    ['shipment', shipment!.shipmentMethodUid, 1, expect.any(Number), shipment!.price],
  ]);
}

/** Checks that processed files are the submitted ones, and that previews have their sizes. */
async function expectFilesAsSent({ items }: Order): Promise<void> {
  const sent = ['poster-a4.pdf', 'sticker-75.png'];
  for (const [index, item] of items.entries()) {
    const original = await fetched(goodFile(stack, sent[index]!));
    const processed = await fetched(item.processedFileUrl!);
    expect(processed.bytes.equals(original.bytes)).toBe(true);
    expect(processed.type).toBe(item.productFileMimeType);
    expect(item.filesSize).toBe(original.bytes.length);
    const previews = await Promise.all(
      item.previews.map(async ({ type, url }) => {
        const preview = await fetched(url);
        expect(preview.type).toMatch(/^image\/(png|jpeg)$/);
        const { width, height } = await loadImage(preview.bytes);
        return [type, Math.max(width, height)];
      }),
    );
    const largest = index === 0 ? 1600 : 886;
    expect(Object.fromEntries(previews)).toEqual({
      preview_flat: largest,
      preview_default: 800,
      preview_thumbnail: 200,
    });
  }
}

/** Checks that a partner gets our copies of the files, by links that expire. */
async function expectOurCopies(printOrderId: string): Promise<void> {
  const body = await eventually(async () => {
    const [sent] = await stack.services.sql<{ body: string | null }[]>`
      SELECT body FROM print_orders WHERE id = ${printOrderId}`;
    return sent?.body ?? undefined;
  });
  const { items } = JSON.parse(body) as { items: { assets: { url: string; contentType: string }[] }[] };
  const originals = await Promise.all(
    ['poster-a4.pdf', 'sticker-75.png'].map((name) => fetched(goodFile(stack, name))),
  );
  for (const [index, { assets }] of items.entries()) {
    expect(assets).toHaveLength(1);
    const { url, contentType } = assets[0]!;
    expect(url.startsWith(`${stack.baseUrl}/`)).toBe(true);
    const copy = await fetched(url);
    expect(copy.type).toBe(contentType);
    expect(copy.bytes.equals(originals[index]!.bytes)).toBe(true);
    expect((await fetch(url.replace(/.(?=\/[^/]*$)/, (last) => (last === 'A' ? 'B' : 'A')))).ok).toBe(false);
  }
}

test('an item that its partner cancels waits for an operator, who cancels it with a refund', async () => {
  const now = partnerClock();
  const { id } = await stack.client.submitOrder({ body: twoItems(goodFile(stack, 'poster-a4.pdf')) });
  await readAt(id, 'passed', 'invoiced', 'passed', 'passed');
  const { printOrderId, first, second } = await jobsOf(id);
  const say = (status: 'received' | 'printed' | 'shipped', orderItemId: string) =>
    berlin.postOrderStatus({ body: { timestamp: now(), orderId: printOrderId, status, orderItemId } });
  await berlin.postOrderStatus({
    body: {
      timestamp: now(),
      orderId: printOrderId,
      status: 'cancelled',
      message: 'no sticker paper',
      items: [{ orderItemId: second, quantity: 20 }],
    },
  });
  const held = await readAt(id, 'on_hold', 'invoiced', 'passed', 'manual_handling');
  expect(held.items[1]!.eventLog).toContainEqual(
    expect.objectContaining({
      type: 'postback_cancelled',
      data: { at: expect.any(String), quantity: 20 },
    }),
  );
  await say('received', first);
  await readAt(id, 'on_hold', 'invoiced', 'in_production', 'manual_handling');

  await stack.operator.repairOrder({
    params: { orderId: id },
    body: { action: 'cancel', itemIds: [held.items[1]!.id], reason: 'the paper is gone' },
  });
  await readAt(id, 'in_production', 'partially_refunded', 'in_production', 'cancelled');
  // Shipping is refunded to what the rest costs, once it is planned.
  const refunded = await readUntil(stack.client, id, ({ receipts }) => receipts.length > 2);
  const [invoice, refund, shippingRefund] = refunded.receipts;
  expect(refunded.receipts).toHaveLength(3);
  expect(shippingRefund).toMatchObject({ type: 'refund', productsPrice: 0, shippingPrice: -9.66 });
  for (const receipt of refunded.receipts) expectToAddUp(receipt);
  expect(refund).toMatchObject({
    type: 'refund',
    productsPrice: -54,
    shippingPrice: 0,
    totalInclVat: -64.26,
  });
  expect(invoice!.productsPrice).toBe(71.79);

  await say('printed', first);
  await say('shipped', first);
  await readAt(id, 'shipped', 'partially_refunded', 'shipped', 'cancelled');
});

/** Checks that every total of a receipt is the sum of its lines, in minor units. */
function expectToAddUp(receipt: Order['receipts'][number]): void {
  const minor = (amount: number) => Math.round(amount * 100);
  const sum = (key: 'priceInitial' | 'discount' | 'price' | 'vat' | 'priceInclVat', type?: string) =>
    receipt.items.reduce(
      (total, line) => (type === undefined || line.type === type ? total + minor(line[key]) : total),
      0,
    );
  const totals = Object.fromEntries(
    Object.entries(receipt).flatMap(([name, value]) => (typeof value === 'number' ? [[name, minor(value)]] : [])),
  );
  expect(totals).toMatchObject({
    productsPriceInitial: sum('priceInitial', 'product'),
    productsPriceDiscount: sum('discount', 'product'),
    productsPrice: sum('price', 'product'),
    productsPriceVat: sum('vat', 'product'),
    productsPriceInclVat: sum('priceInclVat', 'product'),
    shippingPriceInitial: sum('priceInitial', 'shipment'),
    shippingPriceDiscount: sum('discount', 'shipment'),
    shippingPrice: sum('price', 'shipment'),
    shippingPriceVat: sum('vat', 'shipment'),
    shippingPriceInclVat: sum('priceInclVat', 'shipment'),
    discount: sum('discount'),
    totalInitial: sum('priceInitial'),
    total: sum('price'),
    totalVat: sum('vat'),
    totalInclVat: sum('price') + sum('vat'),
  });
  expect(totals.discountInclVat).toBe(totals.discount! + totals.discountVat!);
  expect(totals.total).toBe(totals.totalInitial! - totals.discount!);
  for (const line of receipt.items) {
    expect(minor(line.priceInitial) - minor(line.discount)).toBe(minor(line.price));
    expect(minor(line.price) + minor(line.vat)).toBe(minor(line.priceInclVat));
  }
}
