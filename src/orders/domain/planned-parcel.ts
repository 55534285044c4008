import { z } from 'zod';
import type { ConsignmentPackage } from '../../consignments/domain/consignment';
import { fromMinor } from '../../platform/domain/money';
import { shareOf } from './retail-value';

/** A parcel as it is planned: contents, gross weight, size and price before VAT in minor units. */
export interface PlannedParcel
  extends Pick<ConsignmentPackage, 'grossWeightGrams' | 'lengthMm' | 'widthMm' | 'heightMm'> {
  readonly items: readonly { readonly itemReferenceId: string; readonly quantity: number }[];
  readonly priceMinor: number;
}

/** Returns packages with their prices, as they are planned. @param pricesMinor one for each package */
export function plannedParcels(
  packages: readonly ConsignmentPackage[],
  pricesMinor: readonly number[],
): PlannedParcel[] {
  return packages.map(({ items, grossWeightGrams, lengthMm, widthMm, heightMm }, index) => ({
    items: items.map(({ itemReferenceId, quantity }) => ({ itemReferenceId, quantity })),
    grossWeightGrams,
    lengthMm,
    widthMm,
    heightMm,
    priceMinor: pricesMinor[index]!,
  }));
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** Returns the sum of a property of parcels. */
export const sumOf = <K extends string>(parcels: readonly Readonly<Record<K, number>>[], key: K): number =>
  total(parcels.map((parcel) => parcel[key]));

/**
 * Returns the prices of the parcels that hold the rest of planned parcels. Together they never cost more than the planned
 * ones. Without a price for the rest, it costs the share of its weight in theirs.
 * @param quoted the prices of the method for the parcels of the rest; undefined when it has none
 */
export function pricesOfRest(
  planned: readonly PlannedParcel[],
  rest: readonly ConsignmentPackage[],
  quoted: readonly number[] | undefined,
): readonly number[] {
  const before = sumOf(planned, 'priceMinor');
  if (quoted !== undefined && total(quoted) <= before) return quoted;
  const grams = rest.map(({ grossWeightGrams }) => grossWeightGrams);
  const plannedGrams = sumOf(planned, 'grossWeightGrams');
  const after = quoted === undefined ? shareOf(before, Math.min(total(grams), plannedGrams), plannedGrams) : before;
  // Differences of rounded running totals, so that the prices add up.
  const upTo = (count: number) => shareOf(after, total(grams.slice(0, count)), total(grams));
  return grams.map((_, index) => upTo(index + 1) - upTo(index));
}

export const parcelSchema = z.object({
  items: z.array(z.object({ itemReferenceId: z.string(), quantity: z.int() })).readonly(),
  weight: z.number().describe('Grams, packaging included.'),
  lengthMm: z.number(),
  widthMm: z.number(),
  heightMm: z.number(),
  price: z.number().describe('Before VAT. The prices of all parcels add up to the shipping price.'),
});

export function parcelView(
  { grossWeightGrams: weight, priceMinor, ...parcel }: PlannedParcel,
  currency: string,
): z.input<typeof parcelSchema> {
  return { ...parcel, weight, price: fromMinor(priceMinor, currency) };
}
