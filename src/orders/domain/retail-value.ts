import { toMinor } from '../../platform/domain/money';

/** The parts of an order item that its retail value depends on. */
export interface RetailPricedItem {
  /** Retail price of all ordered units in major units, excluding VAT. */
  readonly retailPrice: string | null;
  /** Ordered units. */
  readonly quantity: number;
}

/**
 * Returns the retail value of some units of an item in minor units of the retail currency, or null when the item has no
 * retail price. The retail price is the total of the line, so a part of the units has a proportional share of it.
 */
export function retailValue(item: RetailPricedItem, units: number, currency: string): number | null {
  if (item.retailPrice === null) return null;
  return shareOf(toMinor(item.retailPrice, currency), units, item.quantity);
}

/** Returns `total` × `units` / `of`, rounded half up. Uses BigInt, because the product can exceed 2^53. */
export function shareOf(total: number, units: number, of: number): number {
  const [product, divisor] = [BigInt(total) * BigInt(units), BigInt(of)];
  return Number((product * 2n + divisor) / (divisor * 2n));
}
