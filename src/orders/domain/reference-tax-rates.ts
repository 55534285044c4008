import type { TaxTable } from './vat';

/** Sources of the reference rates. */
export const TAX_SOURCES = {
  standard: 'Standard rates as published by the tax authorities, January 2026',
  books:
    'Rates of printed books: VAT Act 1994 schedule 8 group 3 (GB, IM); VATCA 2010 schedule 2 (IE); UStG annex 2 no. 49 (DE); ' +
    'CGI art. 278-0 bis (FR); LIVA art. 91.Dos (ES); Wet OB 1968 table I a.30 (NL)',
} as const;

/**
 * Rates of value added tax or goods and services tax by country of delivery, which apply until operators load others
 * (src/orders/receipts/tax-rates.ts). Countries that are not listed charge none. The US taxes the retail sale by state,
 * not the production.
 */
export const REFERENCE_TAX_RATES: TaxTable = {
  AE: { standard: '0.05' },
  AT: { standard: '0.20' },
  AU: { standard: '0.10' },
  AX: { standard: '0.255' },
  BE: { standard: '0.21' },
  BG: { standard: '0.20' },
  CA: { standard: '0.05' },
  CH: { standard: '0.081' },
  CL: { standard: '0.19' },
  CY: { standard: '0.19' },
  CZ: { standard: '0.21' },
  DE: { standard: '0.19', books: '0.07' },
  DK: { standard: '0.25' },
  EE: { standard: '0.24' },
  ES: { standard: '0.21', books: '0.04' },
  FI: { standard: '0.255' },
  FR: { standard: '0.20', books: '0.055' },
  GB: { standard: '0.20', books: '0' },
  GR: { standard: '0.24' },
  HR: { standard: '0.25' },
  HU: { standard: '0.27' },
  IE: { standard: '0.23', books: '0' },
  IL: { standard: '0.18' },
  IM: { standard: '0.20', books: '0' },
  IN: { standard: '0.18' },
  IS: { standard: '0.24' },
  IT: { standard: '0.22' },
  JP: { standard: '0.10' },
  KR: { standard: '0.10' },
  LI: { standard: '0.081' },
  LT: { standard: '0.21' },
  LU: { standard: '0.17' },
  LV: { standard: '0.21' },
  MC: { standard: '0.20' },
  MT: { standard: '0.18' },
  MX: { standard: '0.16' },
  NL: { standard: '0.21', books: '0.09' },
  NO: { standard: '0.25' },
  NZ: { standard: '0.15' },
  PL: { standard: '0.23' },
  PT: { standard: '0.23' },
  RO: { standard: '0.21' },
  SE: { standard: '0.25' },
  SG: { standard: '0.09' },
  SI: { standard: '0.22' },
  SK: { standard: '0.23' },
  TR: { standard: '0.20' },
  ZA: { standard: '0.15' },
};
