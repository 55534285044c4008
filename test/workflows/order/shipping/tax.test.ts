import { createPresslineClient } from '../../../../client/pressline-client';
import { eventually, type TestClient, type TestStack, testStack } from '../../../support/stack';
import { addressIn, goodFile, orderOf, poster, read, readUntil, tShirt } from '../client-orders';
import { type DispatchedDocument, dispatchDocuments, dispatchedOrder } from './dispatched-order';

/** Taxes on the receipts of orders and on the invoices in their parcels. The partner of these tests is in Great Britain. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
  await stack.services.sql`
    UPDATE partners SET country = 'GB', sender_address = sender_address || '{"country": "GB", "postcode": "SW1A 1AA", "city": "London"}'
    WHERE uid = 'prints-berlin'`;
  await stack.services.sql`UPDATE partners SET enabled = false WHERE uid <> 'prints-berlin'`;
});

const inLondon = {
  ...addressIn.DE,
  country: 'GB',
  city: 'London',
  postCode: 'SE1 9GF',
  phone: '+44 20 7946 0000',
};
const book = () => ({
  itemReferenceId: 'book',
  productUid: 'photobook_hard_cover_product_pf_a5_pt_170-gsm-silk_fin_matt_pc_24',
  quantity: 1,
  files: [{ type: 'default', url: goodFile(stack, 'photo-book-a5.pdf?pages=24') }],
});
const receiptOf = async (client: TestClient, orderId: string) => {
  const { receipts } = await read(client, orderId);
  return Object.fromEntries(
    receipts[0]!.items.map(({ type, referenceId, price, vat }) => [
      type === 'shipment' ? type : referenceId,
      { price, vat },
    ]),
  );
};
const inPounds = (amount: number) => Math.round(amount * 100) / 100;

test('a book to Great Britain has a rate of zero, a poster has not, and shipping has the rate of the poster', async () => {
  const { order, documents } = await dispatchedOrder(
    stack,
    orderOf(stack, {
      shippingAddress: inLondon,
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      items: [{ ...book(), retailPriceInclVat: 30 }, poster(stack, { retailPriceInclVat: 20 })],
    }),
  );

  const receipt = await receiptOf(stack.client, order.id);
  expect(receipt.book!.price).toBeGreaterThan(0);
  expect(receipt.book!.vat).toBe(0);
  expect(receipt.poster!.vat).toBe(inPounds(receipt.poster!.price * 0.2));
  expect(receipt.shipment!.vat).toBe(inPounds(receipt.shipment!.price * 0.2));
  const invoices = documents.flatMap(({ text }) => (text.startsWith('Invoice') ? [text] : []));
  expect(invoices.find((text) => text.includes(' book '))).toContain('VAT 0 % 0.00 EUR');
  expect(invoices.find((text) => text.includes(' poster '))).toContain('VAT 20 % ');
  expect(invoices.join()).not.toContain('Export');
});

test('an order of books alone bears no VAT on its shipping either', async () => {
  const quote = await stack.client.quoteOrder({
    body: { currency: 'EUR', shippingAddress: inLondon, items: [book()] },
  });

  expect(quote).toMatchObject({ productsPriceVat: 0, shippingPriceVat: 0 });
});

test('rates that operators load apply to orders from their day on', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const nextYear = `${Number(today.slice(0, 4)) + 1}-01-01`;
  const load = (date: string, rate: string) =>
    stack.operator.loadTaxRates({
      params: { date },
      body: { rates: [{ country: 'GB', category: 'books', rate, source: 'Finance Act' }] },
    });
  const rateOn = async (date: string) =>
    (await stack.operator.getTaxRates({ params: { date } })).rates.find(
      ({ country, category }) => country === 'GB' && category === 'books',
    );
  const vatOfBook = async () => {
    const quote = await stack.client.quoteOrder({
      body: { currency: 'EUR', shippingAddress: inLondon, items: [book()] },
    });
    return quote.productsPriceVat;
  };
  expect(await rateOn(today)).toMatchObject({
    rate: '0',
    validFrom: null,
    source: expect.stringContaining('VAT Act 1994'),
  });

  await load(nextYear, '0.1');
  expect(await vatOfBook()).toBe(0);
  expect(await rateOn(today)).toMatchObject({ rate: '0' });
  expect(await rateOn(nextYear)).toMatchObject({ rate: '0.1', validFrom: nextYear, source: 'Finance Act' });

  await load(today, '0.05');
  expect(await vatOfBook()).toBeGreaterThan(0);
  const { entries } = await stack.operator.listAuditLog({ query: { action: 'tax_rates.load' } });
  expect(entries).toHaveLength(2);
  const rate = { country: 'GB', category: 'books', rate: '0.1', source: 'Finance Act' } as const;
  const twice = stack.operator.loadTaxRates({ params: { date: today }, body: { rates: [rate, rate] } });
  await expect(twice).rejects.toMatchObject({ status: 400, message: expect.stringContaining('Listed twice') });
});

describe('the IOSS', () => {
  let client: TestClient;
  beforeAll(async () => {
    await stack.services.sql`UPDATE partners SET enabled = true WHERE uid = 'prints-ohio'`;
    const account = await stack.operator.createClient({ body: { name: 'ioss', iossNumber: 'IM2760000742' } });
    client = createPresslineClient({ baseUrl: stack.baseUrl, ...account, retries: 0 });
  });
  afterAll(async () => {
    await stack.services.sql`UPDATE partners SET enabled = false WHERE uid = 'prints-ohio'`;
  });
  /** An order of a poster from London and a shirt from Ohio. */
  const orderFor = (prices: { poster: number; shirt: number }, business: object = {}) =>
    orderOf(stack, {
      shippingAddress: { ...addressIn.FR, ...business },
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 30,
      items: [
        poster(stack, { retailPriceInclVat: prices.poster }),
        tShirt(stack, { retailPriceInclVat: prices.shirt }),
      ],
    });
  const papersOf = (documents: readonly DispatchedDocument[]) =>
    documents.filter(({ type }) => type !== 'label').map(({ text }) => text);

  test('counts the goods of all print orders from outside the EU, and no shipping', async () => {
    const { documents, printOrder } = await dispatchedOrder(stack, orderFor({ poster: 100, shirt: 50 }), client);
    expect(printOrder.shipping.customs).toEqual({ priceTotal: 100, tax: 20, currencyCode: 'EUR' });
    const papers = papersOf(documents);
    expect(papers.length).toBeGreaterThan(0);
    for (const text of papers) expect(text).toContain('IM2760000742');
    const invoice = papers.find((text) => text.startsWith('Invoice'))!;
    expect(invoice).toContain('VAT 20 %');
    expect(invoice).toContain('paid through the import one-stop shop');
    expect(invoice).not.toContain('Export');
  });

  test('does not apply above 150 EUR, and applies after a cancel that leaves less', async () => {
    const { order, printOrderId, partner, printOrder, documents } = await dispatchedOrder(
      stack,
      orderFor({ poster: 100, shirt: 100 }),
      client,
    );
    expect(printOrder.shipping.customs.tax).toBe(0);
    for (const text of papersOf(documents)) expect(text).not.toContain('IM2760000742');
    expect(papersOf(documents).find((text) => text.startsWith('Invoice'))).toContain('Export of goods');

    await client.cancelOrder({
      params: { orderId: order.id },
      body: { items: [{ itemReferenceId: 't-shirt' }] },
    });
    await readUntil(client, order.id, ({ items }) => items[1]!.fulfillmentStatus === 'cancelled');
    const updated = await eventually(async () => {
      const sent = await partner.getPrintOrder({ params: { printOrderId } });
      return sent.revision > 1 ? sent : undefined;
    });
    expect(updated.shipping.customs).toEqual({ priceTotal: 100, tax: 20, currencyCode: 'EUR' });
    for (const text of papersOf(await dispatchDocuments(partner, printOrderId))) expect(text).toContain('IM2760000742');
  });

  test('does not apply to a business', async () => {
    const business = { isBusiness: true, companyName: 'Atelier', federalTaxId: 'FR40303265045' };
    const { printOrder, documents } = await dispatchedOrder(
      stack,
      orderFor({ poster: 20, shirt: 20 }, business),
      client,
    );
    expect(printOrder.shipping.customs.tax).toBe(0);
    for (const text of papersOf(documents)) expect(text).not.toContain('IM2760000742');
  });
});

describe('from a partner in Germany', () => {
  beforeAll(async () => {
    await stack.services.sql`
      UPDATE partners SET country = 'DE', sender_address = sender_address || '{"country": "DE", "postcode": "10969", "city": "Berlin"}'
      WHERE uid = 'prints-berlin'`;
  });
  const quoteTo = async (shippingAddress: object) =>
    await stack.client.quoteOrder({
      body: {
        currency: 'EUR',
        shippingAddress: { country: 'FR', city: 'Paris', postCode: '75003', ...shippingAddress },
        items: [poster(stack)],
      },
    });

  test.each([
    ['ES', '35001', 'Las Palmas', true, 0],
    ['ES', '51001', 'Ceuta', true, 0],
    ['ES', '52001', 'Melilla', true, 0],
    ['IT', '23041', 'Livigno', true, 0],
    ['DE', '27498', 'Helgoland', true, 0],
    ['DE', '78266', 'Büsingen am Hochrhein', true, 0],
    ['FI', '22100', 'Mariehamn', true, 0],
    ['GR', '63086', 'Karyes', true, 0],
    ['FR', '97400', 'Saint-Denis', true, 0],
    ['MC', '98000', 'Monaco', false, 0.2],
    ['GB', 'BT1 5GS', 'Belfast', false, 0.2],
    ['DE', '10119', 'Berlin', false, 0.19],
  ])('goods to %s %s %s need retail prices: %s, and their VAT is %s', async (country, postCode, city, border, rate) => {
    const quote = await quoteTo({ country, postCode, city });
    expect(quote.needsRetailPrices).toBe(border);
    expect(quote.productsPriceVat).toBe(inPounds(quote.productsPrice * rate));
  });

  test('a business of another state accounts for the VAT itself, and the invoice has both VAT numbers', async () => {
    const account = await stack.operator.createClient({
      body: {
        name: 'shop',
        billingEntity: {
          id: 1,
          companyName: 'Legal Seller GmbH',
          companyVatNumber: 'FR23334175221',
          companyVatNumbers: ['DE136695976'],
        },
        returnAddress: {
          country: 'DE',
          companyName: 'Returns Desk',
          addressLine1: 'Lagerstr. 1',
          city: 'Berlin',
          postCode: '10119',
        },
      },
    });
    const client = createPresslineClient({ baseUrl: stack.baseUrl, ...account, retries: 0 });
    const business = { ...addressIn.FR, isBusiness: true, companyName: 'Atelier', federalTaxId: 'FR40303265045' };

    const { order, documents } = await dispatchedOrder(
      stack,
      orderOf(stack, { shippingAddress: business, items: [poster(stack, { retailPriceInclVat: 20 })] }),
      client,
    );

    expect((await receiptOf(client, order.id)).poster!.vat).toBe(0);
    const { text } = documents.find(({ text }) => text.startsWith('Invoice'))!;
    expect(text).toContain('Reverse charge: the recipient accounts for the VAT');
    expect(text).toContain('Buyer VAT no. (FR) FR40303265045');
    expect(text).toMatch(/Legal Seller GmbH.*Seller VAT no\. \(DE\) DE136695976/);
    expect(text).not.toContain('Returns Desk');
    expect((await quoteTo({ isBusiness: true, federalTaxId: 'FR40303265045' })).totalVat).toBe(0);
  });

  test('a business without a number that can be valid pays VAT', async () => {
    expect((await quoteTo({ isBusiness: true, federalTaxId: 'FR40303265046' })).totalVat).toBeGreaterThan(0);
    expect((await quoteTo({ federalTaxId: 'FR40303265045' })).totalVat).toBeGreaterThan(0);
    // A number of the state of production.
    expect((await quoteTo({ isBusiness: true, federalTaxId: 'DE136695976' })).totalVat).toBeGreaterThan(0);
  });

  test('retail prices have the digits that shops compute, and papers round them half up', async () => {
    const { order, documents, printOrder } = await dispatchedOrder(
      stack,
      orderOf(stack, {
        shippingAddress: addressIn.CH,
        retailCurrency: 'EUR',
        retailShippingPriceInclVat: 4.125,
        items: [poster(stack, { retailPriceInclVat: 16.798319327731093 })],
      }),
    );
    const { items, shipment } = await read(stack.client, order.id);
    expect(items[0]!.retailPriceInclVat).toBe(16.798319327731093);
    expect(shipment!.retailShippingPriceInclVat).toBe(4.125);
    expect(printOrder.shipping.customs.priceTotal).toBe(16.8);
    const { text } = documents.find(({ text }) => text.startsWith('Invoice'))!;
    expect(text).toContain('16.80 EUR');
    expect(text).toContain('4.13 EUR');
  });
});

describe('the tax ids of a recipient in Brazil', () => {
  const inBrazil = {
    ...addressIn.DE,
    country: 'BR',
    city: 'Sao Paulo',
    postCode: '01310-100',
    state: 'SP',
    phone: '+55 11 3251 0000',
  };
  const priced = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5, items: [] as ReturnType<typeof poster>[] };

  test('stand on the CN22: a CPF of a person', async () => {
    const { documents } = await dispatchedOrder(
      stack,
      orderOf(stack, {
        ...priced,
        shipmentMethodUid: 'corvid_post_tracked_packet',
        shippingAddress: { ...inBrazil, federalTaxId: '529.982.247-25', stateTaxId: '110.042.490.114' },
        items: [poster(stack, { retailPriceInclVat: 20 })],
      }),
    );
    const { text } = documents.find(({ text }) => text.includes('CN 22'))!;
    expect(text).toContain('Receiver CPF (BR) 529.982.247-25');
    expect(text).not.toContain('110.042.490.114');
  });

  test('stand on the CN23 and the commercial invoice: CNPJ and state registration of a business', async () => {
    const business = {
      ...inBrazil,
      isBusiness: true,
      companyName: 'Livraria Paulista',
      federalTaxId: '11.222.333/0001-81',
      stateTaxId: '110.042.490.114',
      registrationState: 'SP',
    };
    for (const shipmentMethodUid of ['corvid_post_parcel', 'merlin_express_standard']) {
      const { documents } = await dispatchedOrder(
        stack,
        orderOf(stack, {
          ...priced,
          shipmentMethodUid,
          shippingAddress: business,
          items: [poster(stack, { retailPriceInclVat: 600 })],
        }),
      );
      const form = documents.find(({ text }) => text.includes('CN 23') || text.includes('Commercial Invoice'))!;
      expect(form.text).toContain('Receiver CNPJ (BR) 11.222.333/0001-81');
      expect(form.text).toContain('Receiver State tax ID (BR) 110.042.490.114');
      expect(form.text).toContain('Receiver State of registration (BR) SP');
    }
  });
});
