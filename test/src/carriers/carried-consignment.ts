import { quoteRateCard, type RateCard, REGIONS } from '../../../src/carriers/domain/rate-card';
import type { Consignment } from '../../../src/consignments/domain/consignment';
import { REFERENCE_RATES } from '../../../src/platform/domain/exchange-rates';
import { MUNICH } from '../consignments/sample-addresses';
import { consignmentTo, packageOf } from '../consignments/sample-consignments';

/** Returns a consignment that a carrier carries from its first country of origin: at home when it can, else abroad. */
export function carriedConsignment(card: RateCard): Consignment {
  const [origin = ''] = Object.keys(card.origins);
  const sender = { ...MUNICH, country: origin };
  const countries = [origin, ...Object.values(REGIONS).flatMap((codes) => codes.split(' '))];
  const packages = card.methods.map(({ limits: { grams, longestMm, secondMm, thicknessMm } }) =>
    packageOf({
      grossWeightGrams: Math.min(grams, 850),
      lengthMm: Math.min(longestMm, 200),
      widthMm: Math.min(secondMm ?? longestMm, 150),
      heightMm: Math.min(thicknessMm ?? longestMm, 15),
    }),
  );
  for (const country of countries) {
    for (const pack of packages) {
      const consignment = consignmentTo({ ...MUNICH, country }, { packages: [pack], sender });
      if (quoteRateCard(card, consignment, REFERENCE_RATES).length > 0) return consignment;
    }
  }
  throw new Error(`${card.carrierName} carries nothing from ${origin}`);
}
