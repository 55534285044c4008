import Decimal from 'decimal.js';
import { convertAmount, minorDigits, type RateTable, toMinor } from '../../platform/domain/money';

/** Decimals of a unit cost in its currency. Cheap parts cost fractions of a cent. */
export const UNIT_COST_DECIMALS = 6;

/** Returns a unit cost in minor units, which may have a fraction: 0.004 EUR is 0.4. Rounds to UNIT_COST_DECIMALS. */
export function unitCostMinor(unitCost: number, currency: string): number {
  return new Decimal(unitCost)
    .toDecimalPlaces(UNIT_COST_DECIMALS, Decimal.ROUND_HALF_UP)
    .times(Decimal.pow(10, minorDigits(currency)))
    .toNumber();
}

/**
 * Returns a unit cost in another currency, rounded to UNIT_COST_DECIMALS.
 * @param minor minor units of `from`, which may have a fraction
 */
export function unitCostIn(minor: number, from: string, to: string, rates: RateTable): number {
  const amount = new Decimal(minor).div(Decimal.pow(10, minorDigits(from)));
  return convertAmount(amount, from, to, rates).toDecimalPlaces(UNIT_COST_DECIMALS, Decimal.ROUND_HALF_UP).toNumber();
}

/** Returns the sum of lines at their unit costs, in minor units of the currency, rounded half away from zero. */
export function linesTotalMinor(
  lines: readonly { readonly quantity: number; readonly unitCost: number }[],
  currency: string,
): number {
  const total = lines.reduce(
    (sum, { quantity, unitCost }) => sum.plus(new Decimal(unitCost).times(quantity)),
    new Decimal(0),
  );
  return toMinor(total.toString(), currency);
}
