import type { PriceList, ResolvedProduct } from '../../catalog/domain/product';
import { convertMinor, type RateTable } from '../../platform/domain/money';

/** Input for the price of one line. */
export interface PricedInput {
  readonly product: Pick<ResolvedProduct, 'priceList' | 'surcharges'>;
  readonly quantity: number;
}

/** Price of one line in integer minor units, before VAT. */
export interface LinePrice {
  readonly quantity: number;
  /** Unit price of the first quantity break. */
  readonly baseMinor: number;
  /** Unit price at this quantity. */
  readonly unitMinor: number;
  /** quantity x unitMinor. */
  readonly lineMinor: number;
}

type Breaks = PriceList[string];

/** Returns the quantity breaks in a currency: the product's own list, or a converted one (euro before others). */
function breaksIn(priceList: PriceList, currency: string, rates: RateTable): Breaks | undefined {
  const own = priceList[currency];
  if (own !== undefined && own.length > 0) return own;
  const known = (code: string) => code === 'EUR' || rates.perEuro[code] !== undefined;
  if (!known(currency)) return undefined;
  const source = ['EUR', ...Object.keys(priceList).sort()].find(
    (code) => known(code) && (priceList[code]?.length ?? 0) > 0,
  );
  if (source === undefined) return undefined;
  return priceList[source]!.map(({ from, unitMinor }) => ({
    from,
    unitMinor: convertMinor(unitMinor, source, currency, rates),
  }));
}

/**
 * Prices one line with the break whose `from` is the greatest that the quantity reaches. Below the first break, the first
 * applies. Each unit also costs the surcharges of the product, which have no quantity breaks.
 * @returns undefined when the product has no convertible price
 */
export function priceLine(
  { product, quantity }: PricedInput,
  currency: string,
  rates: RateTable,
): LinePrice | undefined {
  const breaks = breaksIn(product.priceList, currency, rates);
  if (breaks === undefined) return undefined;
  let surchargeMinor = 0;
  for (const { units, priceList } of product.surcharges ?? []) {
    const [first] = breaksIn(priceList, currency, rates) ?? [];
    if (first === undefined) return undefined;
    surchargeMinor += units * first.unitMinor;
  }
  const base = breaks.reduce((first, entry) => (entry.from < first.from ? entry : first));
  const reached = breaks.reduce(
    (best, entry) => (entry.from <= quantity && entry.from >= best.from ? entry : best),
    base,
  );
  return {
    quantity,
    baseMinor: base.unitMinor + surchargeMinor,
    unitMinor: reached.unitMinor + surchargeMinor,
    lineMinor: quantity * (reached.unitMinor + surchargeMinor),
  };
}

/**
 * Prices an order's items before VAT, with quantity breaks per item, in the order's currency. The rate table converts
 * the price of a product that has none in this currency; `no_price` names an item that has none at all.
 */
export function priceOrder(order: {
  readonly items: readonly PricedInput[];
  readonly currency: string;
  readonly rates: RateTable;
}) {
  const lines: LinePrice[] = [];
  for (const [itemIndex, item] of order.items.entries()) {
    const line = priceLine(item, order.currency, order.rates);
    if (line === undefined) return { ok: false, reason: 'no_price', itemIndex, currency: order.currency } as const;
    lines.push(line);
  }
  const totalMinor = lines.reduce((sum, line) => sum + line.lineMinor, 0);
  return { ok: true, currency: order.currency, lines, totalMinor } as const;
}
