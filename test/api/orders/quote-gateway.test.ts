import { startEasyPostServer } from '../../../sandbox/carriers/easypost-server';
import { changeClient } from '../../../src/accounts/clients';
import { type OrdersApi, ordersApi, planOrder, subscribedPartners } from './orders-api';
import { address, item, order } from './sample-orders';

const METHOD = 'easypost_usps_groundadvantage';

let api: OrdersApi;
let gateway: Awaited<ReturnType<typeof startEasyPostServer>>;

beforeAll(async () => {
  gateway = await startEasyPostServer();
  api = await ordersApi({ EASYPOST_API_KEY: 'EZTK-test', EASYPOST_API_URL: gateway.url });
  await subscribedPartners(api);
});
afterAll(async () => {
  await gateway.stop();
});

const american = (shipmentMethodUid?: string) =>
  order({
    currency: 'USD',
    shippingAddress: address({
      country: 'US',
      state: 'NY',
      city: 'New York',
      postCode: '10001',
      phone: '+1 212 555 2368',
    }),
    items: [
      item({
        productUid: 'apparel_product_gca_t-shirt_gsi_m_gco_white_gpr_4-4',
        files: [
          { type: 'front', url: 'https://files.example/a.pdf' },
          { type: 'back', url: 'https://files.example/b.pdf' },
        ],
      }),
    ],
    ...(shipmentMethodUid === undefined ? {} : { shipmentMethodUid }),
  });

test('an order quote has the methods of a configured carrier gateway', async () => {
  const { body } = await api.post('/v1/orders/quote', american()).expect(200);
  const methods: { uid: string; price: number; currency: string }[] = body.quotes[0].shipmentMethods;
  expect(methods.find(({ uid }) => uid === METHOD)).toMatchObject({
    carrierUid: 'usps',
    price: 7.58,
    currency: 'USD',
  });
});

test('the plan of the submitted order has the method and the price of the quote', async () => {
  const body = american(METHOD);
  const quoted = (await api.post('/v1/orders/quote', body).expect(200)).body;
  const { id } = (await api.submit(body).expect(200)).body;
  const plan = await planOrder(api, id);
  expect(plan.outcome).toBe('planned');
  const planned = (await api.get(id).expect(200)).body;
  expect(quoted.quotes[0]).toMatchObject({ shipmentMethodUid: METHOD, shippingPrice: 7.58 });
  expect(planned.shipment).toMatchObject({ shipmentMethodUid: METHOD, price: 7.58 });
  expect(planned.receipts[0]).toMatchObject({ shippingPrice: 7.58, totalInclVat: quoted.totalInclVat });
});

test('a quote sends gateways what the plan sends, with the IOSS number of the client', async () => {
  await changeClient(api.sql, api.client.id, { iossNumber: 'IM2760000742' });
  const [tee] = american().items;
  const body = order({
    currency: 'EUR',
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 5,
    items: [{ ...tee!, retailPriceInclVat: 20 }],
  });
  const before = gateway.created().length;
  await api.post('/v1/orders/quote', body).expect(200);
  const quoted = gateway.created().slice(before);
  const { id } = (await api.submit(body).expect(200)).body;
  expect((await planOrder(api, id)).outcome).toBe('planned');
  const planned = gateway.created().slice(before + quoted.length);
  expect(quoted.length).toBeGreaterThan(0);
  expect(quoted).toMatchObject(
    quoted.map(() => ({ tax_identifiers: [{ tax_id: 'IM2760000742', tax_id_type: 'IOSS' }] })),
  );
  expect(planned).toEqual(quoted);
});
