import { AT, CARRIERS, simulatedOrder, simulatedPartners, WEIGHTS } from '../../../../bench/routing/simulated-orders';
import { seededRandom } from '../../../../bench/support/seeded-random';
import { type CarrierAdapter, CarrierUnavailable } from '../../../../src/carriers/carrier';
import { carriersOf } from '../../../../src/carriers/carriers';
import type { Consignment, MethodQuote } from '../../../../src/consignments/domain/consignment';
import { routeItems } from '../../../../src/orders/planning/routing';

const random = seededRandom(3);
const partners = simulatedPartners(8, random);
const order = simulatedOrder(random, 1);
/** One book to Hamburg, which Berlin makes at the lowest cost. */
const priced = {
  ...order,
  shippingAddress: { ...order.shippingAddress, country: 'DE', city: 'Hamburg', postCode: '20095' },
  retailCurrency: 'EUR',
  retailShippingPrice: '5',
  shipmentMethodUid: null as string | null,
  items: order.items.map((item) => ({ ...item, quantity: 1, retailPrice: '20' })),
};

const flight = (minor: number): MethodQuote => ({
  carrierUid: 'sky',
  carrierName: 'Sky',
  methodUid: 'gate_sky_air',
  methodName: 'Air',
  price: { minor, currency: 'EUR' },
  packagesMinor: [minor],
  minDays: 1,
  maxDays: 1,
  paddingDays: 0,
  serviceType: 'express',
  tracked: true,
});

/** Routes an order with a gateway that answers for each country of origin. */
function routeWith(
  answer: (from: string) => Promise<MethodQuote[]>,
  over: { readonly shipmentMethodUid?: string } = {},
) {
  const asked: string[] = [];
  const quote = async ({ sender }: Consignment) => {
    asked.push(sender.city);
    return await answer(sender.country);
  };
  const gateway = { uid: 'gate', quote } as unknown as CarrierAdapter;
  const carriers = carriersOf([...CARRIERS.adapters, gateway]);
  const route = async () => {
    asked.length = 0;
    const routed = { order: { ...priced, ...over }, items: priced.items, partners, at: AT };
    return await routeItems({ carriers, routingWeights: WEIGHTS }, routed);
  };
  return { asked, route };
}

test('a gateway is asked for the three best plans at once, and its rates decide', async () => {
  let waiting = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { asked, route } = routeWith(async (from) => {
    waiting += 1;
    if (waiting === 3) open();
    // Each answer arrives when all three were asked for.
    await gate;
    return from === 'PL' ? [flight(1)] : [];
  });
  const { decision, printOrders } = await route();
  expect(new Set(asked).size).toBe(3);
  expect(asked).toContain('lodz');
  expect(printOrders).toMatchObject([{ partnerUid: 'lodz', quotes: expect.arrayContaining([flight(1)]) }]);
  expect(decision).toMatchObject({ plans: [{ cost: { postage: 1 } }, {}, {}] });
});

test('a gateway that has failed counts with its last rates of the lane', async () => {
  let fails = false;
  const { route } = routeWith(async (from) => {
    if (fails) throw new CarrierUnavailable('gate', 'no response');
    return from === 'PL' ? [flight(1)] : [];
  });
  await route();
  fails = true;
  const { printOrders } = await route();
  expect(printOrders).toMatchObject([{ partnerUid: 'lodz', quotes: expect.arrayContaining([flight(1)]) }]);
});

test('further plans are asked for while the method that the order names carries none', async () => {
  const { asked, route } = routeWith(async (from) => (from === 'JP' ? [flight(9_000)] : []), {
    shipmentMethodUid: 'gate_sky_air',
  });
  const { printOrders } = await route();
  expect(printOrders).toMatchObject([{ partnerUid: 'tokyo' }]);
  expect(asked.length).toBeGreaterThan(3);
});

test('a gateway that fails for the method that the order names makes the plan wait, not fail', async () => {
  const { route } = routeWith(() => Promise.reject(new CarrierUnavailable('gate', 'no response')), {
    shipmentMethodUid: 'gate_sky_air',
  });
  await expect(route()).rejects.toThrow(CarrierUnavailable);
});
