/** Tracking numbers: S10 of the Universal Postal Union and SSCC-18 of GS1. */

const S10_WEIGHTS = [8, 6, 4, 2, 3, 5, 9, 7] as const;

/** Serial numbers per first letter of the S10 service indicator and country: 26 second letters with 10⁸ numbers each. */
export const S10_SERIALS = 2_600_000_000;

/** Returns the S10 check digit of eight digits: 11 minus the weighted sum modulo 11, where 10 becomes 0 and 11 becomes 5. */
export function s10CheckDigit(serial: string): string {
  const sum = S10_WEIGHTS.reduce((total, weight, index) => total + weight * Number(serial[index]), 0);
  const digit = 11 - (sum % 11);
  return String(digit === 10 ? 0 : digit === 11 ? 5 : digit);
}

/**
 * Returns a postal item identifier such as `LA473124829DE`. The serial number's high part selects the second letter, so
 * that different serial numbers give different identifiers.
 * @param prefix first letter of the service indicator: C parcels, L tracked letter post, U untracked, ...
 * @param serial 0 to S10_SERIALS - 1
 * @throws RangeError for any other serial number
 */
export function s10(prefix: string, serial: number, country: string): string {
  if (!Number.isSafeInteger(serial) || serial < 0 || serial >= S10_SERIALS) {
    throw new RangeError(`S10 serial ${serial} is not between 0 and ${S10_SERIALS - 1}`);
  }
  const second = String.fromCharCode(65 + Math.floor(serial / 100_000_000));
  const digits = String(serial % 100_000_000).padStart(8, '0');
  return `${prefix}${second}${digits}${s10CheckDigit(digits)}${country}`;
}

export function isS10(text: string): boolean {
  const match = /^[A-Z]{2}(\d{8})(\d)[A-Z]{2}$/.exec(text);
  return match !== null && s10CheckDigit(match[1]!) === match[2];
}

/** Returns the check digit of a GS1 key: modulo 10, weights 3 and 1 from the right. */
export function gs1CheckDigit(digits: string): string {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    sum += Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 3 : 1);
  }
  return String((10 - (sum % 10)) % 10);
}

/** Serial numbers per GS1 company prefix of seven digits: ten extension digits with 10⁹ numbers each. */
export const SSCC_SERIALS = 10_000_000_000;

/**
 * Returns a Serial Shipping Container Code of 18 digits, without its application identifier (00).
 * @param companyPrefix seven digits
 * @param serial 0 to SSCC_SERIALS - 1; the leading digit becomes the extension digit
 * @throws RangeError for any other prefix or serial number
 */
export function sscc(companyPrefix: string, serial: number): string {
  if (!/^\d{7}$/.test(companyPrefix))
    throw new RangeError(`${companyPrefix} is not a GS1 company prefix of seven digits`);
  if (!Number.isSafeInteger(serial) || serial < 0 || serial >= SSCC_SERIALS) {
    throw new RangeError(`SSCC serial ${serial} is not between 0 and ${SSCC_SERIALS - 1}`);
  }
  const digits = String(serial).padStart(10, '0');
  const body = `${digits[0]}${companyPrefix}${digits.slice(1)}`;
  return body + gs1CheckDigit(body);
}

export function isSscc(text: string): boolean {
  return /^\d{18}$/.test(text) && gs1CheckDigit(text.slice(0, 17)) === text[17];
}
