import { createPresslineClient } from '../../../client/pressline-client';
import { facilityOf } from '../../support/rows/partner-setup';
import { type TestStack, testStack } from '../../support/stack';
import {
  address,
  addressIn,
  atOnce,
  framedPoster,
  goodFile,
  isAt,
  type Order,
  ordered,
  orderOf,
  poster,
  read,
  readUntil,
  tShirt,
} from './client-orders';
import { dispatchDocuments } from './shipping/dispatched-order';

/** Orders from submission to delivery, with the sandbox's partners and carriers. All orders run at the same time. */

const retail = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };
const priced = { retailPriceInclVat: 20 };
const withoutPrice = { ...retail, retailShippingPriceInclVat: 0 };

let stack: TestStack;
const JOURNEYS = {
  split: () =>
    ordered(
      stack,
      orderOf(stack, {
        ...retail,
        items: [
          tShirt(stack, { ...priced, quantity: 2 }),
          poster(stack, priced),
          framedPoster(stack, { ...priced, quantity: 3 }),
        ],
      }),
    ),
  'to US without prices': () =>
    ordered(stack, orderOf(stack, { shippingAddress: addressIn.US, items: [framedPoster(stack)] })),
  'to CH, one price missing': () =>
    ordered(
      stack,
      orderOf(stack, {
        ...withoutPrice,
        shippingAddress: addressIn.CH,
        items: [framedPoster(stack, priced), framedPoster(stack, { itemReferenceId: 'second' })],
      }),
    ),
  'to CH with prices': () =>
    ordered(
      stack,
      orderOf(stack, {
        retailCurrency: 'CHF',
        retailShippingPriceInclVat: 9,
        shippingAddress: addressIn.CH,
        items: [framedPoster(stack, { retailPriceInclVat: 61.35, quantity: 2 })],
      }),
    ),
  'to VN in dong': () =>
    ordered(
      stack,
      orderOf(stack, {
        retailCurrency: 'VND',
        retailShippingPriceInclVat: 150_000,
        shipmentMethodUid: 'corvid_post',
        shippingAddress: addressIn.VN,
        items: [poster(stack, { retailPriceInclVat: 520_000 })],
      }),
    ),
  'within the EU without prices': () =>
    ordered(stack, orderOf(stack, { shippingAddress: addressIn.FR, items: [framedPoster(stack)] })),
};
let runs: Record<keyof typeof JOURNEYS, Promise<Order>>;

beforeAll(async () => {
  stack = await testStack();
  runs = atOnce(JOURNEYS);
});

/** Returns the partners of each item's print jobs. */
async function makersOf(order: Order) {
  const { printOrders } = await stack.operator.getOperatorOrder({ params: { orderId: order.id } });
  const makers = new Map(printOrders.map(({ id, partnerUid }) => [id, partnerUid]));
  return order.items.map(
    ({ itemReferenceId, printJobs }) =>
      [itemReferenceId, printJobs.map(({ printOrderId }) => makers.get(printOrderId)!)] as const,
  );
}

/** Returns the text of all documents of an order's print orders at a partner. */
async function papers(order: Order, partner: string): Promise<string[]> {
  const ids = new Set(order.items.flatMap(({ printJobs }) => printJobs.map(({ printOrderId }) => printOrderId)));
  const pages: string[] = [];
  for (const orderId of ids) {
    pages.push(...(await dispatchDocuments(stack.partner(partner), orderId)).map(({ text }) => text));
  }
  return pages;
}

test('a t-shirt, a poster and a framed poster are split over partners, connected, and delivered', async () => {
  const order = await runs.split;
  expect(order).toMatchObject({ fulfillmentStatus: 'delivered', financialStatus: 'invoiced' });
  expect(await makersOf(order)).toEqual([
    ['t-shirt', ['prints-ohio']],
    ['poster', ['prints-berlin']],
    ['framed-poster', ['prints-berlin']],
  ]);
  // The print order of a mounted poster has another shape.
  const printOrderIds = order.items.map(({ printJobs }) => printJobs[0]!.printOrderId);
  expect([...order.connectedOrderIds].sort()).toEqual([...printOrderIds].sort());
  expect(new Set(order.connectedOrderIds).size).toBe(3);

  const parcels = order.shipment!.packages;
  expect(new Set(parcels.map(({ printOrderId }) => printOrderId))).toEqual(new Set(printOrderIds));
  expect(order.shipment!.packageCount).toBe(parcels.length);
  const facility = (id: string) => parcels.find(({ printOrderId }) => printOrderId === id);
  expect(facility(printOrderIds[0]!)).toMatchObject({
    fulfillmentCountry: 'US',
    fulfillmentFacilityId: await facilityOf(stack.services.sql, 'prints-ohio'),
  });
  expect(facility(printOrderIds[1]!)).toMatchObject({
    fulfillmentCountry: 'DE',
    fulfillmentFacilityId: await facilityOf(stack.services.sql, 'prints-berlin'),
  });
  for (const { trackingCode } of parcels) {
    const tracking = await stack.client.getTracking({ params: { trackingNumber: trackingCode } });
    expect(tracking.checkpoints![0]).toMatchObject({ statusUid: 'delivered' });
  }

  // Each print order has an invoice. An invoice from abroad has no VAT.
  const lines = order.receipts.flatMap(({ items }) => items.filter(({ type }) => type === 'product'));
  expect(Object.fromEntries(lines.map(({ referenceId, amount }) => [referenceId, amount]))).toEqual({
    't-shirt': 2,
    poster: 1,
    'framed-poster': 3,
  });
  const vat = Object.fromEntries(lines.map((line) => [line.referenceId, Math.round((line.vat / line.price) * 100)]));
  expect(vat).toEqual({ 't-shirt': 0, poster: 19, 'framed-poster': 19 });
  const shipping = order.receipts.reduce((sum, { shippingPrice }) => sum + Math.round(shippingPrice * 100), 0);
  expect(shipping).toBe(Math.round(order.shipment!.price * 100));
});

describe('across a customs border', () => {
  test.each([
    ['to US without prices', ['retailCurrency', 'retailShippingPriceInclVat', 'items[0].retailPriceInclVat']],
    ['to CH, one price missing', ['items[1].retailPriceInclVat']],
  ] as const)('%s: refused because of missing retail prices', async (journey, missing) => {
    const order = await runs[journey];
    expect(order).toMatchObject({
      fulfillmentStatus: 'failed',
      financialStatus: 'canceled',
      refusalReasonCode: 'missing_retail_prices',
      refusalReasonDetails: { missing },
      receipts: [],
      shipment: null,
    });
    for (const field of missing) expect(order.refusalReason).toContain(field);
    expect((await makersOf(order)).flatMap(([, partners]) => partners)).toEqual([]);
  });

  test('an order with retail prices is produced, and they are its customs values', async () => {
    const order = await runs['to CH with prices'];
    expect(order).toMatchObject({ fulfillmentStatus: 'delivered', refusalReason: null });
    const text = await papers(order, 'prints-berlin');
    const customs = text.filter((page) => /CN ?2[23]|commercial invoice/i.test(page));
    expect(customs).not.toHaveLength(0);
    for (const page of customs) {
      expect(page).toContain('CHF');
      expect(page).toContain('61.35');
      expect(page).not.toContain('122.70');
      expect(page).toContain('4911');
    }
    // The importer pays the VAT.
    expect(order.receipts.map(({ totalVat }) => totalVat)).toEqual([0]);
  });

  test('an order in a currency without minor units and without an exchange rate goes by post', async () => {
    const order = await runs['to VN in dong'];
    expect(order).toMatchObject({ fulfillmentStatus: 'delivered', refusalReason: null });
    const [[, [maker]]] = (await makersOf(order)) as [[string, [string]]];
    const customs = (await papers(order, maker)).filter((page) => /CN ?2[23]/i.test(page));
    expect(customs).toHaveLength(1);
    expect(customs[0]).toMatch(/520[ ,.]?000/);
    expect(customs[0]).toContain('VND');
  });

  test('the EU is one customs territory', async () => {
    const order = await runs['within the EU without prices'];
    expect(order).toMatchObject({ fulfillmentStatus: 'delivered', refusalReason: null });
    const text = await papers(order, 'prints-berlin');
    expect(text.filter((page) => /CN ?2[23]|commercial invoice/i.test(page))).toEqual([]);
    expect(order.receipts[0]!.items[0]!.vat).toBe(Math.round(order.receipts[0]!.items[0]!.price * 20) / 100);
  });
});

test('a product created by the catalog API can be ordered at once by name and variant, by allowed customers', async () => {
  const { operator, client } = stack;
  await operator.addAttributeValues({
    params: { attributeId: 'card_paper' },
    body: [{ id: '320-gsm-recycled', description: 'Recycled', properties: { gsm: 320 } }],
  });
  const product = await client.createCustomerProduct({
    body: {
      name: 'Garden card',
      productModelId: 'flat-card',
      variantOptions: [
        {
          id: 'size',
          name: 'Size',
          attributesMapping: [{ partModelId: 'flat-card', attributeIds: ['card_format'] }],
        },
        {
          id: 'paper',
          name: 'Paper',
          attributesMapping: [{ partModelId: 'flat-card', attributeIds: ['card_paper'] }],
        },
      ],
    },
  });
  const value = (text: string, attribute: string, id: string, isDefault = false) => ({
    value: text,
    isDefault,
    attributeValues: [{ partModelId: 'flat-card', attributes: { [attribute]: id } }],
  });
  await client.addVariantValues({
    params: { customerProductId: product.id },
    body: [
      {
        variantOptionId: 'size',
        values: [value('Small', 'card_format', 'a6'), value('Large', 'card_format', 'a5')],
      },
      {
        variantOptionId: 'paper',
        values: [
          value('Silk', 'card_paper', '350-gsm-silk', true),
          value('Recycled', 'card_paper', '320-gsm-recycled'),
        ],
      },
    ],
  });
  const item = (productVariant: Record<string, string>) => ({
    itemReferenceId: 'card',
    productName: 'Garden card',
    productVariant,
    quantity: 10,
    files: [{ type: 'default', url: goodFile(stack, 'card-a5.pdf') }],
  });
  const order = await ordered(stack, orderOf(stack, { items: [item({ Size: 'Large', Paper: 'Recycled' })] }));
  expect(order).toMatchObject({ fulfillmentStatus: 'delivered', refusalReason: null });
  const [card] = order.items;
  expect(card).toMatchObject({
    productName: 'Garden card',
    productVariant: expect.arrayContaining([{ name: 'Size', value: 'Large' }]),
    attributes: expect.arrayContaining([
      expect.objectContaining({ name: 'card_format', value: 'a5' }),
      expect.objectContaining({ name: 'card_paper', value: '320-gsm-recycled' }),
    ]),
  });
  expect(card!.finalProductUid).toBe('card_product_pf_a5_pt_320-gsm-recycled_cl_4-0_ver');

  const other = await operator.createClient({ body: { name: 'another client' } });
  const stranger = createPresslineClient({ baseUrl: stack.baseUrl, ...other, retries: 0 });
  await expect(
    stranger.submitOrder({ body: orderOf(stack, { items: [item({ Size: 'Large' })] }) }),
  ).rejects.toMatchObject({
    status: 400,
    errors: [{ reference: 'items[0].productName' }],
  });
});

test('a whole order runs through the addresses and credentials of a client', async () => {
  const billingEntity = { id: 7, companyName: 'Poster Shop SAS', companyVatNumbers: ['FR40303265045'] };
  const clientAccount = await stack.operator.createClient({
    body: {
      name: 'poster-shop',
      billingEntity,
      returnAddress: { country: 'FR', addressLine1: '3 rue Oberkampf', city: 'Paris', postCode: '75011' },
      iossNumber: 'IM2760000742',
    },
  });
  const call = async (method: string, url: string, body?: object) => {
    const response = await fetch(url, {
      method,
      headers: {
        'X-API-KEY': `${clientAccount.apiKey}:${clientAccount.apiSecret}`,
        ...(body === undefined ? { Accept: 'application/json' } : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Order };
  };
  const body = orderOf(stack, { orderReferenceId: 'client order/1' });
  const submitted = await call('POST', clientAccount.submitOrderUrl, body);
  expect(submitted).toMatchObject({
    status: 200,
    body: { id: expect.any(String), orderReferenceId: body.orderReferenceId, createdAt: expect.any(String) },
  });
  const reference = encodeURIComponent(body.orderReferenceId);
  const { id } = submitted.body;
  for (const orderId of [id, reference]) {
    const found = await call('GET', `${clientAccount.getOrderUrl}/${orderId}`);
    expect(found).toMatchObject({ status: 200, body: { id, clientId: clientAccount.id } });
  }
  const changed = await call('PUT', clientAccount.updateShipmentUrl.replace('{order_id}', reference), {
    shippingAddress: { ...address, addressLine1: 'Linienstrasse 3' },
  });
  // The partner has already shipped it, so it cannot be changed.
  expect([200, 409]).toContain(changed.status);
  const client = createPresslineClient({ baseUrl: stack.baseUrl, ...clientAccount, retries: 0 });
  const order = await readUntil(client, id, isAt('delivered'));
  // The client's settings show in its orders.
  expect(order).toMatchObject({
    billingEntity,
    returnAddress: { id: expect.any(String), country: 'FR', addressLine1: '3 rue Oberkampf', phone: null },
    iossNumber: 'IM2760000742',
    receipts: [{ billingEntity }],
  });
  const shirt = orderOf(stack, { ...retail, items: [tShirt(stack, priced)] });
  const papersOf = async (body: typeof shirt) =>
    (await papers(await ordered(stack, body, isAt('delivered', 'failed'), client), 'prints-ohio')).join('\n');
  const [small, large] = await Promise.all([
    papersOf(shirt),
    papersOf({ ...shirt, items: [tShirt(stack, { retailPriceInclVat: 160, quantity: 8 })] }),
  ]);
  expect(small).toContain('IM2760000742');
  // The import one-stop shop ends at 150 EUR.
  expect(large).not.toContain('IM2760000742');
  await expect(read(stack.client, id)).rejects.toMatchObject({ status: 404 });
});
