import fc from 'fast-check';
import { type PlannedParcel, pricesOfRest } from '../../../../src/orders/domain/planned-parcel';

const parcel = (
  grossWeightGrams: number,
  priceMinor = 0,
): PlannedParcel & { packageReferenceId: string; items: [] } => ({
  packageReferenceId: 'P-1',
  grossWeightGrams,
  priceMinor,
  lengthMm: 100,
  widthMm: 100,
  heightMm: 100,
  items: [],
});

const grams = fc.integer({ min: 1, max: 70_000 });
const minor = fc.integer({ min: 0, max: 1_000_000 });

test('the rest of a shipment costs what its method asks, and never more than before', () => {
  const priced = fc.array(fc.tuple(grams, minor), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(priced, priced, fc.boolean(), (planned, rest, isAnswered) => {
      const before = planned.reduce((sum, [, price]) => sum + price, 0);
      const quoted = rest.map(([, price]) => price);
      const asked = quoted.reduce((sum, price) => sum + price, 0);
      const prices = pricesOfRest(
        planned.map(([weight, price]) => parcel(weight, price)),
        rest.map(([weight]) => parcel(weight)),
        isAnswered ? quoted : undefined,
      );
      const after = prices.reduce((sum, price) => sum + price, 0);
      expect(prices).toHaveLength(rest.length);
      expect(Math.min(...prices)).toBeGreaterThanOrEqual(0);
      expect(after).toBeLessThanOrEqual(before);
      if (isAnswered) expect(after).toBe(Math.min(asked, before));
    }),
  );
});

test('without a price of the carrier, the rest costs the share of its weight', () => {
  expect(pricesOfRest([parcel(300, 600), parcel(100, 401)], [parcel(100), parcel(50)], undefined)).toEqual([250, 125]);
});
