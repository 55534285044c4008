import { type TestStack, testStack } from '../../support/stack';
import { dispatchedOrder } from './dispatched-order';
import { addressIn, orderOf, poster, read } from './shop';

jest.setTimeout(150_000);

/** What the labels and forms of orders show. */

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ mode: 'manual' });
});

const retail = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };

describe('emoji in an address', () => {
  const withEmoji = (of: (typeof addressIn)[keyof typeof addressIn]) => ({
    ...of,
    lastName: 'Lovelace \u{1F389}',
    addressLine2: '\u{1F3E0} Rear building',
  });

  test('are left out of the label and the customs form, and stored with the order', async () => {
    const { order, documents } = await dispatchedOrder(
      stack,
      orderOf(stack, {
        ...retail,
        shippingAddress: withEmoji(addressIn.CH),
        shipmentMethodUid: 'corvid_post_parcel',
        items: [poster(stack, { retailPriceInclVat: 600 })],
      }),
    );

    const label = documents.find(({ text }) => text.includes('To '))!;
    const form = documents.find(({ text }) => text.includes('CN 23'))!;
    for (const { text } of [label, form]) {
      expect(text).toContain('Ada Lovelace');
      expect(text).toContain('Rear building');
    }
    expect(label.text).toMatch(/Ada Lovelace Torstrasse 1 Rear building/);
    expect((await read(stack.shop, order.id)).shippingAddress).toMatchObject({
      lastName: 'Lovelace \u{1F389}',
      addressLine2: '\u{1F3E0} Rear building',
    });
  });
});
