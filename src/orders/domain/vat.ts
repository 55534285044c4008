import { isCrossBorder } from '../../consignments/domain/cross-border';

/**
 * Standard rates of value added tax or goods and services tax by country of delivery, as fractions. Countries that are
 * not listed charge none. The US taxes the retail sale by state, not the production.
 */
export const VAT_RATES: Readonly<Record<string, string>> = {
  AE: '0.05',
  AT: '0.20',
  AU: '0.10',
  AX: '0.255',
  BE: '0.21',
  BG: '0.20',
  CA: '0.05',
  CH: '0.081',
  CL: '0.19',
  CY: '0.19',
  CZ: '0.21',
  DE: '0.19',
  DK: '0.25',
  EE: '0.24',
  ES: '0.21',
  FI: '0.255',
  FR: '0.20',
  GB: '0.20',
  GR: '0.24',
  HR: '0.25',
  HU: '0.27',
  IE: '0.23',
  IL: '0.18',
  IM: '0.20',
  IN: '0.18',
  IS: '0.24',
  IT: '0.22',
  JP: '0.10',
  KR: '0.10',
  LI: '0.081',
  LT: '0.21',
  LU: '0.17',
  LV: '0.21',
  MC: '0.20',
  MT: '0.18',
  MX: '0.16',
  NL: '0.21',
  NO: '0.25',
  NZ: '0.15',
  PL: '0.23',
  PT: '0.23',
  RO: '0.21',
  SE: '0.25',
  SG: '0.09',
  SI: '0.22',
  SK: '0.23',
  TR: '0.20',
  ZA: '0.15',
};

/**
 * Returns the VAT rate of goods and their shipping as a decimal fraction: the rate of the destination within one customs
 * territory (such as the EU), and `0` for an export.
 */
export function vatRate(fulfillmentCountry: string, destinationCountry: string): string {
  if (isCrossBorder(fulfillmentCountry, destinationCountry)) return '0';
  return VAT_RATES[destinationCountry] ?? '0';
}
