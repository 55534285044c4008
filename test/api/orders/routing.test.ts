import { createPartner, subscribe } from '../../../src/partners/partner-rows';
import { subscription } from '../../src/partners/builders';
import { testAccount } from '../../support/api-deps';
import { LEEDS_CAPABILITIES, LEEDS_SENDER } from '../../support/rows/partner-setup';
import { testSecretBox } from '../../support/secret-box';
import { type OrdersApi, ordersApi, planOrder, subscribedPartners } from './orders-api';
import { address, item, order, T_SHIRT } from './sample-orders';

/** Partners in Berlin and Ohio make posters, only Ohio makes t-shirts. Leeds and Tokyo make posters, Tokyo almost for nothing. */

let api: OrdersApi;

beforeAll(async () => {
  api = await ordersApi();
  await subscribedPartners(api);
});

/** Adds a partner that makes posters. */
async function posterPartner(uid: string, place: object, unitPriceMinor: number): Promise<void> {
  const { id } = await testAccount(api.sql, 'partner', uid);
  await createPartner(api.sql, id, {
    uid,
    name: uid,
    currency: 'EUR',
    enabled: true,
    printHouseUid: null,
    senderAddress: { ...LEEDS_SENDER, ...place },
    capabilities: {
      ...LEEDS_CAPABILITIES,
      productKinds: ['print'],
      models: { flat_product: { unitPriceMinor, leadDays: 1 } },
      countriesServed: ['*'],
      calendar: { ...LEEDS_CAPABILITIES.calendar, closedDates: [] },
    },
  });
  await subscribe({ sql: api.sql, secretBox: testSecretBox }, id, subscription());
}

const poster = (quantity = 1, over: object = {}) => item({ itemReferenceId: 'poster', quantity, ...over });
const tee = () =>
  item({
    itemReferenceId: 'tee',
    productUid: T_SHIRT,
    files: ['front', 'back'].map((type) => ({ type, url: 'https://files.example/a.pdf' })),
  });
const prices = { retailCurrency: 'EUR', retailShippingPriceInclVat: 5 };
const POST_CODES: Readonly<Record<string, string>> = {
  CH: '8001',
  DE: '10119',
  FR: '75002',
  GB: 'LS1 4AP',
  NO: '0150',
};
const to = (country: string, over: object = {}) =>
  order({ shippingAddress: address({ country, postCode: POST_CODES[country] }), ...over });

async function quoted(
  body: object,
): Promise<{ quotes: { fulfillmentCountry: string; packageCount: number }[] } & Record<string, unknown>> {
  return (await api.post('/v1/orders/quote', body).expect(200)).body;
}
const originOf = async (body: object) =>
  (await quoted(body)).quotes.map(({ fulfillmentCountry }) => fulfillmentCountry);

/** Submits and plans an order. Returns its plan, the countries that make it, and what the operators' page says. */
async function planned(body: object) {
  const { id } = (await api.submit(body).expect(200)).body;
  const plan = await planOrder(api, id);
  const { routing, printOrders } = (await api.list(`/v1/operator/orders/${id}`).expect(200)).body;
  const rejected = routing[0].decision.explanation.flatMap(
    ({ alternatives }: { alternatives: { partnerUid: string; reason?: string }[] }) =>
      alternatives.flatMap(({ partnerUid, reason }) => (reason === undefined ? [] : [`${partnerUid} ${reason}`])),
  );
  const makers = printOrders.map(({ partnerUid }: { partnerUid: string }) => partnerUid);
  return { plan, makers, decision: routing[0].decision, rejected };
}

test('a poster is made where production and postage together cost least', async () => {
  const retail = { ...prices, items: [poster(1, { retailPriceInclVat: 20 })] };
  // Postage from Berlin 7.60, from Ohio 10.98; Ohio is 2 cents cheaper.
  for (const country of ['CH', 'NO', 'GB']) {
    const { makers, decision } = await planned(to(country, retail));
    expect(makers).toEqual(['prints-berlin']);
    expect(decision).toMatchObject({ plans: [{ cost: { postage: 760 } }, { cost: { postage: 1_098 } }] });
    expect(decision.why).toMatch(/^prints-berlin: 1 parcel, postage 7\.60, .*; prints-ohio: .* more \(postage 3\.38/);
  }
  const many = await quoted(to('DE', { ...prices, items: [poster(1_100, { retailPriceInclVat: 9_000 })] }));
  expect(many).toMatchObject({ shippingPrice: 471.9, quotes: [{ fulfillmentCountry: 'DE', packageCount: 110 }] });
  await posterPartner('prints-leeds', {}, 330);
  expect(await originOf(to('GB', retail))).toEqual(['GB']);
});

test('an order of two kinds is two print orders and two parcels wherever it is made, and the page says so', async () => {
  const { makers, decision } = await planned(
    to('FR', { ...prices, items: [tee(), poster()].map((one) => ({ ...one, retailPriceInclVat: 20 })) }),
  );
  expect(makers.sort()).toEqual(['prints-berlin', 'prints-ohio']);
  const [best, next] = decision.plans;
  expect(best.printOrders).toMatchObject([{ parcels: 1 }, { parcels: 1 }]);
  const one = decision.plans.find(({ printOrders }: { printOrders: { partnerUid: string }[] }) =>
    printOrders.every(({ partnerUid }) => partnerUid === 'prints-ohio'),
  );
  expect(one).toMatchObject({ printOrders: [{ parcels: 1 }, { parcels: 1 }], cost: { parcels: best.cost.parcels } });
  expect(next.cost.total).toBeGreaterThan(best.cost.total);
  expect(decision.why).toMatch(/: 2 parcels, postage /);
});

test('routing refuses no order that another partner would not: without retail prices, no partner abroad is chosen', async () => {
  await posterPartner('prints-tokyo', { country: 'JP', city: 'Tokyo', postcode: '1000001' }, 1);
  // One poster is not worth the way, fifty are.
  expect(await originOf(to('DE', { ...prices, items: [poster(1, { retailPriceInclVat: 20 })] }))).toEqual(['DE']);
  const priced = { ...prices, items: [poster(50, { retailPriceInclVat: 900 })] };
  expect(await quoted(to('DE', priced))).toMatchObject({
    quotes: [{ fulfillmentCountry: 'JP' }],
    needsRetailPrices: true,
  });
  expect((await planned(to('DE', priced))).makers).toEqual(['prints-tokyo']);

  const unpriced = { items: [poster(50)] };
  expect(await quoted(to('DE', unpriced))).toMatchObject({
    quotes: [{ fulfillmentCountry: 'DE' }],
    needsRetailPrices: false,
  });
  const { makers, decision, rejected } = await planned(to('DE', unpriced));
  expect(makers).toEqual(['prints-berlin']);
  expect(rejected).toEqual(expect.arrayContaining(['prints-tokyo no_retail_prices', 'prints-ohio no_retail_prices']));
  expect(decision.why).toMatch(/Cheaper, but the order would be refused: prints-tokyo ships across a customs border/);

  // No partner is in Switzerland.
  const refused = await planned(to('CH', { items: [poster()] }));
  expect(refused.plan).toMatchObject({ outcome: 'refused', code: 'missing_retail_prices' });
  expect(refused.decision.why).toMatch(/^No partner is left with which the order is not refused: prints-/);
});
