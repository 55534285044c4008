import * as texts from '../../texts';

/** Returns an amount with its currency. */
export const moneyOf = (amount: number, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);

/** Returns the total of an order with its currency, or a dash before it is priced. */
export const amountOf = (amount: { readonly totalInclVat: number; readonly currency: string } | null): string =>
  amount === null ? texts.common.none : moneyOf(amount.totalInclVat, amount.currency);

/** Returns how many minor units, such as cents, a unit of a currency has. 100 for a text that is no currency. */
export function minorUnitsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 100;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return 10 ** maximumFractionDigits;
}
