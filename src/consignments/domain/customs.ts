import { customsTerritory } from '../../platform/domain/countries';
import { REFERENCE_RATES } from '../../platform/domain/exchange-rates';
import { convertMinor, UnknownRateError } from '../../platform/domain/money';
import type { Consignment, ConsignmentItem, ConsignmentPackage, Money } from './consignment';

/** Papers customs wants with a package. */
export type CustomsForm = 'cn22' | 'cn23' | 'commercial_invoice';

/** Special drawing rights of the International Monetary Fund that a euro buys, at the reference rates' date. */
const SDR_PER_EURO = 0.8605;
/** Up to 300 SDR and 2 kg a CN22 suffices (UPU Convention Manual, article 20-001). */
const CN22_VALUE_EURO_CENTS = Math.floor((300 / SDR_PER_EURO) * 100);
const CN22_GRAMS = 2_000;
/** Lines of contents that a CN22 has room for. */
export const CN22_LINES = 6;

/** Whether goods between two countries pass customs: not within the EU, nor within any other customs territory. */
export function passesCustoms(from: string, to: string): boolean {
  return customsTerritory(from) !== customsTerritory(to);
}

export function lineValue({ unitValue, quantity }: ConsignmentItem): Money {
  return { minor: unitValue.minor * quantity, currency: unitValue.currency };
}

/** Value of all items of packages, in the currency of their first item. */
export function contentsValue(packages: readonly ConsignmentPackage[], fallbackCurrency: string): Money {
  const items = packages.flatMap((pack) => pack.items);
  const currency = items[0]?.unitValue.currency ?? fallbackCurrency;
  const minor = items.reduce((sum, item) => {
    const value = lineValue(item);
    return sum + convertMinor(value.minor, value.currency, currency, REFERENCE_RATES);
  }, 0);
  return { minor, currency };
}

/** Euro cents; null for a currency without a reference rate, as retail prices may be in. */
export function euroCents({ minor, currency }: Money): number | null {
  try {
    return convertMinor(minor, currency, 'EUR', REFERENCE_RATES);
  } catch (error) {
    if (error instanceof UnknownRateError) return null;
    throw error;
  }
}

/**
 * The paper that goes with a package across a customs border: a CN22 or, above its value (or where that cannot
 * be told), weight or lines, a CN23 with postal carriers; the shipment's commercial invoice with others. None where no customs lies between.
 */
export function customsForm(
  consignment: Consignment,
  pack: ConsignmentPackage,
  carrier: 'postal' | 'commercial',
): CustomsForm | null {
  if (!passesCustoms(consignment.sender.country, consignment.receiver.country)) return null;
  if (carrier === 'commercial') return 'commercial_invoice';
  const cents = euroCents(contentsValue([pack], consignment.currency));
  const small =
    cents !== null &&
    cents <= CN22_VALUE_EURO_CENTS &&
    pack.grossWeightGrams <= CN22_GRAMS &&
    pack.items.length <= CN22_LINES;
  return small ? 'cn22' : 'cn23';
}
