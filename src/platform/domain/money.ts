import Decimal from 'decimal.js';

/** ISO 4217 currencies that do not have two minor digits. */
const WITHOUT_MINOR = new Set('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '));
const THREE_DIGITS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/** Returns the number of decimals of a currency (ISO 4217): 2 for EUR, 0 for JPY, 3 for KWD. */
export function minorDigits(currency: string): number {
  if (WITHOUT_MINOR.has(currency)) return 0;
  return THREE_DIGITS.has(currency) ? 3 : 2;
}

const minorUnits = (currency: string) => Decimal.pow(10, minorDigits(currency));
const rounded = (amount: Decimal) => amount.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();

/** Converts an amount as clients write it (`12.5`) to integer minor units (`1250`), rounded half away from zero. */
export function toMinor(amount: number | string, currency: string): number {
  return rounded(new Decimal(amount).times(minorUnits(currency)));
}

/** Converts integer minor units to the number that responses contain: 1250 EUR cents to 12.5. */
export function fromMinor(minor: number, currency: string): number {
  return new Decimal(minor).div(minorUnits(currency)).toNumber();
}

/** Multiplies minor units by a decimal factor such as a VAT rate. Rounds half away from zero. */
export function timesRate(minor: number, rate: number | string): number {
  return rounded(new Decimal(minor).times(rate));
}

/** Formats minor units for documents, such as `1250.00 EUR`: the decimals of the currency, no digit grouping. */
export function formatMinor(minor: number, currency: string): string {
  return `${new Decimal(minor).div(minorUnits(currency)).toFixed(minorDigits(currency))} ${currency}`;
}

/** Exchange rates of one day: the units of each currency that one euro buys. */
export interface RateTable {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly perEuro: Readonly<Record<string, string>>;
}

/** A conversion from or to a currency that is not in the rate table. */
export class UnknownRateError extends Error {
  override readonly name = 'UnknownRateError';
}

/** Converts an amount in major units. Does not round. @throws UnknownRateError */
export function convertAmount(amount: Decimal, from: string, to: string, rates: RateTable): Decimal {
  if (from === to) return amount;
  const fromRate = from === 'EUR' ? '1' : rates.perEuro[from];
  const toRate = to === 'EUR' ? '1' : rates.perEuro[to];
  if (fromRate === undefined || toRate === undefined) {
    throw new UnknownRateError(`No exchange rate from ${from} to ${to} on ${rates.date}`);
  }
  return amount.div(fromRate).times(toRate);
}

/** Converts integer minor units. Rounds half away from zero. @throws UnknownRateError */
export function convertMinor(minor: number, from: string, to: string, rates: RateTable): number {
  if (from === to) return minor;
  const amount = new Decimal(minor).div(minorUnits(from));
  return rounded(convertAmount(amount, from, to, rates).times(minorUnits(to)));
}
