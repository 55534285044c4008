import { customsTerritory } from '../../platform/domain/countries';

/** Whether goods cross a customs border: from one customs territory to another (the EU is one). */
export function isCrossBorder(fulfillmentCountry: string, destinationCountry: string): boolean {
  return customsTerritory(fulfillmentCountry) !== customsTerritory(destinationCountry);
}

/** What an order says about retail prices, amounts as clients write them. */
export interface RetailPrices {
  readonly retailCurrency?: string | null | undefined;
  readonly retailShippingPriceInclVat?: number | string | null | undefined;
  readonly items: readonly {
    readonly itemReferenceId: string;
    readonly retailPriceInclVat?: number | string | null | undefined;
  }[];
}

/** A refusal as the retrieved order carries it. */
export interface MissingRetailPrices {
  readonly refusalReasonCode: 'missing_retail_prices';
  readonly refusalReason: string;
  readonly refusalReasonDetails: { readonly missing: readonly string[] };
}

/**
 * The cross-border rule: an order whose goods cross a customs border needs the retail currency and the retail
 * price of every item, and of shipping. (A price of 0 is a price; a customs declaration then shows 0.)
 * @returns null when the rule is kept
 */
export function missingRetailPrices(order: RetailPrices): MissingRetailPrices | null {
  const missing: string[] = [];
  if (!order.retailCurrency) missing.push('retailCurrency');
  if (order.retailShippingPriceInclVat == null) missing.push('retailShippingPriceInclVat');
  for (const [index, item] of order.items.entries()) {
    if (item.retailPriceInclVat == null) missing.push(`items[${index}].retailPriceInclVat`);
  }
  if (missing.length === 0) return null;
  return {
    refusalReasonCode: 'missing_retail_prices',
    refusalReason: `The order crosses a customs border and has no retail prices: ${missing.join(', ')}.`,
    refusalReasonDetails: { missing },
  };
}
