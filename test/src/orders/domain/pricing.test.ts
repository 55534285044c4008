import fc from 'fast-check';
import { priceLine, priceOrder } from '../../../../src/orders/domain/pricing';
import { REFERENCE_RATES } from '../../../../src/platform/domain/exchange-rates';

const priceList = {
  EUR: [
    { from: 1, unitMinor: 790 },
    { from: 10, unitMinor: 640 },
    { from: 50, unitMinor: 520 },
  ],
  USD: [{ from: 1, unitMinor: 890 }],
};

test.each([
  [1, 790],
  [9, 790],
  [10, 640],
  [49, 640],
  [50, 520],
  [5_000, 520],
])('%i units cost %i cents each', (quantity, unitMinor) => {
  expect(priceLine({ product: { priceList }, quantity }, 'EUR', REFERENCE_RATES)).toMatchObject({
    unitMinor,
    baseMinor: 790,
    lineMinor: quantity * unitMinor,
  });
});

test('a currency of the price list is not converted, and another one is converted by the rate table', () => {
  const rates = { date: '2026-01-02', perEuro: { USD: '2', JPY: '184' } };
  const price = (currency: string) => priceLine({ product: { priceList }, quantity: 1 }, currency, rates);
  expect(price('USD')!.unitMinor).toBe(890);
  // 7.90 EUR in yen, which have no minor unit
  expect(price('JPY')!.unitMinor).toBe(1454);
});

test('an order in a currency without a price or a rate returns the item without a price', () => {
  const items = [{ product: { priceList: { XTS: [{ from: 1, unitMinor: 5 }] } }, quantity: 1 }];
  expect(priceOrder({ items, currency: 'XTS', rates: REFERENCE_RATES })).toMatchObject({
    ok: true,
    totalMinor: 5,
  });
  expect(
    priceOrder({
      items: [{ product: { priceList }, quantity: 1 }, ...items],
      currency: 'EUR',
      rates: REFERENCE_RATES,
    }),
  ).toEqual({
    ok: false,
    reason: 'no_price',
    itemIndex: 1,
    currency: 'EUR',
  });
});

test('a higher quantity never has a higher unit price, in any order of the breaks', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(priceList.EUR, { minLength: 1 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 200 }),
      (breaks, quantity, more) => {
        const unit = (pieces: number) =>
          priceLine({ product: { priceList: { EUR: breaks } }, quantity: pieces }, 'EUR', REFERENCE_RATES)!;
        expect(unit(quantity + more).unitMinor).toBeLessThanOrEqual(unit(quantity).unitMinor);
        expect(unit(quantity).lineMinor).toBe(quantity * unit(quantity).unitMinor);
        expect(unit(quantity).unitMinor).toBeLessThanOrEqual(unit(quantity).baseMinor);
      },
    ),
  );
});
