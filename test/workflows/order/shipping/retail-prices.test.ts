import { type TestStack, testStack } from '../../../support/stack';
import { addressIn, type OrderBody, orderOf, poster } from '../client-orders';
import { dispatchedOrder } from './dispatched-order';

/** Retail prices are the total of an order line, for all of its units, in every document and in the print order. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

/** Three posters for 10.00 together, in packages of two and one. */
const threePosters = (over: Partial<OrderBody>) =>
  orderOf(stack, {
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 5,
    items: [poster(stack, { quantity: 3, retailPriceInclVat: 10 })],
    packagingInstructions: [
      { packageItems: [{ orderItemReferenceId: 'poster', quantity: 2 }] },
      { packageItems: [{ orderItemReferenceId: 'poster', quantity: 1 }] },
    ],
    ...over,
  });

/** Dispatches an order, and returns the customs of its print order and the text of its documents. */
async function dispatched(body: OrderBody) {
  const { printOrder, documents } = await dispatchedOrder(stack, body);
  const texts = documents.map(({ text }) => text);
  return {
    customs: printOrder.shipping.customs as object,
    invoice: texts.find((text) => text.includes('Order run-'))!,
    texts,
  };
}

test('retail prices are on customs forms, whose totals add up to the line’s price over several packages', async () => {
  const { texts, customs } = await dispatched(
    threePosters({ shippingAddress: addressIn.CH, shipmentMethodUid: 'corvid_post_tracked_packet' }),
  );

  const forms = texts.filter((text) => text.includes('CN 22')).sort();
  expect(forms).toHaveLength(2);
  expect(forms.map((text) => text.match(/Total, net weight [\d.]+ kg [\d.]+ kg ([\d.]+ EUR)/)?.[1]).sort()).toEqual([
    '3.33 EUR',
    '6.67 EUR',
  ]);
  expect(customs).toEqual({ priceTotal: 10, tax: expect.any(Number), currencyCode: 'EUR' });
});

test('retail prices are on the commercial invoice, with unit values to the cent', async () => {
  const { texts } = await dispatched(
    threePosters({ shippingAddress: addressIn.CH, shipmentMethodUid: 'tern_parcel_standard' }),
  );

  const invoice = texts.find((text) => text.includes('Commercial Invoice'))!;
  expect(invoice).toContain('3.33 EUR 6.67 EUR');
  expect(invoice).toContain('3.33 EUR 3.33 EUR');
  expect(invoice).toContain('Total value 10.00 EUR');
});

test('retail prices are on the customer’s invoice, abroad and at home', async () => {
  const [abroad, home] = [
    await dispatched(threePosters({ shippingAddress: addressIn.CH })),
    await dispatched(threePosters({})),
  ];

  expect(abroad.invoice).toContain('3.33 EUR 10.00 EUR');
  expect(abroad.invoice).toContain('Net 15.00 EUR');
  expect(abroad.invoice).toContain('Total 15.00 EUR');
  expect(home.invoice).toContain('Net 15.00 EUR');
  expect(home.invoice).toContain('VAT 19 % 2.85 EUR');
  expect(home.customs).toMatchObject({ priceTotal: 0 });
});
