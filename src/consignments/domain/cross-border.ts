import { customsTerritory } from '../../platform/domain/countries';

/** Returns true when two countries are in different customs territories. The EU is one customs territory. */
export function isCrossBorder(fulfillmentCountry: string, destinationCountry: string): boolean {
  return customsTerritory(fulfillmentCountry) !== customsTerritory(destinationCountry);
}

/** Retail prices of an order, in major units as clients give them. */
export interface RetailPrices {
  readonly retailCurrency?: string | null | undefined;
  readonly retailShippingPriceInclVat?: number | string | null | undefined;
  /** Cancelled items need no price and are left out. */
  readonly items: readonly {
    /** Index of the item among all items of the order. */
    readonly position: number;
    readonly retailPriceInclVat?: number | string | null | undefined;
  }[];
}

/** Refusal fields of the retrieved order. */
export interface MissingRetailPrices {
  readonly refusalReasonCode: 'missing_retail_prices';
  readonly refusalReason: string;
  readonly refusalReasonDetails: { readonly missing: readonly string[] };
}

/**
 * Checks the cross-border rule: an order that crosses a customs border requires the retail currency, the retail price of
 * every item and the retail price of shipping. A price of 0 is valid; the customs declaration then shows 0.
 * @returns null when nothing is missing
 */
export function missingRetailPrices(order: RetailPrices): MissingRetailPrices | null {
  const missing: string[] = [];
  if (!order.retailCurrency) missing.push('retailCurrency');
  if (order.retailShippingPriceInclVat == null) missing.push('retailShippingPriceInclVat');
  for (const { position, retailPriceInclVat } of order.items) {
    if (retailPriceInclVat == null) missing.push(`items[${position}].retailPriceInclVat`);
  }
  if (missing.length === 0) return null;
  return {
    refusalReasonCode: 'missing_retail_prices',
    refusalReason: `The order crosses a customs border and has no retail prices: ${missing.join(', ')}.`,
    refusalReasonDetails: { missing },
  };
}
