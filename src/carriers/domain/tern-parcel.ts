import type { RateCard, Surcharge } from './rate-card';

const SURCHARGES: readonly Surcharge[] = [
  { kind: 'fuel', percent: '0.085' },
  { kind: 'oversize', overMm: 1_000, minor: 450 },
  { kind: 'round', minor: 350 },
  {
    kind: 'islands',
    // Canaries, Ceuta and Melilla; Scottish islands and Northern Ireland; Alaska and Hawaii; Corsica.
    postcodes: {
      ES: /^(35|38|51|52)/,
      GB: /^(BT|HS|KW1[5-7]|ZE|IV(4[1-9]|5[1-6])|PA(20|4[1-9]|[67]\d))/i,
      US: /^(99[5-9]|96[78])/,
      FR: /^20/,
    },
    minor: 1_150,
  },
];

/** A parcel courier by road and pooled air freight. */
export const TERN_PARCEL: RateCard = {
  carrierUid: 'tern_parcel',
  carrierName: 'Tern Parcel',
  kind: 'courier',
  currency: 'EUR',
  origins: { DE: 100, NL: 102, GB: 106, US: 115, CA: 122, AU: 128, JP: 112 },
  destinations: ['europe', 'northAmerica', 'asiaPacific', 'middleEast', 'latinAmerica'],
  // Post offices of the armed forces take mail of the post only (USPS Publication 28, section 238).
  unserved: ['American forces'],
  brandOnLabel: true,
  // GS1 reserves prefix 952 for demonstrations and examples.
  gs1Prefix: '9521101',
  methods: [
    {
      uid: 'tern_parcel_domestic',
      name: 'Domestic',
      serviceType: 'normal',
      tracked: true,
      limits: { grams: 31_500, longestMm: 1_750, lengthPlusGirthMm: 3_000 },
      volumetricDivisor: 5_000,
      steps: [1_000, 3_000, 5_000, 10_000, 20_000, 31_500],
      zones: {
        domestic: { minor: [399, 479, 559, 749, 1_099, 1_499], days: [1, 3] },
      },
      paddingDays: 0,
      surcharges: SURCHARGES,
      requires: [],
      mark: 'DOMESTIC',
    },
    {
      uid: 'tern_parcel_standard',
      name: 'Standard',
      serviceType: 'standard',
      tracked: true,
      limits: { grams: 31_500, longestMm: 1_750, lengthPlusGirthMm: 3_000 },
      volumetricDivisor: 5_000,
      steps: [500, 1_000, 3_000, 5_000, 10_000],
      zones: {
        union: { minor: [990, 990, 1_190, 1_390, 1_890], perKgMinor: 95, days: [2, 5] },
        continent: { minor: [1_390, 1_390, 1_790, 2_190, 2_990], perKgMinor: 160, days: [3, 6] },
        intercontinental: { minor: [1_790, 2_190, 3_390, 4_590, 7_190], perKgMinor: 560, days: [5, 9] },
        remote: { minor: [2_290, 2_890, 4_590, 6_190, 9_990], perKgMinor: 820, days: [7, 14] },
      },
      paddingDays: 1,
      surcharges: SURCHARGES,
      requires: [],
      mark: 'STANDARD',
    },
    {
      uid: 'tern_parcel_express',
      name: 'Express',
      serviceType: 'express',
      tracked: true,
      limits: { grams: 25_000, longestMm: 1_200, lengthPlusGirthMm: 3_000 },
      volumetricDivisor: 5_000,
      destinations: ['europe', 'northAmerica', 'asiaPacific'],
      steps: [500, 1_000, 3_000, 5_000, 10_000],
      zones: {
        domestic: { minor: [890, 890, 1_090, 1_290, 1_690], perKgMinor: 90, days: [1, 1] },
        union: { minor: [2_190, 2_190, 2_790, 3_390, 4_690], perKgMinor: 290, days: [1, 2] },
        continent: { minor: [2_690, 2_690, 3_390, 4_190, 5_990], perKgMinor: 380, days: [2, 3] },
        intercontinental: { minor: [3_690, 4_390, 6_690, 8_990, 13_990], perKgMinor: 990, days: [3, 5] },
      },
      paddingDays: 0,
      surcharges: SURCHARGES,
      requires: ['phone'],
      mark: 'EXPRESS',
    },
  ],
};
