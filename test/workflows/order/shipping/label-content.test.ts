import { createPresslineClient } from '../../../../client/pressline-client';
import { type TestStack, testStack } from '../../../support/stack';
import { addressIn, goodFile, orderOf, poster, read } from '../client-orders';
import { dispatchDocuments, dispatchedOrder } from './dispatched-order';

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
    expect((await read(stack.client, order.id)).shippingAddress).toMatchObject({
      lastName: 'Lovelace \u{1F389}',
      addressLine2: '\u{1F3E0} Rear building',
    });
  });
});

describe('the return address of a client', () => {
  const returnAddress = {
    companyName: 'Poster Shop Returns',
    country: 'NL',
    addressLine1: 'Prinsengracht 12',
    city: 'Amsterdam',
    postCode: '1015 DK',
  };

  test('is the From of the label and the sender of the print order, in place of the partner’s address', async () => {
    const clientAccount = await stack.operator.createClient({
      body: { name: 'with-returns', returnAddress },
    });
    const client = createPresslineClient({ baseUrl: stack.baseUrl, ...clientAccount, retries: 0 });

    const { documents, printOrder } = await dispatchedOrder(
      stack,
      orderOf(stack, { items: [poster(stack, { retailPriceInclVat: 20 })] }),
      client,
    );

    const [partner] = await stack.services.sql<{ street: string }[]>`
      SELECT sender_address->>'addressLine1' AS street FROM partners WHERE uid = 'prints-berlin'`;
    const label = documents.find(({ type }) => type === 'label')!;
    expect(label.text).toMatch(/Poster Shop Returns Prinsengracht 12 1015 DK Amsterdam/);
    expect(label.text).not.toContain(partner!.street);
    const senders = printOrder.shipping.address.filter(({ type }: { type: string }) => type === 'sender');
    expect(senders).toMatchObject([{ addressLine1: 'Prinsengracht 12', city: 'Amsterdam' }]);
    expect(JSON.stringify(printOrder.shipping)).not.toContain(partner!.street);
    const invoice = documents.find(({ text }) => text.startsWith('Invoice'))!;
    expect(invoice.text).toMatch(/FROM Poster Shop Returns Prinsengracht 12/);
    expect(invoice.text).not.toContain(partner!.street);
  });

  test('without one, the label shows the partner’s address', async () => {
    const { documents, order } = await dispatchedOrder(stack, orderOf(stack, {}));

    const [partner] = await stack.services.sql<{ street: string }[]>`
      SELECT sender_address->>'addressLine1' AS street FROM partners
      WHERE account_id = ${order.shipment!.fulfillmentFacilityId}`;
    expect(documents.find(({ type }) => type === 'label')!.text).toContain(partner!.street);
  });
});

// Runs last: the new subscription changes the addresses that the partner is called at.
describe('documents of packages with packaging instructions', () => {
  const pack = (quantity: number) => [{ orderItemReferenceId: 'poster', quantity }];

  test('have their own types for a partner that subscribed with documentTypes all, with a packing list per package', async () => {
    const { documents, partner, printOrderId } = await dispatchedOrder(
      stack,
      orderOf(stack, {
        ...retail,
        shippingAddress: addressIn.CH,
        shipmentMethodUid: 'corvid_post_tracked_packet',
        items: [poster(stack, { quantity: 4, retailPriceInclVat: 40 })],
        packagingInstructions: [
          { packageItems: pack(2) },
          { packageItems: pack(1), packingSlip: { fileUrl: goodFile(stack, 'packing-slip.pdf') } },
        ],
      }),
    );
    // Three labels and three CN22; three invoices and the client's packing slip.
    expect(documents.map(({ type }) => type).sort()).toEqual([...Array(4).fill('invoice'), ...Array(6).fill('label')]);
    expect(documents.filter(({ text }) => text.includes('Packing list'))).toEqual([]);

    await partner.subscribePartner({
      body: { orderSubmitUrl: 'https://partner.example/orders', documentTypes: 'all' },
    });
    const typed = await dispatchDocuments(partner, printOrderId);

    expect(typed.map(({ type }) => type).sort()).toEqual([
      ...Array(3).fill('customs_form'),
      ...Array(3).fill('invoice'),
      ...Array(3).fill('label'),
      ...Array(3).fill('packing_slip'),
    ]);
    // The client's packing slip goes into P-2 in place of a packing list.
    const [list, other, ...more] = typed.filter(({ text }) => text.includes('Packing list'));
    expect(more).toEqual([]);
    expect(list).toMatchObject({ type: 'packing_slip' });
    expect(other!.text).toContain('P-3');
    expect(list!.text).toContain('P-1');
    expect(list!.text).toContain('Package 1 of 3');
    expect(list!.text).toMatch(/poster 2 Items in this package 2/);
    expect(list!.text).not.toContain('EUR');
    const references = typed.filter(({ type }) => type === 'label').map(({ text }) => text.match(/P-\d/)?.[0]);
    expect(references.sort()).toEqual(['P-1', 'P-2', 'P-3']);
    for (const { type, text } of typed) expect(text.includes('CN 22')).toBe(type === 'customs_form');

    await partner.subscribePartner({ body: { orderSubmitUrl: 'https://partner.example/orders' } });
    const listed = await dispatchDocuments(partner, printOrderId);
    expect(listed.map(({ type }) => type).sort()).toEqual(documents.map(({ type }) => type).sort());
  });
});
