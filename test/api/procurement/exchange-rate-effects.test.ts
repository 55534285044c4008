import { createPresslineClient } from '../../../client/pressline-client';
import { textOf } from '../../src/documents/pictures';
import { facilityOf } from '../../support/rows/partner-setup';
import { type TestStack, testStack } from '../../support/stack';
import { addressIn, isAt, ordered, orderOf, tShirt } from '../../workflows/order/client-orders';
import { internationalRequest } from '../shipping/shipping-request';

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack();
});

/** Loads rates that apply today, as an operator. */
const load = async (perEuro: Record<string, string>) => {
  const date = new Date().toISOString().slice(0, 10);
  await stack.operator.loadExchangeRates({ params: { date }, body: { perEuro } });
};

const POSTER = 'flat_product_pf_a3_pt_200-gsm-uncoated_cl_4-0_ver';
const quoteOrder = (
  currency: string,
  shippingAddress: { country: string; city: string; postCode: string; state?: string },
) =>
  stack.client.quoteOrder({
    body: {
      currency,
      shippingAddress,
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      items: [{ itemReferenceId: 'poster', productUid: POSTER, quantity: 1, retailPriceInclVat: 20 }],
    },
  });

test('an order quote converts product and shipping prices at the loaded rate', async () => {
  const berlin = { country: 'DE', city: 'Berlin', postCode: '10119' };
  await load({ SEK: '10' });
  const before = (await quoteOrder('SEK', berlin)).quotes[0]!;
  expect(before.items[0]!.price).toBe(79);
  await load({ SEK: '20' });
  const after = (await quoteOrder('SEK', berlin)).quotes[0]!;
  expect(after.items[0]!.price).toBe(158);
  expect(after.shippingPrice).toBeCloseTo(2 * before.shippingPrice, 1);
});

test('a shipping quote converts carrier prices at the loaded rate', async () => {
  const price = async () => {
    const body = { ...internationalRequest(), currency: 'CZK' };
    const { items } = await stack.client.quoteShippingMethods({ body: body as never });
    return items[0]!.method.price;
  };
  await load({ CZK: '20' });
  const before = await price();
  await load({ CZK: '40' });
  expect(await price()).toBeCloseTo(2 * before, 1);
});

test('a currency can be used once it has a rate', async () => {
  const { operator, partner, client } = stack;
  const { partners } = await operator.listPartners();
  const berlin = partners.find(({ uid }) => uid === 'prints-berlin');
  const uses: Record<string, () => Promise<unknown>> = {
    currency: () => client.quoteShippingMethods({ body: { ...internationalRequest(), currency: 'VND' } as never }),
    'items[0].supplier.currency': () =>
      operator.setUpStockItems({
        params: { partnerId: berlin!.id },
        body: {
          items: [
            {
              partnerSku: 'bamboo',
              maxStock: 10,
              supplier: { uid: 'hanoi', unitCost: 20_000, currency: 'VND' },
            },
          ],
        },
      }),
  };
  for (const [reference, use] of Object.entries(uses)) {
    await expect(use()).rejects.toMatchObject({ status: 400, errors: [{ reference }] });
  }
  await load({ VND: '30000' });
  for (const use of Object.values(uses)) await use();
  // The cost is in the currency of the partner: 20,000 VND are 0.666667 EUR.
  const { orders } = await partner('prints-berlin').listProcurementOrders({ body: {} });
  expect(orders.flatMap(({ items }) => items)).toContainEqual(
    expect.objectContaining({ partnerSku: 'bamboo', unitCost: 0.666667 }),
  );
});

test('routing compares the costs of partners at the loaded rate', async () => {
  const newYork = { country: 'US', city: 'New York', postCode: '10118', state: 'NY' };
  const facility = async () => (await quoteOrder('EUR', newYork)).quotes[0]!.fulfillmentFacilityId;
  await load({ USD: '1.17' });
  expect(await facility()).toBe(await facilityOf(stack.services.sql, 'prints-ohio'));
  // At 100 euros per dollar, the partner that is paid in dollars is far more expensive.
  await load({ USD: '0.01' });
  expect(await facility()).toBe(await facilityOf(stack.services.sql, 'prints-berlin'));
  await load({ USD: '1.17' });
});

test('the value limit of a CN22 applies at the loaded rate', async () => {
  const forms = async () => {
    const body = {
      ...internationalRequest(),
      currency: 'NOK',
      shippingMethod: { uid: 'corvid_post_parcel' },
    };
    const [pack] = body.packages;
    pack!.value = 4_000;
    pack!.items[0].value = 2_000;
    const { packages } = await stack.client.createShippingOrder({ body: body as never });
    return packages[0]!.documents!.map(({ documentType }) => documentType);
  };
  // A CN22 is sufficient up to 300 SDR, which are 348.63 EUR.
  await load({ NOK: '12' });
  expect(await forms()).toContain('cn22');
  await load({ NOK: '11' });
  expect(await forms()).toContain('cn23');
});

test('the value limit of IOSS applies at the rate of the day of the order', async () => {
  const clientAccount = await stack.operator.createClient({
    body: { name: 'ioss-shop', iossNumber: 'IM2760000742' },
  });
  const papers = async () => {
    const order = await ordered(
      stack,
      orderOf(stack, {
        retailCurrency: 'USD',
        retailShippingPriceInclVat: 5,
        shippingAddress: addressIn.DE,
        items: [tShirt(stack, { retailPriceInclVat: 160 })],
      }),
      isAt('delivered', 'failed'),
      createPresslineClient({ baseUrl: stack.baseUrl, ...clientAccount, retries: 0 }),
    );
    const printOrderId = order.items[0]!.printJobs[0]!.printOrderId;
    const { documents } = await stack.partner('prints-ohio').dispatchOrder({ body: { orderId: printOrderId } });
    const pages = await Promise.all(
      documents.map(async ({ url }) => textOf(Buffer.from(await (await fetch(url)).arrayBuffer()))),
    );
    return pages.flat().join('\n');
  };
  // IOSS applies up to 150 EUR: 160 USD are 136.75 EUR, then 160 EUR.
  await load({ USD: '1.17' });
  expect(await papers()).toContain('IM2760000742');
  await load({ USD: '1' });
  expect(await papers()).not.toContain('IM2760000742');
});
