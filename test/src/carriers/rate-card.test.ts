import fc from 'fast-check';
import countries from 'i18n-iso-countries';
import { billableGrams, quoteRateCard, REGIONS, regionOf, zoneBetween } from '../../../src/carriers/domain/rate-card';
import { carrierOfNumber, RATE_CARDS } from '../../../src/carriers/domain/rate-cards';
import { s10, sscc } from '../../../src/carriers/domain/tracking-numbers';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { CHICAGO, MUNICH, TOKYO } from '../consignments/sample-addresses';
import { consignmentTo, packageOf } from '../consignments/sample-consignments';

const all = (consignment: Parameters<typeof quoteRateCard>[1]) =>
  RATE_CARDS.flatMap((card) => quoteRateCard(card, consignment, REFERENCE_RATES));
const price = (uid: string, consignment: Parameters<typeof quoteRateCard>[1]) =>
  all(consignment).find(({ methodUid }) => methodUid === uid)?.price.minor;

describe('zones', () => {
  test('every country is in one region or has no delivery service', () => {
    const listed = Object.values(REGIONS).flatMap((codes) => codes.split(' '));
    const valid = new Set([...Object.keys(countries.getAlpha2Codes()), 'XK']);

    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((code) => !valid.has(code))).toEqual([]);
    expect([...valid].filter((code) => regionOf(code) === undefined).sort()).toEqual([
      'AQ',
      'BV',
      'GS',
      'HM',
      'IO',
      'KP',
      'SY',
      'TF',
      'UM',
    ]);
  });

  test.each([
    ['DE', 'DE', 'domestic'],
    ['DE', 'FR', 'union'],
    ['DE', 'CH', 'continent'],
    ['US', 'CA', 'continent'],
    ['DE', 'US', 'intercontinental'],
    ['DE', 'BR', 'remote'],
    ['DE', 'KP', undefined],
    ['ES', 'ES 38001', 'union'],
    ['DE', 'DE 78266', 'continent'],
    ['GB', 'GB BT1', 'domestic'],
    ['IE', 'GB BT1', 'union'],
    ['GB', 'GB JE2', 'union'],
  ])('%s to %s is %s', (...places) => {
    const zone = places.pop();
    const [from, to] = places.map((place) => {
      const [country, postcode] = place!.split(' ');
      return { country: country!, postcode };
    });
    expect(zoneBetween(from!, to!)).toBe(zone);
  });
});

describe('rate cards', () => {
  const couriers = RATE_CARDS.filter((card) => card.kind === 'courier');
  test.each([
    ['a uid', RATE_CARDS.map(({ carrierUid }) => carrierUid)],
    ['a name', RATE_CARDS.map(({ carrierName }) => carrierName)],
    ['a GS1 prefix', couriers.map(({ gs1Prefix }) => gs1Prefix)],
    ['a method uid', RATE_CARDS.flatMap(({ methods }) => methods.map(({ uid }) => uid))],
  ])('never share %s', (_, values) => {
    expect(new Set(values).size).toBe(values.length);
  });

  test('have at most one postal carrier, because an S10 number does not name its carrier', () => {
    expect(RATE_CARDS.length - couriers.length).toBe(1);
  });

  test.each(RATE_CARDS)('$carrierName is found by the form of its tracking numbers', (card) => {
    const number = card.kind === 'courier' ? sscc(card.gs1Prefix, 7) : s10('L', 47_312_482, 'DE');
    expect(carrierOfNumber(number)).toBe(card);
  });
});

test.each([
  ['LA473124820DE', undefined],
  [sscc('4012345', 7), undefined],
  ['1Z999AA10123456784', undefined],
])('the number %s belongs to %s', (number, carrierUid) => {
  expect(carrierOfNumber(number)?.carrierUid).toBe(carrierUid);
});

test('a heavier package never costs less', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 35_000 }),
      fc.integer({ min: 1, max: 35_000 }),
      fc.integer({ min: 10, max: 1_400 }),
      fc.constantFrom(MUNICH, CHICAGO, TOKYO),
      (a, b, lengthMm, receiver) => {
        const of = (grossWeightGrams: number) =>
          consignmentTo(receiver, { packages: [packageOf({ grossWeightGrams, lengthMm })] });
        const [light, heavy] = [all(of(Math.min(a, b))), all(of(Math.max(a, b)))];
        for (const quote of heavy) {
          const lighter = light.find(({ methodUid }) => methodUid === quote.methodUid);
          expect(lighter).toBeDefined();
          expect(lighter!.price.minor).toBeLessThanOrEqual(quote.price.minor);
        }
      },
    ),
  );
});

test.each(['DE', 'NL', 'GB', 'US', 'CA', 'AU', 'JP'])(
  'from %s the postal carrier and a courier deliver to every continent',
  (country) => {
    for (const to of ['DE', 'FR', 'GB', 'US', 'CA', 'AU', 'JP', 'BR', 'ZA', 'IN']) {
      const consignment = { ...consignmentTo({ ...MUNICH, country: to }), sender: { ...MUNICH, country } };
      const carriers = new Set(all(consignment).map(({ carrierUid }) => carrierUid));

      expect(carriers.has('corvid_post')).toBe(true);
      expect(carriers.size).toBeGreaterThan(1);
    }
  },
);

/** The 30 largest economies by nominal GDP (International Monetary Fund, 2025). */
const LARGEST_ECONOMIES = 'US CN DE JP IN GB FR IT CA BR RU ES KR AU MX TR ID NL SA PL CH TW BE AR IE SE IL SG AE TH';

test('every country with a delivery service is an origin of the worldwide courier', () => {
  const countriesOfOrigin = Object.values(REGIONS).flatMap((codes) => codes.split(' '));

  for (const country of countriesOfOrigin) {
    for (const to of [country, 'DE', 'US', 'NG']) {
      const consignment = { ...consignmentTo({ ...MUNICH, country: to }), sender: { ...MUNICH, country } };
      const uids = all(consignment).map(({ carrierUid }) => carrierUid);
      expect([country, to, uids.includes('merlin_express')]).toEqual([country, to, true]);
    }
  }
  expect(all({ ...consignmentTo(MUNICH), sender: { ...MUNICH, country: 'AQ' } })).toEqual([]);
});

test('the postal carrier delivers from the 30 largest economies', () => {
  for (const country of LARGEST_ECONOMIES.split(' ')) {
    for (const to of [country, 'DE', 'BR']) {
      const consignment = { ...consignmentTo({ ...MUNICH, country: to }), sender: { ...MUNICH, country } };
      const uids = all(consignment).map(({ methodUid }) => methodUid);
      expect([country, to, uids.includes('corvid_post_parcel')]).toEqual([country, to, true]);
    }
  }
  const nepal = { ...consignmentTo(MUNICH), sender: { ...MUNICH, country: 'NP' } };
  expect(all(nepal).filter(({ carrierUid }) => carrierUid === 'corvid_post')).toEqual([]);
});

test('couriers bill a large light package by its volume', () => {
  expect(billableGrams(packageOf({ grossWeightGrams: 500, lengthMm: 500, widthMm: 400, heightMm: 300 }), 5_000)).toBe(
    12_000,
  );
  expect(billableGrams(packageOf({ grossWeightGrams: 500, lengthMm: 500, widthMm: 400, heightMm: 300 }), null)).toBe(
    500,
  );
});

test('couriers bill a stated volumetric weight above the computed one', () => {
  const pack = packageOf({ grossWeightGrams: 500, lengthMm: 500, widthMm: 400, heightMm: 300 });

  expect(billableGrams({ ...pack, volumetricWeightGrams: 12_500 }, 5_000)).toBe(12_500);
  expect(billableGrams({ ...pack, volumetricWeightGrams: 11_000 }, 5_000)).toBe(12_000);
  expect(billableGrams({ ...pack, volumetricWeightGrams: 12_500 }, null)).toBe(500);
});

describe('limits', () => {
  const letter = { grossWeightGrams: 500, lengthMm: 353, widthMm: 250, heightMm: 20 };
  test.each([
    ['at its limits', letter, true],
    ['with its sides in another order', { ...letter, lengthMm: 20, heightMm: 353 }, true],
    ['too heavy', { ...letter, grossWeightGrams: 501 }, false],
    ['too long', { ...letter, lengthMm: 354 }, false],
    ['too wide', { ...letter, widthMm: 251 }, false],
    ['too thick', { ...letter, heightMm: 21 }, false],
  ])('a letter %s', (_, change, carried) => {
    expect(price('corvid_post_letter', consignmentTo(MUNICH, { packages: [packageOf(change)] })) !== undefined).toBe(
      carried,
    );
  });

  test('a package above every limit of length and girth has no method', () => {
    const long = consignmentTo(MUNICH, {
      packages: [packageOf({ lengthMm: 1_500, widthMm: 400, heightMm: 400 })],
    });

    expect(all(long)).toEqual([]);
  });
});

test('fuel, island and oversize surcharges are added to the price of the weight step', () => {
  const base = packageOf({ grossWeightGrams: 800, lengthMm: 200, widthMm: 100, heightMm: 50 });
  const to = (postcode: string, change = {}) =>
    consignmentTo({ ...MUNICH, country: 'ES', postcode }, { packages: [{ ...base, ...change }] });

  expect(price('tern_parcel_standard', to('28013'))).toBe(990 + 84);
  expect(price('tern_parcel_standard', to('35001'))).toBe(990 + 84 + 1_150);
  expect(price('tern_parcel_standard', to('28013', { lengthMm: 1_001, widthMm: 50 }))).toBe(990 + 84 + 450);
});

test('prices follow the price level of the country of origin', () => {
  const from = (country: string) =>
    price('corvid_post_parcel', { ...consignmentTo({ ...MUNICH, country }), sender: { ...MUNICH, country } });

  expect(from('DE')).toBe(619);
  expect(from('US')).toBe(693);
});
