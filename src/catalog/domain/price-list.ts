import type { ProductionSpec } from './product-model';

type DatedPrices = ProductionSpec['priceList'];

/** Returns when a quantity break takes effect, in milliseconds since 1970. Without a date: always. */
export const startOf = ({ validFrom }: DatedPrices[string][number]): number =>
  validFrom === undefined ? Number.NEGATIVE_INFINITY : Date.parse(validFrom);

/**
 * Returns the prices in force: in each currency the quantity breaks of its latest start. A currency whose prices all
 * start later is absent.
 * @param now in milliseconds since 1970
 */
export function pricesInForce(
  dated: DatedPrices,
  now: number,
): Record<string, { readonly from: number; readonly unitMinor: number }[]> {
  return Object.fromEntries(
    Object.entries(dated).flatMap(([currency, breaks]) => {
      const started = breaks.filter((each) => startOf(each) <= now);
      const latest = Math.max(...started.map(startOf));
      const inForce = started
        .filter((each) => startOf(each) === latest)
        .map(({ from, unitMinor }) => ({ from, unitMinor }));
      return inForce.length === 0 ? [] : [[currency, inForce]];
    }),
  );
}

/** Returns when prices change next, in milliseconds since 1970. Infinity: no price is dated later than `now`. */
export const nextStart = (dated: DatedPrices, now: number): number =>
  Math.min(
    ...Object.values(dated)
      .flat()
      .map(startOf)
      .filter((start) => start > now),
  );
