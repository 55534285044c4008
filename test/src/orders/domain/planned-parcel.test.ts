import fc from 'fast-check';
import { type PlannedParcel, parcelsOfRest } from '../../../../src/orders/domain/planned-parcel';

const parcel = (
  grossWeightGrams: number,
  priceMinor = 0,
  count = 1,
): PlannedParcel & { packageReferenceId: string; items: [] } => ({
  packageReferenceId: 'P-1',
  count,
  grossWeightGrams,
  priceMinor,
  lengthMm: 100,
  widthMm: 100,
  heightMm: 100,
  items: [],
});

const grams = fc.integer({ min: 1, max: 70_000 });
const minor = fc.integer({ min: 0, max: 1_000_000 });

const count = fc.integer({ min: 1, max: 9 });
const total = (parcels: readonly PlannedParcel[]) =>
  parcels.reduce((sum, parcel) => sum + parcel.priceMinor * parcel.count, 0);

test('the rest of a shipment costs what its method asks, and never more than before', () => {
  const priced = fc.array(fc.tuple(grams, minor, count), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(priced, priced, fc.boolean(), (planned, rest, isAnswered) => {
      const before = total(planned.map((each) => parcel(...each)));
      const asked = total(rest.map((each) => parcel(...each)));
      const parcels = parcelsOfRest(
        planned.map((each) => parcel(...each)),
        rest.map(([weight, , equal]) => parcel(weight, 0, equal)),
        isAnswered ? rest.map(([, price]) => price) : undefined,
      );
      const counted = (entries: readonly { count: number }[]) => entries.reduce((sum, each) => sum + each.count, 0);
      expect(counted(parcels)).toBe(counted(rest.map(([, , equal]) => ({ count: equal }))));
      expect(Math.min(...parcels.map(({ priceMinor }) => priceMinor))).toBeGreaterThanOrEqual(0);
      expect(total(parcels)).toBeLessThanOrEqual(before);
      if (isAnswered) expect(total(parcels)).toBe(Math.min(asked, before));
    }),
  );
});

test('without a price of the carrier, the rest costs the share of its weight', () => {
  const rest = parcelsOfRest([parcel(300, 600), parcel(100, 401)], [parcel(100), parcel(50)], undefined);
  expect(rest.map(({ priceMinor }) => priceMinor)).toEqual([250, 125]);
});

test('equal parcels of a rest share an amount to the cent', () => {
  const rest = parcelsOfRest([parcel(100, 100, 4)], [parcel(100, 0, 3)], [134]);
  expect(rest).toMatchObject([
    { count: 2, priceMinor: 133 },
    { count: 1, priceMinor: 134 },
  ]);
  const shared = parcelsOfRest([parcel(100, 100, 3), parcel(100, 101)], [parcel(100, 0, 3)], undefined);
  expect(shared).toMatchObject([
    { count: 2, priceMinor: 100 },
    { count: 1, priceMinor: 101 },
  ]);
});
