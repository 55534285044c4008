import { createPresslineClient } from '../../../../client/pressline-client';
import { startEasyPostServer } from '../../../../sandbox/carriers/easypost-server';
import { type TestStack, testStack } from '../../../support/stack';
import { addressIn, orderOf, poster, tShirt } from '../client-orders';
import { accepted } from '../order-fixture';

/** What a carrier gateway gets of a recipient: tax ids in customs data, and the address that it verifies. */

let stack: TestStack;
let gateway: Awaited<ReturnType<typeof startEasyPostServer>>;

beforeAll(async () => {
  gateway = await startEasyPostServer();
  stack = await testStack({
    mode: 'manual',
    config: { EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: gateway.url },
  });
});
afterAll(() => gateway.stop());

const inBrazil = {
  ...addressIn.DE,
  country: 'BR',
  city: 'São Paulo',
  state: 'SP',
  postCode: '01310-100',
  phone: '+55 11 3251 5644',
};
const PERSON = { federalTaxId: '529.982.247-25' };
const BUSINESS = {
  isBusiness: true,
  companyName: 'Livraria Paulista',
  federalTaxId: '11.222.333/0001-81',
  stateTaxId: '110.042.490.114',
  registrationState: 'SP',
};

/** Dispatches an order to Brazil. Returns the shipment as the gateway got it. */
const boughtFor = async (taxIds: object, shipmentMethodUid: string) => {
  const { id } = await stack.client.submitOrder({
    body: orderOf(stack, {
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      shipmentMethodUid,
      shippingAddress: { ...inBrazil, ...taxIds },
      items: [poster(stack, { retailPriceInclVat: 20 })],
    }),
  });
  const { printOrderId: orderId, partner } = await accepted(stack, id);
  await stack.partner(partner).dispatchOrder({ body: { orderId } });
  return gateway.created().findLast(({ reference }) => reference !== undefined)!;
};

test('what a gateway doubts in an address is a finding with its suggestion, and the order goes on', async () => {
  const shippingAddress = { ...addressIn.DE, addressLine1: '1 Nowere Street' };
  const { id } = await stack.client.submitOrder({ body: orderOf(stack, { shippingAddress }) });
  await accepted(stack, id);
  const { checks } = (await stack.client.getOrder({ params: { orderId: id } })).shippingAddress;
  expect(checks).toEqual([
    {
      code: 'carrier_doubt',
      severity: 'warning',
      field: 'addressLine1',
      message: 'EasyPost: Address not found',
      suggestion: '1 Nowhere Street',
    },
  ]);
});

test.each([
  [100, true],
  [160, false],
])('quotes for goods of %s EUR from outside the EU have the IOSS number: %s', async (retailPriceInclVat, has) => {
  const account = await stack.operator.createClient({ body: { name: `ioss-${has}`, iossNumber: 'IM2760000742' } });
  const client = createPresslineClient({ baseUrl: stack.baseUrl, ...account, retries: 0 });
  const before = gateway.created().length;
  const { id } = await client.submitOrder({
    body: orderOf(stack, {
      retailCurrency: 'EUR',
      retailShippingPriceInclVat: 5,
      shippingAddress: addressIn.FR,
      items: [tShirt(stack, { retailPriceInclVat })],
    }),
  });
  await accepted(stack, id);
  const asked = gateway.created().slice(before);
  expect(asked.length).toBeGreaterThan(0);
  for (const each of asked) expect(JSON.stringify(each).includes('IM2760000742')).toBe(has);
});

describe('the customs data of a gateway', () => {
  test('has the CPF as a declaration when the carrier takes no such number', async () => {
    const { customs_info } = await boughtFor(PERSON, 'easypost_usps_groundadvantage');
    expect(customs_info.declaration).toContain('Receiver: CPF 529.982.247-25');
  });

  test('has CNPJ and state tax id under the carrier’s types, and the state of registration as a declaration', async () => {
    const { tax_identifiers, customs_info } = await boughtFor(BUSINESS, 'easypost_dhlexpress_expressworldwide');
    expect(tax_identifiers).toEqual(
      expect.arrayContaining([
        { entity: 'RECEIVER', tax_id: '11.222.333/0001-81', tax_id_type: 'CNP', issuing_country: 'BR' },
        { entity: 'RECEIVER', tax_id: '110.042.490.114', tax_id_type: 'STA', issuing_country: 'BR' },
      ]),
    );
    expect(customs_info.declaration).toContain('Receiver: State of registration SP');
  });
});
