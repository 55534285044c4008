import { POSTAL_ORIGINS } from './postal-origins';
import type { RateCard } from './rate-card';

/** A postal service: letters, tracked packets and parcels to every country that has a postal service. */
export const CORVID_POST: RateCard = {
  carrierUid: 'corvid_post',
  carrierName: 'Corvid Post',
  kind: 'postal',
  currency: 'EUR',
  origins: POSTAL_ORIGINS,
  brandOnLabel: false,
  methods: [
    {
      uid: 'corvid_post_letter',
      name: 'Letter',
      serviceType: 'letter',
      tracked: false,
      limits: { grams: 500, longestMm: 353, secondMm: 250, thicknessMm: 20 },
      volumetricDivisor: null,
      zones: {
        domestic: {
          steps: [
            [50, 165],
            [100, 210],
            [250, 295],
            [500, 380],
          ],
          days: [1, 3],
        },
        union: {
          steps: [
            [50, 260],
            [100, 340],
            [250, 520],
            [500, 790],
          ],
          days: [3, 6],
        },
        continent: {
          steps: [
            [50, 280],
            [100, 370],
            [250, 560],
            [500, 840],
          ],
          days: [4, 8],
        },
        intercontinental: {
          steps: [
            [50, 310],
            [100, 420],
            [250, 690],
            [500, 1080],
          ],
          days: [6, 14],
        },
        remote: {
          steps: [
            [50, 330],
            [100, 450],
            [250, 740],
            [500, 1190],
          ],
          days: [8, 21],
        },
      },
      paddingDays: 1,
      surcharges: [],
      requires: [],
      s10Prefix: 'U',
      mark: 'LETTER',
    },
    {
      uid: 'corvid_post_tracked_packet',
      name: 'Tracked Packet',
      serviceType: 'normal',
      tracked: true,
      limits: { grams: 2_000, longestMm: 600, sumOfSidesMm: 900 },
      volumetricDivisor: null,
      zones: {
        domestic: {
          steps: [
            [250, 389],
            [500, 429],
            [1_000, 489],
            [2_000, 569],
          ],
          days: [1, 3],
        },
        union: {
          steps: [
            [250, 690],
            [500, 890],
            [1_000, 1_180],
            [2_000, 1_590],
          ],
          days: [3, 6],
        },
        continent: {
          steps: [
            [250, 760],
            [500, 980],
            [1_000, 1_290],
            [2_000, 1_740],
          ],
          days: [4, 8],
        },
        intercontinental: {
          steps: [
            [250, 980],
            [500, 1_340],
            [1_000, 1_960],
            [2_000, 2_890],
          ],
          days: [6, 12],
        },
        remote: {
          steps: [
            [250, 1_060],
            [500, 1_490],
            [1_000, 2_240],
            [2_000, 3_390],
          ],
          days: [8, 18],
        },
      },
      paddingDays: 1,
      surcharges: [{ kind: 'round', minor: 150 }],
      requires: [],
      s10Prefix: 'L',
      mark: 'PACKET',
    },
    {
      uid: 'corvid_post_parcel',
      name: 'Parcel',
      serviceType: 'standard',
      tracked: true,
      limits: { grams: 30_000, longestMm: 1_500, lengthPlusGirthMm: 3_000 },
      volumetricDivisor: null,
      zones: {
        domestic: {
          steps: [
            [2_000, 619],
            [5_000, 769],
            [10_000, 1_049],
            [20_000, 1_899],
            [30_000, 2_399],
          ],
          days: [1, 2],
        },
        union: {
          steps: [
            [2_000, 1_449],
            [5_000, 1_749],
            [10_000, 2_349],
            [20_000, 3_499],
            [30_000, 4_599],
          ],
          days: [2, 5],
        },
        continent: {
          steps: [
            [2_000, 1_990],
            [5_000, 2_490],
            [10_000, 3_390],
            [20_000, 5_190],
          ],
          days: [4, 7],
        },
        intercontinental: {
          steps: [
            [2_000, 3_290],
            [5_000, 4_690],
            [10_000, 7_290],
            [20_000, 11_990],
          ],
          days: [6, 12],
        },
        remote: {
          steps: [
            [2_000, 3_890],
            [5_000, 5_690],
            [10_000, 9_190],
            [20_000, 15_990],
          ],
          days: [8, 18],
        },
      },
      paddingDays: 1,
      surcharges: [
        { kind: 'oversize', overMm: 1_200, minor: 600 },
        { kind: 'round', minor: 250 },
      ],
      requires: [],
      s10Prefix: 'C',
      mark: 'PARCEL',
    },
  ],
};
