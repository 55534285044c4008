import type { RateCard, Surcharge } from './rate-card';

const SURCHARGES: readonly Surcharge[] = [
  { kind: 'fuel', percent: '0.165' },
  { kind: 'oversize', overMm: 1_000, minor: 1_900 },
  { kind: 'heavy', overGrams: 25_000, minor: 2_500 },
  { kind: 'round', minor: 600 },
];

/** An air express courier with its own network. It collects in every country. */
export const MERLIN_EXPRESS: RateCard = {
  carrierUid: 'merlin_express',
  carrierName: 'Merlin Express',
  kind: 'courier',
  currency: 'EUR',
  origins: { DE: 100, NL: 100, GB: 104, US: 108, CA: 116, AU: 126, JP: 114 },
  otherOrigins: 135,
  // Post offices of the armed forces take mail of the post only (USPS Publication 28, section 238).
  unserved: ['American forces'],
  brandOnLabel: true,
  gs1Prefix: '9522202',
  methods: [
    {
      uid: 'merlin_express_domestic',
      name: 'Domestic Next Day',
      serviceType: 'express',
      tracked: true,
      limits: { grams: 70_000, longestMm: 1_200, lengthPlusGirthMm: 3_300 },
      volumetricDivisor: 5_000,
      steps: [500, 2_000, 5_000, 10_000],
      zones: {
        domestic: { minor: [1_090, 1_290, 1_690, 2_290], perKgMinor: 140, days: [1, 1] },
      },
      paddingDays: 0,
      surcharges: SURCHARGES,
      requires: ['phone'],
      mark: 'NEXT DAY',
    },
    {
      uid: 'merlin_express_standard',
      name: 'Economy',
      serviceType: 'economy',
      tracked: true,
      limits: { grams: 70_000, longestMm: 1_200, lengthPlusGirthMm: 3_300 },
      volumetricDivisor: 5_000,
      steps: [500, 1_000, 5_000, 10_000],
      zones: {
        union: { minor: [1_790, 1_790, 2_690, 3_890], perKgMinor: 240, days: [2, 4] },
        continent: { minor: [2_290, 2_290, 3_590, 5_190], perKgMinor: 330, days: [2, 5] },
        intercontinental: { minor: [2_990, 3_590, 7_490, 11_790], perKgMinor: 840, days: [4, 6] },
        remote: { minor: [3_890, 4_690, 9_890, 15_490], perKgMinor: 1_190, days: [5, 8] },
      },
      paddingDays: 1,
      surcharges: SURCHARGES,
      requires: [],
      mark: 'ECONOMY',
    },
    {
      uid: 'merlin_express_worldwide',
      name: 'Worldwide Express',
      serviceType: 'express',
      tracked: true,
      limits: { grams: 70_000, longestMm: 1_200, lengthPlusGirthMm: 3_300 },
      volumetricDivisor: 5_000,
      steps: [500, 1_000, 5_000, 10_000],
      zones: {
        union: { minor: [2_790, 3_190, 4_990, 7_290], perKgMinor: 460, days: [1, 1] },
        continent: { minor: [3_190, 3_690, 5_990, 8_790], perKgMinor: 540, days: [1, 2] },
        intercontinental: { minor: [4_490, 5_290, 10_990, 17_490], perKgMinor: 1_260, days: [2, 3] },
        remote: { minor: [5_690, 6_790, 14_490, 23_490], perKgMinor: 1_690, days: [3, 5] },
      },
      paddingDays: 0,
      surcharges: SURCHARGES,
      requires: ['phone', 'email'],
      mark: 'WORLDWIDE',
    },
  ],
};
