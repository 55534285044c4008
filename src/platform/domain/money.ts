import Decimal from 'decimal.js';

/** ISO 4217 currencies whose minor unit is not a hundredth. */
const MINOR_DIGITS: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
};

/** Digits after the point in amounts of a currency (ISO 4217): 2 for EUR, 0 for JPY, 3 for KWD. */
export function minorDigits(currency: string): number {
  return MINOR_DIGITS[currency] ?? 2;
}

/** An amount as clients write it (`12.5`) to integer minor units (`1250`), rounded half away from zero. */
export function toMinor(amount: number | string, currency: string): number {
  return new Decimal(amount)
    .times(Decimal.pow(10, minorDigits(currency)))
    .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
    .toNumber();
}

/** Integer minor units to the number that answers show: 1250 EUR cents to 12.5. */
export function fromMinor(minor: number, currency: string): number {
  return new Decimal(minor).div(Decimal.pow(10, minorDigits(currency))).toNumber();
}

/** Minor units times a decimal factor (a VAT rate, a percentage), rounded half away from zero. */
export function timesRate(minor: number, rate: number | string): number {
  return new Decimal(minor).times(rate).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

/** `1,250.00 EUR`-like text for documents: the amount with its currency's digits, no grouping. */
export function formatMinor(minor: number, currency: string): string {
  return `${new Decimal(minor).div(Decimal.pow(10, minorDigits(currency))).toFixed(minorDigits(currency))} ${currency}`;
}

/** Units of a currency that one euro buys, on a day. */
export interface RateTable {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly perEuro: Readonly<Record<string, string>>;
}

/** A conversion into or out of a currency that the table does not hold. */
export class UnknownRateError extends Error {
  override readonly name = 'UnknownRateError';
}

/**
 * Converts integer minor units between currencies by a dated table, rounded half away from zero.
 * @throws UnknownRateError when either currency is not in the table
 */
export function convertMinor(minor: number, from: string, to: string, rates: RateTable): number {
  if (from === to) return minor;
  const fromRate = from === 'EUR' ? '1' : rates.perEuro[from];
  const toRate = to === 'EUR' ? '1' : rates.perEuro[to];
  if (fromRate === undefined || toRate === undefined) {
    throw new UnknownRateError(`no rate from ${from} to ${to} on ${rates.date}`);
  }
  return new Decimal(minor)
    .div(Decimal.pow(10, minorDigits(from)))
    .div(fromRate)
    .times(toRate)
    .times(Decimal.pow(10, minorDigits(to)))
    .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
    .toNumber();
}
