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
    invoices: texts.filter((text) => text.includes('Order run-')),
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

test('retail prices are on the commercial invoice of each parcel, which has a number of its own', async () => {
  const { texts } = await dispatched(
    threePosters({ shippingAddress: addressIn.CH, shipmentMethodUid: 'tern_parcel_standard' }),
  );

  const [first, second, ...more] = texts.filter((text) => text.includes('Commercial Invoice'));
  expect(more).toEqual([]);
  expect(first).toContain('3.33 EUR 6.67 EUR');
  expect(first).toContain('Total value 6.67 EUR');
  expect(second).toContain('3.33 EUR 3.33 EUR');
  expect(second).toContain('Total value 3.33 EUR');
  const numberOf = (text: string | undefined) => text?.match(/Commercial Invoice (\d{18})/)?.[1];
  expect(new Set([numberOf(first), numberOf(second), undefined]).size).toBe(3);
});

test('retail prices are on the customer’s invoice of each parcel, abroad and at home, and add up', async () => {
  const [abroad, home] = [
    await dispatched(threePosters({ shippingAddress: addressIn.CH })),
    await dispatched(threePosters({})),
  ];

  for (const { invoices } of [abroad, home]) {
    expect(invoices).toHaveLength(2);
    expect(invoices[0]).toContain('Net 11.67 EUR');
    expect(invoices[0]).toContain('Poster, A4,');
    expect(invoices[1]).toContain('3.33 EUR 3.33 EUR');
    expect(invoices[1]).toContain('Net 3.33 EUR');
  }
  expect(abroad.invoices[0]).toContain('Total 11.67 EUR');
  expect(home.invoices[0]).toContain('VAT 19 % 2.22 EUR');
  expect(home.customs).toMatchObject({ priceTotal: 0 });
});
