import { z } from 'zod';
import { type ConsignmentPackage, priceOf, totalOf } from '../../consignments/domain/consignment';
import { fromMinor } from '../../platform/domain/money';
import { shareOf } from './retail-value';

/** Equal parcels as they are planned: number, contents, gross weight, size and price before VAT of each in minor units. */
export interface PlannedParcel
  extends Pick<ConsignmentPackage, 'grossWeightGrams' | 'lengthMm' | 'widthMm' | 'heightMm'> {
  readonly count: number;
  readonly items: readonly { readonly itemReferenceId: string; readonly quantity: number }[];
  readonly priceMinor: number;
}

const plannedParcel = (
  { count = 1, items, grossWeightGrams, lengthMm, widthMm, heightMm }: ConsignmentPackage,
  priceMinor: number,
): PlannedParcel => ({
  count,
  items: items.map(({ itemReferenceId, quantity }) => ({ itemReferenceId, quantity })),
  grossWeightGrams,
  lengthMm,
  widthMm,
  heightMm,
  priceMinor,
});

/** Returns packages with their prices, as they are planned. @param pricesMinor the price of one package of each entry */
export function plannedParcels(
  packages: readonly ConsignmentPackage[],
  pricesMinor: readonly number[],
): PlannedParcel[] {
  return packages.map((pack, index) => plannedParcel(pack, pricesMinor[index]!));
}

/** Returns parcels that cost an amount together. Some of them cost a minor unit more than the others. */
function withPriceOf(pack: ConsignmentPackage, minor: number): PlannedParcel[] {
  const { count = 1 } = pack;
  const dearer = minor % count;
  const each = (minor - dearer) / count;
  return [
    plannedParcel({ ...pack, count: count - dearer }, each),
    plannedParcel({ ...pack, count: dearer }, each + 1),
  ].filter((parcel) => parcel.count > 0);
}

/**
 * Returns the parcels that hold the rest of planned parcels, with prices. Together they never cost more than the planned
 * ones. Without a price for the rest, it costs the share of its weight in theirs.
 * @param quoted the prices of the method for the packages of the rest; undefined when it has none
 */
export function parcelsOfRest(
  planned: readonly PlannedParcel[],
  rest: readonly ConsignmentPackage[],
  quoted: readonly number[] | undefined,
): PlannedParcel[] {
  const before = totalOf(planned, 'priceMinor');
  if (quoted !== undefined && priceOf(rest, quoted) <= before) return plannedParcels(rest, quoted);
  const grams = totalOf(rest, 'grossWeightGrams');
  const plannedGrams = totalOf(planned, 'grossWeightGrams');
  const after = quoted === undefined ? shareOf(before, Math.min(grams, plannedGrams), plannedGrams) : before;
  // Differences of rounded running totals, so that the prices add up.
  let weighed = 0;
  return rest.flatMap((pack) => {
    const earlier = shareOf(after, weighed, grams);
    weighed += totalOf([pack], 'grossWeightGrams');
    return withPriceOf(pack, shareOf(after, weighed, grams) - earlier);
  });
}

export const parcelSchema = z.object({
  count: z.int().min(1).describe('Equal parcels that the entry stands for. All other fields are of one of them.'),
  items: z.array(z.object({ itemReferenceId: z.string(), quantity: z.int() })).readonly(),
  weight: z.number().describe('Grams, packaging included.'),
  lengthMm: z.number(),
  widthMm: z.number(),
  heightMm: z.number(),
  price: z.number().describe('Of one parcel, before VAT. The prices of all parcels add up to the shipping price.'),
});

export function parcelView(
  { grossWeightGrams: weight, priceMinor, ...parcel }: PlannedParcel,
  currency: string,
): z.input<typeof parcelSchema> {
  return { ...parcel, weight, price: fromMinor(priceMinor, currency) };
}
