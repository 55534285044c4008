import Decimal from 'decimal.js';

/** Grams per unit of weight (avoirdupois pound and ounce: international yard and pound agreement, 1959). */
const GRAMS = { g: '1', kg: '1000', oz: '28.349523125', lb: '453.59237' } as const;
/** Millimetres per unit of length. */
const MILLIMETRES = { mm: '1', cm: '10', in: '25.4' } as const;

export type WeightUnit = keyof typeof GRAMS;
export type DimensionUnit = keyof typeof MILLIMETRES;

export const WEIGHT_UNITS = Object.keys(GRAMS) as [WeightUnit, ...WeightUnit[]];
export const DIMENSION_UNITS = Object.keys(MILLIMETRES) as [DimensionUnit, ...DimensionUnit[]];

const converted = (value: number, factor: string) => new Decimal(value).times(factor).toDecimalPlaces(3).toNumber();

/** Converts a weight to grams, exact to the milligram. */
export function toGrams(value: number, unit: WeightUnit): number {
  return converted(value, GRAMS[unit]);
}

/** Converts a length to millimetres, exact to the micrometre. */
export function toMillimetres(value: number, unit: DimensionUnit): number {
  return converted(value, MILLIMETRES[unit]);
}
