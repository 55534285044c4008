/** Returns an amount with its currency. */
export const moneyOf = (amount: number, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);

/** Returns how many minor units, such as cents, a unit of a currency has. 100 for a text that is no currency. */
export function minorUnitsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 100;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return 10 ** maximumFractionDigits;
}
